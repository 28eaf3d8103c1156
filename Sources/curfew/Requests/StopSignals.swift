// SPDX-License-Identifier: Apache-2.0
import CSystem
import Glibc
import Synchronization

/// SIGINT and similar signals as an event to wait for, for commands that run until they are
/// stopped. A second signal ends the process at once.
struct StopSignals {
    /// Readable once one of them came.
    let descriptor: Int32

    /// Signals that come within these nanoseconds of the first are the same wish: timeout(1) signals
    /// its child, and then the group to which the child belongs.
    private static var sameWish: UInt64 { 200_000_000 }

    /// Blocks the signals in this thread and in those it will start.
    init() throws(CommandError) {
        let descriptor = csys_eventfd()
        guard descriptor >= 0 else {
            throw CommandError(
                .faults, "an event cannot be made: \(String(cString: strerror(errno)))")
        }
        self.descriptor = descriptor
        let first = Atomic<UInt64>(0)
        try ProgramThread.takeSignals(orEnd: .faults) { number in
            let now = csys_monotonic_ns()
            let earlier = first.load(ordering: .relaxed)
            guard earlier != 0 else {
                first.store(now, ordering: .relaxed)
                return csys_eventfd_signal(descriptor)
            }
            if now &- earlier < Self.sameWish { return }
            ProgramThread.stopTakingSignals()
            kill(getpid(), number)
            while true { pause() }
        }
    }
}
