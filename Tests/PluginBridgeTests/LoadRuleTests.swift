// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import PluginBridge

@Suite("The rules of loading")
struct LoadRuleTests {
    @Test("every rule has one row in the table, and no row is without a rule")
    func complete() {
        let rows = Fault.all.filter { $0.number / 100 == 3 }
        #expect(rows.map(\.name) == LoadRule.allCases.map(\.rawValue))
        #expect(rows.map(\.number) == (0..<rows.count).map { 301 + UInt16($0) })
    }

    @Test("the line of an error begins with code and rule")
    func line() {
        let error = BridgeError(.symbol, "libp.so exports nothing")
        #expect(error.status == .refused)
        #expect(error.line == "CF0304 load-symbol: libp.so exports nothing")
        #expect(BridgeError(.abi, .abiMismatch, "x").line == "CF0303 load-abi: x")
        #expect(BridgeError(.closing, "closing").line == "closing")
        #expect(BridgeError(.refused, "x", rule: "no-such-rule").line == "no-such-rule: x")
    }

    @Test("a pin is 64 hexadecimal digits")
    func pins() {
        let digest = String(repeating: "0aF9", count: 16)
        #expect(LibraryDigest.isDigest(digest))
        for wrong in [
            "", "ab", digest + "0", String(digest.dropLast()) + "g", "é" + digest.dropLast(2),
        ] {
            #expect(!LibraryDigest.isDigest(wrong))
        }
    }

    @Test("the digest is SHA-256")
    func digest() throws {
        func digest(_ text: String) throws -> String {
            try Array(text.utf8).withUnsafeBytes { try LibraryDigest.sha256($0) }
        }
        #expect(
            try digest("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(
            try digest("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    }
}
