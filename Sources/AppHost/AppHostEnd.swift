// SPDX-License-Identifier: Apache-2.0
import CAppHost
import CCurfew
import CurfewValues
import Glibc

/// Shuts down the app's host when the process ends by `exit`: it stops tasks and closes the store,
/// so that running tasks do not count as crashed.
enum AppHostEnd {
    private static let host = Locked<AppHostEnding?>(nil)

    static func arrange(_ made: OpaquePointer, _ functions: capphost_functions) {
        host.withLock { $0 = AppHostEnding(host: made, functions: functions, process: getpid()) }
        _ = capphost_at_exit { AppHostEnd.leave() }
    }

    /// Shuts the host down. Tasks have half a second to end, since `exit` must not take long.
    private static func leave() {
        // A forked child leaves the host and its store to its parent.
        guard let ending = host.withLock({ $0 }), ending.process == getpid() else { return }
        var limits = curfew_shutdown_options()
        limits.struct_size = UInt32(MemoryLayout<curfew_shutdown_options>.size)
        limits.expire_ns = 500_000_000
        limits.leave_ns = 100_000_000
        // On a worker, `exit` cannot wait for the worker's own task; the next start handles the
        // unfinished requests.
        _ = ending.functions.shutdown(ending.host, &limits, nil)
    }
}

/// The host to shut down when the process ends.
struct AppHostEnding: @unchecked Sendable {
    // Sendable: any thread may use a host.
    let host: OpaquePointer
    let functions: capphost_functions
    let process: pid_t
}
