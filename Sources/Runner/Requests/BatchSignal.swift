// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// Wakes the threads that wait for the end of a batch, with one futex(2) call for all.
///
/// Batches are numbered from 1 and end in order. The waits for even and for odd numbers are woken
/// apart, so that the batch before or after wakes no thread.
struct BatchSignal: ~Copyable {
    private let last = Atomic<UInt32>(0)
    private let even = Sleepers()
    private let odd = Sleepers()

    /// Signals the end of a batch; waiting threads see its writes.
    func end(_ batch: UInt32) {
        last.store(batch, ordering: .sequentiallyConsistent)
        if batch & 1 == 0 { even.wake() } else { odd.wake() }
    }

    func wait(for batch: UInt32) {
        // Checked first: a thread that announces a wait causes a call that wakes it.
        if isOver(batch) { return }
        _ = batch & 1 == 0 ? even.wait { isOver(batch) } : odd.wait { isOver(batch) }
    }

    /// Compares serial numbers that wrap around.
    private func isOver(_ batch: UInt32) -> Bool {
        Int32(bitPattern: last.load(ordering: .sequentiallyConsistent) &- batch) >= 0
    }
}
