// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

/// One of Tests/Programs: a file in the manner of an app, whose first lines say what is to be expected.
struct Program: CustomTestStringConvertible, Sendable {
    /// The name of its file, without `.swift`.
    let name: String
    private let text: String

    init(_ name: String) throws {
        self.name = name
        text = try String(contentsOfFile: Self.directory + "/\(name).swift", encoding: .utf8)
    }

    private static let directory = BuiltProducts.packageRoot + "/Tests/Programs"

    /// All there are, in the order of their names.
    static func all() throws -> [Program] {
        try FileManager.default.contentsOfDirectory(atPath: directory)
            .filter { $0.hasSuffix(".swift") }.sorted()
            .map { try Program(String($0.dropLast(".swift".count))) }
    }

    var path: String { Self.directory + "/\(name).swift" }
    var testDescription: String { name }

    // MARK: What its first lines say

    /// What it shows.
    var manner: String? { lines("Manner").first }
    /// Whether it compiles in the mode of Swift 6; nil: it does not say.
    var inSwift6: InSwift6? { lines("Swift 6").first.flatMap(InSwift6.init) }
    /// Further arguments of the compiler.
    var flags: [String] { lines("Flags").flatMap { $0.components(separatedBy: " ") } }
    /// What it prints; other lines may stand between.
    var prints: [String] { lines("Prints") }
    /// What is in its Info.plist.
    var propertyList: [String: Any] {
        [
            "CFBundleIdentifier": lines("Bundle").first ?? "com.example.program",
            "BGTaskSchedulerPermittedIdentifiers": words("Permits"),
            "UIBackgroundModes": words("Modes"),
        ]
    }

    /// The `// Key: …` lines above the first import.
    private func lines(_ key: String) -> [String] {
        let mark = "// \(key): "
        return text.split(separator: "\n").prefix { $0.hasPrefix("//") }
            .filter { $0.hasPrefix(mark) }.map { String($0.dropFirst(mark.count)) }
    }

    private func words(_ key: String) -> [String] {
        lines(key).flatMap { $0.components(separatedBy: ", ") }
    }

    // MARK: What its code says

    /// It begins in a type, not at the top of the file.
    var hasMain: Bool { text.contains("\n@main\n") }
}
