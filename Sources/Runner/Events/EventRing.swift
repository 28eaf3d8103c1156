// SPDX-License-Identifier: Apache-2.0
import CSystem
import Synchronization

/// A multi-producer, single-consumer ring of event addresses.
///
/// Its capacity exceeds what the limits below allow to be queued; memory is committed on first use
/// and given back behind the consumer. Adding takes one atomic addition and one store, allocates
/// nothing and cannot fail, so every done event has a reserved place. A list linked through the
/// tasks would need no ring, but a producer would write to the cache line of the previous task,
/// which the consumer is using, and the consumer could not prefetch.
final class EventRing: @unchecked Sendable {
    // Sendable: only the thread that runs the loop writes `head`; everything is atomic.

    /// Places, a power of two: one for each possible task (2^21), `mostEvents`, `mostWork`, and a
    /// reserve for done events of freed tasks.
    private static let capacity = 1 << 23
    static let mostEvents: UInt32 = 1 << 22
    static let mostWork = 1 << 20
    private static let block = 8_192
    /// Prefetch distance. An event's memory comes from its producer's core, which takes as long as
    /// delivering some events.
    private static let ahead: UInt = 4

    /// Addresses; the lowest bit is the round's parity, so older entries count as empty.
    private let places: UnsafeMutablePointer<Atomic<UInt>>
    /// Positions handed out to producers and taken by the consumer, on separate cache lines.
    private let tail: UnsafeMutablePointer<Atomic<UInt>>
    private let head: UnsafeMutablePointer<Atomic<UInt>>

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

    /// 1 in the first round, so that untouched memory counts as empty.
    @inline(__always) private func parity(_ position: UInt) -> UInt {
        ~(position / UInt(Self.capacity)) & 1
    }

    @inline(__always) private func place(
        _ position: UInt
    ) -> UnsafeMutablePointer<Atomic<UInt>> {
        places + Int(position % UInt(Self.capacity))
    }

    @inline(__always) private func event(at position: UInt) -> UnsafeMutableRawPointer? {
        let value = place(position).pointee.load(ordering: .acquiring)
        guard value & 1 == parity(position) else { return nil }
        return UnsafeMutableRawPointer(bitPattern: value & ~1)
    }

    /// Adds an even address. The caller respects the limits above.
    @inline(__always) func add(_ event: UnsafeMutableRawPointer) {
        let position = tail.pointee.wrappingAdd(1, ordering: .sequentiallyConsistent).oldValue
        place(position).pointee.store(
            UInt(bitPattern: event) | parity(position), ordering: .releasing)
    }

    /// Whether nothing waits; false also while an entry is still being added. For any thread.
    var isEmpty: Bool {
        head.pointee.load(ordering: .sequentiallyConsistent)
            == tail.pointee.load(ordering: .sequentiallyConsistent)
    }

    /// Number of entries ever added, and ever taken. For any thread.
    var added: UInt64 { UInt64(tail.pointee.load(ordering: .sequentiallyConsistent)) }
    var taken: UInt64 { UInt64(head.pointee.load(ordering: .sequentiallyConsistent)) }

    /// A position in the queue; a bounded run stops there.
    struct Mark { fileprivate let position: UInt }

    /// Returns a mark behind everything added so far. For the consumer.
    func mark() -> Mark {
        Mark(position: tail.pointee.load(ordering: .sequentiallyConsistent))
    }

    func isPast(_ mark: Mark) -> Bool {
        Int(bitPattern: head.pointee.load(ordering: .relaxed) &- mark.position) >= 0
    }

    /// Takes the oldest entry. Returns nil when the ring is empty or its producer is between the
    /// addition and the store; then poll again.
    @inline(__always) func take() -> UnsafeMutableRawPointer? {
        let position = head.pointee.load(ordering: .relaxed)
        guard let event = event(at: position) else { return nil }
        if let later = self.event(at: position &+ Self.ahead) { csys_prefetch(later) }
        let next = position &+ 1
        head.pointee.store(next, ordering: .releasing)
        if next % UInt(Self.block) == 0 { giveBack(next &- UInt(Self.block)) }
        return event
    }

    /// Gives memory of taken entries back. Where the system keeps it (locked memory), the next
    /// round finds the parity of this one.
    @inline(never) private func giveBack(_ position: UInt) {
        csys_forget(
            place(position), UInt64(Self.block * MemoryLayout<Atomic<UInt>>.stride))
    }
}
