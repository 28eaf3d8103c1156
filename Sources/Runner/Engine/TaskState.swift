// SPDX-License-Identifier: Apache-2.0
package import Scheduling

/// A task, as its host knows it at one moment.
package struct TaskState: Sendable {
    /// Where it is.
    package var phase: TaskPhase
    /// Set once it is over.
    package var outcome: Outcome?
    /// Set once it was told to stop.
    package var reason: StopReason?
    /// After it was told to stop, it answered within its grace.
    package var isAnswered: Bool
    /// It is over, which could not be written into its request's store yet: its done event and its
    /// outcome wait for that.
    package var isEndWaiting: Bool
    /// Its function is not running.
    package var isReturned: Bool
    /// 1 for the first launch of a request, then 2, ….
    package var attempt: UInt32
    /// Whose task it is.
    package var handler: HandlerRecord
    /// Nanoseconds on the host's clock; 0: never entered.
    package var startedAt: UInt64
    /// Nanoseconds it may use.
    package var budget: UInt64
    /// Nanoseconds it has to answer once it was told to stop.
    package var grace: UInt64
    /// The last reported fraction.
    package var progress: Double
    /// The length of its error text.
    package var errorBytes: Int
    /// The length of its result.
    package var resultBytes: Int
}
