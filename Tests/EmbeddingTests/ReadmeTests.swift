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

    /// A fenced block of a language, counted from 0.
    private func block(
        _ language: String, _ index: Int = 0, of document: String = "README.md"
    ) throws -> String {
        let blocks = try text(document).components(separatedBy: "```\(language)\n").dropFirst()
        return try #require(blocks.dropFirst(index).first).components(separatedBy: "\n```")[0]
            + "\n"
    }

    @Test("opens with what Curfew is, what it prints, and what else there is")
    func opening() throws {
        let head = try text().components(separatedBy: "\n").prefix(75).joined(separator: "\n")
        #expect(head.hasPrefix("# Curfew\n"))
        let words = [
            "recording.svg", "`make demo`", "`make test`", "| cron |", "curfew serve", "```c\n",
            "```swift\n", "```python",
        ]
        for word in words { #expect(head.contains(word), "\(word)") }
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
        let run = try shell(try block("sh", 2))
        #expect(run.succeeded && run.output.contains("\nSUCCEEDED"), "\(run)")
    }

    @Test("its commands let a program run every night; here it runs at once")
    func nightly() throws {
        let atOnce = """
            curfew launch 1
            until test -s "$HOME/made.tar.gz"; do curfew wait 1 --timeout 100ms || true; done
            kill %1
            wait %1
            curfew ps
            """
        let run = try shell(
            try block("sh").replacingOccurrences(
                of: "/var/tmp/home.tar.gz .", with: "made.tar.gz /etc/hostname") + atOnce)
        #expect(run.succeeded && run.output.contains("pending"), "\(run)")
    }

    @Test("its second screen is the service, as it says")
    func service() throws {
        let section = try #require(
            try text().components(separatedBy: "## The service\n").dropFirst().first
        ).components(separatedBy: "\n## ")[0]
        try GuideReader(try Installation.forTests()).follow(
            Guide("README", text: "```sh\nexport PATH=\"/usr/local/bin:$PATH\"\n```\n" + section))
    }

    /// Runs commands in an empty directory, which is the home as well.
    private func shell(_ commands: String) throws -> ChildProcess {
        let place = try TemporaryDirectory()
        var environment = ProcessInfo.processInfo.environment
        environment["PATH"] =
            try Installation.forTests().path("bin") + ":" + (environment["PATH"] ?? "")
        environment["HOME"] = place.path
        return try ChildProcess.run(
            "bash", ["-euo", "pipefail", "-c", commands], environment: environment,
            directory: place.path, limit: .seconds(60))
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
            built + "/CPostgres.build/module.modulemap",
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

    @Test("its Python runs a function of its own")
    func python() throws {
        let installation = try Installation.forTests()
        let python = try Python(installation)
        let place = try TemporaryDirectory()
        let program = try block("python").replacingOccurrences(
            of: "store=\"", with: "store=\"\(place.path)/")
        let told = try Installation.output(
            python.program, ["-c", program],
            environment: ProcessInfo.processInfo.environment.merging(python.environment) { $1 })
        #expect(told == "SUCCEEDED\n")
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
