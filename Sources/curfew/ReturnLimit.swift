// SPDX-License-Identifier: Apache-2.0
import CSystem
import Conformance
import Curfew
import CurfewValues
import Glibc
import Synchronization

/// A limit for code of a plugin that this thread calls or waits for, in real time.
///
/// Blocked code cannot be interrupted, so that a call ends the process where it exceeds the limit, on
/// a thread that waits for that, or where a signal comes, on the thread that takes it.
final class ReturnLimit: @unchecked Sendable {
    // Sendable: `start` is atomic, and decides which thread uses `end`.

    /// The limit of this process, for the code that runs at its exit.
    static var current: ReturnLimit? { made.withLock { $0 } }
    private static let made = Locked<ReturnLimit?>(nil)

    private let nanoseconds: UInt64
    /// When the call began, by CLOCK_MONOTONIC; 0 outside of calls; `.max` once one ends the process.
    private let start = Atomic<UInt64>(0)
    private var end: (_ signal: Int32?) -> Never = { _ in fatalError("no call was running") }

    init(nanoseconds: UInt64) throws(CommandError) {
        self.nanoseconds = nanoseconds
        try ProgramThread.start(orEnd: .host) { self.watch() }
        ReturnLimit.made.withLock { $0 = self }
    }

    /// Loads a plugin into a host. Calls `fail` and ends the process if that takes too long, or if a
    /// signal comes.
    func load(
        _ facts: LifeFacts, into host: Host, _ console: Console,
        orFail fail: @escaping (CommandError) -> Void
    ) throws(CurfewError) {
        try during(orEnd: { [self] signal in
            let error = CommandError(
                signal.map(ExitCode.signal) ?? .timedOut,
                "the entry function of the plugin `\(facts.plugin.id)`, or a constructor of its library, \(lateness(signal))",
                notes: ["`\(facts.handler.identifier)` was not run"],
                help: ["curfew inspect --load \(ShellWord.path(facts.directory))"])
            fail(error)
            // The terminal shows ^C in the line.
            if signal != nil, console.errors.columns != nil { console.errors.line() }
            error.print(to: console.errors)
            Program.leave(error.code, console, atOnce: true)
        }) { () throws(CurfewError) in try host.load(plugin: facts.directory) }
    }

    /// Runs `body`, and calls `end` on another thread if it takes too long, or if a signal comes.
    func during<Result, Failure: Error>(
        orEnd end: @escaping (_ signal: Int32?) -> Never, _ body: () throws(Failure) -> Result
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

    /// Says of code that it has not returned in time, or before a signal.
    func lateness(_ signal: Int32?) -> String {
        signal.map { "had not returned when \(ProcessFacts.name(ofSignal: $0)) came" }
            ?? "has not returned after \(TimeText.limit(nanoseconds))"
    }

    /// Ends the process if a call is running.
    func interrupt(_ signal: Int32) { endProcess(in: start.load(ordering: .acquiring), signal) }

    /// Ends the process with a status. Code that runs at the exit has the same limit.
    func exit(_ code: ExitCode, _ console: Console) -> Never {
        during(orEnd: { signal in
            console.errors.line(
                "warning: a destructor of the plugin's library, or a function that it gave to atexit(3), \(self.lateness(signal)); the process ended without it"
            )
            _exit(signal.map(ExitCode.signal)?.rawValue ?? code.rawValue)
        }) { Glibc.exit(code.rawValue) }
    }

    private func watch() {
        csys_thread_name("curfew-limit")
        while true {
            let start = start.load(ordering: .acquiring)
            let now = csys_monotonic_ns()
            let isCall = start != 0 && start != .max
            if isCall, now >= start &+ nanoseconds {
                endProcess(in: start, nil)
            } else {
                csys_wait_readable(-1, (isCall ? start : now) &+ nanoseconds)
            }
        }
    }

    /// Ends the process if the call that began then is still running.
    private func endProcess(in call: UInt64, _ signal: Int32?) {
        if call != 0, call != .max,
            start.compareExchange(expected: call, desired: .max, ordering: .acquiring).exchanged
        {
            end(signal)
        }
    }
}
