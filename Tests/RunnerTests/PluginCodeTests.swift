// SPDX-License-Identifier: Apache-2.0

import CCurfew
import PluginBridge
import Scheduling
import Synchronization
import Testing

@testable import Runner

/// A plugin whose code is no library of this process, as one in a child process would be.
@Suite("The code of a plugin")
struct PluginCodeTests {
    private final class OtherCode: PluginCode {
        let runs = Atomic<Int>(0)
        let retirements = Atomic<Int>(0)
        let fails: Bool

        init(fails: Bool) { self.fails = fails }

        func enter(
            _ table: PluginTable, through interposer: (any EntryInterposer)?
        ) throws(BridgeError) {
            if fails { throw BridgeError(.failed, "it does not start") }
            table.setRegistering(true)
            defer { table.setRegistering(false) }
            "org.example.other".withCString { name in
                var handler = curfew_handler()
                handler.struct_size = UInt32(MemoryLayout<curfew_handler>.size)
                handler.identifier = name
                handler.handler_data = Unmanaged.passUnretained(self).toOpaque()
                handler.run = { data, _, _, _ in
                    Unmanaged<OtherCode>.fromOpaque(data!)._withUnsafeGuaranteedRef {
                        _ = $0.runs.wrappingAdd(1, ordering: .relaxed)
                    }
                    return curfew_status(CURFEW_OK)
                }
                _ = table.api.pointee.register_handler(table.api, &handler, nil)
            }
        }

        func codes(
            _ table: PluginTable, allowed: [String]?
        ) throws(BridgeError) -> [String: HandlerCode] { [:] }

        func sub(_ signature: EventSignature) -> SubFunction? { nil }

        var process: PluginProcess? { nil }
        var wantsRetirement: Bool { true }

        func retire() { retirements.wrappingAdd(1, ordering: .relaxed) }
    }

    private static let text = """
        {"id": "org.example.others", "version": "1.0.0", "abi": 0, "library": "libother.so",
         "handlers": [{"identifier": "org.example.other", "kind": "app-refresh"}]}
        """

    /// Opens a plugin with that code.
    private func open(_ code: OtherCode, in host: HostRuntime) throws {
        let manifest = try Manifest.parse(bytes: Array(Self.text.utf8), file: "manifest.json").get()
        let record = host.plugins.plugins.add("/nowhere", manifest, .validated, "")
        try host.plugins.open(
            manifest, record, shown: "libother.so", path: "/nowhere", isHere: true
        ) { code }
    }

    private func host() throws -> HostRuntime {
        var configuration = HostConfiguration()
        configuration.log = { _, _, _, _ in }
        return try HostRuntime(configuration)
    }

    @Test("another kind of code registers its handlers, runs their tasks and is retired once")
    func otherKind() throws {
        let host = try host()
        let code = OtherCode(fails: false)
        try open(code, in: host)
        let handler = try #require(host.engine.handlers.find("org.example.other"))
        let task = host.engine.launch(handler.index, Launch(keep: true)).task
        #expect(host.wait(task, timeout: 10_000_000_000).state?.outcome == .succeeded)
        #expect(code.runs.load(ordering: .relaxed) == 1)
        try host.destroy()
        #expect(code.retirements.load(ordering: .relaxed) == 1)
    }

    @Test("code that does not start registers nothing")
    func failing() throws {
        let host = try host()
        let code = OtherCode(fails: true)
        #expect(throws: BridgeError.self) { try open(code, in: host) }
        #expect(host.engine.handlers.find("org.example.other") == nil)
        try host.destroy()
        #expect(code.retirements.load(ordering: .relaxed) == 0)
    }
}
