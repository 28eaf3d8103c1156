// SPDX-License-Identifier: Apache-2.0
import CCurfew
internal import Glibc

/// A plugin's library as one host uses it, and what its entry said.
public final class PluginLibrary: @unchecked Sendable {
    // Sendable: everything is constant once `enter` has returned, which the loader waits for.

    private typealias Entry =
        @convention(c) (
            UnsafePointer<curfew_host_api>, UnsafeMutablePointer<curfew_plugin_info>,
            UnsafeMutablePointer<curfew_error>
        ) -> curfew_status

    private let shown: String
    private let entry: Entry
    private var data: UnsafeMutableRawPointer?
    private var retireFunction: curfew_retire_function?

    /// Loads what was checked; the constructors of the library run, nothing else of it. The caller
    /// has the turn to load.
    public init(_ library: CheckedLibrary) throws(BridgeError) {
        let image = try PluginImage.load(library.copy, path: library.path)
        shown = library.shown
        entry = unsafeBitCast(image.entry, to: Entry.self)
    }

    /// Calls the entry with a table, once. Throws what the plugin said when it said no, and when
    /// what it says of itself differs from `id` and `version` of its manifest.
    public func enter(_ table: PluginTable, id: String, version: String) throws(BridgeError) {
        var error = curfew_error()
        error.struct_size = UInt32(MemoryLayout<curfew_error>.size)
        var info = curfew_plugin_info()
        info.struct_size = UInt32(MemoryLayout<curfew_plugin_info>.size)
        info.abi = UInt32(CURFEW_ABI_VERSION)
        table.setRegistering(true)
        let status = Status(rawValue: entry(table.api, &info, &error))
        table.setRegistering(false)
        guard status == .ok else {
            let text = ErrorBuffer.text(&error)
            throw BridgeError(
                .entry, .failed,
                "\(shown) said no: \(text.isEmpty ? status.description : text); its handlers are not registered"
            )
        }
        guard info.abi == UInt32(CURFEW_ABI_VERSION) else {
            throw BridgeError(
                .abi, .abiMismatch,
                "\(shown) says it was compiled for ABI \(info.abi), this host speaks ABI \(CURFEW_ABI_VERSION); rebuild the plugin with this host's headers"
            )
        }
        for (name, said, declared) in [("id", info.id, id), ("version", info.version, version)] {
            guard let said else { continue }
            let length = strnlen(said, 256)
            let text = String(
                decoding: UnsafeRawBufferPointer(start: said, count: length), as: UTF8.self)
            guard text == declared else {
                throw BridgeError(
                    .identity,
                    "\(shown) says its \(name) is \"\(text)\", its manifest says \"\(declared)\"; make them equal"
                )
            }
        }
        data = info.plugin_data
        retireFunction = info.retire
    }

    /// Tells the plugin that this host does not need it any more: the last call into it.
    public func retire() {
        let function = retireFunction
        retireFunction = nil
        function?(data)
    }
}
