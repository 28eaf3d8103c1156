// SPDX-License-Identifier: Apache-2.0
import CCurfew
import CSystem
import Glibc

/// A plugin's shared object in memory, and what its entry said.
///
/// The image is never unmapped: code of a plugin may be on any thread's stack, and the Swift runtime
/// keeps pointers into every image it has seen.
public final class PluginLibrary: @unchecked Sendable {
    // Sendable: everything is constant once `enter` has returned, which the loader waits for.

    private typealias Entry =
        @convention(c) (
            UnsafePointer<curfew_host_api>, UnsafeMutablePointer<curfew_plugin_info>,
            UnsafeMutablePointer<curfew_error>
        ) -> curfew_status

    private let path: String
    private let entry: Entry
    private var data: UnsafeMutableRawPointer?
    private var retireFunction: curfew_retire_function?

    private static let entryName = "curfew_plugin_entry"

    /// Opens the library at an absolute path; its constructors run, nothing else of it.
    ///
    /// `RTLD_NOW` so that an unresolved symbol is an error here and not in a task; `RTLD_LOCAL` so
    /// that plugins do not see each other; `RTLD_NODELETE` for the reason above.
    public init(path: String) throws(BridgeError) {
        self.path = path
        guard let handle = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE) else {
            var reason = dlerror().map { String(cString: $0) } ?? "no reason given"
            // The loader begins with the path where the file itself is the trouble.
            if reason.hasPrefix(path + ": ") { reason.removeFirst(path.count + 2) }
            throw BridgeError(
                .refused,
                "\(path) could not be opened: \(reason); its handlers are not registered")
        }
        guard let symbol = dlsym(handle, Self.entryName) else {
            throw BridgeError(
                .refused,
                "\(path) exports no \(Self.entryName); define it and mark it CURFEW_PLUGIN_EXPORT")
        }
        // A copy of the symbol in a library it depends on is not the plugin's own.
        guard let file = csys_symbol_file(symbol),
            PluginLibrary.isSameFile(String(cString: file), path)
        else {
            throw BridgeError(
                .refused,
                "\(path) does not define \(Self.entryName) itself; a library it depends on does")
        }
        entry = unsafeBitCast(symbol, to: Entry.self)
    }

    private static func isSameFile(_ a: String, _ b: String) -> Bool {
        var (first, second) = (stat(), stat())
        return stat(a, &first) == 0 && stat(b, &second) == 0
            && first.st_dev == second.st_dev && first.st_ino == second.st_ino
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
                .failed,
                "\(path) said no: \(text.isEmpty ? status.description : text); its handlers are not registered"
            )
        }
        guard info.abi == UInt32(CURFEW_ABI_VERSION) else {
            throw BridgeError(
                .abiMismatch,
                "\(path) says it was compiled for ABI \(info.abi), this host speaks ABI \(CURFEW_ABI_VERSION); rebuild the plugin with this host's headers"
            )
        }
        for (name, said, declared) in [("id", info.id, id), ("version", info.version, version)] {
            guard let said else { continue }
            let length = strnlen(said, 256)
            let text = String(
                decoding: UnsafeRawBufferPointer(start: said, count: length), as: UTF8.self)
            guard text == declared else {
                throw BridgeError(
                    .refused,
                    "\(path) says its \(name) is \"\(text)\", its manifest says \"\(declared)\"; make them equal"
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
