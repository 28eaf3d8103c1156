// SPDX-License-Identifier: Apache-2.0
import CSystem
import PluginBridge
import Scheduling
import Synchronization

/// The events of a host that wait to be delivered: any thread raises, the loop takes.
///
/// Done events have a place each, in their task, and are never refused. Others are copied, and refused
/// beyond a limit; their loss is announced by one event for all that are lost together.
package final class EventQueue: @unchecked Sendable {
    // Sendable: everything is atomic or constant.

    private let ring: EventRing
    /// What workers read for every task.
    let counters: UnsafeMutablePointer<EventCounters>
    /// Readable while something waits and the loop sleeps.
    let descriptor: Int32

    /// Events that may wait besides done events.
    let limit: UInt32
    private let waiting = Atomic<UInt32>(0)
    /// Dropped since the last gap was announced.
    private let lost = Atomic<UInt64>(0)
    private let gapQueued = Atomic<Bool>(false)
    /// Work that is queued and was not taken.
    private let workWaiting = Atomic<Int>(0)

    init(limit: UInt32, ownLoop: Bool) throws(BridgeError) {
        self.limit = min(limit, EventRing.mostEvents)
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
        counters.initialize(to: EventCounters(ownLoop: ownLoop))
    }

    deinit {
        counters.deinitialize(count: 1)
        UnsafeMutableRawPointer(counters).deallocate()
        csys_close(descriptor)
    }

    // MARK: Raising

    /// Queues a task's done event. Never fails: there is a place for each task.
    @inline(__always) func raiseDone(_ slot: TaskSlotPointer) {
        ring.add(slot)
        wake()
    }

    /// Whether a done event has to be queued: it is wanted, or might be before it is delivered.
    @inline(__always) func wants(_ takers: UnsafeMutablePointer<Atomic<UInt32>>) -> Bool {
        takers.pointee.load(ordering: .acquiring) != 0
            || counters.pointee.attention.load(ordering: .acquiring) != 0
    }

    /// Queues the done event of a task that was over, and free, before another thread that saw it
    /// running began to want the event. Takes memory, as the task is gone, and never fails.
    func raiseDone(_ event: UInt32, task: UInt64, _ outcome: Outcome, error: String) {
        waiting.wrappingAdd(1, ordering: .relaxed)
        add(
            EventNode.make(
                event: event, values: [.bool(outcome == .succeeded), .text(error)], task: task))
    }

    /// The result of queueing an event.
    struct Raised {
        let status: Status
        /// Something waits in the queue for it: the event, or the gap that announces its loss.
        var isQueued = true
        /// This was the first of those that are lost together.
        var beginsGap = false
    }

    /// Queues an event with copied parameters. `BUSY` when too many wait; the loss is announced.
    func raise(_ entry: EventEntry, _ values: [EventValue], task: UInt64) -> Raised {
        guard admit() else {
            lost.wrappingAdd(1, ordering: .sequentiallyConsistent)
            // One gap at a time: it stands where the first loss was and carries them all.
            let beginsGap = !gapQueued.exchange(true, ordering: .sequentiallyConsistent)
            if beginsGap {
                add(EventNode.make(event: EventDirectory.gap, values: [.int64(0)], task: 0))
            }
            return Raised(status: .busy, beginsGap: beginsGap)
        }
        add(EventNode.make(event: entry.index, values: values, task: task))
        return Raised(status: .ok)
    }

    /// Queues an event if it is wanted, else counts it as unwanted, which is what the loop's own thread
    /// would do with it at once.
    func raiseIfWanted(_ entry: EventEntry, task: UInt64, _ values: @autoclosure () -> [EventValue])
        -> Raised
    {
        guard wants(entry.takers) else {
            countUnwanted()
            return Raised(status: .ok, isQueued: false)
        }
        return raise(entry, values(), task: task)
    }

    @inline(__always) func countUnwanted() {
        counters.pointee.unwanted.wrappingAdd(1, ordering: .relaxed)
    }

    /// Counts one more that waits. Returns false when too many do: then it is counted as dropped.
    private func admit() -> Bool {
        if waiting.wrappingAdd(1, ordering: .relaxed).oldValue < limit { return true }
        waiting.wrappingSubtract(1, ordering: .relaxed)
        counters.pointee.dropped.wrappingAdd(1, ordering: .relaxed)
        return false
    }

    private func add(_ node: UnsafeMutablePointer<EventNode>) {
        ring.add(node)
        wake()
    }

    @inline(__always) private func wake() {
        // Adding was a full barrier, and so is going to sleep: one of the two sees the other.
        guard counters.pointee.asleep.load(ordering: .sequentiallyConsistent) else { return }
        if counters.pointee.asleep.exchange(false, ordering: .sequentiallyConsistent) {
            counters.pointee.wakeups.wrappingAdd(1, ordering: .relaxed)
            csys_eventfd_signal(descriptor)
        }
    }

    // MARK: Work

    /// Queues work for the loop's thread. Never refused.
    func add(_ work: LoopWork) { add(work, isLimited: false) }

    /// Queues work that counts as an event that waits. `BUSY` where too many do.
    func addLimited(_ work: LoopWork) -> Status {
        guard admit() else { return .busy }
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

    /// Takes the work out of a node that was taken.
    func takeWork(_ node: UnsafeMutablePointer<EventNode>) -> LoopWork? {
        if node.pointee.event == EventNode.limitedWork {
            waiting.wrappingSubtract(1, ordering: .relaxed)
        }
        workWaiting.wrappingSubtract(1, ordering: .sequentiallyConsistent)
        defer { EventNode.free(node) }
        return EventNode.takeWork(node)
    }

    // MARK: Taking, by the thread that runs the loop

    /// Takes the oldest; nil when there is none, or when the oldest is still being added.
    @inline(__always) func take() -> UnsafeMutableRawPointer? { ring.take() }

    /// Puts back what was taken, behind all others.
    func putBack(_ event: UnsafeMutableRawPointer) { ring.add(event) }

    func mark() -> EventRing.Mark { ring.mark() }

    func isPast(_ mark: EventRing.Mark) -> Bool { ring.isPast(mark) }

    /// Frees an event that was delivered.
    func free(_ node: UnsafeMutablePointer<EventNode>) {
        if node.pointee.event != EventDirectory.gap {
            waiting.wrappingSubtract(1, ordering: .relaxed)
        }
        EventNode.free(node)
    }

    /// How many events were lost since the gap before; those that are lost from now on get another.
    func takeGap() -> UInt64 {
        gapQueued.store(false, ordering: .sequentiallyConsistent)
        return lost.exchange(0, ordering: .sequentiallyConsistent)
    }

    /// The loop is about to sleep. Wakes it when something has come meanwhile.
    func loopSleeps() {
        counters.pointee.asleep.store(true, ordering: .sequentiallyConsistent)
        if !isEmpty, counters.pointee.asleep.exchange(false, ordering: .sequentiallyConsistent) {
            csys_eventfd_signal(descriptor)
        }
    }

    // MARK: From any thread

    var isEmpty: Bool { ring.isEmpty }

    /// How many events and pieces of work were ever queued. A thread that has raised an event finds it
    /// counted.
    package var queued: UInt64 { ring.added }

    /// How many of them have come to their turn: inside a delivery, the number of that event.
    package var taken: UInt64 { ring.taken }
}
