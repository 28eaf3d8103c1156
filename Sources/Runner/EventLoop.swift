// SPDX-License-Identifier: Apache-2.0
import CCurfew
import CSystem
public import PluginBridge
public import Scheduling
import Synchronization

/// The events of a host: what is known, who wants it, the queue, and the delivery one at a time.
///
/// Any thread raises; whoever turns the loop delivers, without a lock held.
public final class EventLoop: @unchecked Sendable {
    // Sendable: `entries` are written under the lock before their index is given out; `sequence`
    // and `doneValues` belong to whoever turns the loop; everything else is atomic or locked.

    /// Events that can be known at a time.
    static let entryLimit = 1 << 16

    private struct State {
        var byName: [EventSelector: EventEntry] = [:]
        var count: UInt32 = 0
        var waits = WaiterRegistry()
        var expectations: [UInt64: Expectation] = [:]
        var observers: [Subscription] = []
        var subscriptions: [UInt64: Subscription] = [:]
        var numbers: UInt64 = 0
        var closed = false
    }

    private let state = Mutex(State())
    private let entries: UnsafeMutablePointer<Unmanaged<EventEntry>?>
    private let queue = EventQueue()
    private let tasks: TaskTable
    private unowned(unsafe) let host: HostRuntime

    /// Besides done events, which have their place in their task.
    private let limit: UInt32
    private let waiting = Atomic<UInt32>(0)
    private let lost = Atomic<UInt64>(0)
    private let gapQueued = Atomic<Bool>(false)

    let counters: UnsafeMutablePointer<EventCounters>
    /// Changes with every subscription and wait: what the loop remembers of an event is good while
    /// it has not.
    private let version = Atomic<UInt64>(1)

    let descriptor: Int32
    private let turning = Atomic<Bool>(false)
    // Of whoever turns the loop.
    private var sequence: UInt64 = 0
    private var nesting = 0
    private var delivering: UInt64 = 0
    private var freed = FreeTasks()
    private let doneValues: UnsafeMutablePointer<curfew_value>
    private let emptyText: UnsafeMutablePointer<CChar>
    private let outcomeTexts: [UnsafeMutablePointer<CChar>]
    /// How often a receiver has returned while somebody ends a subscription.
    private let turns: UnsafeMutablePointer<Atomic<UInt32>>
    private let unsubscribing = Atomic<UInt32>(0)

    private let gap: EventEntry

    init(host: HostRuntime, tasks: TaskTable, limit: UInt32, ownLoop: Bool) throws(BridgeError) {
        self.host = host
        self.tasks = tasks
        self.limit = limit
        descriptor = csys_eventfd()
        guard descriptor >= 0 else {
            throw BridgeError(
                .system, "no descriptor is left for the event loop; raise the limit (ulimit -n)")
        }
        let bytes = UInt64(Self.entryLimit * MemoryLayout<Unmanaged<EventEntry>?>.stride)
        guard let memory = csys_map(bytes) else {
            throw BridgeError(.system, "no memory is left for the table of events")
        }
        entries = memory.bindMemory(to: Unmanaged<EventEntry>?.self, capacity: Self.entryLimit)
        counters = UnsafeMutableRawPointer.allocate(
            byteCount: MemoryLayout<EventCounters>.size, alignment: 128
        ).bindMemory(to: EventCounters.self, capacity: 1)
        counters.initialize(to: EventCounters(ownLoop: ownLoop))
        turns = .allocate(capacity: 1)
        turns.initialize(to: Atomic(0))
        emptyText = .allocate(capacity: 1)
        emptyText.initialize(to: 0)
        outcomeTexts = (0..<8).map { raw in
            let text = Outcome(rawValue: UInt8(raw))?.doneText ?? ""
            let utf8 = Array(text.utf8CString)
            let copy = UnsafeMutablePointer<CChar>.allocate(capacity: utf8.count)
            copy.initialize(from: utf8, count: utf8.count)
            return copy
        }
        doneValues = .allocate(capacity: 2)
        doneValues.initialize(repeating: curfew_value(), count: 2)
        doneValues[0].struct_size = UInt32(MemoryLayout<curfew_value>.size)
        doneValues[0].type = EventType.bool.rawValue
        doneValues[1].struct_size = UInt32(MemoryLayout<curfew_value>.size)
        doneValues[1].type = EventType.text.rawValue
        gap = EventEntry(index: 0, selector: EventSelector(name: "curfew_gap", arity: 1)!)
        gap.declare(EventSignature(name: "curfew_gap", parameters: [.int64])!, owner: -1)
        entries[0] = Unmanaged.passRetained(gap)
        state.withLock { state in
            state.byName[gap.selector] = gap
            state.count = 1
        }
    }

