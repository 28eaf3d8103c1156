// SPDX-License-Identifier: Apache-2.0
public import CCurfew

/// The entry of a plugin written in Swift.
///
/// A plugin is a dynamic library product with one file like this:
///
///     public import CCurfew
///     import CurfewPlugin
///
///     @c @implementation
///     public func curfew_plugin_entry(
///         _ api: UnsafePointer<curfew_host_api>, _ info: UnsafeMutablePointer<curfew_plugin_info>,
///         _ error: UnsafeMutablePointer<curfew_error>
///     ) -> curfew_status {
///         Plugin.register(["org.example.tidy": Tidy()], api, info, error)
///     }
///
/// Link it with `-z nodelete`: the Swift runtime keeps pointers into every library whose types it
/// has seen, and would follow them after the library is unloaded. Link it with a version script
/// that exports `curfew_plugin_entry` alone: its other exported functions, and those of a runtime
/// inside it, could replace symbols of the same names in another plugin. A version script does not
/// hide the names of types, by which the runtime finds them, so two plugins in one process must not
/// have the same Swift module name.
public enum Plugin {
    /// Registers the handlers with the host that loads the plugin.
    ///
    /// Call it once, inside `curfew_plugin_entry`, and return its result. The handlers belong to
    /// this host and are released when it no longer needs the plugin.
    ///
    /// - Parameters:
    ///   - handlers: each handler by its identifier, exactly those of the manifest.
    ///   - api: the argument of the entry.
    ///   - info: the argument of the entry; receives the plugin's state, which the host releases
    ///     later.
    ///   - error: the argument of the entry; receives the text of an error.
    /// - Returns: 0, or the status of the first error, after which no object of the plugin remains.
    public static func register(
        _ handlers: KeyValuePairs<String, any TaskHandler>, _ api: UnsafePointer<curfew_host_api>,
        _ info: UnsafeMutablePointer<curfew_plugin_info>,
        _ error: UnsafeMutablePointer<curfew_error>
    ) -> curfew_status {
        guard api.pointee.abi == CURFEW_ABI_VERSION, note.abi == CURFEW_ABI_VERSION else {
            return fail(
                CURFEW_ABI_MISMATCH,
                "the plugin speaks ABI \(CURFEW_ABI_VERSION), the host \(api.pointee.abi); "
                    + "build the plugin with the headers of this host",
                error)
        }
        let plugin = PluginInHost(handlers.map { RegisteredHandler($0.value) })
        for (handler, identifier) in zip(plugin.handlers, handlers.map(\.key)) {
            let status = identifier.withCString { identifier in
                var wire = curfew_handler()
                wire.struct_size = UInt32(MemoryLayout<curfew_handler>.size)
                wire.identifier = identifier
                wire.handler_data = Unmanaged.passUnretained(handler).toOpaque()
                wire.run = { data, api, task, error in
                    guard let data else { return curfew_status(CURFEW_INVALID) }
                    return Unmanaged<RegisteredHandler>.fromOpaque(data).takeUnretainedValue()
                        .run(task, api, error)
                }
                wire.expired = { data, _, task, reason in
                    guard let data else { return }
                    Unmanaged<RegisteredHandler>.fromOpaque(data).takeUnretainedValue()
                        .expired(task, reason)
                }
                return api.pointee.register_handler(api, &wire, error)
            }
            // The host does not use a plugin whose entry fails, so `plugin` can be released.
            if status != CURFEW_OK { return status }
        }
        info.pointee.plugin_data = Unmanaged.passRetained(plugin).toOpaque()
        info.pointee.retire = { data in
            guard let data else { return }
            Unmanaged<PluginInHost>.fromOpaque(data).release()
        }
        return curfew_status(CURFEW_OK)
    }

    /// The bytes of an error's text in the C interface, including the NUL.
    static var messageLimit: Int { MemoryLayout.size(ofValue: curfew_error().message) }

    /// Writes an error's text, cut before the first character that does not fit, and returns its
    /// status.
    static func fail(
        _ code: Int, _ text: String, _ error: UnsafeMutablePointer<curfew_error>
    ) -> curfew_status {
        let status = curfew_status(truncatingIfNeeded: code)
        error.pointee.code = status
        withUnsafeMutableBytes(of: &error.pointee.message) { message in
            var count = 0
            for character in text.unicodeScalars {
                let bytes = UTF8.encode(character).map { Array($0) } ?? []
                // A NUL inside the text would end it.
                guard character != "\0", count + bytes.count < message.count else { break }
                for byte in bytes {
                    message[count] = byte
                    count += 1
                }
            }
            message[count] = 0
        }
        return status
    }
}

/// The ELF note by which the host recognizes the library before it runs any of its code, equal to
/// CURFEW_PLUGIN_NOTE of `plugin.h`. It is in the file of `register`, which every plugin calls, so
/// that no linker can omit it. The section needs a literal; `register` compares it with the header.
@section(".note.curfew") @used
private let note:
    (
        nameBytes: UInt32, descriptionBytes: UInt32, type: UInt32,
        name: (UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8), abi: UInt32,
        reserved: UInt32
    ) = (7, 8, 1, (0x43, 0x75, 0x72, 0x66, 0x65, 0x77, 0, 0), 0, 0)

/// A plugin in one host, which owns its handlers until the host retires the plugin.
final class PluginInHost: Sendable {
    let handlers: [RegisteredHandler]

    init(_ handlers: [RegisteredHandler]) {
        self.handlers = handlers
    }
}
