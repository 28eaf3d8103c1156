// SPDX-License-Identifier: Apache-2.0
import CCurfew
internal import Glibc
package import Scheduling

/// A plugin's code in this process: its library, those of the system, and what its entry said.
package final class PluginLibrary: PluginCode, @unchecked Sendable {
    // Sendable: everything is constant once `enter` has returned, which the loader waits for.

    private let manifest: Manifest
    private let image: PluginImage?
    private var data: UnsafeMutableRawPointer?
    /// Objects that the codes of handlers without an entry need.
    private var handlers: [AnyObject] = []
    private var retireFunction: curfew_retire_function?

    /// Loads a checked library; only its constructors run. The caller serializes loads.
    package init(_ manifest: Manifest, _ library: CheckedLibrary?) throws(BridgeError) {
        self.manifest = manifest
        image = try library.map { library throws(BridgeError) in
            if let missing = library.missing {
                throw BridgeError(
                    .link,
                    "\(library.shown) could not be loaded: \(missing); install that library, or link it into this one"
                )
            }
            return try PluginImage.load(library.copy, path: library.path)
        }
    }

    package func codes(
        _ table: PluginTable, allowed: [String]?
    ) throws(BridgeError) -> [String: HandlerCode] {
        var codes: [String: HandlerCode] = [:]
        for handler in manifest.handlers {
            switch handler.form {
            case .entry, .command: break
            case .subs:
                let subs = try SubsHandler(handler, in: image!)
                handlers.append(subs)
                codes[handler.identifier] = subs.code(table.api)
            case .call:
                let call = try self.handler(handler.call!, allowed)
                handlers.append(call)
                codes[handler.identifier] = call.code(table.api)
            }
        }
        return codes
    }

    /// A sub is an exported function with the event's name.
    package func sub(_ signature: EventSignature) -> SubFunction? {
        let name = signature.selector.name
        let isOurs = manifest.handlers.contains {
            $0.form == .subs
                && [SubsHandler.controllerName($0.event), PluginImage.entryName].contains(name)
        }
        guard !isOurs, let symbol = image?.function(name) else { return nil }
        return SubFunction(symbol, signature.parameters)
    }

    private func handler(
        _ call: ManifestCall, _ allowed: [String]?
    ) throws(BridgeError) -> CallHandler {
        guard let name = call.systemLibrary else {
            return try CallHandler(call, library: image!.shown) { image!.function($0) }
        }
        let library = try SystemLibrary(name, allowed: allowed ?? SystemLibrary.usual)
        return try CallHandler(call, library: library.path) { library.function($0) }
    }

    /// Calls the entry with a table, once, if a handler needs it. Throws the plugin's message if
    /// the entry failed, and a fault if its info differs from the manifest.
    package func enter(
        _ table: PluginTable, through interposer: (any EntryInterposer)? = nil
    ) throws(BridgeError) {
        guard let image, manifest.handlers.contains(where: { $0.form == .entry }) else { return }
        let shown = image.shown
        guard let symbol = image.function(PluginImage.entryName) else {
            throw BridgeError(
                .symbol,
                "\(shown) does not define \(PluginImage.entryName) itself; define it and mark it CURFEW_PLUGIN_EXPORT"
            )
        }
        let entry = unsafeBitCast(symbol, to: EntryInterposer.Entry.self)
        var error = curfew_error()
        error.struct_size = UInt32(MemoryLayout<curfew_error>.size)
        var info = curfew_plugin_info()
        info.struct_size = UInt32(MemoryLayout<curfew_plugin_info>.size)
        info.abi = UInt32(CURFEW_ABI_VERSION)
        table.setRegistering(true)
        let status = Status(
            rawValue: interposer?.enter(entry, table.api, &info, &error)
                ?? entry(table.api, &info, &error))
        table.setRegistering(false)
        guard status == .ok else {
            let text = ErrorBuffer.text(&error)
            throw BridgeError(
                .entry, .failed,
                "the entry of \(shown) failed: \(text.isEmpty ? "it returned \(status.constant ?? "\(status.rawValue)") without a message" : text); its handlers are not registered"
            )
        }
        guard info.abi == UInt32(CURFEW_ABI_VERSION) else {
            throw BridgeError(
                .abi, .abiMismatch,
                "\(shown) says it was compiled for ABI \(info.abi), this host speaks ABI \(CURFEW_ABI_VERSION); rebuild the plugin with this host's headers"
            )
        }
        for (name, said, declared) in [
            ("id", info.id, manifest.id), ("version", info.version, manifest.version),
        ] {
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

    package var process: PluginProcess? { nil }

    package var wantsRetirement: Bool { retireFunction != nil }

    package func retire() {
        let function = retireFunction
        retireFunction = nil
        function?(data)
    }
}
