// SPDX-License-Identifier: Apache-2.0
import Runner
package import Scheduling

/// The present state of a registered handler.
public struct HandlerInfo: Sendable {
    private let record: HandlerRecord

    init(_ record: HandlerRecord) { self.record = record }

    package var description: HandlerDescription { record.description }
    /// Its identifier.
    public var identifier: String { description.identifier }
    /// Its kind.
    public var kind: TaskKind { description.kind }
    /// The time that each of its tasks may use.
    public var budget: Duration { Duration(inNanoseconds: record.description.budget) }
    /// The time that each of its tasks has to complete after expiration.
    public var grace: Duration { Duration(inNanoseconds: record.description.grace) }
    /// The id of its plugin; "" for a handler of the embedder.
    public var plugin: String { record.plugin }
    /// The number of queued tasks.
    public var queued: Int { Int(record.queued) }
    /// The number of its tasks whose functions have not returned. Briefly also counts workers that
    /// look for its next task.
    public var active: Int { Int(record.active) }
    /// The number of its lost workers that have not returned.
    public var lost: Int { Int(record.lost) }
    /// Whether it is paused, so that its tasks do not start.
    public var isPaused: Bool { record.isPaused }
    /// The reason for its quarantine; nil if it is not quarantined.
    public var quarantineReason: String? { record.quarantineReason }
    /// Returns the number of its tasks that ended with an outcome.
    public func ended(_ outcome: Outcome) -> Int { Int(record.ended(outcome)) }
}
