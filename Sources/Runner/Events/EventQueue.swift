// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// The queue of events: any thread adds, one at a time takes.
///
/// An intrusive multi-producer, single-consumer list after Dmitry Vyukov: adding is one exchange,
/// needs no memory, and cannot fail, which is what a reserved place for every done event takes.
final class EventQueue: @unchecked Sendable {
    // Sendable: whoever turns the loop alone writes `head`; everything is atomic.

    private let stub: UnsafeMutablePointer<EventLink>
    /// Two words on a cache line each: what producers write, and what the consumer writes.
    private let tail: UnsafeMutablePointer<Atomic<UInt>>
    private let head: UnsafeMutablePointer<Atomic<UInt>>

    init() {
        stub = .allocate(capacity: 1)
        stub.initialize(to: EventLink(next: Atomic(0)))
        let lines = UnsafeMutableRawPointer.allocate(byteCount: 256, alignment: 128)
        tail = lines.bindMemory(to: Atomic<UInt>.self, capacity: 1)
        tail.initialize(to: Atomic(UInt(bitPattern: stub)))
        head = (lines + 128).bindMemory(to: Atomic<UInt>.self, capacity: 1)
        head.initialize(to: Atomic(UInt(bitPattern: stub)))
    }

    deinit {
        stub.deinitialize(count: 1)
        stub.deallocate()
        UnsafeMutableRawPointer(tail).deallocate()
    }

    @inline(__always) func add(_ link: UnsafeMutablePointer<EventLink>) {
        link.pointee.next.store(0, ordering: .relaxed)
        let previous = tail.pointee.exchange(
            UInt(bitPattern: link), ordering: .sequentiallyConsistent)
        UnsafeMutablePointer<EventLink>(bitPattern: previous)!
            .pointee.next.store(UInt(bitPattern: link), ordering: .releasing)
    }

    /// False while something waits, also something whose adding is not finished. From any thread.
    var isEmpty: Bool {
        let stub = UInt(bitPattern: stub)
        return head.pointee.load(ordering: .sequentiallyConsistent) == stub
            && tail.pointee.load(ordering: .sequentiallyConsistent) == stub
    }

    /// What waits at one moment: to take that and no more.
    struct Mark { fileprivate let last: UInt }

    /// For the consumer: everything that is added now stands before the mark.
    func mark() -> Mark { Mark(last: tail.pointee.load(ordering: .sequentiallyConsistent)) }

    /// For the consumer: true once `taken` was the last before the mark, or nothing is left of it.
    func isPast(_ mark: Mark, taken: UnsafeMutablePointer<EventLink>?) -> Bool {
        if mark.last == UInt(bitPattern: stub) {
            // The stub is never taken; when it is at the head, what stood before it is gone.
            return head.pointee.load(ordering: .relaxed) == mark.last
        }
        return taken.map { UInt(bitPattern: $0) == mark.last } ?? false
    }

    /// Takes the oldest link. Nil when there is none, or when the oldest is still being added:
    /// its producer is between two instructions, so look again.
    func take() -> UnsafeMutablePointer<EventLink>? {
        func next(_ link: UnsafeMutablePointer<EventLink>) -> UnsafeMutablePointer<EventLink>? {
            UnsafeMutablePointer(bitPattern: link.pointee.next.load(ordering: .acquiring))
        }
        func setHead(_ link: UnsafeMutablePointer<EventLink>) {
            head.pointee.store(UInt(bitPattern: link), ordering: .releasing)
        }
        var oldest = UnsafeMutablePointer<EventLink>(
            bitPattern: head.pointee.load(ordering: .relaxed))!
        if oldest == stub {
            guard let first = next(stub) else { return nil }
            setHead(first)
            oldest = first
        }
        if let second = next(oldest) {
            setHead(second)
            return oldest
        }
        // The oldest is the only one: put the stub behind it, so that it can be let go.
        guard tail.pointee.load(ordering: .acquiring) == UInt(bitPattern: oldest) else {
            return nil
        }
        add(stub)
        guard let second = next(oldest) else { return nil }
        setHead(second)
        return oldest
    }
}
