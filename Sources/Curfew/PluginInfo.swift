// SPDX-License-Identifier: Apache-2.0
public import Runner

/// A plugin, as its host knows it at one moment.
public struct PluginInfo: Sendable {
    /// "" when the manifest could not be read.
    public let id: String
    /// The plugin's own version; "" when the manifest could not be read.
    public let version: String
    /// Where it is, as it was given.
    public let directory: String
    /// How far it has come.
    public let status: PluginRecord.Status
    /// Why it failed or what shadows it, or "".
    public let reason: String
    /// How many handlers it declares.
    public let handlers: Int

    init(_ record: PluginRecord, _ runtime: HostRuntime) {
        id = record.id
        version = record.version
        directory = record.directory
        (status, reason) = runtime.plugins.status(of: record)
        handlers = Int(record.handlers)
    }
}
