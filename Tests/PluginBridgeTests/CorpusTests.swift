// SPDX-License-Identifier: Apache-2.0
import TestSupport
import Testing

@testable import PluginBridge

@Suite("The corpora of the fuzzers")
struct CorpusTests {
    @Test("each manifest is what its name says")
    func manifests() throws {
        let files = try Corpus("manifest").files
        for file in files {
            let rules: [String]
            switch Manifest.parse(bytes: file.bytes, file: file.name) {
            case .success: rules = []
            case .failure(let faults):
                rules = faults.diagnostics.map(\.rule)
                #expect(!faults.rendered.isEmpty)
            }
            expect(file, rules)
        }
        // Those of the files themselves are no faults of a text.
        let known = Set(files.compactMap(\.rule))
        for rule in JSONRule.allCases.map(\.rawValue) + ManifestRule.allCases.map(\.rawValue)
        where !["json-size", "manifest-file"].contains(rule) {
            #expect(known.contains(rule), "no file of the corpus has the fault \(rule)")
        }
    }

    @Test("each property list is what its name says")
    func propertyLists() throws {
        let files = try Corpus("propertylist").files
        for file in files {
            let rules: [String]
            switch PermittedHandlers.parse(bytes: file.bytes, file: file.name) {
            case .success: rules = []
            case .failure(let faults):
                rules = faults.diagnostics.map(\.rule)
                #expect(!faults.rendered.isEmpty)
            }
            expect(file, rules)
        }
        let known = Set(files.compactMap(\.rule))
        let notOfTheText = [
            "plist-file", "plist-size", "permitted-identifier-not-listed",
            "permitted-mode-not-listed",
        ]
        for rule in PropertyListRule.allCases.map(\.rawValue)
            + PermittedRule.allCases.map(\.rawValue) where !notOfTheText.contains(rule)
        {
            #expect(known.contains(rule), "no file of the corpus has the fault \(rule)")
        }
    }

    @Test("each file of minisign is what its name says")
    func minisign() throws {
        for file in try Corpus("minisign").files {
            var rules: [String] = []
            do throws(MinisignFault) {
                if file.name.hasSuffix(".pub") {
                    _ = try MinisignReader.key(file.bytes)
                } else {
                    _ = try MinisignReader.signature(file.bytes)
                }
            } catch {
                rules = [Self.word(error)]
            }
            expect(file, rules)
            #expect(file.isValid || file.rule != nil)
        }
        let known = Set(try Corpus("minisign").files.compactMap(\.rule))
        #expect(known.count == 7, "\(known)")
    }

    private static func word(_ fault: MinisignFault) -> String {
        switch fault {
        case .tooLarge: "too-large"
        case .notText: "not-text"
        case .lines: "lines"
        case .comment: "comment"
        case .base64: "base64"
        case .legacy: "legacy"
        case .algorithm: "algorithm"
        }
    }

    #if arch(x86_64)
        @Test("each library is what its name says")
        func libraries() throws {
            for file in try Corpus("library").files {
                var rules: [String] = []
                do {
                    _ = try file.bytes.withUnsafeBytes { try ELFSoundness($0) }
                } catch is ABINoteFault {
                    rules = [LoadRule.damaged.rawValue]
                }
                expect(file, rules)
            }
        }
    #endif

    private func expect(_ file: Corpus.File, _ rules: [String]) {
        if file.isValid {
            #expect(rules == [], "\(file)")
        } else if let rule = file.rule {
            #expect(rules.contains(rule), "\(file) has \(rules)")
            // The list of faults that is too long is the only file meant to have many.
            #expect(rules.count <= 3 || rule == "manifest-fault-limit", "\(file) has \(rules)")
        }
    }
}
