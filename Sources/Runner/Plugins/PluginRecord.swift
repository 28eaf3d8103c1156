// SPDX-License-Identifier: Apache-2.0
import Glibc
import PluginBridge
import Scheduling

/// A plugin as its host records it.
package final class PluginRecord: @unchecked Sendable {
    // Sendable: the lock of `PluginList` guards `status`, `reason`, `table`, `code`, `subs` and
    // `libraryPath`; the rest is constant.

    package enum Status: Int32, Sendable, KebabCased {
        /// Its manifest is valid; not loaded. Can transition to `ready`, `failed` and `shadowed`.
        case validated = 1
        /// Loaded and registered. Can transition to `retired`.
        case ready = 2
        /// No longer used; the image stays mapped. Terminal.
        case retired = 3
        /// Refused. Can transition to `validated` when it is loaded again.
        case failed = 4
        /// Its manifest is valid, but another plugin with the same id was found first. Can
        /// transition to `validated` when it is loaded explicitly.
        case shadowed = 5
    }

    package let number: Int32
    package let directory: String
    /// "" if the manifest could not be read.
    package let id: String
    package let version: String
    package let handlers: UInt32

    /// NUL-terminated strings, valid for the life of the host.
    package let idText: UnsafePointer<CChar>
    package let versionText: UnsafePointer<CChar>
    package let directoryText: UnsafePointer<CChar>

    /// The directory from the root, without links, for processes that work elsewhere.
    var absoluteDirectory: String {
        guard let path = realpath(directory, nil) else { return directory }
        defer { free(path) }
        return String(cString: path)
    }

    var status: Status
    /// The failure, or the plugin that shadows this one, or "".
    var reason: String
    /// It was not loaded, and its directory has another plugin now, or none.
    var isReplaced = false
    /// It was refused because of a quarantine.
    var isQuarantined = false
    /// Made before the plugin's entry is called; reused when it is loaded again.
    var table: PluginTable?
    var code: (any PluginCode)?
    /// Set if it has handlers with subs.
    var subs: PluginSubs?
    /// The digest of its content, if the list of quarantined plugins was asked about it.
    var content: String?
    /// The id of the key that has signed its manifest; nil if no trusted key has, or nobody has looked.
    var signer: String?
    /// The path of its library, or its directory, when its table was made.
    var libraryPath = ""
    let texts = TextStore()

    init(
        number: Int32, directory: String, id: String, version: String, handlers: UInt32,
        status: Status, reason: String
    ) {
        self.number = number
        self.directory = directory
        self.id = id
        self.version = version
        self.handlers = handlers
        self.status = status
        self.reason = reason
        idText = texts.keep(id)
        versionText = texts.keep(version)
        directoryText = texts.keep(directory)
    }
}
