// SPDX-License-Identifier: Apache-2.0
import CCurfew
import CurfewValues
import Synchronization

/// The state that all copies of a `HandlerTask` share: the task's constants, and the gate to the
/// host's table.
///
/// The table belongs to the host and may be gone some time after `run` has returned. So every call
/// passes the gate; the end of the run closes it and waits for the calls that are inside.
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

    /// Twice the number of calls that are inside; the lowest bit is set once the run has ended.
    private let gate = Atomic<Int>(0)
    private let reason = Atomic<Int32>(0)
    private let result = Locked<Result<[UInt8], any Error>?>(nil)

    /// Returns nil if the host knows no such task.
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

    /// Returns whether the table may be used until `leave`; false if the run has ended.
    func enter() -> Bool {
        if gate.wrappingAdd(2, ordering: .acquiring).oldValue & 1 == 0 { return true }
        leave()
        return false
    }

    func leave() {
        // The last call to leave a closed gate wakes the worker that waits in `end`.
        if gate.wrappingSubtract(2, ordering: .acquiringAndReleasing).newValue == 1 {
            executor.wake()
        }
    }

    /// Calls the host, or returns the other value if the run has ended.
    func asking<Answer>(
        else over: @autoclosure () -> Answer,
        _ call: (UnsafePointer<curfew_host_api>, curfew_task) -> Answer
    ) -> Answer {
        guard enter() else { return over() }
        defer { leave() }
        return call(api, id)
    }

    /// Returns the host's information about the task. Call it only between `enter` and `leave`, or
    /// on the worker while the host waits for it; its pointers are valid as long.
    func info() -> curfew_task_info? { TaskRun.info(of: id, api) }

    /// The result of the handler's function; nil before its end.
    var outcome: Result<[UInt8], any Error>? {
        get { result.withLock { $0 } }
        set { result.withLock { $0 = newValue } }
    }
    var isOver: Bool { result.withLock { $0 != nil } }

    /// The reason that `expired` received; 0 before.
    var lastReason: Int32 { reason.load(ordering: .relaxed) }
    func expired(for reason: curfew_reason) { self.reason.store(reason, ordering: .relaxed) }

    /// Closes the gate. On return no call of this run is inside the host, and none will be.
    func end() {
        gate.bitwiseOr(1, ordering: .acquiringAndReleasing)
        executor.waitUntil { gate.load(ordering: .acquiring) == 1 }
    }

    private static func info(
        of id: curfew_task, _ api: UnsafePointer<curfew_host_api>
    ) -> curfew_task_info? {
        // The memory is zeroed by hand: a Swift value could not be created without the identifier
        // that is queried.
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
