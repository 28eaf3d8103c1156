// SPDX-License-Identifier: Apache-2.0
import CSystem
import Glibc

/// SIGINT and similar signals as an event to wait for, for commands that run until they are
/// stopped. A second signal ends the process at once.
struct StopSignals {
    /// Readable once one of them came.
    let descriptor: Int32

    /// Blocks the signals in this thread and in those it will start.
    init() throws(CommandError) {
        let descriptor = csys_eventfd()
        guard descriptor >= 0 else {
            throw CommandError(
                .faults, "an event cannot be made: \(String(cString: strerror(errno)))")
        }
        self.descriptor = descriptor
        try ProgramThread.takeSignals(orEnd: .faults) { _ in
            csys_eventfd_signal(descriptor)
            ProgramThread.stopTakingSignals()
            while true { pause() }
        }
    }
}
