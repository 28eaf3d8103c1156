// SPDX-License-Identifier: Apache-2.0
import CSystem
import Glibc

/// Threads of the command itself, which run until the process ends.
enum ProgramThread {
    private final class Body: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    static func start(
        orEnd code: ExitCode, _ run: @escaping @Sendable () -> Void
    ) throws(CommandError) {
        let body = Unmanaged.passRetained(Body(run))
        let failure = csys_thread_start(
            { Unmanaged<Body>.fromOpaque($0!).takeRetainedValue().run() }, body.toOpaque(), 0, nil)
        guard failure == 0 else {
            body.release()
            throw CommandError(
                code, "a thread cannot be started: \(String(cString: strerror(failure)))")
        }
    }

    /// Blocks Ctrl-C and its like, here and in new threads, and passes each to `take` on a thread.
    static func takeSignals(
        orEnd code: ExitCode, _ take: @escaping @Sendable (Int32) -> Void
    ) throws(CommandError) {
        maskSignals(SIG_BLOCK)
        try start(orEnd: code) {
            csys_thread_name("curfew-signals")
            var (set, number) = (signals, Int32(0))
            while true { if sigwait(&set, &number) == 0 { take(number) } }
        }
    }

    /// Lets the next signal end the process; for the thread that takes them.
    static func stopTakingSignals() { maskSignals(SIG_UNBLOCK) }

    private static func maskSignals(_ how: Int32) {
        var set = signals
        pthread_sigmask(how, &set, nil)
    }

    /// Those that the parent ignores stay ignored: nohup(1), background jobs of shells.
    private static var signals: sigset_t {
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
