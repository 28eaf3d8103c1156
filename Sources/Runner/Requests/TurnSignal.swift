// SPDX-License-Identifier: Apache-2.0
import CSystem
import Synchronization

/// Tells the threads that wait for a turn that it is over, all of them with one call of the system.
///
/// Turns are numbered and end in their order. Those with even and those with odd numbers have a word
/// each, with the number of the last one, so that nobody is woken by the turn before or after.
final class TurnSignal: @unchecked Sendable {
    // Sendable: the pointers are constant, and what they lead to is atomic.

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

    /// A turn is over: what it has written is seen by those who waited for it. Turns count from 1.
    func end(_ turn: UInt32) {
        let parity = Int(turn & 1)
        last[parity].store(turn, ordering: .sequentiallyConsistent)
        if sleepers[parity].load(ordering: .sequentiallyConsistent) > 0 {
            csys_futex_wake(last + parity, .max)
        }
    }

    /// Returns once a turn is over.
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

    /// Numbers begin again after the largest: what is less than half of all ahead is later.
    private func isOver(_ turn: UInt32, _ last: UInt32) -> Bool {
        Int32(bitPattern: last &- turn) >= 0
    }
}
