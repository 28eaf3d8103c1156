// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A program that was run to its end, with what it wrote.
///
/// The program runs in a process group of its own, reads a file and writes to files, so that no
/// amount of output can block it. When it ends, or its time is up, whatever is left of its group is
/// killed: a test leaves no process behind, short of one that called setsid(2).
package struct ChildProcess: Sendable {
    /// How it ended.
    package let ending: Ending
    /// Everything it and its children wrote to standard output.
    package let outputBytes: [UInt8]
    /// Everything it and its children wrote to standard error.
    package let errorBytes: [UInt8]

    /// Standard output as text; malformed UTF-8 is repaired.
    package var output: String { String(decoding: outputBytes, as: UTF8.self) }
    /// Standard error as text; malformed UTF-8 is repaired.
    package var errorOutput: String { String(decoding: errorBytes, as: UTF8.self) }
    /// Whether it exited with 0.
    package var succeeded: Bool { ending == .exited(0) }

    /// Runs a program and returns when it has ended.
    ///
    /// A program that fails is not an error; ``ending`` tells it.
    /// - Parameters:
    ///   - program: a path, or a name to be looked up in this process' PATH.
    ///   - arguments: those after the program's name.
    ///   - environment: all of it; nil: that of this process.
    ///   - input: what it reads from standard input.
    ///   - directory: where it starts, through env(1), which then exits with 125…127 in place of a
    ///     program that cannot be started; nil: where this process is.
    ///   - limit: how long it may take before its process group is killed.
    /// - Throws: ``ChildProcessError`` when it cannot be started.
    package static func run(
        _ program: String, _ arguments: [String] = [], environment: [String: String]? = nil,
        input: [UInt8] = [], directory: String? = nil, limit: Duration = .seconds(120)
    ) throws -> ChildProcess {
        let files = try TemporaryDirectory()
        try files.write(input, to: "input")
        // posix_spawn's own way to change the directory is out of reach of Swift's Glibc module.
        let start = directory.map { ["env", "-C", $0, program] } ?? [program]
        let process = try spawn(
            start + arguments, environment: environment ?? ProcessInfo.processInfo.environment,
            files: files)
        let ending = end(of: process, limit: limit)
        return ChildProcess(
            ending: ending,
            outputBytes: try files.read("output"), errorBytes: try files.read("errors"))
    }

    /// Runs a program with a text for its standard input.
    package static func run(
        _ program: String, _ arguments: [String] = [], environment: [String: String]? = nil,
        input: String, directory: String? = nil, limit: Duration = .seconds(120)
    ) throws -> ChildProcess {
        try run(
            program, arguments, environment: environment, input: Array(input.utf8),
            directory: directory, limit: limit)
    }

    private static func spawn(
        _ words: [String], environment: [String: String], files: TemporaryDirectory
    ) throws -> pid_t {
        let program = words[0]
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        let created = O_WRONLY | O_CREAT | O_APPEND
        posix_spawn_file_actions_addopen(&actions, 0, files.path("input"), O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, files.path("output"), created, 0o600)
        posix_spawn_file_actions_addopen(&actions, 2, files.path("errors"), created, 0o600)

        let (process, code) = ProcessGroup.spawn(words, environment: environment, &actions)
        guard code == 0 else { throw ChildProcessError(program: program, code: code) }
        return process
    }

    private static func end(of process: pid_t, limit: Duration) -> Ending {
        // WNOWAIT leaves the zombie, so that its group's number cannot be given to another.
        let ended = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            var information = siginfo_t()
            while waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT) != 0, errno == EINTR
            {}
            ended.signal()
        }
        let (seconds, attoseconds) = limit.components
        let nanoseconds = Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
        let inTime = ended.wait(timeout: .now() + .nanoseconds(nanoseconds)) == .success
        kill(-process, SIGKILL)
        if !inTime {
            kill(process, SIGKILL)  // it may have moved to another group
            ended.wait()
        }

        let ending = ProcessGroup.reap(process)
        return inTime ? ending : .timedOut
    }
}
