// SPDX-License-Identifier: Apache-2.0
import CSystem
import Scheduling
import Synchronization

/// The request that a task executes, with the callback that records the end.
final class RequestLaunch: Sendable {
    let ticket: RequestTicket
    /// The request's kind; nil means the handler's.
    let kind: TaskKind?
    /// The user who has submitted it; nil: the store's own.
    let owner: UInt32?
    let trace: TraceContext
    /// Nanoseconds until the next launch, plus 1; 0 means not requested.
    let snooze = Atomic<UInt64>(0)
    /// Its process ended, and its task is one of several that may have done it.
    let isSuspect = Atomic<Bool>(false)
    /// The task is over, but the store has not recorded that yet.
    let isEndWaiting = Atomic<Bool>(false)
    /// The thread that runs the function, and its processor time when it began.
    private let thread = Atomic<UInt64>(0)
    private let cpuBefore = Atomic<UInt64>(0)
    /// The data of the task that the history of its request keeps.
    let kept = Locked(AttemptRecord())
    private let record: Recorder
    /// Called with the number of its task before the task can run. The launch may still be withdrawn.
    let hasTask: @Sendable (_ task: UInt64) -> Void

    /// Records the end of a task in the store, then calls `publish` with the success.
    /// Returns false, without calling `publish`, once the store is closed.
    typealias Recorder =
        @Sendable (RequestLaunch, TaskEnd, _ publish: @escaping @Sendable (Bool) -> Void) -> Bool

    init(
        _ ticket: RequestTicket, _ kind: TaskKind?, owner: UInt32?, trace: TraceContext,
        hasTask: @escaping @Sendable (UInt64) -> Void, record: @escaping Recorder
    ) {
        self.ticket = ticket
        self.kind = kind
        self.owner = owner
        self.trace = trace
        self.hasTask = hasTask
        self.record = record
    }

    /// Notes that the calling thread, which has used that much processor time, runs the function.
    func begins(atCPU time: UInt64) {
        cpuBefore.store(time, ordering: .relaxed)
        thread.store(csys_thread_number(), ordering: .releasing)
    }

    /// Returns the processor time of a function that has not returned, if the calling thread runs
    /// it: the function completes its task. Returns 0 on any other thread.
    var cpuOfRunning: UInt64 {
        guard thread.load(ordering: .acquiring) == csys_thread_number() else { return 0 }
        return csys_thread_cpu_ns() &- cpuBefore.load(ordering: .relaxed)
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
