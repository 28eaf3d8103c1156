// SPDX-License-Identifier: Apache-2.0
import Runner
public import Scheduling

/// The present state of a registered handler.
public struct HandlerInfo: Sendable {
    private let record: HandlerRecord

    init(_ record: HandlerRecord) { self.record = record }

    /// Its declaration.
    public var description: HandlerDescription { record.description }
    /// The identifier it is launched by.
    public var identifier: String { record.description.identifier }
    /// The time that a task of it may use.
    public var budget: Duration { Duration(inNanoseconds: record.description.budget) }
    /// The time that a task of it has to answer once it is told to stop.
    public var grace: Duration { Duration(inNanoseconds: record.description.grace) }
    /// The plugin's id, "" for the embedder's own.
    public var plugin: String { record.plugin }
    /// The number of tasks that wait.
    public var queued: Int { Int(record.queued) }
    /// The number of its places that are taken: by functions that have not returned, and for a moment by
    /// workers that look for its next task.
    public var active: Int { Int(record.active) }
    /// The number of workers it has lost and not given back.
    public var lost: Int { Int(record.lost) }
    /// Whether its tasks are held back until it is resumed.
    public var isPaused: Bool { record.isPaused }
    /// The reason of its quarantine; nil while it is not quarantined.
    public var quarantineReason: String? { record.quarantineReason }
    /// The number of its tasks that ended with an outcome.
    public func ended(_ outcome: Outcome) -> Int { Int(record.ended(outcome)) }
}
