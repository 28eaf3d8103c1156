// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport

/// What `make install` put below a prefix, and the tools to look at it.
struct Installation {
    let prefix: String

    /// The installation that the tests use.
    ///
    /// - Throws: ``TestFault`` when there is none.
    static func forTests() throws -> Installation {
        let installation = Installation(prefix: BuiltProducts.prefix)
        guard FileManager.default.fileExists(atPath: installation.path("lib/libcurfew.so")) else {
            throw TestFault(
                text: "\(installation.prefix) has no libcurfew.so; first run:"
                    + " make test-plugins prefix")
        }
        return installation
    }

    /// The path of something installed.
    func path(_ name: String) -> String { "\(prefix)/\(name)" }

    /// The path of the shared library, where its links end.
    var library: String {
        URL(fileURLWithPath: path("lib/libcurfew.so")).resolvingSymlinksInPath().path
    }

    /// Everything below the prefix that is not a directory, and the directories that are Curfew's.
    func contents() -> [String] {
        let names = FileManager.default.enumerator(atPath: prefix)?.compactMap { $0 as? String }
        return (names ?? []).filter { name in
            let attributes = try? FileManager.default.attributesOfItem(atPath: path(name))
            let isDirectory = attributes?[.type] as? FileAttributeType == .typeDirectory
            return !isDirectory || name.lowercased().contains("curfew")
        }.sorted()
    }

    /// What pkg-config says about this installation.
    func pkgConfig(_ arguments: String...) throws -> [String] {
        var environment = ProcessInfo.processInfo.environment
        environment["PKG_CONFIG_PATH"] = path("lib/pkgconfig")
        return try output("pkg-config", arguments + ["curfew"], environment: environment)
            .split(whereSeparator: \.isWhitespace).map(String.init)
    }

    /// The names of the functions a shared object gives to others, as `nm` prints them.
    static func exports(of library: String) throws -> [String] {
        try output("nm", ["-D", "--defined-only", "--extern-only", "--format=posix", library])
            .split(separator: "\n")
            .map { $0.split(separator: " ").map(String.init) }
            // Absolute symbols are the names of versions.
            .filter { $0.count > 1 && $0[1] != "A" }.map { $0[0] }
    }

    /// The values of one tag in a shared object's dynamic section.
    static func dynamic(_ tag: String, of library: String) throws -> [String] {
        try output("readelf", ["-d", "-W", library]).split(separator: "\n")
            .filter { $0.contains("(\(tag))") }
            .compactMap { line in
                guard let from = line.firstIndex(of: "["), let to = line.lastIndex(of: "]") else {
                    return line.split(separator: ":").last.map(String.init)
                }
                return String(line[line.index(after: from)..<to])
            }
    }

    /// What a program that must succeed printed.
    static func output(
        _ program: String, _ arguments: [String], environment: [String: String]? = nil,
        directory: String? = nil, limit: Duration = .seconds(120)
    ) throws -> String {
        let child = try ChildProcess.run(
            program, arguments, environment: environment, directory: directory, limit: limit)
        guard child.succeeded else {
            throw TestFault(text: "\(program) \(arguments.joined(separator: " ")): \(child)")
        }
        return child.output
    }

    private func output(
        _ program: String, _ arguments: [String], environment: [String: String]
    ) throws -> String {
        try Self.output(program, arguments, environment: environment)
    }
}
