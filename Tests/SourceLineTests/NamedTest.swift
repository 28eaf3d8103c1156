// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport

/// A test whose name begins with the lines that it shows: `@Test("S0.28–S0.31, S0.37: …")`.
struct NamedTest: Hashable {
    /// `Tests/CInterfaceTests/SubsFormTests.swift`.
    let file: String
    let numbers: [String]
    /// What follows the numbers.
    let sentence: String

    /// All of the package. This target's own are samples.
    static func inRepository() throws -> [NamedTest] {
        let root = BuiltProducts.packageRoot
        let files = try FileManager.default.subpathsOfDirectory(atPath: "\(root)/Tests")
        return try files.sorted()
            .filter { $0.hasSuffix(".swift") && !$0.hasPrefix("SourceLineTests/") }
            .flatMap {
                try all(
                    in: String(contentsOfFile: "\(root)/Tests/\($0)", encoding: .utf8),
                    file: "Tests/\($0)")
            }
    }

    /// Those in a source text, in their order.
    static func all(in source: String, file: String) throws -> [NamedTest] {
        try source.matches(of: #/(?m)^\s*[@]Test\(\s*"((?:[^"\\\n]|\\.)*)"/#).compactMap { match in
            let name = match.1.replacing(#"\""#, with: "\"")
            guard let head = name.firstMatch(of: #/^(S[0-9]\.[0-9][^:]*): (.*)$/#) else {
                return nil
            }
            return NamedTest(
                file: file, numbers: try numbers(head.1, file), sentence: String(head.2))
        }
    }

    private static func numbers(_ text: Substring, _ file: String) throws -> [String] {
        try text.components(separatedBy: ", ").flatMap { part in
            let ends = part.components(separatedBy: "–")
            guard ends.allSatisfy(SourceLine.isNumber) else { throw unreadable(text, file) }
            guard ends.count == 2 else { return ends }
            let halves = ends.map { $0.components(separatedBy: ".") }
            guard halves[0][0] == halves[1][0], let first = Int(halves[0][1]),
                let last = Int(halves[1][1]), first < last
            else { throw unreadable(text, file) }
            return (first...last).map { "\(halves[0][0]).\($0)" }
        }
    }

    private static func unreadable(_ text: Substring, _ file: String) -> SourceLineFault {
        SourceLineFault(
            text: "\(file): a test's name begins with \(text), which are no lines; write S1.2, or"
                + " S1.2, S1.4, or S1.2–S1.4")
    }
}
