// SPDX-License-Identifier: Apache-2.0
import CSystem
import PluginBridge
import Scheduling
import Synchronization

/// The queue of a host's undelivered events: any thread adds, the loop takes.
///
/// Each done event has a reserved place in its task and is never refused. Other events are copied,
/// and refused above a limit of their number and of their texts; one gap event reports all events lost together.
package final class EventQueue: @unchecked Sendable {

    private let ring: EventRing
    let counters: UnsafeMutablePointer<EventCounters>
    /// eventfd, readable while something waits and the loop sleeps.
    let descriptor: Int32

    /// Maximum number of waiting events, not counting done events.
    let limit: UInt32
    /// The texts of waiting events have no more bytes, but for the last event that was admitted: a
    /// plugin that floods the host with long texts must not use up its memory.
    static let textLimit: UInt64 = 64 << 20
    /// The number of waiting events and reserved places, in units of `place`, and below it the bytes of
    /// the texts: one addition counts both.
    private let waiting = Atomic<UInt64>(0)
    private static let place: UInt64 = 1 << 40
    /// Events dropped since the last gap event was delivered.
    private let lost = Atomic<UInt64>(0)
    private let gapQueued = Atomic<Bool>(false)
    private let workWaiting = Atomic<Int>(0)

    init(limit: UInt32, manualDispatch: Bool) throws(BridgeError) {
        self.limit = limit
        guard let ring = EventRing() else {
            throw BridgeError(.system, "no address space is left for the queue of events")
        }
        self.ring = ring
        descriptor = csys_eventfd()
        guard descriptor >= 0 else {
            throw BridgeError(
                .system, "no descriptor is left for the event loop; raise the limit (ulimit -n)")
        }
        counters = UnsafeMutableRawPointer.allocate(
            byteCount: MemoryLayout<EventCounters>.size, alignment: 128
        ).bindMemory(to: EventCounters.self, capacity: 1)
        counters.initialize(to: EventCounters(manualDispatch: manualDispatch))
    }

    deinit {
        counters.deinitialize(count: 1)
        UnsafeMutableRawPointer(counters).deallocate()
        csys_close(descriptor)
    }

    // MARK: Raising

    /// Queues a task's done event. Never fails: each task has a reserved place.
    @inline(__always) func raiseDone(_ slot: TaskSlotPointer) {
        ring.add(slot)
        wake()
    }

    /// Whether a done event has to be queued: it has receivers, or may get some before delivery.
    @inline(__always) func wants(_ takers: UnsafeMutablePointer<Atomic<UInt32>>) -> Bool {
        takers.pointee.load(ordering: .acquiring) != 0
            || counters.pointee.attention.load(ordering: .acquiring) != 0
    }

    /// Queues the done event of a task that had ended and was freed before another thread, which
    /// saw it running, began to want the event. Allocates memory, and never fails.
    func raiseDone(_ event: UInt32, task: UInt64, _ outcome: Outcome, error: String) {
        let node = EventNode.make(
            event: event, values: [.bool(outcome == .succeeded), .text(error)], task: task)
        waiting.wrappingAdd(Self.place + node.pointee.textBytes, ordering: .relaxed)
        add(node)
    }

    struct Raised {
        let status: Status
        /// The queue holds the event, or the gap event that reports its loss.
        var isQueued = true
        /// The event is the first of those lost together.
        var beginsGap = false
    }

    /// Reserves places for events that are not refused. Returns how many, which is 0 in a queue that is
    /// half full.
    func reserve(_ count: UInt32) -> UInt32 {
        let places = UInt64(count) * Self.place
        let before = waiting.wrappingAdd(places, ordering: .relaxed).oldValue
        if before / Self.place + UInt64(count) <= UInt64(limit / 2) { return count }
        waiting.wrappingSubtract(places, ordering: .relaxed)
        return 0
    }

    /// Gives reserved places back.
    func release(_ count: UInt32) {
        waiting.wrappingSubtract(UInt64(count) * Self.place, ordering: .relaxed)
    }

    /// Queues an event with copied parameters. At the limit returns `BUSY` and reports the loss.
    ///
    /// - Parameter isReserved: it takes a reserved place.
    func raise(
        _ entry: EventEntry, _ values: [EventValue], task: UInt64, isReserved: Bool = false
    ) -> Raised {
        let bytes = UInt64(EventValue.textBytes(of: values))
        if isReserved {
            waiting.wrappingAdd(bytes, ordering: .relaxed)
        } else if !admit(bytes) {
            lost.wrappingAdd(1, ordering: .sequentiallyConsistent)
            // One gap event at a time: it keeps the place of the first loss and counts them all.
            let beginsGap = !gapQueued.exchange(true, ordering: .sequentiallyConsistent)
            if beginsGap {
                add(EventNode.make(event: EventDirectory.gap, values: [.int64(0)], task: 0))
            }
            return Raised(status: .busy, beginsGap: beginsGap)
        }
        add(EventNode.make(event: entry.index, values: values, task: task))
        return Raised(status: .ok)
    }

    /// Queues an event if it has receivers, else counts it as unwanted, as the loop would.
    func raiseIfWanted(
        _ entry: EventEntry, task: UInt64, isReserved: Bool = false,
        _ values: @autoclosure () -> [EventValue]
    ) -> Raised {
        guard wants(entry.takers) else {
            countUnwanted()
            return Raised(status: .ok, isQueued: false)
        }
        return raise(entry, values(), task: task, isReserved: isReserved)
    }

    @inline(__always) func countUnwanted() {
        counters.pointee.unwanted.wrappingAdd(1, ordering: .relaxed)
    }

    /// Counts one more waiting event. At the limit counts it as dropped and returns false.
    private func admit(_ textBytes: UInt64) -> Bool {
        let load = Self.place + textBytes
        let before = waiting.wrappingAdd(load, ordering: .relaxed).oldValue
        if before / Self.place < limit, before % Self.place < Self.textLimit { return true }
        waiting.wrappingSubtract(load, ordering: .relaxed)
        counters.pointee.dropped.wrappingAdd(1, ordering: .relaxed)
        return false
    }

    private func add(_ node: UnsafeMutablePointer<EventNode>) {
        ring.add(node)
        wake()
    }

    @inline(__always) private func wake() {
        // Adding and going to sleep are full barriers: one of the two threads sees the other.
        guard counters.pointee.asleep.load(ordering: .sequentiallyConsistent) else { return }
        if counters.pointee.asleep.exchange(false, ordering: .sequentiallyConsistent) {
            counters.pointee.wakeups.wrappingAdd(1, ordering: .relaxed)
            csys_eventfd_signal(descriptor)
        }
    }

    // MARK: Work

    func add(_ work: LoopWork) { add(work, isLimited: false) }

    func addLimited(_ work: LoopWork) -> Status {
        guard admit(0) else { return .busy }
        add(work, isLimited: true)
        return .ok
    }

    private func add(_ work: LoopWork, isLimited: Bool) {
        let waiting = workWaiting.wrappingAdd(1, ordering: .sequentiallyConsistent).oldValue
        guard waiting < EventRing.mostWork else {
            fatalError("\(waiting) pieces of work wait for the event loop, which is not run")
        }
        add(EventNode.make(work, isLimited: isLimited))
    }

    var hasWork: Bool { workWaiting.load(ordering: .sequentiallyConsistent) > 0 }

    /// Removes the work from a node that was taken, and frees the node.
    func takeWork(_ node: UnsafeMutablePointer<EventNode>) -> LoopWork? {
        if node.pointee.event == EventNode.limitedWork {
            waiting.wrappingSubtract(Self.place, ordering: .relaxed)
        }
        workWaiting.wrappingSubtract(1, ordering: .sequentiallyConsistent)
        defer { EventNode.free(node) }
        return EventNode.takeWork(node)
    }

    // MARK: Taking, by the thread that runs the loop

    /// Takes the oldest entry. Returns nil when there is none or it is still being added.
    @inline(__always) func take() -> UnsafeMutableRawPointer? { ring.take() }

    func putBack(_ event: UnsafeMutableRawPointer) { ring.add(event) }

    func mark() -> EventRing.Mark { ring.mark() }

    func isPast(_ mark: EventRing.Mark) -> Bool { ring.isPast(mark) }

    func free(_ node: UnsafeMutablePointer<EventNode>) {
        if node.pointee.event != EventDirectory.gap {
            waiting.wrappingSubtract(Self.place + node.pointee.textBytes, ordering: .relaxed)
        }
        EventNode.free(node)
    }

    /// Returns the number of events lost since the last gap event; later losses get a new one.
    func takeGap() -> UInt64 {
        gapQueued.store(false, ordering: .sequentiallyConsistent)
        return lost.exchange(0, ordering: .sequentiallyConsistent)
    }

    /// Marks the loop as asleep, and wakes it if something was queued meanwhile.
    func loopSleeps() {
        counters.pointee.asleep.store(true, ordering: .sequentiallyConsistent)
        if !isEmpty, counters.pointee.asleep.exchange(false, ordering: .sequentiallyConsistent) {
            csys_eventfd_signal(descriptor)
        }
    }

    // MARK: From any thread

    var isEmpty: Bool { ring.isEmpty }

    /// Number of events and pieces of work ever queued. An event counts once its raise returns.
    package var queued: UInt64 { ring.added }

    /// Number of them taken; inside a delivery, the number of that event.
    package var taken: UInt64 { ring.taken }
}
