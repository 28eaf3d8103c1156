// SPDX-License-Identifier: Apache-2.0

/// The builds of plugins that hosts do not run: those that ended their processes again and again, and
/// those that a person has quarantined. The list also counts loads that failed, since several of them in a row
/// quarantine a build.
package struct QuarantineList: Equatable, Sendable {
    /// Oldest first; each content once.
    package private(set) var plugins: [QuarantinedPlugin] = []

    /// Loads that have failed, oldest first.
    package private(set) var failedLoads: [FailedLoad] = []

    /// A process has ended, or was killed, while it loaded a plugin.
    package struct FailedLoad: Hashable, Sendable {
        package let content: String
        /// Nanoseconds since 1970 in UTC.
        package let at: Int64
    }

    /// The number of failed loads within the span that quarantines a build; the limits for ends of processes hold.
    private static let mostFailedLoads = ChildStateMachine.Limits().ends
    private static let failedLoadSpan = Int64(ChildStateMachine.Limits().endsSpan)

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

    /// Counts a load that has failed. Returns whether there were too many.
    package mutating func failedToLoad(_ content: String, at now: Int64) -> Bool {
        // If the clock was set back, dates lie in the future.
        failedLoads.removeAll { $0.at > now || now - $0.at > Self.failedLoadSpan }
        failedLoads.append(FailedLoad(content: content, at: now))
        if failedLoads.count > Self.limit { failedLoads.removeFirst() }
        return failedLoads.count { $0.content == content } >= Self.mostFailedLoads
    }

    /// A build was loaded: earlier failures do not count.
    package mutating func loaded(_ content: String) {
        failedLoads.removeAll { $0.content == content }
    }

    /// Removes the entries of a content, or of all builds of a plugin. Returns them.
    package mutating func release(_ name: String) -> [QuarantinedPlugin] {
        let released = plugins.filter { $0.content == name || $0.plugin == name }
        plugins.removeAll { released.contains($0) }
        for entry in released { loaded(entry.content) }
        return released
    }

    // MARK: In a store

    /// One line for each build and each failed load.
    package var bytes: [UInt8] {
        let lines = plugins.map(\.line) + failedLoads.map { "\($0.content)\t\($0.at)" }
        return Array(lines.joined(separator: "\n").utf8)
    }

    /// Reads the form of `bytes`; returns nil if they are malformed.
    package init?(bytes: [UInt8]) {
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            if let load = FailedLoad(line: line), failedLoads.count < Self.limit {
                failedLoads.append(load)
                continue
            }
            guard let plugin = QuarantinedPlugin(line: line), self[plugin.content] == nil,
                plugins.count < Self.limit
            else { return nil }
            plugins.append(plugin)
        }
    }
}

extension QuarantineList.FailedLoad {
    /// Reads "CONTENT tab DATE"; returns nil if it is something else.
    fileprivate init?(line: some Collection<UInt8>) {
        let words = line.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
            .compactMap { String(validating: $0, as: UTF8.self) }
        guard words.count == 2, QuarantinedPlugin.isContent(words[0]), let at = Int64(words[1])
        else { return nil }
        self.init(content: words[0], at: at)
    }
}
