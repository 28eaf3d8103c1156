// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport

/// A store of one test, and commands that work on it.
struct RequestDesk {
    let files: TemporaryDirectory
    var store: String { files.path("store") }

    init() throws { files = try TemporaryDirectory() }

    /// Runs a command with the store; errors and output in UTC.
    func run(_ words: String..., input: String = "") throws -> CommandRun {
        try run(words, input: input)
    }

    func run(_ words: [String], input: String = "") throws -> CommandRun {
        let process = try ChildProcess.run(
            CommandRun.program, words + ["--store", store],
            environment: CommandRun.environment.merging(["TZ": "UTC"]) { $1 }, input: input,
            directory: files.path, limit: .seconds(60))
        return CommandRun(process: process)
    }

    /// Submits a request that waits for a date far away, and returns its number.
    @discardableResult
    func submit(_ identifier: String, _ more: String...) throws -> Int {
        let run = try run(
            ["submit", identifier, "--at", "2190-12-24T18:00Z", "--kind", "processing", "--json"]
                + more)
        guard let id = try run.document()["id"] as? Int else {
            throw CocoaError(.propertyListReadCorrupt)
        }
        return id
    }

    /// The same at a terminal.
    func type(columns: Int = 80, _ words: String...) throws -> Typist {
        try Typist(
            columns: columns, environment: ["TZ": "UTC"], CommandRun.program,
            more: words + ["--store", store])
    }

    /// Does something in Python, which has `store` and `run`, that calls the command and returns
    /// its code, output and errors.
    func python(_ script: String) throws -> ChildProcess {
        let head = """
            import fcntl, json, os, signal, sqlite3, struct, subprocess, sys
            program, store = sys.argv[1:3]
            def run(*words):
                done = subprocess.run([program, *words, "--store", store], capture_output=True, text=True)
                return done.returncode, done.stdout, done.stderr

            """
        return try ChildProcess.run(
            "python3", ["-c", head + script, CommandRun.program, store],
            environment: CommandRun.environment.merging(["TZ": "UTC"]) { $1 },
            directory: files.path, limit: .seconds(60))
    }
}
