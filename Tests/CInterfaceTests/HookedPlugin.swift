// SPDX-License-Identifier: Apache-2.0
import CCurfew
import Foundation
import TestSupport

/// A plugin on disk whose entry is a closure of the test's.
final class HookedPlugin: @unchecked Sendable {
    // Sendable: the closures are constant; the directory is written in init.

    typealias Entry = (
        UnsafePointer<curfew_host_api>, UnsafeMutablePointer<curfew_plugin_info>,
        UnsafeMutablePointer<curfew_error>
    ) -> curfew_status

    let directory: String
    private let files: TemporaryDirectory
    private let entry: Entry

    /// Called when it is retired.
    let onRetire = Guarded<(() -> Void)?>(nil)
    /// How often it was told that it is retired.
    let retirements = Guarded(0)

    /// Writes a plugin's directory with a copy of the library, or with `library` as it is.
    init(
        id: String = "org.example.hooked", handlers: [String] = ["org.example.hooked"],
        manifest: String? = nil, source: String = "hooked", entry: Entry? = nil
    ) throws {
        HookedPlugin.install
        files = try TemporaryDirectory()
        let list = handlers.map {
            $0.hasPrefix("{") ? $0 : #"{"identifier": "\#($0)", "kind": "app-refresh"}"#
        }
        try files.write(
            manifest ?? """
                {"id": "\(id)", "version": "1.0.0", "abi": 0, "library": "lib\(source).so",
                 "handlers": [\(list.joined(separator: ", "))]}
                """, to: "manifest.json")
        let library = BuiltProducts.testPluginDirectory(source) + "/lib\(source).so"
        try FileManager.default.copyItem(atPath: library, toPath: files.path("lib\(source).so"))
        directory = files.path
        self.entry =
            entry ?? { api, _, error in
                for handler in handlers where !handler.hasPrefix("{") {
                    let status = HookedPlugin.register(handler, api, error)
                    if status != CURFEW_OK { return status }
                }
                return 0
            }
    }

    /// Registers a handler that succeeds.
    static func register(
        _ identifier: String, _ api: UnsafePointer<curfew_host_api>,
        _ error: UnsafeMutablePointer<curfew_error>? = nil,
        _ change: (inout curfew_handler) -> Void = { _ in }
    ) -> curfew_status {
        identifier.withCString { name in
            var handler = curfew_handler()
            handler.struct_size = UInt32(MemoryLayout<curfew_handler>.size)
            handler.identifier = name
            handler.run = { _, _, _, _ in 0 }
            change(&handler)
            return api.pointee.register_handler(api, &handler, error)
        }
    }

    /// Loads it; its entry finds this object by the thread it is called on.
    func load(in host: TestHost) -> (answer: Answer, text: String) {
        load(directory, in: host)
    }

    /// The same by another path.
    func load(_ directory: String, in host: TestHost) -> (answer: Answer, text: String) {
        host.keep(self)
        let before = HookedPlugin.current
        HookedPlugin.current = self
        defer { HookedPlugin.current = before }
        return host.load(directory)
    }

    private static var current: HookedPlugin? {
        get { Thread.current.threadDictionary["hooked"] as? HookedPlugin }
        set { Thread.current.threadDictionary["hooked"] = newValue }
    }

    private typealias Hook =
        @convention(c) (
            UnsafeMutableRawPointer?, UnsafePointer<curfew_host_api>?,
            UnsafeMutablePointer<curfew_plugin_info>?, UnsafeMutablePointer<curfew_error>?
        ) -> curfew_status

    /// Tells the library where the hook is, once.
    private static let install: Void = {
        let hook: Hook = { data, api, info, error in
            if let data {
                let plugin = Unmanaged<HookedPlugin>.fromOpaque(data).takeUnretainedValue()
                plugin.retirements.change { $0 += 1 }
                plugin.onRetire.value?()
                return 0
            }
            guard let plugin = HookedPlugin.current, let api, let info, let error else {
                return curfew_status(CURFEW_FAILED)
            }
            info.pointee.plugin_data = Unmanaged.passUnretained(plugin).toOpaque()
            return plugin.entry(api, info, error)
        }
        let address = unsafeBitCast(hook, to: UInt.self)
        setenv("CURFEW_TEST_HOOK", "\(address)", 1)
    }()
}
