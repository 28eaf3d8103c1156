// SPDX-License-Identifier: Apache-2.0
public import Scheduling

/// A task, as its host knows it at one moment.
public struct TaskState: Sendable {
    public var phase: TaskPhase
    /// Set once it is over.
    public var outcome: Outcome?
    /// Set once it was told to stop.
    public var reason: StopReason?
    /// After it was told to stop, it answered within its grace.
    public var isAnswered: Bool
    /// Its function is not running.
    public var isReturned: Bool
    public var attempt: UInt32
    public var handler: HandlerRecord
    /// Nanoseconds on the host's clock; 0: never entered.
    public var startedAt: UInt64
    public var budget: UInt64
    public var grace: UInt64
    /// The last reported fraction.
    public var progress: Double
    public var errorBytes: Int
    public var resultBytes: Int
}
