// SPDX-License-Identifier: Apache-2.0
import Runner

/// A plugin, as its host knows it at one moment.
public struct PluginInfo: Sendable {
    /// The stage a plugin has reached; the names are those of `curfew plugins`.
    public enum Status: Int32, Sendable {
        /// Its manifest is sound; it is not loaded.
        case validated = 1
        /// It is loaded, and its handlers are registered.
        case ready = 2
        /// It is no longer used.
        case retired = 3
        /// It was refused.
        case failed = 4
        /// Its manifest is sound, but a plugin with the same id was found before.
        case shadowed = 5
    }

    /// "" when the manifest could not be read.
    public let id: String
    /// The plugin's own version; "" when the manifest could not be read.
    public let version: String
    /// Where it is, as it was given.
    public let directory: String
    /// How far it has come.
    public let status: Status
    /// Why it failed or what shadows it, or "".
    public let reason: String
    /// How many handlers it declares.
    public let handlers: Int

    init(_ record: PluginRecord, _ runtime: HostRuntime) {
        id = record.id
        version = record.version
        directory = record.directory
        let (status, reason) = runtime.plugins.status(of: record)
        self.status = Status(rawValue: status.rawValue) ?? .failed
        self.reason = reason
        handlers = Int(record.handlers)
    }
}
