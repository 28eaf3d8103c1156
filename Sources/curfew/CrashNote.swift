// SPDX-License-Identifier: Apache-2.0
import CSystem
import Conformance
import Glibc
import Scheduling

/// The message that is printed when a plugin's code ends this process.
///
/// All of it is prepared while all is well, for afterwards nothing but write(2) can be relied on.
/// A child that the code has forked has a copy of all this, and its end is none of the task's: there
/// nothing is said, and it ends as it would have.
enum CrashNote {
    /// Texts for one way to end; the memory is never given back.
    private struct Prepared {
        let screen: UnsafeMutableBufferPointer<UInt8>
        /// The outcome as an object, but for the beginning with the time.
        let record: UnsafeMutableBufferPointer<UInt8>
    }

    private static var signals: [Int32] {
        [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS]
    }
    /// The place of a stack overflow, above the numbers of all signals; the place of exit(3) is 0.
    private static var overflow: Int32 { 32 }

    // Written by the main thread: before the plugin is loaded, and `table` also after the task.
    nonisolated(unsafe) private static var table: UnsafeMutablePointer<Prepared>?
    nonisolated(unsafe) private static var beginning: UInt64 = 0
    nonisolated(unsafe) private static var records: (Int32, Int32) = (-1, -1)
    nonisolated(unsafe) private static var process: pid_t = 0
    nonisolated(unsafe) private static var processMark: UInt64 = 0
    // Set back by that thread once nothing of the plugin's can be mistaken for the task any more.
    nonisolated(unsafe) private static var isArmed = false

    /// Prints the message if the process ends from now on.
    ///
    /// - Parameters:
    ///   - identifier: whose code is run.
    ///   - records: where outcomes are written as objects, two descriptors at most.
    ///   - beginning: of the times in them, a reading of CLOCK_MONOTONIC.
    static func arm(
        _ identifier: String, _ console: Console, records: [Int32], beginning: UInt64
    ) {
        prepare(identifier, console)
        CrashNote.beginning = beginning
        CrashNote.records = (records.first ?? -1, records.dropFirst().first ?? -1)
        process = getpid()
        processMark = csys_process_mark()
        isArmed = true
        // The gate exists from here on, so that a handler need not make it.
        if WriteGate.enter() { WriteGate.leave() }
        csys_use_signal_stacks()
        for number in signals { take(number) }
        atexit {
            guard CrashNote.isArmed, CrashNote.isInItsProcess else { return }
            CrashNote.tell(0)
            _exit(ExitCode.misuse.rawValue)
        }
    }

    /// Prepares the message, again once the outcome of the task is known.
    static func prepare(_ identifier: String, _ console: Console, outcome: Outcome? = nil) {
        let lead = console.errors.isRich ? "\r\u{1B}[K" : ""
        let again = CommandLine.arguments.dropFirst().map(ShellWord.quoted)
            .joined(separator: " ")
        func prepare(_ what: String, _ code: ExitCode, _ help: [String]) -> Prepared {
            let error = CommandError(
                code, "the code of `\(identifier)` \(what)",
                notes: [
                    outcome.map { "the task was over: \($0.name)" }
                        ?? "it is unknown what the task had done"
                ], help: help)
            let record = JSONItem.object([
                ("outcome", .text(outcome?.name ?? "crashed")), ("duration", .null),
                ("result", .null),
                ("error", .text(what)), ("exit", .integer(Int64(code.rawValue))),
            ]).written.dropFirst()
            return Prepared(
                screen: bytes(lead + error.text(for: console.errors)),
                record: bytes(",\"event\":\"outcome\"," + record + "\n"))
        }
        let table = UnsafeMutablePointer<Prepared>.allocate(capacity: Int(overflow) + 1)
        table.initialize(
            repeating: prepare(
                "ended the process, which only the host may", .misuse,
                ["a handler returns, and calls neither exit nor quick_exit"]),
            count: Int(overflow) + 1)
        for place in signals + [overflow] {
            let number = place == overflow ? SIGSEGV : place
            let name = ProcessFacts.name(ofSignal: number)
            let cause = place == overflow ? "a stack overflow (\(name))" : name
            table[Int(place)] = prepare(
                "died of \(cause), and took this process with it",
                .signal(number), ["to see where: gdb -q -ex run --args curfew \(again)"])
        }
        CrashNote.table = table
    }

    /// Prints no message any more: the process ends by itself.
    static func disarm() { isArmed = false }

    private static func bytes(_ text: String) -> UnsafeMutableBufferPointer<UInt8> {
        let bytes = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: text.utf8.count)
        _ = bytes.initialize(from: text.utf8)
        return bytes
    }

    /// Installs the handler, unless a sanitizer or a debugger's library has one.
    private static func take(_ number: Int32) {
        var action = sigaction()
        guard sigaction(number, nil, &action) == 0,
            unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 0
        else { return }
        action.__sigaction_handler.sa_sigaction = { number, info, context in
            if CrashNote.isInItsProcess {
                let isOverflow = number == SIGSEGV && csys_is_stack_overflow(info, context)
                CrashNote.tell(isOverflow ? CrashNote.overflow : number)
            }
            // The signal has its default action and is not blocked, so that the parent sees the
            // true cause.
            raise(number)
        }
        action.sa_flags =
            Int32(bitPattern: UInt32(SA_RESETHAND)) | SA_NODEFER | SA_ONSTACK | SA_SIGINFO
        sigaction(number, &action, nil)
    }

    // MARK: When it happens

    /// The mark is also that of a child by vfork(2), which shares the memory, and the number that of
    /// the first process of another namespace, which may be 1 in both.
    private static var isInItsProcess: Bool {
        getpid() == process && csys_is_process(processMark)
    }

    private static func tell(_ number: Int32) {
        guard isArmed, let table else { return }
        isArmed = false
        WriteGate.close()
        let prepared = table[Int(number)]
        // `{"time":12.345678901`, into memory of this stack alone.
        var line: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
        withUnsafeMutableBytes(of: &line) { line in
            var rest = csys_monotonic_ns() &- beginning
            var place = line.count
            var digits = 0
            while digits < 10 || rest > 0 {
                place &-= 1
                line[place] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
                digits &+= 1
                if digits == 9 {
                    place &-= 1
                    line[place] = UInt8(ascii: ".")
                }
            }
            let time = UnsafeRawBufferPointer(rebasing: line[place...])
            write(records.0, time, prepared.record)
            write(records.1, time, prepared.record)
        }
        _ = Glibc.write(2, prepared.screen.baseAddress, prepared.screen.count)
    }

    private static func write(
        _ descriptor: Int32, _ time: UnsafeRawBufferPointer,
        _ record: UnsafeMutableBufferPointer<UInt8>
    ) {
        guard descriptor >= 0 else { return }
        let head: StaticString = "{\"time\":"
        _ = Glibc.write(descriptor, head.utf8Start, head.utf8CodeUnitCount)
        _ = Glibc.write(descriptor, time.baseAddress, time.count)
        _ = Glibc.write(descriptor, record.baseAddress, record.count)
    }
}
