// SPDX-License-Identifier: Apache-2.0
import CAppHost
import CCurfew
import Glibc

/// Shuts down the app's host when the process ends by `exit`: tasks are stopped and the store is
/// closed in order, so that running tasks do not count as crashed.
enum AppHostEnd {
    private static let host = AppLocked<AppHostEnding?>(nil)

    static func arrange(_ made: OpaquePointer, _ functions: capphost_functions) {
        host.withLock { $0 = AppHostEnding(host: made, functions: functions, process: getpid()) }
        _ = capphost_at_exit { AppHostEnd.leave() }
    }

    /// `exit` must not take long: tasks have half a second to end.
    private static func leave() {
        // A child that the app forked ends for itself: the host and its store are the parent's.
        guard let ending = host.withLock({ $0 }), ending.process == getpid() else { return }
        var limits = curfew_shutdown_options()
        limits.struct_size = UInt32(MemoryLayout<curfew_shutdown_options>.size)
        limits.expire_ns = 500_000_000
        limits.leave_ns = 100_000_000
        // On a worker, `exit` cannot wait for itself; the next start takes up what is left.
        _ = ending.functions.shutdown(ending.host, &limits, nil)
    }
}
