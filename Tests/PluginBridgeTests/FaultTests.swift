// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import PluginBridge

@Suite("The table of faults")
struct FaultTests {
    /// The names of all rules there are, by the hundreds of their codes.
    private static let rules: [(hundred: UInt16, names: [String])] = [
        (1, JSONRule.allCases.map(\.rawValue)), (2, ManifestRule.allCases.map(\.rawValue)),
        (3, LoadRule.allCases.map(\.rawValue)),
        (4, PropertyListRule.allCases.map(\.rawValue) + PermittedRule.allCases.map(\.rawValue)),
        (7, ContractRule.allCases.map(\.rawValue)),
    ]

    /// Those of the header, in its order, but OK.
    private static let statuses: [Status] = Array(
        (1...).lazy.map { Status(rawValue: $0) }.prefix { $0.constant != nil })

    @Test("every status but OK has a row with the header's number, name and text")
    func statuses() throws {
        #expect(Self.statuses.count == 33)
        for status in Self.statuses {
            let fault = try #require(Fault.of(status), "\(status)")
            #expect(Int32(fault.number) == status.rawValue)
            #expect(fault.text == status.description)
            #expect(fault.answer == status)
            let name = try #require(status.constant)
            #expect("CURFEW_" + fault.name.uppercased().replacing("-", with: "_") == name)
        }
        #expect(Fault.of(.ok) == nil)
        #expect(Fault.of(Status(rawValue: 101)) == nil)
        #expect(Fault.of(Status(rawValue: -1)) == nil)
        #expect(Fault.all.count { $0.number < 100 } == Self.statuses.count)
    }

    @Test("every rule has one row, among those of its kind", arguments: [1, 2, 4, 7] as [UInt16])
    func complete(hundred: UInt16) throws {
        let names = try #require(Self.rules.first { $0.hundred == hundred }).names
        let rows = Fault.all.filter { $0.number / 100 == hundred }.map(\.name)
        #expect(Set(names).subtracting(rows) == [], "rules without a row")
        #expect(Set(rows).subtracting(names) == [], "rows without a rule")
        #expect(names.count == rows.count)
    }

    @Test("the cases of conform are numbered without a gap")
    func conformance() {
        let cases = Fault.all.filter { $0.number / 100 == 8 }
        #expect(cases.map(\.number) == Array(801...877))
        #expect(cases.allSatisfy { $0.answer == nil })
    }

    @Test("no number and no name is there twice, and the numbers ascend")
    func unique() {
        #expect(Set(Fault.all.map(\.name)).count == Fault.all.count)
        #expect(zip(Fault.all, Fault.all.dropFirst()).allSatisfy { $0.number < $1.number })
        #expect(Fault.all.allSatisfy { (1...9_999).contains($0.number) })
        let hundreds = Set(Fault.all.map { $0.number / 100 })
        #expect(hundreds.isSubset(of: [0, 1, 2, 3, 4, 5, 7, 8]))
    }

    @Test("names, texts and explanations are written alike", arguments: Fault.all)
    func style(fault: Fault) {
        #expect(fault.name.wholeMatch(of: /[a-z]+(-[a-z0-9]+)*/) != nil)
        #expect(fault.text.count <= 80)
        #expect(!fault.text.hasSuffix(".") && !fault.text.contains("\n"))
        // A name such as JSON stays as it is written.
        let word = fault.text.prefix { $0 != " " }
        #expect(fault.text.first?.isLowercase == true || word.allSatisfy(\.isUppercase))
        #expect(fault.explanation.hasSuffix("."))
        #expect(!fault.explanation.contains("\n") && !fault.explanation.contains("  "))
        let sentences = fault.explanation.split(separator: /[.:!?] (?=[A-Z_`])/).count
        #expect((2...7).contains(sentences), "\(sentences) sentences")
        #expect((120...700).contains(fault.explanation.count), "\(fault.explanation.count)")
        #expect(fault.code.wholeMatch(of: /CF[0-9]{4}/) != nil)
    }

    @Test(
        "a code is read however it is written",
        arguments: ["CF0704", "cf0704", "Cf704", "704", "0704", "00704"])
    func coded(text: String) {
        #expect(Fault.coded(text)?.name == "undeclared-event")
    }

    @Test(
        "what is no code has no fault",
        arguments: ["", "CF", "0", "CF9999", "-1", "7O4", "70400"])
    func notCoded(text: String) {
        #expect(Fault.coded(text) == nil)
    }

    @Test("a rule of any kind leads to its row")
    func named() {
        #expect(Fault.named("manifest-duration")?.code == "CF0212")
        #expect(Fault.named("json-size")?.code == "CF0101")
        #expect(Fault.named("nothing") == nil)
        #expect(ContractRule.allCases.allSatisfy { $0.fault.name == $0.rawValue })
    }

    @Test("a fault of a manifest carries the code of its rule, in its text too")
    func diagnostics() {
        let source = DiagnosticSource(file: "m.json", bytes: Array("{]".utf8))
        for rule in JSONRule.allCases.map(\.rawValue) + ManifestRule.allCases.map(\.rawValue) {
            let place = source.diagnostic(at: .start, rule: rule, message: "m", help: "h")
            let whole = source.diagnostic(rule: rule, message: "m", help: "h")
            #expect(place.code == Fault.named(rule)?.code)
            #expect(place.code != nil && whole.code == place.code)
            #expect(place.rendered.hasPrefix("error[\(place.code ?? "")]: m\n"))
        }
    }
}
