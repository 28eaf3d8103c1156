// SPDX-License-Identifier: Apache-2.0
import CSystem
import Glibc

/// SIGINT and similar signals as an event to wait for, for commands that run until they are
/// stopped.
final class StopSignals: Sendable {
    /// Readable once one of them came.
    let descriptor: Int32

    /// Blocks the signals in this thread and in those it will start.
    init() throws(CommandError) {
        descriptor = csys_eventfd()
        var set = EarlyEnd.wanted
        pthread_sigmask(SIG_BLOCK, &set, nil)
        let retained = Unmanaged.passRetained(self)
        let failure =
            descriptor < 0
            ? EMFILE
            : csys_thread_start(
                {
                    csys_thread_name("curfew-signals")
                    let signals = Unmanaged<StopSignals>.fromOpaque($0!).takeUnretainedValue()
                    var set = EarlyEnd.wanted
                    var number: Int32 = 0
                    while sigwait(&set, &number) != 0 {}
                    csys_eventfd_signal(signals.descriptor)
                    // A second signal ends the process at once.
                    pthread_sigmask(SIG_UNBLOCK, &set, nil)
                    while true { pause() }
                }, retained.toOpaque(), 0, nil)
        guard failure == 0 else {
            retained.release()
            throw CommandError(
                .faults, "a thread cannot be started: \(String(cString: strerror(failure)))")
        }
    }
}
