// SPDX-License-Identifier: Apache-2.0
import CCurfew
import CInterface
import Foundation
import TestSupport
import Testing

/// A host with a list of the handlers it may have.
@Suite("Permitted handlers")
struct PermittedTests {
    /// The list of an app, and a host that was made with it.
    private func host(
        _ identifiers: [String], modes: [String] = ["fetch", "processing"],
        in files: TemporaryDirectory, format: PropertyListSerialization.PropertyListFormat = .xml
    ) throws -> TestHost {
        let list: [String: Any] = [
            "BGTaskSchedulerPermittedIdentifiers": identifiers, "UIBackgroundModes": modes,
            "CFBundleName": "Example", "UIRequiredDeviceCapabilities": ["armv7"],
        ]
        let data = try PropertyListSerialization.data(
            fromPropertyList: list, format: format, options: 0)
        let path = try files.write([UInt8](data), to: "Info.plist")
        return try path.withCString { path in try TestHost { $0.permitted = path } }
    }

    @Test(
        "a handler of the embedder's that is not listed is refused, and told what to add",
        arguments: [PropertyListSerialization.PropertyListFormat.xml, .binary])
    func own(format: PropertyListSerialization.PropertyListFormat) throws {
        let files = try TemporaryDirectory()
        let host = try host(["org.example.tidy", "org.example.more.*"], in: files, format: format)
        #expect(host.tryRegister("org.example.tidy").answer == .ok)
        #expect(host.tryRegister("org.example.more.a").answer == .ok)
        let (answer, text) = host.tryRegister("org.example.other")
        #expect(answer == .denied)
        #expect(
            text
                == "the handler \"org.example.other\" is not permitted by \(files.path("Info.plist")):"
                + " add <string>org.example.other</string> to its"
                + " BGTaskSchedulerPermittedIdentifiers")
        #expect(host.tryRegister("other").answer == .invalid)
        #expect(curfew_host_get_handler_count(host.raw) == 2)
    }

    @Test("a list in a directory like /tmp is its owner's, whose links others cannot replace")
    func sticky() throws {
        let files = try TemporaryDirectory()
        _ = try host(["org.example.a"], in: files)
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o1777], ofItemAtPath: files.path)
        symlink(files.path("Info.plist"), files.path("link"))
        #expect(throws: Never.self) {
            try files.path("link").withCString { path in try TestHost { $0.permitted = path } }
        }
    }

    @Test("a list that others can change permits nothing", arguments: ["file", "directory"])
    func rights(of changed: String) throws {
        let files = try TemporaryDirectory()
        _ = try host(["org.example.a"], in: files)
        let list = files.path("Info.plist")
        let place = changed == "file" ? list : files.path
        let before = try FileManager.default.attributesOfItem(atPath: place)
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: place)
        for path in [list, files.path("link")] {
            if path != list { symlink(list, path) }
            let refused = #expect(throws: TestFault.self) {
                try path.withCString { path in try TestHost { $0.permitted = path } }
            }
            let text = refused?.description ?? ""
            #expect(
                text.contains("another user could change it: \(place) can be changed by"),
                "\(text)")
        }
        try FileManager.default.setAttributes(before, ofItemAtPath: place)
        #expect(throws: Never.self) {
            try files.path("link").withCString { path in try TestHost { $0.permitted = path } }
        }
    }

    @Test("a handler whose kind has no mode is refused")
    func modes() throws {
        let files = try TemporaryDirectory()
        let host = try host(["org.example.*"], modes: ["processing"], in: files)
        #expect(host.tryRegister("org.example.a", kind: CURFEW_KIND_PROCESSING).answer == .ok)
        let (answer, text) = host.tryRegister("org.example.b", kind: CURFEW_KIND_APP_REFRESH)
        #expect(answer == .denied)
        #expect(text.hasSuffix("add <string>fetch</string> to its UIBackgroundModes"))
    }

    @Test("a plugin with a handler that is not listed is refused before its code runs")
    func plugin() throws {
        let files = try TemporaryDirectory()
        let host = try host(["org.example.one"], in: files)
        let entered = Guarded(false)
        let plugin = try HookedPlugin(
            handlers: ["org.example.one", "org.example.two", "org.example.three"]
        ) { _, _, _ in
            entered.change { $0 = true }
            return 0
        }
        let (answer, text) = plugin.load(in: host)
        #expect(answer == .denied)
        #expect(!entered.value)
        for name in ["two", "three"] {
            #expect(text.contains("manifest.json:2:"), "\(text)")
            #expect(text.contains("the handler \"org.example.\(name)\" is not permitted by"))
        }
        #expect(!text.contains("\"org.example.one\""))
        #expect(host.log.value.contains { $0.contains("CF0421 permitted-identifier-not-listed: ") })
        #expect(curfew_host_get_handler_count(host.raw) == 0)
        #expect(host.shutDown() == .ok)
        let events = host.all.events.filter { $0.selector == "registeringone_done::" }
        #expect(events.count == 1)
    }

    @Test("a plugin whose handlers are all listed is loaded")
    func loaded() throws {
        let files = try TemporaryDirectory()
        let host = try host(["org.example.*"], modes: ["fetch"], in: files)
        let plugin = try HookedPlugin(handlers: ["org.example.one", "org.example.two"])
        #expect(plugin.load(in: host).answer == .ok)
        #expect(curfew_host_get_handler_count(host.raw) == 2)
    }

    @Test("a list with a fault makes no host, and its place is told")
    func faulty() throws {
        let files = try TemporaryDirectory()
        let path = try files.write("<plist>\n<dict/>\n</plist>\n", to: "Info.plist")
        let error = #expect(throws: TestFault.self) {
            try path.withCString { path in _ = try TestHost { $0.permitted = path } }
        }
        let text = "\(try #require(error))"
        #expect(text.contains("the list has no key BGTaskSchedulerPermittedIdentifiers"))
        #expect(text.contains("the list has no key UIBackgroundModes"))
        #expect(text.contains("Info.plist:2:1"))
    }
}
