// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

/// What the README shows is code: it compiles as it stands there.
@Suite("The README")
struct ReadmeTests {
    private static let readme = try? String(
        contentsOfFile: BuiltProducts.packageRoot + "/README.md", encoding: .utf8)

    /// The fenced blocks of a language.
    private func blocks(_ language: String) throws -> [String] {
        let text = try #require(Self.readme)
        return text.components(separatedBy: "```\(language)\n").dropFirst().map {
            $0.components(separatedBy: "\n```")[0] + "\n"
        }
    }

    @Test("opens with what Curfew is and its two commands")
    func opening() throws {
        let text = try #require(Self.readme)
        let head = text.prefix(1_000)
        #expect(head.hasPrefix("# Curfew\n"))
        #expect(try blocks("sh")[0].contains("make demo"))
        #expect(try blocks("sh")[0].contains("make test"))
    }

    @Test("its C is a plugin that compiles with all warnings, and lints with its manifest")
    func plugin() throws {
        let source = try #require(try blocks("c").first)
        let manifest = try #require(try blocks("json").first)
        let directory = try TemporaryDirectory()
        try directory.write(source, to: "tidy.c")
        try FileManager.default.createDirectory(
            atPath: directory.path("tidy"), withIntermediateDirectories: true)
        try directory.write(manifest, to: "tidy/manifest.json")
        let compiled = try ChildProcess.run(
            "gcc",
            [
                "-std=c11", "-Wall", "-Wextra", "-pedantic", "-Werror", "-fPIC", "-shared",
                "-I", BuiltProducts.packageRoot + "/include", "-o",
                directory.path("tidy/libtidy.so"), directory.path("tidy.c"),
            ])
        #expect(compiled.succeeded, "\(compiled.errorOutput)")
        let curfew = BuiltProducts.path(ofProduct: "curfew")
        let linted = try ChildProcess.run(curfew, ["lint", directory.path("tidy")])
        #expect(linted.succeeded, "\(linted.output)\(linted.errorOutput)")
        let ran = try ChildProcess.run(
            curfew, ["run", "org.example.tidy", "--plugins", directory.path])
        #expect(ran.succeeded, "\(ran.output)\(ran.errorOutput)")
    }

    @Test("its Swift compiles against the package's modules", arguments: [1, 2, 3, 4])
    func swift(block: Int) throws {
        let blocks = try blocks("swift")
        #expect(blocks.count == 5)
        let directory = try TemporaryDirectory()
        // The plugin has no top level, the host is one.
        let isPlugin = block == 1
        let file = isPlugin ? "Tidy.swift" : "main.swift"
        try directory.write(blocks[block], to: file)
        let built = BuiltProducts.directory
        let maps = [
            built + "/CCurfew.build/module.modulemap", built + "/CSystem.build/module.modulemap",
            built + "/CFaults.build/module.modulemap", built + "/CAppHost.build/module.modulemap",
            BuiltProducts.packageRoot + "/Sources/CFFI/module.modulemap",
            BuiltProducts.packageRoot + "/Sources/CSQLite/module.modulemap",
        ]
        let checked = try ChildProcess.run(
            "swiftc",
            ["-typecheck", "-swift-version", "6", "-module-name", "Example"]
                + (isPlugin ? ["-parse-as-library"] : [])
                + [directory.path(file), "-I", built + "/Modules"]
                + maps.flatMap { ["-Xcc", "-fmodule-map-file=" + $0] }
                + ["-Xcc", "-I" + BuiltProducts.packageRoot + "/include"])
        #expect(checked.succeeded, "\(checked.errorOutput)")
    }

    @Test("its Python mirrors a directory")
    func python() throws {
        let installation = try Installation.forTests()
        let python = try Python(installation)
        let place = try TemporaryDirectory()
        try place.write("one", to: "a/file.txt")
        let program = try #require(try blocks("python").first)
            .replacingOccurrences(of: "/usr/local", with: installation.prefix)
            .replacingOccurrences(of: "/srv", with: place.path)
        let told = try Installation.output(
            python.program, ["-c", program],
            environment: ProcessInfo.processInfo.environment.merging(python.environment) { $1 })
        #expect(told == "SUCCEEDED \n")
        #expect(try place.read("b/file.txt") == Array("one".utf8))
    }

    @Test(
        "Its table has every key of a handler, and the guide every key of a call",
        arguments: [("README.md", "handler"), ("Documentation/calling-functions.md", "call")])
    func keys(document: String, object: String) throws {
        let root = BuiltProducts.packageRoot
        let text = try String(contentsOfFile: "\(root)/\(document)", encoding: .utf8)
        let schema = try JSONSerialization.jsonObject(
            with: Data(contentsOf: URL(fileURLWithPath: "\(root)/Plugins/manifest.schema.json")))
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

    @Test("its package manifest is one")
    func package() throws {
        let directory = try TemporaryDirectory()
        try directory.write(try #require(try blocks("swift").first), to: "Package.swift")
        let described = try ChildProcess.run(
            "swift", ["package", "--package-path", directory.path, "dump-package"])
        #expect(described.succeeded, "\(described.errorOutput)")
    }
}
