// SPDX-License-Identifier: Apache-2.0
import CSystem
import Synchronization

/// Wakes the threads that wait for the end of a batch, with one futex(2) call for all.
///
/// Batches are numbered and end in order. Even and odd batches have a word each, with the number of
/// the last one, so that the batch before or after wakes no thread.
final class BatchSignal: @unchecked Sendable {
    // Sendable: the pointers are constant and point to atomics.

    private let last: UnsafeMutablePointer<Atomic<UInt32>>
    private let sleepers: UnsafeMutablePointer<Atomic<UInt32>>

    init() {
        last = .allocate(capacity: 2)
        sleepers = .allocate(capacity: 2)
        for parity in 0..<2 {
            (last + parity).initialize(to: Atomic(0))
            (sleepers + parity).initialize(to: Atomic(0))
        }
    }

    deinit {
        for pointer in [last, sleepers] {
            pointer.deinitialize(count: 2)
            pointer.deallocate()
        }
    }

    /// Signals the end of a batch; waiting threads see its writes. Batches count from 1.
    func end(_ batch: UInt32) {
        let parity = Int(batch & 1)
        last[parity].store(batch, ordering: .sequentiallyConsistent)
        if sleepers[parity].load(ordering: .sequentiallyConsistent) > 0 {
            csys_futex_wake(last + parity, .max)
        }
    }

    func wait(for batch: UInt32) {
        let parity = Int(batch & 1)
        if isOver(batch, last[parity].load(ordering: .acquiring)) { return }
        sleepers[parity].wrappingAdd(1, ordering: .sequentiallyConsistent)
        defer { sleepers[parity].wrappingSubtract(1, ordering: .relaxed) }
        while true {
            let seen = last[parity].load(ordering: .sequentiallyConsistent)
            if isOver(batch, seen) { return }
            csys_futex_wait(last + parity, seen, .max)
        }
    }

    /// Compares serial numbers that wrap around.
    private func isOver(_ batch: UInt32, _ last: UInt32) -> Bool {
        Int32(bitPattern: last &- batch) >= 0
    }
}
