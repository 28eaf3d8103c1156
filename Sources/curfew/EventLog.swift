// SPDX-License-Identifier: Apache-2.0
import Glibc
import Scheduling

/// The destination of a run's events: a file, or standard output.
struct EventLog {
    let path: String
    let output: Output
    /// For messages: what it is.
    private let noun: String

    /// - Parameter isTrace: a trace, which replaces a file that is there. The lines of a log are added to one: nothing of it
    ///   is lost.
    init(_ path: String, _ console: Console, isTrace: Bool = false) throws(CommandError) {
        self.path = path
        noun = isTrace ? "trace" : "event log"
        guard path != "-" else {
            output = console.out
            return
        }
        // Opening a named pipe without a reader must not block.
        let flags =
            O_WRONLY | O_CREAT | (isTrace ? O_TRUNC : O_APPEND) | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
        let descriptor = open(path, flags, 0o666)
        guard descriptor >= 0 else {
            let reason =
                errno == ENXIO
                ? "it is a named pipe without a reader" : String(cString: strerror(errno))
            throw CommandError(
                .host, "the \(noun) `\(path)` cannot be written: \(reason)",
                notes: ["nothing was run"],
                help: ["--\(isTrace ? "trace" : "event-log") FILE, or - for standard output"])
        }
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK)
        output = Output(descriptor: descriptor)
    }

    var isStandardOutput: Bool { path == "-" }

    /// The reason why the file is incomplete. Errors of standard output are reported elsewhere.
    func failure(_ outcome: Outcome) -> CommandError? {
        guard !isStandardOutput, output.failure != 0 else { return nil }
        return CommandError(
            .faults,
            "cannot write to the \(noun) `\(path)`: \(String(cString: strerror(output.failure)))",
            notes: outcome == .cancelled ? ["the task was cancelled then"] : [])
    }
}
