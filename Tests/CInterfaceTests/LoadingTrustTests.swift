// SPDX-License-Identifier: Apache-2.0
import CCurfew
import CInterface
import Foundation
import TestSupport
import Testing

/// Signatures of plugins, and what a host does with a plugin that has none.
@Suite("Trust in plugins")
struct LoadingTrustTests {
    private let minisign: Minisign
    private let keys: TemporaryDirectory
    private let entered = Guarded(0)

    init() throws {
        minisign = try Minisign()
        keys = try TemporaryDirectory()
    }

    /// A host with a policy and one directory of keys.
    private func host(
        _ policy: Int, pins: [String] = [], hasPins: Bool = false, directory: String? = nil,
        count: Int = 1
    ) throws -> TestHost {
        let path = strdup(directory ?? keys.path)!
        let id = strdup("org.example.hooked")!
        let digests = pins.map { strdup($0)! }
        defer { for text in [path, id] + digests { free(text) } }
        var list = digests.map { digest in
            var pin = curfew_plugin_pin()
            pin.struct_size = UInt32(MemoryLayout<curfew_plugin_pin>.size)
            pin.plugin = UnsafePointer(id)
            pin.sha256 = UnsafePointer(digest)
            return pin
        }
        list.append(curfew_plugin_pin())
        let directories: [UnsafePointer<CChar>?] = [UnsafePointer(path)]
        return try list.withUnsafeBufferPointer { list in
            try directories.withUnsafeBufferPointer { directories in
                try TestHost {
                    $0.trust = Int32(policy)
                    $0.key_directories = directories.baseAddress
                    $0.key_directory_count = UInt32(count)
                    if hasPins || !pins.isEmpty {
                        $0.pins = list.baseAddress
                        $0.pin_count = UInt32(pins.count)
                    }
                }
            }
        }
    }

    private var digest: String {
        get throws {
            let library = BuiltProducts.testPluginDirectory("hooked") + "/libhooked.so"
            return String(try ChildProcess.run("sha256sum", [library]).output.prefix(64))
        }
    }

    private static let comment = "id=org.example.hooked version=1.0.0 abi=0"

    /// A plugin with a pin in its manifest, which counts how often its entry runs.
    private func plugin(hasDigest: Bool = true) throws -> HookedPlugin {
        let pin = hasDigest ? #""sha256": "\#(try digest)", "# : ""
        return try HookedPlugin(
            manifest:
                #"{"id": "org.example.hooked", "version": "1.0.0", "abi": 0, "library": "libhooked.so", \#(pin)"handlers": [{"identifier": "org.example.hooked", "kind": "app-refresh"}]}"#
        ) { [entered] api, _, error in
            entered.change { $0 += 1 }
            return HookedPlugin.register("org.example.hooked", api, error)
        }
    }

    /// A plugin that the key of the tests has signed.
    private func signed(
        comment: String = Self.comment, hasDigest: Bool = true, legacy: Bool = false
    ) throws -> HookedPlugin {
        let plugin = try plugin(hasDigest: hasDigest)
        try minisign.sign(plugin.directory + "/manifest.json", comment: comment, legacy: legacy)
        return plugin
    }

    private func trust(_ prefix: String = "org.example") throws {
        try minisign.trust(prefix, in: keys, as: "author.pub")
    }

