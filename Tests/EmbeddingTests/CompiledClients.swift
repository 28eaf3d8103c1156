// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport

/// The client programs of Tests/Embedding, compiled against what is installed.
final class CompiledClients: Sendable {
    /// Compiled once for all tests, and removed when the test run ends.
    static let shared = Result { try CompiledClients() }

    private let directory: TemporaryDirectory
    private let installation: Installation

    private init() throws {
        installation = try Installation.forTests()
        directory = try TemporaryDirectory()
        let sources = "\(BuiltProducts.packageRoot)/Tests/Embedding"
        let flags = try installation.pkgConfig("--cflags")
        let libraries = try installation.pkgConfig("--libs")
        let libraryDirectory = installation.path("lib")

        var arguments = ["-std=c11", "-O1", "-g", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
        arguments += flags + ["-Wl,-rpath,\(libraryDirectory)"]
        for (source, program) in [("client.c", path(.c)), ("life.c", directory.path("life"))] {
            _ = try Installation.output(
                "gcc",
                arguments + ["-o", program, "\(sources)/\(source)"] + libraries + ["-lsqlite3"])
        }

        arguments = ["-swift-version", "6", "-warnings-as-errors", "-parse-as-library"]
        arguments += ["-I", "\(sources)/CClient"] + flags.flatMap { ["-Xcc", $0] }
        arguments += ["-module-cache-path", directory.path("modules")]
        arguments += ["-o", path(.swift), "\(sources)/client.swift"] + libraries
        _ = try Installation.output(
            "swiftc", arguments + ["-Xlinker", "-rpath", "-Xlinker", libraryDirectory])
    }

    /// The path of a compiled client.
    func path(_ language: ClientLanguage) -> String { directory.path(language.rawValue) }

    /// Runs a client in a directory of its own; `before` is what runs it, valgrind for instance.
    func run(
        _ language: ClientLanguage, mode: String, before: [String] = [],
        limit: Duration = .seconds(120)
    ) throws -> ChildProcess {
        let scratch = try TemporaryDirectory()
        let command =
            before + [
                path(language), mode, installation.path("lib/curfew/plugins"),
                "\(BuiltProducts.packageRoot)/.build/test-plugins", scratch.path,
            ]
        return try ChildProcess.run(command[0], Array(command.dropFirst()), limit: limit)
    }

    /// Runs the program about the life of a process with a host in it.
    func runLife(_ words: String...) throws -> ChildProcess { try runLife(words) }

    func runLife(_ words: [String]) throws -> ChildProcess {
        try ChildProcess.run(directory.path("life"), words, limit: .seconds(60))
    }
}
