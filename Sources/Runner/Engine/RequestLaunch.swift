// SPDX-License-Identifier: Apache-2.0
import Scheduling
import Synchronization

/// The request that a task is a launch of, and the way back to it.
final class RequestLaunch: Sendable {
    let ticket: RequestTicket
    /// The request's kind; nil: the handler's.
    let kind: TaskKind?
    /// Nanoseconds after which the request is to be launched again, plus 1; 0: not asked for.
    let snooze = Atomic<UInt64>(0)
    /// Its task is over, which the store could not record yet.
    let isEndWaiting = Atomic<Bool>(false)
    private let record: Recorder

    /// Records the end of a task in the store, then calls `publish` with whether it was recorded.
    /// Returns false when the store is left: then `publish` is not called.
    typealias Recorder =
        @Sendable (RequestLaunch, TaskEnd, _ publish: @escaping @Sendable (Bool) -> Void) -> Bool

    init(_ ticket: RequestTicket, _ kind: TaskKind?, record: @escaping Recorder) {
        self.ticket = ticket
        self.kind = kind
        self.record = record
    }

    func record(_ end: TaskEnd, _ publish: @escaping @Sendable (Bool) -> Void) -> Bool {
        record(self, end, publish)
    }
}

/// The end of a request's task, as its store gets it.
struct TaskEnd: Sendable {
    let attempt: AttemptEnd
    /// The task answered, or was never told to stop.
    let isAnswered: Bool
    let cost: DayAmounts
}
