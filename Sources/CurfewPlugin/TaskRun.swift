// SPDX-License-Identifier: Apache-2.0
import CCurfew
import Synchronization

/// What all copies of one `HandlerTask` share: the facts, and the gate to the host's table.
///
/// The table is the host's and may be gone some time after `run` has returned. So every call goes
/// through the gate, and the end of the run closes it and waits for those that are inside.
final class TaskRun: Sendable {
    // Constants.
    let id: curfew_task
    let identifier: String
    let kind: TaskKind
    let attempt: Int
    let budget: Duration
    let grace: Duration
    let executor: WorkerExecutor
    // Used only between `enter` and `leave`, while the host keeps the table.
    private nonisolated(unsafe) let api: UnsafePointer<curfew_host_api>

    /// How many calls are inside; the lowest bit is set once the run has ended.
    private let gate = Atomic<Int>(0)
    private let reason = Atomic<Int32>(0)
    private let result = Mutex<Result<[UInt8], any Error>?>(nil)

    /// Nil when the host knows no such task.
    init?(_ id: curfew_task, _ api: UnsafePointer<curfew_host_api>) {
        guard let info = TaskRun.info(of: id, api) else { return nil }
        self.id = id
        self.api = api
        executor = WorkerExecutor()
        identifier = String(cString: info.identifier)
        kind = TaskKind(rawValue: info.kind) ?? .processing
        attempt = Int(info.attempt)
        budget = .nanoseconds(Int64(clamping: info.budget_ns))
        grace = .nanoseconds(Int64(clamping: info.grace_ns))
    }

    /// True when the table may be used until `leave`; false when the run has ended.
    func enter() -> Bool {
        if gate.wrappingAdd(2, ordering: .acquiring).oldValue & 1 == 0 { return true }
        leave()
        return false
    }

    func leave() {
        // The last one out of a closed gate wakes the worker that waits in `end`.
        if gate.wrappingSubtract(2, ordering: .acquiringAndReleasing).newValue == 1 {
            executor.wake()
        }
    }

    /// Calls the host, or gives the other answer when the run has ended.
    func asking<Answer>(
        else over: @autoclosure () -> Answer,
        _ call: (UnsafePointer<curfew_host_api>, curfew_task) -> Answer
    ) -> Answer {
        guard enter() else { return over() }
        defer { leave() }
        return call(api, id)
    }

    /// Only between `enter` and `leave`, or on the worker while the host waits for it; what its
    /// pointers show is good as long.
    func info() -> curfew_task_info? { TaskRun.info(of: id, api) }

    /// How the handler's function ended; nil before.
    var outcome: Result<[UInt8], any Error>? {
        get { result.withLock { $0 } }
        set { result.withLock { $0 = newValue } }
    }
    var isOver: Bool { result.withLock { $0 != nil } }

    /// What `expired` was told; 0 before.
    var lastReason: Int32 { reason.load(ordering: .relaxed) }
    func expired(for reason: curfew_reason) { self.reason.store(reason, ordering: .relaxed) }

    /// Closes the gate; on return nothing of this run is inside the host, or will be.
    func end() {
        gate.bitwiseOr(1, ordering: .acquiringAndReleasing)
        executor.waitUntil { gate.load(ordering: .acquiring) == 1 }
    }

    private static func info(
        of id: curfew_task, _ api: UnsafePointer<curfew_host_api>
    ) -> curfew_task_info? {
        // Zeroed memory: a Swift value could not be made without the identifier that is asked for.
        withUnsafeTemporaryAllocation(
            byteCount: MemoryLayout<curfew_task_info>.size,
            alignment: MemoryLayout<curfew_task_info>.alignment
        ) { memory in
            _ = memory.initializeMemory(as: UInt8.self, repeating: 0)
            memory.storeBytes(of: UInt32(memory.count), as: UInt32.self)
            let info = memory.baseAddress!.assumingMemoryBound(to: curfew_task_info.self)
            return api.pointee.task_info(api, id, info) == CURFEW_OK ? info.pointee : nil
        }
    }
}