    deinit {
        freed.close(tasks)
        while let link = queue.take() {
            if !isSlot(link) { EventNode.free(node(link)) }
        }
        for index in 0..<Int(state.withLock { $0.count }) { entries[index]?.release() }
        csys_unmap(entries, UInt64(Self.entryLimit * MemoryLayout<Unmanaged<EventEntry>?>.stride))
        counters.deinitialize(count: 1)
        UnsafeMutableRawPointer(counters).deallocate()
        turns.deinitialize(count: 1)
        turns.deallocate()
        emptyText.deallocate()
        for text in outcomeTexts { text.deallocate() }
        doneValues.deallocate()
        csys_close(descriptor)
    }

    // MARK: What is known

    /// The event of an index that was given out.
    func entry(_ index: UInt32) -> EventEntry? {
        entries[Int(index)]?.takeUnretainedValue()
    }

    private func entry(for selector: EventSelector, _ state: inout State) -> EventEntry? {
        if let entry = state.byName[selector] { return entry }
        guard state.count < Self.entryLimit else { return nil }
        let entry = EventEntry(index: state.count, selector: selector)
        entries[Int(state.count)] = Unmanaged.passRetained(entry)
        state.byName[selector] = entry
        state.count += 1
        return entry
    }

    /// Declares events for `owner`, all or none. Returns the one that somebody else has declared,
    /// with its owner; nil for success.
    func declare(
        _ signatures: [EventSignature], owner: Int32
    ) -> Result<[EventEntry], DeclarationConflict> {
        state.withLock { state in
            for signature in signatures {
                if let other = state.byName[signature.selector], other.declaration != nil {
                    return .failure(
                        DeclarationConflict(selector: signature.selector, owner: other.owner))
                }
            }
            var result: [EventEntry] = []
            for signature in signatures {
                guard let entry = entry(for: signature.selector, &state) else {
                    return .failure(DeclarationConflict(selector: signature.selector, owner: nil))
                }
                entry.declare(signature, owner: owner)
                result.append(entry)
            }
            return .success(result)
        }
    }

    /// The declaration of an event, or nil.
    func declaration(of selector: EventSelector) -> (entry: EventEntry, owner: Int32)? {
        state.withLock { state in
            guard let entry = state.byName[selector], entry.declaration != nil else { return nil }
            return (entry, entry.owner)
        }
    }

    // MARK: Raising

    /// Queues a task's done event. Never fails: its place is in the task.
    @inline(__always) func raiseDone(_ slot: TaskSlotPointer) {
        queue.add(slot.linkPointer)
        wake()
    }

    /// True when a done event has to be queued: somebody wants it, or might before it is delivered.
    @inline(__always) func wants(_ takers: UnsafeMutablePointer<Atomic<UInt32>>) -> Bool {
        takers.pointee.load(ordering: .acquiring) != 0
            || counters.pointee.attention.load(ordering: .acquiring) != 0
    }

