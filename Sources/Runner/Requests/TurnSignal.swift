// SPDX-License-Identifier: Apache-2.0
import CSystem
import Synchronization

/// Wakes the threads that wait for the end of a turn, with one futex(2) call for all.
///
/// Turns are numbered and end in order. Even and odd turns have a word each, with the number of the
/// last one, so that the turn before or after wakes no thread.
final class TurnSignal: @unchecked Sendable {
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

    /// Signals the end of a turn; waiting threads see its writes. Turns count from 1.
    func end(_ turn: UInt32) {
        let parity = Int(turn & 1)
        last[parity].store(turn, ordering: .sequentiallyConsistent)
        if sleepers[parity].load(ordering: .sequentiallyConsistent) > 0 {
            csys_futex_wake(last + parity, .max)
        }
    }

    func wait(for turn: UInt32) {
        let parity = Int(turn & 1)
        if isOver(turn, last[parity].load(ordering: .acquiring)) { return }
        sleepers[parity].wrappingAdd(1, ordering: .sequentiallyConsistent)
        defer { sleepers[parity].wrappingSubtract(1, ordering: .relaxed) }
        while true {
            let seen = last[parity].load(ordering: .sequentiallyConsistent)
            if isOver(turn, seen) { return }
            csys_futex_wait(last + parity, seen, .max)
        }
    }

    /// Compares serial numbers that wrap around.
    private func isOver(_ turn: UInt32, _ last: UInt32) -> Bool {
        Int32(bitPattern: last &- turn) >= 0
    }
}