    /// Expects that `require` refuses a plugin before its code runs, that `warn` loads it with the
    /// same text in a warning, and that `off` and no word load it.
    private func expect(
        _ plugin: HookedPlugin, _ code: String, _ text: String,
        location: SourceLocation = #_sourceLocation
    ) throws {
        let strict = try host(CURFEW_TRUST_REQUIRE)
        let (answer, reason) = plugin.load(in: strict)
        #expect(answer == .refused, "\(reason)", sourceLocation: location)
        #expect(reason.contains(text), "\(reason)", sourceLocation: location)
        #expect(entered.value == 0, sourceLocation: location)
        let line = "[org.example.hooked] \(code): \(reason)"
        #expect(strict.log.value.contains { $0.hasSuffix(line) }, sourceLocation: location)
        let lenient = try host(CURFEW_TRUST_WARN)
        #expect(plugin.load(in: lenient).answer == .ok, sourceLocation: location)
        let warnings = lenient.log.value.filter { $0.hasSuffix(line) }
        #expect(
            warnings.count == 1 && warnings[0].hasPrefix("\(CURFEW_LOG_WARNING) "),
            "\(lenient.log.value)", sourceLocation: location)
        for policy in [0, CURFEW_TRUST_OFF] {
            let host = try host(policy)
            #expect(plugin.load(in: host).answer == .ok, sourceLocation: location)
            #expect(!host.log.value.contains { $0.contains(code) }, sourceLocation: location)
        }
    }

    @Test("a plugin that a trusted key signed is loaded under every policy, without a word")
    func valid() throws {
        try trust()
        let plugin = try signed()
        for policy in [CURFEW_TRUST_OFF, CURFEW_TRUST_WARN, CURFEW_TRUST_REQUIRE] {
            let host = try host(policy)
            let (answer, text) = plugin.load(in: host)
            #expect(answer == .ok, "\(text)")
            #expect(!host.log.value.contains { $0.contains("CF03") }, "\(host.log.value)")
        }
    }

    @Test("one that is not signed")
    func unsigned() throws {
        try trust()
        try expect(try plugin(), "CF0327 load-unsigned", "manifest.json.minisig; have its author")
    }

    @Test("a signature that is none")
    func noSignature() throws {
        try trust()
        let plugin = try signed()
        let file = plugin.directory + "/manifest.json.minisig"
        try Data("<html>".utf8).write(to: URL(fileURLWithPath: file))
        try expect(plugin, "CF0328 load-signature-file", "has 1 line, expected 4")
    }

    @Test("a legacy signature")
    func legacy() throws {
        try trust()
        try expect(
            try signed(legacy: true), "CF0329 load-signature-legacy",
            "sign again with minisign 0.10 or newer")
    }

    @Test("a key that is not trusted, with the reason why its file does not count")
    func otherKey() throws {
        try expect(
            try signed(), "CF0330 load-signature-key", "made by the key \(minisign.number), which")
        entered.change { $0 = 0 }
        try trust()
        chmod(keys.path("author.pub"), 0o666)
        try expect(try signed(), "CF0330 load-signature-key", "author.pub can be changed by")
    }

    @Test("a key that may not sign a plugin of this name")
    func otherPrefix() throws {
        try trust("org.examples")
        try expect(
            try signed(), "CF0331 load-signature-prefix",
            "which may sign org.examples and not \"org.example.hooked\"")
    }

    @Test("a manifest that was changed after it was signed, by one byte")
    func changed() throws {
        try trust()
        let plugin = try signed()
        let file = try #require(FileHandle(forWritingAtPath: plugin.directory + "/manifest.json"))
        try file.seekToEnd()
        try file.write(contentsOf: Data(" ".utf8))
        try file.close()
        try expect(
            plugin, "CF0332 load-signature-wrong", "the manifest or the signature was changed")
    }

    @Test("a trusted comment that was changed after it was signed")
    func changedComment() throws {
        try trust()
        let plugin = try signed(comment: "id=org.example.hooked version=0.9.0 abi=0")
        let file = URL(fileURLWithPath: plugin.directory + "/manifest.json.minisig")
        let text = try String(contentsOf: file, encoding: .utf8)
        try text.replacing("0.9.0", with: "1.0.0").write(
            to: file, atomically: false, encoding: .utf8)
        try expect(plugin, "CF0332 load-signature-wrong", "the trusted comment was changed")
    }

    @Test("a trusted comment of another version")
    func otherComment() throws {
        try trust()
        try expect(
            try signed(comment: "id=org.example.hooked version=0.9.0 abi=0"),
            "CF0333 load-signature-comment", "-t 'id=org.example.hooked version=1.0.0 abi=0'")
    }

    @Test("a signed manifest that pins no library")
    func noDigest() throws {
        try trust()
        try expect(
            try signed(hasDigest: false), "CF0334 load-signature-digest", "sha256sum libhooked.so")
    }

    @Test("a signature that another user could change is not read")
    func writable() throws {
        try trust()
        let plugin = try signed()
        chmod(plugin.directory + "/manifest.json.minisig", 0o666)
        let (answer, text) = plugin.load(in: try host(CURFEW_TRUST_REQUIRE))
        #expect(answer == .refused && text.contains("can be changed by everyone"), "\(text)")
    }

    @Test("the library of a signed manifest must be the one that it pins")
    func otherLibrary() throws {
        try trust()
        let plugin = try signed()
        let file = try #require(FileHandle(forWritingAtPath: plugin.directory + "/libhooked.so"))
        try file.seekToEnd()
        try file.write(contentsOf: Data([0]))
        try file.close()
        let (answer, text) = plugin.load(in: try host(CURFEW_TRUST_REQUIRE))
        #expect(answer == .refused && text.contains("its manifest pins"), "\(text)")
        #expect(entered.value == 0)
    }

    @Test("a pin counts as much as a signature, and one that does not match refuses")
    func pins() throws {
        try trust()
        let pin = try digest
        let other = String(repeating: "0", count: 64)
        let unsigned = try plugin()
        #expect(unsigned.load(in: try host(CURFEW_TRUST_REQUIRE, pins: [pin])).answer == .ok)
        #expect(unsigned.load(in: try host(CURFEW_TRUST_REQUIRE, pins: [other])).answer == .refused)
        let signed = try signed()
        for policy in [CURFEW_TRUST_OFF, CURFEW_TRUST_WARN, CURFEW_TRUST_REQUIRE] {
            let wrong = signed.load(in: try host(policy, pins: [other]))
            #expect(wrong.answer == .refused && wrong.text.contains("pins \(other)"))
            // Of a list that does not name the plugin.
            let unlisted = signed.load(in: try host(policy, hasPins: true))
            #expect(unlisted.answer == (policy == CURFEW_TRUST_OFF ? .refused : .ok))
            let neither = unsigned.load(in: try host(policy, hasPins: true))
            #expect(neither.answer == .refused)
            #expect(
                neither.text.contains(
                    policy == CURFEW_TRUST_REQUIRE ? "is not signed" : "list of pins"))
        }
    }

    @Test("a policy that is none, and directories that are not there")
    func configuration() throws {
        #expect(throws: (any Error).self) { try host(4) }
        #expect(throws: (any Error).self) { try host(CURFEW_TRUST_REQUIRE, count: 65) }
        let none = try host(CURFEW_TRUST_REQUIRE, count: 0)
        #expect(try signed().load(in: none).answer == .refused)
        let missing = try host(CURFEW_TRUST_REQUIRE, directory: "/nowhere")
        #expect(try signed().load(in: missing).text.contains("which is not in /nowhere"))
    }
}