    /// Queues an event with copied parameters. `BUSY` when too many wait; the loss is announced.
    func raise(_ entry: EventEntry, _ values: [EventValue], task: UInt64) -> Status {
        guard waiting.wrappingAdd(1, ordering: .relaxed).oldValue < limit else {
            waiting.wrappingSubtract(1, ordering: .relaxed)
            counters.pointee.dropped.wrappingAdd(1, ordering: .relaxed)
            lost.wrappingAdd(1, ordering: .sequentiallyConsistent)
            // One gap at a time: it stands where the first loss was and carries them all.
            if !gapQueued.exchange(true, ordering: .sequentiallyConsistent) {
                let node = EventNode.make(event: gap.index, values: [.int64(0)], task: 0)
                queue.add(link(node))
                wake()
            }
            return .busy
        }
        let node = EventNode.make(event: entry.index, values: values, task: task)
        queue.add(link(node))
        wake()
        return .ok
    }

    /// Queues an event if somebody wants it, else counts it as untaken. The same as queueing it and
    /// finding nobody, where the loop's own thread would do that at once.
    func raiseIfWanted(_ entry: EventEntry, task: UInt64, _ values: @autoclosure () -> [EventValue])
        -> Status
    {
        guard wants(entry.takers) else {
            counters.pointee.unwanted.wrappingAdd(1, ordering: .relaxed)
            return .ok
        }
        return raise(entry, values(), task: task)
    }

    @inline(__always) private func wake() {
        // Adding was a full barrier, and so is going to sleep: one of the two sees the other.
        guard counters.pointee.asleep.load(ordering: .sequentiallyConsistent) else { return }
        if counters.pointee.asleep.exchange(false, ordering: .sequentiallyConsistent) {
            counters.pointee.wakeups.wrappingAdd(1, ordering: .relaxed)
            csys_eventfd_signal(descriptor)
        }
    }

    private func link(_ node: UnsafeMutablePointer<EventNode>) -> UnsafeMutablePointer<EventLink> {
        UnsafeMutableRawPointer(node).assumingMemoryBound(to: EventLink.self)
    }

    private func node(_ link: UnsafeMutablePointer<EventLink>) -> UnsafeMutablePointer<EventNode> {
        UnsafeMutableRawPointer(link).assumingMemoryBound(to: EventNode.self)
    }

    private func isSlot(_ link: UnsafeMutablePointer<EventLink>) -> Bool {
        let offset = UnsafeMutableRawPointer(link) - UnsafeMutableRawPointer(tasks.slots)
        return offset >= 0 && offset < TaskTable.capacity * MemoryLayout<TaskSlot>.stride
    }

    // MARK: Delivering

    /// True on a thread that is inside a delivery of this loop.
    var isLoopThread: Bool { ThreadRole.current(in: host) == .loop }

    /// The task of the event that this thread is delivering, or 0.
    public var sender: UInt64 { isLoopThread ? delivering : 0 }

    /// True when nothing waits and nothing is being delivered.
    var isQuiet: Bool { queue.isEmpty && !turning.load(ordering: .sequentiallyConsistent) }

    /// True when nothing waits; for the thread that turns the loop, inside a delivery.
    var isDry: Bool { queue.isEmpty }

    /// Delivers up to `limit` events (0: all that wait when it begins) on the calling thread.
    public func turn(limit: UInt32) -> Result<UInt32, BridgeError> {
        guard ThreadRole.current(in: host) == .other else {
            return .failure(
                BridgeError(.wrongThread, "events are not dispatched from inside the host's own calls"))
        }
        guard !turning.exchange(true, ordering: .acquiringAndReleasing) else {
            return .failure(BridgeError(.wrongThread, "another thread is dispatching events"))
        }
        defer { turning.store(false, ordering: .releasing) }
        return .success(deliverWaiting(limit: limit))
    }

    /// For a thread that has the loop already: what `turn` does, nested.
    func turnNested() { _ = deliverWaiting(limit: 0) }

