// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

/// What an embedder of Tests/Embedding works on, and what it has to tell about it.
struct EmbedderStage {
    /// What every one of them prints; the README beside them says why.
    static let lines = [
        "one: loaded sqlite-care, mirror, patient", "one: nobody: not found",
        "two: loaded sqlite-care, mirror, patient", "two: nobody: not found",
        #"one: sqlite-care: progress to 1, done(true, "")"#,
        #"one: mirror: progress to 1, done(true, ""), "#
            + #"{"copied":3,"unchanged":0,"skipped":0,"bytes":18}"#,
        #"one: mirror: done(false, "the payload's "from" is not an absolute path: 'here'")"#,
        #"one: patient: expired, done(false, "Background task expired.")"#,
        #"two: sqlite-care: progress to 1, done(true, "")"#,
        #"two: mirror: progress to 1, done(true, ""), "#
            + #"{"copied":3,"unchanged":0,"skipped":0,"bytes":18}"#,
        #"two: mirror: done(false, "the payload's "from" is not an absolute path: 'here'")"#,
        #"two: patient: expired, done(false, "Background task expired.")"#,
        "two: shut down after 4 done events", "two: mirror: the host is shutting down",
        #"one: mirror: progress to 1, done(true, ""), "#
            + #"{"copied":0,"unchanged":3,"skipped":0,"bytes":0}"#,
        "one: shut down after 5 done events",
    ]

    let installation: Installation
    private let scratch: TemporaryDirectory

    init(_ installation: Installation) throws {
        self.installation = installation
        scratch = try TemporaryDirectory()
        for host in ["one", "two"] {
            for name in ["a", "b", "c"] {
                try scratch.write("\(host) \(name)\n", to: "\(host)/from/\(name).txt")
            }
            _ = try Installation.output(
                "sqlite3",
                [scratch.path("\(host)/notes.db"), "create table note(text); vacuum;"])
        }
    }

    /// Runs an embedder, and compares all it says and does with what is expected.
    ///
    /// - Parameter more: what this one prints besides, after the rest.
    func play(
        _ command: [String], environment: [String: String] = [:], more: [String] = [],
        limit: Duration = .seconds(60), at location: SourceLocation = #_sourceLocation
    ) throws {
        let child = try ChildProcess.run(
            command[0],
            command.dropFirst() + [
                installation.path("lib/curfew/plugins"),
                "\(BuiltProducts.packageRoot)/.build/test-plugins", scratch.path,
            ],
            environment: ProcessInfo.processInfo.environment.merging(environment) { $1 },
            limit: limit)
        #expect(child.succeeded, "\(child)", sourceLocation: location)
        #expect(child.errorOutput == "", sourceLocation: location)
        #expect(
            child.output.split(separator: "\n").map(String.init) == EmbedderStage.lines + more,
            sourceLocation: location)
        for host in ["one", "two"] {
            for name in ["a", "b", "c"] {
                #expect(
                    FileManager.default.contentsEqual(
                        atPath: scratch.path("\(host)/from/\(name).txt"),
                        andPath: scratch.path("\(host)/to/\(name).txt")),
                    "\(host)/to/\(name).txt", sourceLocation: location)
            }
        }
    }
}
