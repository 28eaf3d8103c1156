// SPDX-License-Identifier: Apache-2.0
import Foundation

/// `call-killer.c`, which kills a process at one of its system calls.
package final class CallKiller {
    private static let place = Result { try TemporaryDirectory() }
    private static let program = Result {
        let program = try place.get().path("call-killer")
        let source = "\(BuiltProducts.packageRoot)/Tests/TestSupport/call-killer.c"
        let gcc = try ChildProcess.run("gcc", ["-std=gnu11", "-O1", "-o", program, source])
        guard gcc.succeeded else { throw TestFault(text: "\(gcc)") }
        return program
    }

    private let files: TemporaryDirectory
    private let process: pid_t
    private var isStopped = false

    private var report: String { files.path("report") }
    private var lines: [Substring] {
        ((try? String(contentsOfFile: report, encoding: .utf8)) ?? "").split(separator: "\n")
    }

    /// Follows a process, and kills it, or one that it starts, at a system call.
    ///
    /// - Parameters:
    ///   - depth: 0 for the process itself, 1 for the first one that it starts, and so on.
    ///   - call: counted from 1.
    package init(attachTo id: Int32, depth: Int, call: Int) throws {
        files = try TemporaryDirectory()
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        let words = [
            try Self.program.get(), "attach", "\(depth)", "\(call)", files.path("report"), "\(id)",
        ]
        let (process, code) = ProcessGroup.spawn(words, environment: [:], &actions)
        guard code == 0 else { throw ChildProcessError(program: words[0], code: code) }
        self.process = process
        while lines.first != "attached" {
            guard kill(process, 0) == 0 else { throw TestFault(text: "nothing can be traced here") }
            usleep(200)
        }
    }

    /// The number of the system call at which it killed; nil if it has not.
    package var killedAt: Int? {
        lines.first { $0.hasPrefix("killed ") }.flatMap { Int($0.dropFirst(7)) }
    }

    /// Stops following.
    package func stop() {
        guard !isStopped else { return }
        isStopped = true
        kill(process, SIGTERM)
        _ = ProcessGroup.reap(process)
    }

    /// What came of a program that was killed at a system call.
    package struct Killed {
        /// The number of the call; nil if the program has fewer.
        package let call: Int?
        /// Whether a process that it has started was there 2 s after its end.
        package let isSomethingLeft: Bool
        package let ending: ChildProcess.Ending
    }

    /// Runs a program, and kills it, or a process below it, at a system call.
    package static func run(
        _ words: [String], depth: Int = 0, call: Int, environment: [String: String]
    ) throws -> Killed {
        let files = try TemporaryDirectory()
        let report = files.path("report")
        let run = try ChildProcess.run(
            program.get(), ["run", "\(depth)", "\(call)", report] + words,
            environment: environment, limit: .seconds(120))
        let lines = ((try? String(contentsOfFile: report, encoding: .utf8)) ?? "")
            .split(separator: "\n")
        guard lines.contains("nothing") || lines.contains("left") else {
            throw TestFault(text: "\(run)")
        }
        return Killed(
            call: lines.first { $0.hasPrefix("killed ") }.flatMap { Int($0.dropFirst(7)) },
            isSomethingLeft: lines.contains("left"), ending: run.ending)
    }
}