    private func deliverWaiting(limit: UInt32) -> UInt32 {
        csys_eventfd_drain(descriptor)
        // Without a limit, what is raised meanwhile waits for the next turn: a handler that
        // launches itself from its done event must not keep the embedder's loop for ever.
        let mark = queue.mark()
        var count: UInt32 = 0
        counters.pointee.attention.wrappingAdd(1, ordering: .sequentiallyConsistent)
        ThreadRole.loop.during(in: host) {
            var taken: UnsafeMutablePointer<EventLink>?
            while limit == 0 ? !queue.isPast(mark, taken: taken) : count < limit {
                guard let link = queue.take() else {
                    if queue.isEmpty { break }
                    csys_pause()
                    continue
                }
                taken = link
                deliver(link)
                count += 1
            }
        }
        counters.pointee.attention.wrappingSubtract(1, ordering: .sequentiallyConsistent)
        freed.flush(tasks)
        counters.pointee.asleep.store(true, ordering: .sequentiallyConsistent)
        if !queue.isEmpty,
            counters.pointee.asleep.exchange(false, ordering: .sequentiallyConsistent)
        {
            csys_eventfd_signal(descriptor)
        }
        return count
    }

    private func deliver(_ link: UnsafeMutablePointer<EventLink>) {
        if isSlot(link) {
            let slot = (UnsafeMutableRawPointer(link) - TaskSlot.linkOffset)
                .assumingMemoryBound(to: TaskSlot.self)
            deliverDone(slot)
        } else {
            let node = node(link)
            deliverNode(node)
            waitingEnded(node)
            EventNode.free(node)
        }
    }

    private func waitingEnded(_ node: UnsafeMutablePointer<EventNode>) {
        if node.pointee.event != gap.index { waiting.wrappingSubtract(1, ordering: .relaxed) }
    }

    private func deliverNode(_ node: UnsafeMutablePointer<EventNode>) {
        let values = EventNode.values(of: node)
        if node.pointee.event == gap.index {
            gapQueued.store(false, ordering: .sequentiallyConsistent)
            let missing = lost.exchange(0, ordering: .sequentiallyConsistent)
            values[0].integer = Int64(missing)
            sequence &+= missing
        }
        entries[Int(node.pointee.event)]?._withUnsafeGuaranteedRef {
            deliver($0, values, Int(node.pointee.count), task: node.pointee.task)
        }
    }

    private func deliverDone(_ slot: TaskSlotPointer) {
        let state = slot.state
        let task = TaskReference(index: tasks.index(of: slot), generation: state.generation)
        guard let handler = slot.handlerCell, let outcome = state.outcome,
            let entry = entries[Int(handler.pointee.doneEvent)]
        else { fatalError("a done event was queued for a task that is not over") }
        var text = emptyText
        var length = 0
        if let fixed = outcome.doneText {
            text = outcomeTexts[Int(outcome.rawValue)]
            length = fixed.utf8.count
        } else if outcome == .failed, let record = tasks.existingRecord(of: slot),
            let error = record.error
        {
            text = error
            length = record.errorBytes
        }
        // A nested turn of the loop uses the same two values; the callbacks of the outer one have
        // been given theirs by then, except later subscribers of the same event: so keep a copy.
        let nested = nesting > 0
        let values = nested ? .allocate(capacity: 2) : doneValues
        if nested { values.initialize(from: doneValues, count: 2) }
        values[0].integer = outcome == .succeeded ? 1 : 0
        values[1].text = UnsafePointer(text)
        values[1].text_bytes = UInt64(length)
        entry._withUnsafeGuaranteedRef {
            deliver($0, values, 2, task: tasks.publicID(task))
        }
        if nested { values.deallocate() }
        if let (_, after) = tasks.step(task, { $0.doneDelivered() }),
            after.generation != task.generation, let next = tasks.clear(task)
        {
            freed.add(next, tasks)
        }
    }

