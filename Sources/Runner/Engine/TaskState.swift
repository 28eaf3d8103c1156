// SPDX-License-Identifier: Apache-2.0
public import Scheduling

/// A task, as its host knows it at one moment.
public struct TaskState: Sendable {
    /// Where it is.
    public var phase: TaskPhase
    /// Set once it is over.
    public var outcome: Outcome?
    /// Set once it was told to stop.
    public var reason: StopReason?
    /// After it was told to stop, it answered within its grace.
    public var isAnswered: Bool
    /// It is over, which could not be written into its request's store yet: its done event and its
    /// outcome wait for that.
    public var isEndWaiting: Bool
    /// Its function is not running.
    public var isReturned: Bool
    /// 1 for the first launch of a request, then 2, ….
    public var attempt: UInt32
    /// Whose task it is.
    public var handler: HandlerRecord
    /// Nanoseconds on the host's clock; 0: never entered.
    public var startedAt: UInt64
    /// Nanoseconds it may use.
    public var budget: UInt64
    /// Nanoseconds it has to answer once it was told to stop.
    public var grace: UInt64
    /// The last reported fraction.
    public var progress: Double
    /// The length of its error text.
    public var errorBytes: Int
    /// The length of its result.
    public var resultBytes: Int
}
