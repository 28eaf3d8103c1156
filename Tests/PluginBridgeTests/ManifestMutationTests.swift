// SPDX-License-Identifier: Apache-2.0

import PluginBridge
import TestSupport
import Testing

@Suite("Hostile manifests")
struct ManifestMutationTests {
    /// Whatever the bytes are: a manifest within its limits, or faults that can be printed.
    private func expectSound(_ bytes: [UInt8]) {
        switch Manifest.parse(bytes: bytes, file: "manifest.json") {
        case .success(let manifest):
            let inLimits = manifest.handlers.allSatisfy {
                Manifest.budgetRange.contains($0.budget) && Manifest.graceRange.contains($0.grace)
                    && $0.hostEvents.count == 4 && $0.examples.allSatisfy(isInLimits)
            }
            if manifest.handlers.isEmpty || !inLimits || manifest.library?.contains("/") == true {
                Issue.record("accepted: \(String(decoding: bytes, as: UTF8.self))")
            }
        case .failure(let faults):
            let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).count
            let inText = faults.diagnostics.allSatisfy { (0...lines).contains($0.line) }
            if faults.diagnostics.isEmpty || !inText || faults.rendered.isEmpty {
                Issue.record("bad faults for: \(String(decoding: bytes, as: UTF8.self))")
            }
        }
    }

    private func isInLimits(_ example: ManifestExample) -> Bool {
        example.files.count <= 64
            && example.files.allSatisfy {
                let parts = $0.path.split(separator: "/", omittingEmptySubsequences: false)
                return !parts.contains { ["", ".", ".."].contains($0) }
                    && !$0.path.utf8.contains(0) && $0.path.utf8.count <= 255
                    && isInLimits($0.content)
            }
    }

    private func isInLimits(_ content: ManifestExampleFile.Content) -> Bool {
        switch content {
        case .text(let text): text.utf8.count <= 65_536
        case .zeros(let bytes): bytes <= 1 << 40
        }
    }

    @Test("a manifest cut off anywhere is refused at its end")
    func truncated() {
        let bytes = Array(ManifestTests.full.utf8)
        for length in 1..<bytes.count {
            let cut = Array(bytes[..<length])
            guard case .failure(let faults) = Manifest.parse(bytes: cut, file: "m") else {
                Issue.record("accepted after \(length) bytes")
                continue
            }
            #expect(faults.diagnostics.count == 1)
            let rule = faults.diagnostics.first?.rule
            #expect(
                rule == JSONRule.unfinished.rawValue || rule == JSONRule.encoding.rawValue,
                "\(length): \(faults.rendered)")
        }
    }

    @Test("random changes never trap, whatever they make of it", arguments: 0..<4)
    func mutated(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let dictionary =
            [
                "{", "}", "[", "]", "\"", ",", ":", "\\u", "\\uD83D", "\\uDE00", "null", "true",
                "1e400",
                "-", "0", "\0", "\n", "é", "\"id\":", "\"abi\":-1,", "\"event\":\"curfew\",",
                "99999999999999999999", "\"handlers\":[],", "[[[[[[[[[[[[[[[[", "h\"", "999999999h",
            ].map { Array($0.utf8) } + [
                [0xFF], [0xED, 0xA0, 0x80], [0xF4, 0x90], [0xEF, 0xBB, 0xBF],
            ]
        for base in [ManifestTests.full, ManifestTests.manifest()] {
            let bytes = Array(base.utf8)
            for _ in 0..<1000 {
                expectSound(generator.mutate(bytes, dictionary: dictionary))
            }
        }
    }

    @Test("random structures of known words never trap")
    func generated() {
        var generator = SeededGenerator(seed: 99)
        let words = [
            "id", "version", "abi", "library", "handlers", "identifier", "kind", "budget", "grace",
            "maxConcurrency", "maxInStore", "onLeaseLost", "finish", "event", "events", "requires",
            "form", "isolation",
            "examples",
            "name", "parameters", "payload", "expect", "files", "slow", "a.b", "1.0.0", "l.so",
            "needs", "read", "write", "run", "network", "memory", "descriptors", "processes",
            "environment", "@STATE@", "tcp:443", "2GB", "/srv",
            "processing", "30s", "text",
        ]
        func value(_ depth: Int) -> String {
            switch Int.random(in: 0..<(depth > 4 ? 4 : 8), using: &generator) {
            case 0: return "\"\(words.randomElement(using: &generator)!)\""
            case 1: return "\(Int64.random(in: .min ... .max, using: &generator))"
            case 2: return ["true", "false", "null", "0", "1"].randomElement(using: &generator)!
            case 3: return "\"a.b\(Int.random(in: 0..<9, using: &generator))\""
            case 4, 5:
                let count = Int.random(in: 0..<5, using: &generator)
                return "[" + (0..<count).map { _ in value(depth + 1) }.joined(separator: ",") + "]"
            default:
                let keys = words.shuffled(using: &generator).prefix(
                    Int.random(in: 0..<12, using: &generator))
                return "{" + keys.map { "\"\($0)\":" + value(depth + 1) }.joined(separator: ",")
                    + "}"
            }
        }
        for _ in 0..<1000 { expectSound(Array(value(0).utf8)) }
    }

    @Test("the largest hostile files are answered")
    func large() {
        let limit = JSONReader.sizeLimit
        let marks = String(repeating: "\u{301}\u{316}", count: (limit - 20) / 4)
        for text in [
            "{\"\(marks)\":1}", "{\"id\":\"\(marks)\"}", "{\"library\":\"\(marks)\"}",
            "[\(String(repeating: "1,", count: limit / 2 - 4))1]",
            "{\"handlers\":[\(String(repeating: "{},", count: limit / 3 - 12)){}]}",
            "{\"abi\":\(String(repeating: "9", count: limit - 20))}",
            "{\"abi\":-1\(String(repeating: "0", count: limit - 40))e-5}",
            String(repeating: "\n", count: limit),
            String(repeating: "\u{10FFFF}", count: limit / 4),
            "\"\(String(repeating: "\\u0000", count: limit / 6 - 1))\"",
        ] {
            expectSound(Array(text.utf8))
        }
    }
}