    private func deliver(
        _ entry: EventEntry, _ values: UnsafeMutablePointer<curfew_value>, _ count: Int,
        task: UInt64
    ) {
        sequence &+= 1
        var expectation: Expectation?
        if entry.seen != version.load(ordering: .acquiring) {
            state.withLock { state in
                entry.receivers = state.observers + entry.subscriptions
                entry.observers = state.observers.count
                // Somebody who waits is looked for each time.
                entry.seen = entry.waiting > 0 ? 0 : version.load(ordering: .relaxed)
                if entry.waiting > 0, let wait = state.waits.take(event: entry.index, task: task) {
                    expectation = state.expectations[wait]
                    entry.waiting -= 1
                    entry.takers.pointee.wrappingSubtract(1, ordering: .relaxed)
                }
            }
        }
        guard expectation != nil || !entry.receivers.isEmpty else {
            counters.pointee.unheard.countAlone()
            return
        }
        counters.pointee.delivered.countAlone()
        let delivery = Delivery(
            entry: entry, values: values, count: count, task: task, sequence: sequence)
        let sender = delivering
        delivering = task
        nesting += 1
        // Observers first: what they see is what the loop delivers, in its order, also where a
        // subscriber turns the loop from inside. They see what a wait takes, subscribers do not.
        let receivers = entry.receivers
        for place in 0..<(expectation == nil ? receivers.count : entry.observers) {
            pass(delivery, to: receivers[place])
        }
        expectation?.settle(.success(delivery.event))
        nesting -= 1
        delivering = sender
    }

    private func pass(_ delivery: Delivery, to subscription: Subscription) {
        subscription.running.wrappingAdd(1, ordering: .sequentiallyConsistent)
        if subscription.active.load(ordering: .sequentiallyConsistent) {
            switch subscription.receiver {
            case .typed(let function): delivery.entry.call?.call(function, delivery.values)
            case .closure(let body): body(delivery.event)
            case .generic(let function, let data):
                var event = delivery.foreign
                function(data, &event)
            case nil: break
            }
        }
        subscription.running.wrappingSubtract(1, ordering: .sequentiallyConsistent)
        if unsubscribing.load(ordering: .sequentiallyConsistent) > 0 {
            turns.pointee.wrappingAdd(1, ordering: .sequentiallyConsistent)
            csys_futex_wake(turns, .max)
        }
    }

    // MARK: Subscribing

    /// Adds a subscription. `selector` nil: all events. A typed receiver needs a declared event.
    func subscribe(
        to selector: EventSelector?, _ receiver: EventReceiver
    ) -> Result<UInt64, BridgeError> {
        state.withLock { state in
            defer { version.wrappingAdd(1, ordering: .releasing) }
            state.numbers += 1
            let number = state.numbers
            guard let selector else {
                let subscription = Subscription(number: number, event: nil, receiver: receiver)
                state.observers.append(subscription)
                state.subscriptions[number] = subscription
                counters.pointee.attention.wrappingAdd(1, ordering: .sequentiallyConsistent)
                return .success(number)
            }
            if case .typed = receiver, state.byName[selector]?.declaration == nil {
                return .failure(
                    BridgeError(
                        .notFound,
                        "nobody has declared the event \"\(selector)\", so its parameters are not known; load its plugin before subscribing a typed function"
                    ))
            }
            guard let entry = entry(for: selector, &state) else {
                return .failure(
                    BridgeError(.exhausted, "\(Self.entryLimit) events are known; no more can be"))
            }
            let subscription = Subscription(
                number: number, event: entry.index, receiver: receiver)
            entry.subscriptions.append(subscription)
            entry.takers.pointee.wrappingAdd(1, ordering: .sequentiallyConsistent)
            state.subscriptions[number] = subscription
            return .success(number)
        }
    }

