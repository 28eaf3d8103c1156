// SPDX-License-Identifier: Apache-2.0
public import Runner

/// A plugin, as its host knows it at one moment.
public struct PluginInfo: Sendable {
    /// "" when the manifest could not be read.
    public let id: String
    public let version: String
    public let directory: String
    public let status: PluginRecord.Status
    /// Why it failed or what shadows it, or "".
    public let reason: String
    /// How many handlers it declares.
    public let handlers: Int

    init(_ record: PluginRecord, _ runtime: HostRuntime) {
        id = record.id
        version = record.version
        directory = record.directory
        (status, reason) = runtime.status(of: record)
        handlers = Int(record.handlers)
    }
}
