// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport

/// A user with a home of its own, who installs plugins there.
final class InstallDesk {
    let files: TemporaryDirectory
    let minisign: Minisign
    private(set) var environment: [String: String]

    static let id = "org.example.tidy"

    init() throws {
        files = try TemporaryDirectory()
        minisign = try Minisign()
        environment = ["HOME": files.path("home"), "CURFEW_PLUGIN_PATH": ""]
        try FileManager.default.createDirectory(
            atPath: files.path("home"), withIntermediateDirectories: false)
    }

    var plugins: String { files.path("home/.local/share/curfew/plugins") }
    var store: String { plugins + ".store" }
    var installed: String { "\(plugins)/\(Self.id)" }
    var keys: String { files.path("home/.config/curfew/trusted.d") }

    /// Runs `curfew` as that user.
    func run(_ words: String..., with more: [String: String] = [:]) throws -> CommandRun {
        CommandRun(
            process: try ChildProcess.run(
                CommandRun.program, words,
                environment: CommandRun.environment.merging(environment) { $1 }.merging(more) {
                    $1
                },
                directory: files.path, limit: .seconds(60)))
    }

    /// Writes a plugin whose handler runs a program, and returns its directory.
    @discardableResult
    func plugin(
        _ name: String, version: String, id: String = id, says text: String = "hello"
    ) throws -> String {
        try files.write(
            #"""
            {"id": "\#(id)", "version": "\#(version)", "abi": 0,
             "handlers": [{"identifier": "\#(id)", "kind": "processing", "form": "command",
                           "command": {"argv": ["/bin/cat", "words/\#(name).txt"]}}]}

            """#, to: "\(name)/manifest.json")
        try files.write(text, to: "\(name)/words/\(name).txt")
        let program = try files.write("#!/bin/sh\necho \(text)\n", to: "\(name)/tidy.sh")
        chmod(program, 0o755)
        return files.path(name)
    }

    /// Signs a plugin of the desk.
    func sign(_ name: String, version: String, id: String = id) throws {
        try minisign.sign(
            files.path("\(name)/manifest.json"), comment: "id=\(id) version=\(version) abi=0")
    }

    /// Trusts the key of the desk, by the command itself.
    func trust(_ prefix: String = "org.example") throws {
        let run = try run("trust", "add", minisign.key, "--prefix", prefix)
        guard run.code == 0 else { throw TestFault(text: "\(run.process)") }
    }

    /// The version of the installed plugin; nil where there is none.
    var version: String? {
        guard let data = FileManager.default.contents(atPath: installed + "/manifest.json"),
            let object = try? JSONSerialization.jsonObject(with: data) as? [String: Any]
        else { return nil }
        return object["version"] as? String
    }

    /// The lines of the audit.
    func audit() throws -> [[String: Any]] {
        let text = try String(contentsOfFile: store + "/audit.jsonl", encoding: .utf8)
        return try text.split(separator: "\n").map { line in
            guard
                let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
                    as? [String: Any]
            else { throw TestFault(text: String(line)) }
            return object
        }
    }

    /// The names in a directory, hidden ones too.
    func names(_ directory: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []).sorted()
    }

    func mode(_ path: String) -> Int {
        var status = stat()
        return lstat(path, &status) == 0 ? Int(status.st_mode & 0o7777) : -1
    }
}
