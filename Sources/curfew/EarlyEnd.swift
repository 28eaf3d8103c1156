// SPDX-License-Identifier: Apache-2.0
import CSystem
import Conformance
import Glibc

/// Ctrl-C and its like while children are at work: they and what is theirs go first.
enum EarlyEnd {
    /// Blocks the signals in this thread and in those it will start, and takes them on a thread of
    /// its own.
    static func watch() throws(CommandError) {
        var set = wanted
        pthread_sigmask(SIG_BLOCK, &set, nil)
        let failure = csys_thread_start(
            { _ in
                csys_thread_name("curfew-signals")
                var set = EarlyEnd.wanted
                var number: Int32 = 0
                while sigwait(&set, &number) != 0 {}
                ContainedChild.abandonAll()
                _exit(ExitCode.signal(number).rawValue)
            }, nil, 0, nil)
        guard failure == 0 else {
            throw CommandError(
                .kit, "a thread cannot be started: \(String(cString: strerror(failure)))")
        }
    }

    /// Signals that the parent ignores stay ignored, as nohup(1) and background jobs of shells need
    /// it.
    static var wanted: sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        for number in [SIGINT, SIGTERM, SIGHUP] {
            var action = sigaction()
            let isKnown = sigaction(number, nil, &action) == 0
            let handler = unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            if !isKnown || handler != unsafeBitCast(SIG_IGN, to: Int.self) {
                sigaddset(&set, number)
            }
        }
        return set
    }
}
