// SPDX-License-Identifier: Apache-2.0
import PluginBridge

/// What a host knows of a plugin.
package final class PluginRecord: @unchecked Sendable {
    // Sendable: `status`, `reason`, `table`, `library`, `subs` and `libraryPath` are guarded by the lock of `PluginList`; the rest is constant.

    /// How far a plugin has come.
    package enum Status: Int32, Sendable {
        /// Its manifest is fine; it is not loaded. Can transition to `ready`, `failed` and
        /// `shadowed`.
        case validated = 1
        /// Loaded and registered. Can transition to `retired`.
        case ready = 2
        /// No longer used; the image stays mapped. Terminal.
        case retired = 3
        /// Refused. Can transition to `validated`, when it is loaded again.
        case failed = 4
        /// Its manifest is fine, but one with the same id was found before. Can transition to
        /// `validated`, when it is loaded all the same.
        case shadowed = 5

        /// The word used in text and JSON.
        package var name: String {
            switch self {
            case .validated: "validated"
            case .ready: "ready"
            case .retired: "retired"
            case .failed: "failed"
            case .shadowed: "shadowed"
            }
        }
    }

    package let number: Int32
    package let directory: String
    /// "" when the manifest could not be read.
    package let id: String
    package let version: String
    package let handlers: UInt32

    /// NUL-terminated forms, for the life of the host.
    package let idText: UnsafePointer<CChar>
    package let versionText: UnsafePointer<CChar>
    package let directoryText: UnsafePointer<CChar>

    var status: Status
    /// Why it failed or what shadows it, or "".
    var reason: String
    /// Made before it is entered, and the same each time it is.
    var table: PluginTable?
    var library: PluginLibrary?
    /// Where it has handlers made of subs.
    var subs: PluginSubs?
    /// Where its library was, or its directory, when its table was made.
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
