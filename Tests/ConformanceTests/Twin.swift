// SPDX-License-Identifier: Apache-2.0
import Conformance
import Foundation
import TestSupport

/// A plugin with one fault: a source file of Tests/Plugins/twins, named after the case it must fail.
struct Twin: Sendable {
    let name: String
    /// What its comment says it does wrong.
    let wrong: String
    /// What comes of its own case.
    let status: CaseStatus
    /// Other cases that cannot but warn.
    let warned: [String]

    /// The case that it is a twin of; "good" for the plugin without a fault.
    var tested: String { String(name.prefix { $0 != "+" }) }
    /// What was built of it.
    var directory: String { BuiltProducts.testPluginDirectory("twins/\(name)") }

    static let sources = BuiltProducts.packageRoot + "/Tests/Plugins/twins"
    static let good = "good"

    /// Those with a fault, in the order of the cases they are twins of.
    static func all() throws -> [Twin] {
        let names = try FileManager.default.contentsOfDirectory(atPath: sources)
            .filter { $0.hasSuffix(".c") }.map { String($0.dropLast(2)) }.sorted()
        let twins = try names.filter { $0 != good }.map { try Twin(name: $0) }
        return ConformanceCase.all.flatMap { each in twins.filter { $0.tested == each.name } }
            + twins.filter { ConformanceCase.named($0.tested) == nil }
    }

    init(name: String) throws {
        self.name = name
        let source = try String(contentsOfFile: "\(Twin.sources)/\(name).c", encoding: .utf8)
        // The comment at its beginning: " * word: text".
        func texts(_ word: String) -> [String] {
            source.split(separator: "\n").filter { $0.hasPrefix(" * \(word): ") }
                .map { String($0.dropFirst(word.count + 5)) }
        }
        guard let wrong = texts("wrong").first else {
            throw TwinError("\(name).c does not say what is wrong")
        }
        self.wrong = wrong
        let word = texts("status").first ?? CaseStatus.fail.rawValue
        guard let status = CaseStatus(rawValue: word), status != .pass, status != .skip else {
            throw TwinError("\(name).c has a status that is none: \(word)")
        }
        self.status = status
        warned = try texts("also").map { text in
            let words = text.split(separator: " ").map(String.init)
            guard words.count == 2, words[1] == "warn", ConformanceCase.named(words[0]) != nil
            else { throw TwinError("\(name).c has a line that is none: also: \(text)") }
            return words[0]
        }
    }
}
