// SPDX-License-Identifier: Apache-2.0
import CSystem
import Scheduling
import Synchronization

/// Free ids held by one thread, so that most tasks are made and freed without the shared pool.
struct TaskFreeList {
    private static let capacity = 128
    private static let batch = 64

    private let ids: UnsafeMutablePointer<UInt64>
    private(set) var count = 0

    init() { ids = .allocate(capacity: Self.capacity) }

    mutating func close(_ tasks: TaskTable) {
        tasks.give(UnsafeBufferPointer(start: ids, count: count))
        count = 0
        ids.deallocate()
    }

    /// The id that `drop` would take, or 0.
    @inline(__always) var top: UInt64 { count > 0 ? ids[count - 1] : 0 }

    @inline(__always) mutating func drop() { count -= 1 }

    /// Prefetches the slot of an id used soon, because another core may have freed it.
    @inline(__always) func askAhead(_ tasks: TaskTable) {
        guard count > 4 else { return }
        csys_prefetch(tasks.slot(TaskReference(bits: ids[count - 4])))
    }

    @inline(__always) mutating func add(_ id: UInt64, _ tasks: TaskTable) {
        if count == Self.capacity { flush(tasks, keeping: Self.capacity - Self.batch) }
        ids[count] = id
        count += 1
    }

    mutating func flush(_ tasks: TaskTable, keeping rest: Int = 0) {
        guard count > rest else { return }
        tasks.give(UnsafeBufferPointer(start: ids + rest, count: count - rest))
        count = rest
    }

    @inline(__always) mutating func refill(_ tasks: TaskTable) {
        guard tasks.pooled.load(ordering: .relaxed) > 0 else { return }
        count = tasks.take(
            into: UnsafeMutableBufferPointer(start: ids, count: Self.batch))
    }
}
