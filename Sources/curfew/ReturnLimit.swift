// SPDX-License-Identifier: Apache-2.0
import CSystem
import Curfew
import Glibc
import Synchronization

/// A limit for code of a plugin that this thread calls or waits for, in real time.
///
/// Blocked code cannot be interrupted, so that a call which exceeds the limit ends the process, on a
/// thread that waits for that.
final class ReturnLimit: @unchecked Sendable {
    // Sendable: `start` is atomic, and decides which thread uses `end`.

    /// The limit of this process, for the code that runs at its exit.
    nonisolated(unsafe) private(set) static var current: ReturnLimit?

    private let nanoseconds: UInt64
    /// When the call began, by CLOCK_MONOTONIC; 0 outside of calls; `.max` once one took too long.
    private let start = Atomic<UInt64>(0)
    private var end: () -> Never = { fatalError("the limit was exceeded outside of a call") }

    init(nanoseconds: UInt64) throws(CommandError) {
        self.nanoseconds = nanoseconds
        let retained = Unmanaged.passRetained(self)
        let failure = csys_thread_start(
            { Unmanaged<ReturnLimit>.fromOpaque($0!).takeUnretainedValue().watch() },
            retained.toOpaque(), 0, nil)
        guard failure == 0 else {
            retained.release()
            throw CommandError(
                .host, "a thread cannot be started: \(String(cString: strerror(failure)))")
        }
        ReturnLimit.current = self
    }

    /// Loads a plugin into a host. Calls `fail` and ends the process if that takes too long.
    func load(
        _ facts: LifeFacts, into host: Host, _ console: Console,
        orFail fail: @escaping (CommandError) -> Void
    ) throws(CurfewError) {
        try during(orEnd: { [nanoseconds] in
            let error = CommandError(
                .timedOut,
                "the entry function of the plugin `\(facts.plugin.id)`, or a constructor of its library, has not returned after \(TimeText.limit(nanoseconds))",
                notes: ["`\(facts.handler.identifier)` was not run"],
                help: ["curfew inspect --load \(ShellWord.path(facts.directory))"])
            fail(error)
            error.print(to: console.errors)
            Program.leave(error.code, console, atOnce: true)
        }) { () throws(CurfewError) in try host.load(plugin: facts.directory) }
    }

    /// Runs `body`, and calls `end` on another thread if it takes too long.
    func during<Result, Failure: Error>(
        orEnd end: @escaping () -> Never, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        self.end = end
        let now = csys_monotonic_ns()
        start.store(now, ordering: .releasing)
        defer {
            if !start.compareExchange(expected: now, desired: 0, ordering: .acquiring).exchanged {
                while true { pause() }
            }
        }
        return try body()
    }

    /// Ends the process with a status. Code that runs at the exit has the same limit.
    func exit(_ code: ExitCode, _ console: Console) -> Never {
        during(orEnd: {
            console.errors.line(
                "warning: a destructor of the plugin's library, or a function that it gave to atexit(3), has not returned after \(TimeText.limit(self.nanoseconds)); the process ended without it"
            )
            _exit(code.rawValue)
        }) { Glibc.exit(code.rawValue) }
    }

    private func watch() {
        csys_thread_name("curfew-limit")
        while true {
            let start = start.load(ordering: .acquiring)
            let now = csys_monotonic_ns()
            if start != 0, now >= start &+ nanoseconds {
                if self.start.compareExchange(
                    expected: start, desired: .max, ordering: .acquiring
                ).exchanged {
                    end()
                }
            } else {
                csys_wait_readable(-1, (start == 0 ? now : start) &+ nanoseconds)
            }
        }
    }
}
