// SPDX-License-Identifier: Apache-2.0
import CSystem
import Synchronization

/// A lock of four bytes, in place: for what there are many of and few threads want at a time.
struct WordLock: ~Copyable {
    /// `free`, `taken`, or `wanted`.
    private let word = Atomic<UInt32>(0)

    private static let free: UInt32 = 0
    private static let taken: UInt32 = 1
    /// Taken, and somebody may be asleep.
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
        // As a `Locked<Void>` has it.
        var nothing: Void = ()
        return try body(&nothing)
    }

    /// Who has slept does not know whether others still do, so leaves the word at `wanted`, which
    /// costs one needless call at the end and never a wake-up.
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
