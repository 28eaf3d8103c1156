// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// The queue of events: any thread adds, one at a time takes.
///
/// An intrusive multi-producer, single-consumer list after Dmitry Vyukov: adding is one exchange,
/// needs no memory, and cannot fail, which is what a reserved place for every done event takes.
final class EventQueue: @unchecked Sendable {
    // Sendable: `head` belongs to whoever turns the loop; everything else is atomic.

    private let stub: UnsafeMutablePointer<EventLink>
    private var head: UnsafeMutablePointer<EventLink>
    /// On a cache line of its own, since every producer writes it.
    private let tail: UnsafeMutablePointer<Atomic<UInt>>

    init() {
        stub = .allocate(capacity: 1)
        stub.initialize(to: EventLink(next: Atomic(0)))
        head = stub
        let line = UnsafeMutableRawPointer.allocate(byteCount: 128, alignment: 128)
        tail = line.bindMemory(to: Atomic<UInt>.self, capacity: 1)
        tail.initialize(to: Atomic(UInt(bitPattern: stub)))
    }

    deinit {
        stub.deinitialize(count: 1)
        stub.deallocate()
        UnsafeMutableRawPointer(tail).deallocate()
    }

    func add(_ link: UnsafeMutablePointer<EventLink>) {
        link.pointee.next.store(0, ordering: .relaxed)
        let previous = tail.pointee.exchange(
            UInt(bitPattern: link), ordering: .sequentiallyConsistent)
        UnsafeMutablePointer<EventLink>(bitPattern: previous)!
            .pointee.next.store(UInt(bitPattern: link), ordering: .releasing)
    }

    /// False while something waits, also something whose adding is not finished.
    var isEmpty: Bool {
        head == stub
            && tail.pointee.load(ordering: .sequentiallyConsistent) == UInt(bitPattern: stub)
    }

    /// Takes the oldest link. Nil when there is none, or when the oldest is still being added:
    /// its producer is between two instructions, so look again.
    func take() -> UnsafeMutablePointer<EventLink>? {
        func next(_ link: UnsafeMutablePointer<EventLink>) -> UnsafeMutablePointer<EventLink>? {
            UnsafeMutablePointer(bitPattern: link.pointee.next.load(ordering: .acquiring))
        }
        if head == stub {
            guard let first = next(stub) else { return nil }
            head = first
        }
        let oldest = head
        if let second = next(oldest) {
            head = second
            return oldest
        }
        // The oldest is the only one: put the stub behind it, so that it can be let go.
        guard tail.pointee.load(ordering: .acquiring) == UInt(bitPattern: oldest) else {
            return nil
        }
        add(stub)
        guard let second = next(oldest) else { return nil }
        head = second
        return oldest
    }
}
