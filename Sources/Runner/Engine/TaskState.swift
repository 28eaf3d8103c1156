// SPDX-License-Identifier: Apache-2.0
package import Scheduling

/// A snapshot of a task.
package struct TaskState: Sendable {
    package var phase: TaskPhase
    package var outcome: Outcome?
    package var reason: StopReason?
    /// The task answered within its grace after it was told to stop.
    package var isAnswered: Bool
    /// The task is over, but its request's store has not recorded that yet: the done event and the
    /// outcome are delayed until then.
    package var isEndWaiting: Bool
    /// The function is not running.
    package var isReturned: Bool
    /// 1 for the first launch of a request, then 2, ….
    package var attempt: UInt32
    package var handler: HandlerRecord
    /// Nanoseconds on the host's clock; 0 if never entered.
    package var startedAt: UInt64
    /// Nanoseconds.
    package var budget: UInt64
    /// Nanoseconds to answer after being told to stop.
    package var grace: UInt64
    package var progress: Double
    package var errorBytes: Int
    package var resultBytes: Int
}
