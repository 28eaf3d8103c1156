// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

@testable import PluginBridge

@Suite("Keys that are trusted, and what they may sign")
struct TrustedKeysTests {
    private let minisign: Minisign
    private var files: TemporaryDirectory { minisign.files }
    private let body: String

    init() throws {
        minisign = try Minisign()
        let lines = String(decoding: try minisign.files.read("key.pub"), as: UTF8.self)
            .split(separator: "\n")
        body = String(lines[1])
    }

    @discardableResult
    private func add(_ name: String, _ comment: String) throws -> String {
        try files.write("untrusted comment: \(comment)\n\(body)\n", to: "trusted.d/\(name)")
    }

    private var keys: TrustedKeys { TrustedKeys(in: [files.path("trusted.d")]) }

    @Test("a prefix covers whole parts of an id")
    func prefixes() throws {
        let prefix = try #require(IdentifierPrefix("org.example"))
        for id in ["org.example", "org.example.tidy", "org.example.tidy.up"] {
            #expect(prefix.covers(id), "\(id)")
        }
        for id in ["org.examples", "org.exampl", "org", "com.org.example", "org.Example.x", ""] {
            #expect(!prefix.covers(id), "\(id)")
        }
        let all = try #require(IdentifierPrefix("*"))
        #expect(all.covers("any.thing"))
        for wrong in ["", ".", "org.", ".org", "org..x", "org.*", "**", "o r", "é", "org/x"] {
            #expect(IdentifierPrefix(wrong) == nil, "\(wrong)")
        }
        let long = String(repeating: "a", count: 129)
        #expect(IdentifierPrefix(long) == nil && IdentifierPrefix(String(long.dropLast())) != nil)
    }

    @Test("the prefixes are in the first line, where minisign reads past them")
    func read() throws {
        try add("a.pub", "minisign public key x prefix=org.example prefix=com.you.tool")
        try add("b.pub", "prefix=*")
        try add("c.key", "prefix=org")
        let keys = keys
        #expect(keys.faults.isEmpty, "\(keys.faults)")
        #expect(keys.keys.map(\.file) == ["a.pub", "b.pub"].map { files.path("trusted.d/\($0)") })
        #expect(keys.keys[0].prefixes.map(\.description) == ["org.example", "com.you.tool"])
        #expect(keys.keys[0].covers("com.you.tool") && !keys.keys[0].covers("com.you"))
        #expect(keys.named(keys.keys[0].id).count == 2)
        try files.write("x", to: "file")
        let signature = try minisign.sign("file", comment: "c")
        let theirs = try minisign.comment(
            of: "file", signature: signature, key: try files.read("trusted.d/a.pub"))
        #expect(theirs == "c")
    }

    @Test("a file that is no key, or may sign nothing, is left out with the reason")
    func faulty() throws {
        try add("a.pub", "minisign public key x")
        try add("b.pub", "prefix=org..x")
        try files.write("nothing", to: "trusted.d/c.pub")
        try files.write(String(repeating: "x", count: 5_000), to: "trusted.d/d.pub")
        try add("e.pub", "prefix=org.example")
        let keys = keys
        #expect(keys.keys.count == 1)
        let texts = keys.faults.map(\.message)
        try #require(texts.count == 4, "\(texts)")
        #expect(texts[0].contains("a.pub does not say what the key may sign"))
        #expect(texts[1].contains("`org..x` is not the beginning of an id"))
        #expect(texts[2].contains("c.pub has 1 line, expected 2, so it is no public key"))
        #expect(texts[3].contains("d.pub has more than 4096 bytes"))
        #expect(keys.faults.allSatisfy { $0.rule == LoadRule.signatureFile.rawValue })
    }

    @Test("what another user could change does not count, nor do links")
    func untrusted() throws {
        let file = try add("a.pub", "prefix=org.example")
        try add("b.pub", "prefix=org.example")
        chmod(file, 0o666)
        symlink("b.pub", files.path("trusted.d/c.pub"))
        var keys = keys
        #expect(keys.keys.map(\.file) == [files.path("trusted.d/b.pub")])
        #expect(
            keys.faults.map(\.rule) == [LoadRule.writable.rawValue, LoadRule.file.rawValue],
            "\(keys.faults)")
        chmod(files.path("trusted.d"), 0o777)
        keys = self.keys
        #expect(keys.keys.isEmpty)
        #expect(keys.faults.map(\.rule) == [LoadRule.writable.rawValue])
        #expect(TrustedKeys(in: [files.path("nowhere")]).faults.isEmpty)
    }

    @Test("the user's directory is that of the configuration, where the environment is trusted")
    func places() {
        func place(_ environment: [String: String], isTrusted: Bool = true) -> String? {
            TrustPlaces.user(environment: { environment[$0] }, isTrusted: isTrusted)
        }
        #expect(place(["HOME": "/h"]) == "/h/.config/curfew/trusted.d")
        #expect(place(["HOME": "/h", "XDG_CONFIG_HOME": "/c"]) == "/c/curfew/trusted.d")
        #expect(place(["HOME": "/h", "XDG_CONFIG_HOME": "c"]) == "/h/.config/curfew/trusted.d")
        #expect(place(["HOME": "h"]) == nil && place([:]) == nil)
        #expect(place(["HOME": "/h"], isTrusted: false) == nil)
    }

    @Test("versions are in the order of their numbers, and a suffix comes before none")
    func versions() {
        let ordered = [
            "0.9.9", "1.0.0-1", "1.0.0-2", "1.0.0-10", "1.0.0-alpha", "1.0.0-alpha.1",
            "1.0.0-alpha.beta", "1.0.0-rc.2", "1.0.0-rc.11", "1.0.0", "1.0.1", "1.2.0", "1.10.0",
            "2.0.0", "18446744073709551616.0.0", "18446744073709551617.0.0",
        ].map(ManifestVersion.init)
        for (index, version) in ordered.enumerated() {
            for other in ordered[..<index] {
                #expect(other < version && version != other && !(version < other))
            }
        }
        #expect(ManifestVersion("1.0.0") == ManifestVersion("01.0.0"))
        #expect(ManifestVersion("1.0.0-a..b") < ManifestVersion("1.0.0"))
    }
}
