// SPDX-License-Identifier: Apache-2.0
import CCurfew
import CInterface
import Foundation
import TestSupport
import Testing

/// Pins: the content a library must have, by the manifest's word and by the embedder's.
@Suite("Pins of plugins")
struct LoadingPinTests {
    private func digest(_ path: String) throws -> String {
        let run = try ChildProcess.run("sha256sum", [path])
        return String(run.output.prefix(64))
    }

    /// Makes a host with a list of pins.
    private func host(_ pins: [(plugin: String, sha256: String)]) throws -> TestHost {
        let texts = pins.map { (strdup($0.plugin)!, strdup($0.sha256)!) }
        defer {
            for (plugin, sha256) in texts {
                free(plugin)
                free(sha256)
            }
        }
        // One more than there are: an empty array may have no address.
        var list = texts.map { plugin, sha256 in
            var pin = curfew_plugin_pin()
            pin.struct_size = UInt32(MemoryLayout<curfew_plugin_pin>.size)
            pin.plugin = UnsafePointer(plugin)
            pin.sha256 = UnsafePointer(sha256)
            return pin
        }
        list.append(curfew_plugin_pin())
        return try list.withUnsafeBufferPointer { list in
            try TestHost {
                $0.pins = list.baseAddress
                $0.pin_count = UInt32(pins.count)
            }
        }
    }

    private let other = String(repeating: "0", count: 64)

    @Test("the pinned content is loaded, in whatever case its digits are")
    func right() throws {
        let plugin = try HookedPlugin()
        let pin = try digest(plugin.directory + "/libhooked.so")
        for text in [pin, pin.uppercased()] {
            let host = try host([("org.example.hooked", text)])
            #expect(plugin.load(in: host).answer == .ok)
            #expect(host.wait(try host.launch("org.example.hooked")) == .ok)
        }
    }

    @Test("another content is refused with both digests, and none of its code runs")
    func wrong() throws {
        let host = try host([("org.example.hooked", other)])
        let entered = Guarded(false)
        let plugin = try HookedPlugin { _, _, _ in
            entered.change { $0 = true }
            return 0
        }
        let (answer, text) = plugin.load(in: host)
        #expect(answer == .refused)
        #expect(text.contains(try digest(plugin.directory + "/libhooked.so")))
        #expect(text.contains("the host's configuration pins \(other)"))
        #expect(host.log.value.contains { $0.contains("CF0317 load-pin: ") })
        #expect(!entered.value)
    }

    @Test("one changed byte is enough")
    func oneByte() throws {
        let plugin = try HookedPlugin()
        let path = plugin.directory + "/libhooked.so"
        let host = try host([("org.example.hooked", try digest(path))])
        let file = try #require(FileHandle(forWritingAtPath: path))
        try file.seekToEnd()
        try file.write(contentsOf: Data([0]))
        try file.close()
        #expect(plugin.load(in: host).answer == .refused)
    }

    @Test("of several pins of a plugin any may be the right one")
    func several() throws {
        let plugin = try HookedPlugin()
        let pin = try digest(plugin.directory + "/libhooked.so")
        let host = try host([
            ("org.example.hooked", other), ("org.example.else", other), ("org.example.hooked", pin),
        ])
        #expect(plugin.load(in: host).answer == .ok)
    }

    @Test("a plugin that is not in the list is refused, and with an empty list every one")
    func unlisted() throws {
        for pins in [[("org.example.else", other)], []] {
            let host = try host(pins)
            let (answer, text) = try HookedPlugin().load(in: host)
            #expect(answer == .refused)
            #expect(text.contains("\"org.example.hooked\" is not in the host's list of pins"))
            #expect(host.log.value.contains { $0.contains("CF0318 load-unpinned: ") })
        }
    }

    /// A manifest with a pin.
    private func manifest(_ pin: String) -> String {
        #"{"id": "org.example.hooked", "version": "1.0.0", "abi": 0, "library": "libhooked.so", "sha256": "\#(pin)", "handlers": [{"identifier": "org.example.hooked", "kind": "app-refresh"}]}"#
    }

    @Test("the manifest's pin must agree too")
    func manifestPin() throws {
        let pin = try digest(BuiltProducts.testPluginDirectory("hooked") + "/libhooked.so")
        #expect(try HookedPlugin(manifest: manifest(pin)).load(in: try TestHost()).answer == .ok)
        let wrong = try HookedPlugin(manifest: manifest(other))
        for host in [try TestHost(), try host([("org.example.hooked", pin)])] {
            let (answer, text) = wrong.load(in: host)
            #expect(answer == .refused)
            #expect(text.contains("its manifest pins \(other)"), "\(text)")
        }
        let right = try HookedPlugin(manifest: manifest(pin))
        #expect(right.load(in: try host([("org.example.hooked", other)])).answer == .refused)
        #expect(right.load(in: try host([("org.example.hooked", pin)])).answer == .ok)
    }

    @Test("a list that is none is INVALID, and says what")
    func invalid() throws {
        func attempt(_ change: (inout [curfew_plugin_pin], inout curfew_host_config) -> Void)
            -> (Answer, String)
        {
            var pin = curfew_plugin_pin()
            pin.struct_size = UInt32(MemoryLayout<curfew_plugin_pin>.size)
            return "org.example.hooked".withCString { plugin in
                other.withCString { sha256 in
                    pin.plugin = plugin
                    pin.sha256 = sha256
                    var list = [pin, pin]
                    var config = curfew_host_config()
                    config.struct_size = UInt32(MemoryLayout<curfew_host_config>.size)
                    config.pin_count = 2
                    var error = curfew_error.empty
                    var made: OpaquePointer?
                    change(&list, &config)
                    let answer = list.withUnsafeBufferPointer { list in
                        if config.pin_count != 7 { config.pins = list.baseAddress }
                        return Answer(curfew_host_create(&config, &made, &error))
                    }
                    _ = curfew_host_destroy(made, nil, nil)
                    return (answer, error.text)
                }
            }
        }
        #expect(attempt { _, _ in }.0 == .ok)
        let faults: [(String, (inout [curfew_plugin_pin], inout curfew_host_config) -> Void)] = [
            ("struct_size", { list, _ in list[0].struct_size = 0 }),
            ("struct_size", { list, _ in list[0].struct_size = 25 }),
            ("struct_size", { list, _ in list[1].struct_size = 32 }),
            ("pin 1 has no plugin", { list, _ in list[1].plugin = nil }),
            ("pin 0 has no plugin", { list, _ in list[0].sha256 = nil }),
            ("sha256 of pin 1", { list, _ in list[1].sha256 = list[1].plugin }),
            ("65537", { _, config in config.pin_count = 65_537 }),
            ("pins is NULL", { _, config in config.pin_count = 7 }),
        ]
        for (words, fault) in faults {
            let (answer, text) = attempt(fault)
            #expect(answer == .invalid, "\(words)")
            #expect(text.contains(words), "\(text)")
        }
    }

    @Test("an embedder of before there were pins has none")
    func older() throws {
        var config = curfew_host_config()
        config.struct_size = UInt32(MemoryLayout<curfew_host_config>.offset(of: \.pins)!)
        config.pins = UnsafePointer(bitPattern: 8)
        config.pin_count = 1
        var made: OpaquePointer?
        #expect(Answer(curfew_host_create(&config, &made, nil)) == .ok)
        #expect(Answer(curfew_host_destroy(made, nil, nil)) == .ok)
    }
}
