// SPDX-License-Identifier: Apache-2.0
import CurfewValues
import Synchronization

/// The cells of all workers of a host, scanned by the deadline threads.
final class WorkerCells: @unchecked Sendable {
    // Sendable: the cells are atomic, the list of free ones is locked.

    /// Maximum number of workers of both kinds, including lost ones.
    static let limit = 1_024

    let cells: UnsafeMutablePointer<WorkerCell>
    let used = Atomic<Int>(0)
    private let free = Locked<[UnsafeMutablePointer<WorkerCell>]>([])

    init() {
        let raw = UnsafeMutableRawPointer.allocate(
            byteCount: Self.limit * MemoryLayout<WorkerCell>.stride, alignment: 64)
        cells = raw.bindMemory(to: WorkerCell.self, capacity: Self.limit)
        for index in 0..<Self.limit { (cells + index).initialize(to: WorkerCell()) }
    }

    deinit { UnsafeMutableRawPointer(cells).deallocate() }

    func take() -> UnsafeMutablePointer<WorkerCell>? {
        free.withLock { free in
            if let cell = free.popLast() { return cell }
            let count = used.load(ordering: .relaxed)
            guard count < Self.limit else { return nil }
            used.store(count + 1, ordering: .sequentiallyConsistent)
            return cells + count
        }
    }

    func giveBack(_ cell: UnsafeMutablePointer<WorkerCell>) {
        cell.pointee.task.store(0, ordering: .releasing)
        free.withLock { $0.append(cell) }
    }

    var untaken: UInt64 {
        (0..<used.load(ordering: .acquiring)).reduce(0) {
            $0 &+ cells[$1].untaken.load(ordering: .relaxed)
        }
    }
}

extension UnsafeMutablePointer where Pointee == WorkerCell {
    var wakeWord: UnsafeRawPointer {
        UnsafeRawPointer(self) + WorkerCell.wakeOffset
    }
}

/// The current task and deadline of a worker, for the deadline threads. One cache line.
struct WorkerCell: ~Copyable {
    /// A `TaskReference`, or 0.
    let task = Atomic<UInt64>(0)
    let deadline = Atomic<UInt64>(0)
    /// Futex word of the parked worker: 0 while it sleeps.
    let wake = Atomic<UInt32>(0)
    private let padding0: UInt32 = 0
    /// Done events without a receiver, counted by this worker only.
    let untaken = Atomic<UInt64>(0)
    static let wakeOffset = 16

    private let padding: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
}
