// SPDX-License-Identifier: Apache-2.0
import Scheduling
import Synchronization

/// The request that a task executes, with the callback that records the end.
final class RequestLaunch: Sendable {
    let ticket: RequestTicket
    /// The request's kind; nil means the handler's.
    let kind: TaskKind?
    /// Nanoseconds until the next launch, plus 1; 0 means not requested.
    let snooze = Atomic<UInt64>(0)
    /// The task is over, but the store has not recorded that yet.
    let isEndWaiting = Atomic<Bool>(false)
    private let record: Recorder

    /// Records the end of a task in the store, then calls `publish` with the success.
    /// Returns false, without calling `publish`, once the store is closed.
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

struct TaskEnd: Sendable {
    let attempt: AttemptEnd
    /// The task answered, or was never told to stop.
    let isAnswered: Bool
    let cost: DayAmounts
}