    /// Ends a subscription, and waits until its receiver has returned, unless the caller is inside
    /// it.
    func unsubscribe(_ number: UInt64) -> Status {
        let found = state.withLock { state -> Subscription? in
            guard let subscription = state.subscriptions.removeValue(forKey: number) else {
                return nil
            }
            subscription.active.store(false, ordering: .sequentiallyConsistent)
            version.wrappingAdd(1, ordering: .releasing)
            if let event = subscription.event, let entry = entry(event) {
                entry.subscriptions.removeAll { $0.number == number }
                entry.takers.pointee.wrappingSubtract(1, ordering: .sequentiallyConsistent)
            } else {
                state.observers.removeAll { $0.number == number }
                counters.pointee.attention.wrappingSubtract(1, ordering: .sequentiallyConsistent)
            }
            return subscription
        }
        guard let found else { return .notFound }
        defer { found.letGo() }
        guard !isLoopThread else { return .ok }
        unsubscribing.wrappingAdd(1, ordering: .sequentiallyConsistent)
        while true {
            let turn = turns.pointee.load(ordering: .sequentiallyConsistent)
            guard found.running.load(ordering: .sequentiallyConsistent) > 0 else { break }
            csys_futex_wait(turns, turn, .max)
        }
        unsubscribing.wrappingSubtract(1, ordering: .sequentiallyConsistent)
        return .ok
    }

    // MARK: Waiting

    /// Expects the next event that matches, in place of an older expectation of the same kind.
    public func expect(
        _ selector: EventSelector, task: UInt64, context: UInt
    ) -> Result<Expectation, BridgeError> {
        let (result, replaced) = state.withLock {
            state -> (Result<Expectation, BridgeError>, Expectation?) in
            guard !state.closed else {
                return (.failure(BridgeError(.closing, "the host is shutting down")), nil)
            }
            guard let entry = entry(for: selector, &state) else {
                return (
                    .failure(
                        BridgeError(
                            .exhausted, "\(Self.entryLimit) events are known; no more can be")), nil
                )
            }
            version.wrappingAdd(1, ordering: .releasing)
            state.numbers += 1
            let expectation = Expectation(number: state.numbers)
            let wait = WaiterRegistry.Wait(
                number: expectation.number, event: entry.index, task: task, context: context)
            let old = state.waits.add(wait)
            state.expectations[expectation.number] = expectation
            guard let old else {
                entry.waiting += 1
                entry.takers.pointee.wrappingAdd(1, ordering: .sequentiallyConsistent)
                return (.success(expectation), nil)
            }
            return (.success(expectation), state.expectations[old])
        }
        replaced?.settle(
            .failure(
                BridgeError(
                    .replaced,
                    "a newer wait for \"\(selector)\" with the same task and context took this one's place"
                )))
        return result
    }

    /// The expectation of a number, for as long as it was not collected.
    func expectation(_ number: UInt64) -> Expectation? {
        state.withLock { $0.expectations[number] }
    }

    /// Gives an expectation up. It is settled with `status` unless its event came first.
    func giveUp(_ expectation: Expectation, _ error: BridgeError) {
        state.withLock { state in
            state.expectations[expectation.number] = nil
            if let event = state.waits.remove(expectation.number), let entry = entry(event) {
                entry.waiting -= 1
                entry.takers.pointee.wrappingSubtract(1, ordering: .sequentiallyConsistent)
            }
        }
        expectation.settle(.failure(error))
    }

    /// Ends every wait with `CLOSING`, and every later one.
    func close() {
        let ended = state.withLock { state -> [Expectation] in
            state.closed = true
            for wait in state.waits.removeAll() {
                guard let entry = entry(wait.event) else { continue }
                entry.waiting -= 1
                entry.takers.pointee.wrappingSubtract(1, ordering: .sequentiallyConsistent)
            }
            return Array(state.expectations.values)
        }
        for expectation in ended {
            expectation.settle(
                .failure(BridgeError(.closing, "the host began to shut down during the wait")))
        }
    }
}

