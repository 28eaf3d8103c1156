// SPDX-License-Identifier: Apache-2.0

/// The builds of plugins that hosts do not run: those that ended their processes again and again, and
/// those that a person has quarantined.
package struct QuarantineList: Equatable, Sendable {
    /// Oldest first; each content once.
    package private(set) var plugins: [QuarantinedPlugin] = []

    /// The maximum number of builds. Beyond it the oldest one that a host has quarantined goes.
    package static let limit = 256

    package init() {}

    /// The entry of a content; nil if that may be run.
    package subscript(content: String) -> QuarantinedPlugin? {
        plugins.first { $0.content == content }
    }

    /// Adds a build, in place of an earlier entry about it. Returns false if there is no room, because
    /// people have quarantined as many as there may be.
    package mutating func add(_ plugin: QuarantinedPlugin) -> Bool {
        var changed = plugins.filter { $0.content != plugin.content }
        if changed.count >= Self.limit {
            guard let oldest = changed.firstIndex(where: { !$0.isByHand }) else { return false }
            changed.remove(at: oldest)
        }
        changed.append(plugin)
        plugins = changed
        return true
    }

    /// Removes the entries of a content, or of all builds of a plugin. Returns them.
    package mutating func release(_ name: String) -> [QuarantinedPlugin] {
        let released = plugins.filter { $0.content == name || $0.plugin == name }
        plugins.removeAll { released.contains($0) }
        return released
    }

    // MARK: In a store

    /// One line for each build.
    package var bytes: [UInt8] { Array(plugins.map(\.line).joined(separator: "\n").utf8) }

    /// Reads the form of `bytes`; returns nil if they are malformed.
    package init?(bytes: [UInt8]) {
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            guard let plugin = QuarantinedPlugin(line: line), self[plugin.content] == nil,
                plugins.count < Self.limit
            else { return nil }
            plugins.append(plugin)
        }
    }
}
