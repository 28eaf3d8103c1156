// SPDX-License-Identifier: Apache-2.0
import Runner
public import Scheduling

/// A registered handler, as its host knows it now.
public struct HandlerInfo: Sendable {
    private let record: HandlerRecord

    init(_ record: HandlerRecord) { self.record = record }

    /// The name it is launched by.
    public var identifier: String { record.description.identifier }
    /// As it was declared.
    public var description: HandlerDescription { record.description }
    /// The plugin's id, "" for the embedder's own.
    public var plugin: String { record.plugin }
    /// How many tasks wait.
    public var queued: Int { Int(record.queued) }
    /// How many of its places are taken: by functions that have not returned, and for a moment by
    /// workers that look for its next task.
    public var active: Int { Int(record.active) }
    /// How many workers it has lost and not given back.
    public var lost: Int { Int(record.lost) }
    /// Nothing of it is started until it is resumed.
    public var isPaused: Bool { record.isPaused }
    /// Why nothing of it may be launched, or nil.
    public var quarantineReason: String? { record.quarantineReason }
    /// How many of its tasks ended so.
    public func ended(_ outcome: Outcome) -> Int { Int(record.ended(outcome)) }
}
