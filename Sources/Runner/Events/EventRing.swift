// SPDX-License-Identifier: Apache-2.0
import CSystem
import Synchronization

/// The queue of events, by the addresses of what they are: any thread adds, one at a time takes.
///
/// A ring of as many places as nobody ever needs, in memory that is filled lazily and given back
/// behind whoever takes. Adding is one addition and one store; it needs no memory of its own and
/// cannot fail, which is what a reserved place for every done event takes. A list linked through
/// the tasks would need no ring, but whoever adds writes into the task before, which whoever takes
/// has by then, and whoever takes cannot look ahead.
final class EventRing: @unchecked Sendable {
    // Sendable: whoever turns the loop alone writes `head`; everything is atomic.

    /// Places, a power of two: one for every task there can be (2^21), these events, these pieces of
    /// work, and some for done events that have no task any more.
    private static let capacity = 1 << 23
    static let mostEvents: UInt32 = 1 << 22
    static let mostWork = 1 << 20
    /// Places that are given back at a time.
    private static let block = 8_192
    /// How far ahead the memory of an event is asked for. It comes from the core of its producer,
    /// which takes as long as delivering some events does.
    private static let ahead: UInt = 4

    /// An address, and in its lowest bit the round's parity: what the round before has left is empty.
    private let places: UnsafeMutablePointer<Atomic<UInt>>
    /// Positions ever handed out and taken, each on a cache line of its own: what producers write,
    /// and what the consumer writes.
    private let tail: UnsafeMutablePointer<Atomic<UInt>>
    private let head: UnsafeMutablePointer<Atomic<UInt>>

    /// Nil where there is no memory.
    init?() {
        let bytes = UInt64(Self.capacity * MemoryLayout<Atomic<UInt>>.stride)
        guard let memory = csys_map_sparse(bytes) else { return nil }
        places = memory.bindMemory(to: Atomic<UInt>.self, capacity: Self.capacity)
        let lines = UnsafeMutableRawPointer.allocate(byteCount: 256, alignment: 128)
        tail = lines.bindMemory(to: Atomic<UInt>.self, capacity: 1)
        tail.initialize(to: Atomic(0))
        head = (lines + 128).bindMemory(to: Atomic<UInt>.self, capacity: 1)
        head.initialize(to: Atomic(0))
    }

    deinit {
        csys_unmap(places, UInt64(Self.capacity * MemoryLayout<Atomic<UInt>>.stride))
        UnsafeMutableRawPointer(tail).deallocate()
    }

    /// 1 in the first round, so that untouched memory is empty.
    @inline(__always) private func parity(_ position: UInt) -> UInt {
        ~(position / UInt(Self.capacity)) & 1
    }

    @inline(__always) private func place(
        _ position: UInt
    ) -> UnsafeMutablePointer<Atomic<UInt>> {
        places + Int(position % UInt(Self.capacity))
    }

    /// What stands at a position, or nil while nothing does.
    @inline(__always) private func event(at position: UInt) -> UnsafeMutableRawPointer? {
        let value = place(position).pointee.load(ordering: .acquiring)
        guard value & 1 == parity(position) else { return nil }
        return UnsafeMutableRawPointer(bitPattern: value & ~1)
    }

    /// Adds what has an even address. Whoever adds keeps to the numbers above.
    @inline(__always) func add(_ event: UnsafeMutableRawPointer) {
        let position = tail.pointee.wrappingAdd(1, ordering: .sequentiallyConsistent).oldValue
        place(position).pointee.store(
            UInt(bitPattern: event) | parity(position), ordering: .releasing)
    }

    /// False while something waits, also something whose adding is not finished. From any thread.
    var isEmpty: Bool {
        head.pointee.load(ordering: .sequentiallyConsistent)
            == tail.pointee.load(ordering: .sequentiallyConsistent)
    }

    /// How many were ever added, and how many of those were taken. From any thread.
    var added: UInt64 { UInt64(tail.pointee.load(ordering: .sequentiallyConsistent)) }
    var taken: UInt64 { UInt64(head.pointee.load(ordering: .sequentiallyConsistent)) }

    /// What waits at one moment: to take that and no more.
    struct Mark { fileprivate let position: UInt }

    /// For the consumer: everything that is added now stands behind the mark.
    func mark() -> Mark {
        Mark(position: tail.pointee.load(ordering: .sequentiallyConsistent))
    }

    /// For the consumer: true once everything before the mark was taken.
    func isPast(_ mark: Mark) -> Bool {
        Int(bitPattern: head.pointee.load(ordering: .relaxed) &- mark.position) >= 0
    }

    /// Takes the oldest. Nil when there is none, or when the oldest is still being added: its
    /// producer is between two instructions, so look again.
    @inline(__always) func take() -> UnsafeMutableRawPointer? {
        let position = head.pointee.load(ordering: .relaxed)
        guard let event = event(at: position) else { return nil }
        if let later = self.event(at: position &+ Self.ahead) { csys_prefetch(later) }
        let next = position &+ 1
        head.pointee.store(next, ordering: .releasing)
        if next % UInt(Self.block) == 0 { giveBack(next &- UInt(Self.block)) }
        return event
    }

    /// What was taken needs no memory any more. Where the system keeps it (it is locked), the next
    /// round finds the parity of this one.
    @inline(never) private func giveBack(_ position: UInt) {
        csys_forget(
            place(position), UInt64(Self.block * MemoryLayout<Atomic<UInt>>.stride))
    }
}
