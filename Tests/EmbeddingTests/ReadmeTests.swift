// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

/// What the README shows is code: it compiles as it stands there.
@Suite("The README")
struct ReadmeTests {
    private static let root = BuiltProducts.packageRoot

    private func text(_ document: String = "README.md") throws -> String {
        try String(contentsOfFile: "\(Self.root)/\(document)", encoding: .utf8)
    }

    /// The first fenced block of a language.
    private func block(_ language: String, of document: String = "README.md") throws -> String {
        let parts = try text(document).components(separatedBy: "```\(language)\n")
        return try #require(parts.dropFirst().first).components(separatedBy: "\n```")[0] + "\n"
    }

    @Test("opens with what Curfew is, what it prints, and what else there is")
    func opening() throws {
        let head = try text().components(separatedBy: "\n").prefix(40).joined(separator: "\n")
        #expect(head.hasPrefix("# Curfew\n"))
        for word in ["recording.svg", "`make demo`", "| cron |", "```c\n", "```swift\n"] {
            #expect(head.contains(word), "\(word)")
        }
    }

    @Test("its picture shows what the demonstration prints")
    func recording() throws {
        var environment = ProcessInfo.processInfo.environment
        environment["PATH"] =
            try Installation.forTests().path("bin") + ":" + (environment["PATH"] ?? "")
        let shown = try ChildProcess.run(
            "\(Self.root)/Tests/Demo/demo.sh", [], environment: environment, limit: .seconds(60))
        #expect(shown.succeeded, "\(shown)")
        let checked = try ChildProcess.run(
            "python3",
            [
                "-B", "\(Self.root)/Documentation/site/recording.py", "--check",
                "\(Self.root)/Documentation/recording.svg",
            ], input: shown.output)
        #expect(checked.succeeded, "\(checked)")
    }

    @Test("its commands make a plugin that is tested and runs")
    func commands() throws {
        let lines = try block("sh").split(separator: "\n")
        #expect(lines.first?.contains("sudo make install") == true)
        let installation = try Installation.forTests()
        let place = try TemporaryDirectory()
        var environment = ProcessInfo.processInfo.environment
        environment["PATH"] = installation.path("bin") + ":" + (environment["PATH"] ?? "")
        let run = try ChildProcess.run(
            "bash",
            ["-euo", "pipefail", "-c", lines.dropFirst().joined(separator: "\n")],
            environment: environment, directory: place.path, limit: .seconds(60))
        #expect(run.succeeded && run.output.contains("\nSUCCEEDED"), "\(run)")
    }

    @Test("its C is a program that runs")
    func c() throws {
        let installation = try Installation.forTests()
        let place = try TemporaryDirectory()
        let body = try block("c").replacingOccurrences(of: "/usr/local", with: installation.prefix)
        let headers = "#include <curfew/curfew.h>\n#include <stddef.h>\n"
        try place.write(headers + "int main(void) {\n\(body)}\n", to: "main.c")
        let program = place.path("program")
        _ = try Installation.output(
            "gcc",
            ["-Wall", "-Wextra", "-Werror", place.path("main.c"), "-o", program]
                + installation.pkgConfig("--cflags", "--libs")
                + ["-Wl,-rpath," + installation.path("lib")])
        _ = try Installation.output(program, [])
    }

    @Test(
        "Its Swift, and that of the guide to requests, compiles against the package's modules",
        arguments: ["README.md", "Documentation/requests.md"])
    func swift(document: String) throws {
        let directory = try TemporaryDirectory()
        try directory.write(try block("swift", of: document), to: "main.swift")
        let built = BuiltProducts.directory
        let maps = [
            built + "/CCurfew.build/module.modulemap", built + "/CSystem.build/module.modulemap",
            built + "/CFaults.build/module.modulemap", built + "/CAppHost.build/module.modulemap",
            Self.root + "/Sources/CFFI/module.modulemap",
            Self.root + "/Sources/CSQLite/module.modulemap",
        ]
        let checked = try ChildProcess.run(
            "swiftc",
            ["-typecheck", "-swift-version", "6", "-module-name", "Example"]
                + [directory.path("main.swift"), "-I", built + "/Modules"]
                + maps.flatMap { ["-Xcc", "-fmodule-map-file=" + $0] }
                + ["-Xcc", "-I" + Self.root + "/include"])
        #expect(checked.succeeded, "\(checked.errorOutput)")
    }

    @Test("its Python mirrors a directory")
    func python() throws {
        let installation = try Installation.forTests()
        let python = try Python(installation)
        let place = try TemporaryDirectory()
        try place.write("one", to: "a/file.txt")
        let program = try block("python")
            .replacingOccurrences(of: "/usr/local", with: installation.prefix)
            .replacingOccurrences(of: "/srv", with: place.path)
        let told = try Installation.output(
            python.program, ["-c", program],
            environment: ProcessInfo.processInfo.environment.merging(python.environment) { $1 })
        #expect(told == "SUCCEEDED \n")
        #expect(try place.read("b/file.txt") == Array("one".utf8))
    }

    @Test(
        "The guides have every key of a handler, and of a call",
        arguments: [
            ("Documentation/writing-a-plugin.md", "handler"),
            ("Documentation/calling-functions.md", "call"),
        ])
    func keys(document: String, object: String) throws {
        let text = try self.text(document)
        let schema = try JSONSerialization.jsonObject(
            with: Data(
                contentsOf: URL(fileURLWithPath: "\(Self.root)/Plugins/manifest.schema.json")))
        let definitions = (schema as? [String: Any])?["$defs"] as? [String: Any]
        let properties = (definitions?[object] as? [String: Any])?["properties"] as? [String: Any]
        let keys = try #require(properties).keys
        #expect(keys.count > 5)
        for key in keys {
            #expect(
                text.contains("\n| `\(key)` |") || text.contains("besides `\(key)` and")
                    || text.contains("and `\(key)` ("), "\(key)")
        }
    }
}
