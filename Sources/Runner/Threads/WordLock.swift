// SPDX-License-Identifier: Apache-2.0
import CSystem
import Synchronization

/// A four-byte lock stored in the object that it is for, without memory of its own.
///
/// For the record of a task: a host may have a million, each with a lock that is nearly always free.
/// A `Locked` takes 128 bytes in three allocations. Everything else uses `Locked`.
struct WordLock: ~Copyable {
    private let word = Atomic<UInt32>(0)

    private static let free: UInt32 = 0
    private static let taken: UInt32 = 1
    /// Taken, and a thread may be asleep.
    private static let wanted: UInt32 = 2

    @inline(__always)
    func withLock<Result, Failure: Error>(
        _ body: (inout Void) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        if !word.compareExchange(
            expected: Self.free, desired: Self.taken, ordering: .acquiring
        ).exchanged {
            wait()
        }
        defer { unlock() }
        // `body` takes a value, as that of a `Locked<Void>` does.
        var nothing: Void = ()
        return try body(&nothing)
    }

    /// Takes the lock as `wanted`, because other threads may still sleep. That costs at most one
    /// needless wake call and loses no wake-up.
    private func wait() {
        while word.exchange(Self.wanted, ordering: .acquiring) != Self.free {
            withUnsafePointer(to: word) { csys_futex_wait($0, Self.wanted, .max) }
        }
    }

    @inline(__always) private func unlock() {
        guard word.exchange(Self.free, ordering: .releasing) == Self.wanted else { return }
        withUnsafePointer(to: word) { csys_futex_wake($0, 1) }
    }
}
