// SPDX-License-Identifier: Apache-2.0
import CCurfew
import CSystem
public import PluginBridge
import Scheduling
import Synchronization

/// The events of a host on their way: the queue, and the delivery one at a time.
///
/// Any thread raises; whoever turns the loop delivers, without a lock held.
public final class EventLoop: @unchecked Sendable {
    // Sendable: what belongs to whoever turns the loop is touched by one thread at a time, the one
    // that has set `turning`; everything else is atomic or constant.

    /// Who has declared which event, and who wants it.
    let directory: EventDirectory
    private let queue: EventQueue
    private let tasks: TaskTable
    private unowned(unsafe) let host: HostRuntime

    /// Besides done events, which have their place in their task.
    private let limit: UInt32
    private let waiting = Atomic<UInt32>(0)
    /// Dropped since the last gap was announced.
    private let lost = Atomic<UInt64>(0)
    private let gapQueued = Atomic<Bool>(false)

    let counters: UnsafeMutablePointer<EventCounters>
    /// Readable while something waits and nobody is at it.
    let descriptor: Int32
    private let turning = Atomic<Bool>(false)
    /// Whose loop it is: the thread that turned it last, or 0.
    private let turner = Atomic<UInt64>(0)

    // What follows is written with every event; workers read what stands before it with every task.
    private let padding1: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) =
        (0, 0, 0, 0, 0, 0, 0, 0)

    // Of whoever turns the loop: how many were delivered, how deep in deliveries it is, and about
    // which task the innermost is.
    private var sequence: UInt64 = 0
    private var nesting = 0
    /// A turn inside a delivery delivers all that stood before the outer one's mark.
    private var turnNumber: UInt64 = 0
    /// From the first callback of a turn to its end, `attention` is raised.
    private var isAttentive = false
    private var delivering: UInt64 = 0
    private var freed = FreeTasks()
    private let doneValues: UnsafeMutablePointer<curfew_value>
    /// By `Outcome.rawValue`; a failure's own text is in its record.
    private let outcomeTexts: UnsafeMutablePointer<(text: UnsafeMutablePointer<CChar>, bytes: Int)>
    /// Lists that were replaced during this turn.
    private var retired: [ReceiverList] = []
    /// Changes when a receiver has returned while somebody waits for that.
    private let turns: UnsafeMutablePointer<Atomic<UInt32>>
    private let unsubscribing = Atomic<UInt32>(0)
    /// Whose receiver deliveries outside of others' go to, or 0.
    private let receiving = Atomic<UInt>(0)

    private let padding2: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) =
        (0, 0, 0, 0, 0, 0, 0, 0)

    private let gap: EventEntry
    /// A factor of the machine changed.
    let factor: EventEntry

    /// Work that is queued and was not taken.
    private let workWaiting = Atomic<Int>(0)
    /// Nobody turns the loop any more.
    private let ended = Atomic<Bool>(false)
    // Of whoever turns the loop: it is inside work, and what came to its turn meanwhile, in a turn
    // inside that work.
    private var isWorking = false
    private var postponed: [LoopWork] = []

    init(host: HostRuntime, tasks: TaskTable, limit: UInt32, ownLoop: Bool) throws(BridgeError) {
        self.host = host
        self.tasks = tasks
        self.limit = min(limit, EventQueue.mostEvents)
        guard let queue = EventQueue() else {
            throw BridgeError(.system, "no address space is left for the queue of events")
        }
        self.queue = queue
        descriptor = csys_eventfd()
        guard descriptor >= 0 else {
            throw BridgeError(
                .system, "no descriptor is left for the event loop; raise the limit (ulimit -n)")
        }
        counters = UnsafeMutableRawPointer.allocate(
            byteCount: MemoryLayout<EventCounters>.size, alignment: 128
        ).bindMemory(to: EventCounters.self, capacity: 1)
        counters.initialize(to: EventCounters(ownLoop: ownLoop))
        turns = .allocate(capacity: 1)
        turns.initialize(to: Atomic(0))
        outcomeTexts = .allocate(capacity: 8)
        for raw in 0..<8 {
            let text = Outcome(rawValue: UInt8(raw))?.doneText ?? ""
            let utf8 = Array(text.utf8CString)
            let copy = UnsafeMutablePointer<CChar>.allocate(capacity: utf8.count)
            copy.initialize(from: utf8, count: utf8.count)
            (outcomeTexts + raw).initialize(to: (copy, utf8.count - 1))
        }
        doneValues = .allocate(capacity: 2)
        doneValues.initialize(repeating: curfew_value(), count: 2)
        doneValues[0].struct_size = UInt32(MemoryLayout<curfew_value>.size)
        doneValues[0].type = EventType.bool.rawValue
        doneValues[1].struct_size = UInt32(MemoryLayout<curfew_value>.size)
        doneValues[1].type = EventType.text.rawValue
        guard let directory = EventDirectory(counters) else {
            throw BridgeError(.system, "no memory is left for the table of events")
        }
        self.directory = directory
        let signatures = [
            EventSignature(name: "curfew_gap", parameters: [.int64])!,
            EventSignature(name: "curfew_factor", parameters: [.text, .int32])!,
        ]
        let own = try! directory.declare(signatures, owner: HostRuntime.ownPlugin).get()
        gap = own[0]
        factor = own[1]
    }

    deinit {
        freed.close(tasks)
        while let event = queue.take() {
            if slot(event) == nil { EventNode.free(node(event)) }
        }
        counters.deinitialize(count: 1)
        UnsafeMutableRawPointer(counters).deallocate()
        turns.deinitialize(count: 1)
        turns.deallocate()
        for raw in 0..<8 { outcomeTexts[raw].text.deallocate() }
        outcomeTexts.deallocate()
        doneValues.deallocate()
        csys_close(descriptor)
    }

    // MARK: Raising

    /// Queues a task's done event. Never fails: there is a place for each task.
    @inline(__always) func raiseDone(_ slot: TaskSlotPointer) {
        queue.add(slot)
        wake()
    }

    /// True when a done event has to be queued: somebody wants it, or might before it is delivered.
    @inline(__always) func wants(_ takers: UnsafeMutablePointer<Atomic<UInt32>>) -> Bool {
        takers.pointee.load(ordering: .acquiring) != 0
            || counters.pointee.attention.load(ordering: .acquiring) != 0
    }

    /// Queues the done event of a task that was over, and free, before somebody who saw it running
    /// began to want the event. Takes memory, as the task is gone, and never fails.
    func raiseDone(_ event: UInt32, task: UInt64, _ outcome: Outcome, error: String) {
        let node = EventNode.make(
            event: event, values: [.bool(outcome == .succeeded), .text(error)], task: task)
        waiting.wrappingAdd(1, ordering: .relaxed)
        queue.add(node)
        wake()
    }

    /// How queueing an event went.
    struct Raised {
        let status: Status
        /// Something waits in the queue for it: the event, or the gap that tells of its loss.
        var isQueued = true
        /// This was the first of those that are lost together.
        var beginsGap = false
    }

    /// Queues an event with copied parameters. `BUSY` when too many wait; the loss is announced.
    func raise(_ entry: EventEntry, _ values: [EventValue], task: UInt64) -> Raised {
        guard waiting.wrappingAdd(1, ordering: .relaxed).oldValue < limit else {
            waiting.wrappingSubtract(1, ordering: .relaxed)
            counters.pointee.dropped.wrappingAdd(1, ordering: .relaxed)
            lost.wrappingAdd(1, ordering: .sequentiallyConsistent)
            // One gap at a time: it stands where the first loss was and carries them all.
            let beginsGap = !gapQueued.exchange(true, ordering: .sequentiallyConsistent)
            if beginsGap {
                let node = EventNode.make(event: gap.index, values: [.int64(0)], task: 0)
                queue.add(node)
                wake()
            }
            return Raised(status: .busy, beginsGap: beginsGap)
        }
        let node = EventNode.make(event: entry.index, values: values, task: task)
        queue.add(node)
        wake()
        return Raised(status: .ok)
    }

    /// Queues an event if somebody wants it, else counts it as untaken. The same as queueing it and
    /// finding nobody, where the loop's own thread would do that at once.
    func raiseIfWanted(_ entry: EventEntry, task: UInt64, _ values: @autoclosure () -> [EventValue])
        -> Raised
    {
        guard wants(entry.takers) else {
            counters.pointee.unwanted.wrappingAdd(1, ordering: .relaxed)
            return Raised(status: .ok, isQueued: false)
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

    private func node(_ event: UnsafeMutableRawPointer) -> UnsafeMutablePointer<EventNode> {
        event.assumingMemoryBound(to: EventNode.self)
    }

    /// The task whose done event it is; nil for a node.
    @inline(__always) private func slot(_ event: UnsafeMutableRawPointer) -> TaskSlotPointer? {
        let offset = event - UnsafeMutableRawPointer(tasks.slots)
        guard offset >= 0, offset < TaskTable.capacity * MemoryLayout<TaskSlot>.stride else {
            return nil
        }
        return event.assumingMemoryBound(to: TaskSlot.self)
    }

    // MARK: Delivering

    /// True on a thread that is inside a delivery of this loop.
    var isLoopThread: Bool { ThreadRole.current(in: host) == .loop }

    /// The task of the event that this thread is delivering, or 0.
    public var sender: UInt64 { isLoopThread ? delivering : 0 }

    /// How many events and pieces of work were ever queued; from any thread. What a thread sees
    /// after it has raised an event counts that event.
    public var queued: UInt64 { queue.added }

    /// How many of them have come to their turn: inside a delivery, the number of that event.
    public var taken: UInt64 { queue.taken }

    /// True when nothing waits and nothing is being delivered.
    var isQuiet: Bool { queue.isEmpty && !turning.load(ordering: .sequentiallyConsistent) }

    /// Rounds of looking before the loop's own thread sleeps, some 50 us. Waking it costs more than
    /// most events do; it gives way to others now and then, so that they raise something to find, and
    /// looks less than once a microsecond, as each look takes the memory away from who raises.
    private static let searchRounds = 64
    private static let yieldEvery = 8
    private static let pausesBetween = 16

    /// Delivers up to `limit` events (0: all that wait when it begins) on the calling thread.
    /// `patient`: the loop's own thread, which goes on while more come.
    public func turn(limit: UInt32, patient: Bool = false) -> Result<UInt32, BridgeError> {
        guard ThreadRole.current(in: host) == .other else {
            return .failure(
                BridgeError(
                    .wrongThread, "events are not dispatched from inside the host's own calls"))
        }
        guard !turning.exchange(true, ordering: .acquiringAndReleasing) else {
            return .failure(BridgeError(.wrongThread, "another thread is dispatching events"))
        }
        defer { turning.store(false, ordering: .releasing) }
        turner.store(csys_thread_number(), ordering: .relaxed)
        return .success(deliverWaiting(limit: limit, patient: patient))
    }

    /// Deliveries inside each other's receivers, at most; each stands on the stack.
    private static let nestingLimit = 256

    /// True on the loop's thread when a wait may not turn it once more.
    var isTooDeep: Bool { isLoopThread && nesting >= Self.nestingLimit }

    /// Turns the loop for a thread that waits, if it is the loop's own: inside a delivery, or, where
    /// the embedder turns it, the thread that did so last (any thread while none has). Returns
    /// false when the loop is somebody else's.
    func turnWhileWaiting(ownLoop: Bool) -> Bool {
        if isLoopThread {
            _ = deliverWaiting(limit: 0, patient: false)
            return true
        }
        guard ownLoop, isTurner else { return false }
        if case .success = turn(limit: 0) { return true }
        return false
    }

    private func deliverWaiting(limit: UInt32, patient: Bool) -> UInt32 {
        csys_eventfd_drain(descriptor)
        host.reportChildren()
        // Without a limit, what is raised meanwhile waits for the next turn: a handler that
        // launches itself from its done event must not keep the embedder's loop for ever.
        let mark = queue.mark()
        var count: UInt32 = 0
        let attentive = isAttentive
        turnNumber &+= 1
        let mine = turnNumber
        ThreadRole.loop.during(in: host) {
            var round = 0
            while patient
                || (limit == 0
                    ? turnNumber == mine && !queue.isPast(mark) : count < limit)
            {
                guard let event = queue.take() else {
                    if queue.isEmpty {
                        round += 1
                        guard patient, round < Self.searchRounds else { break }
                    }
                    if round % Self.yieldEvery == 1 {
                        guard host.cores.giveWay() else { break }
                    } else {
                        for _ in 0..<Self.pausesBetween { csys_pause() }
                    }
                    continue
                }
                round = 0
                deliver(event)
                count &+= 1
                guard nesting == 0 else { continue }
                if unsubscribing.load(ordering: .relaxed) > 0 { leaveReceiver() }
                if !retired.isEmpty { retired.removeAll(keepingCapacity: true) }
            }
        }
        calmDown(attentive)
        freed.flush(tasks)
        if nesting == 0 { leaveReceiver() }
        counters.pointee.asleep.store(true, ordering: .sequentiallyConsistent)
        if !queue.isEmpty,
            counters.pointee.asleep.exchange(false, ordering: .sequentiallyConsistent)
        {
            csys_eventfd_signal(descriptor)
        }
        return count
    }

    private func deliver(_ event: UnsafeMutableRawPointer) {
        if let slot = slot(event) {
            deliverDone(slot)
        } else {
            let node = node(event)
            if node.pointee.work != nil {
                doWork(node)
                return
            }
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
        directory.unretainedEntry(node.pointee.event)?._withUnsafeGuaranteedRef {
            deliver($0, values, Int(node.pointee.count), task: node.pointee.task)
        }
    }

    private func deliverDone(_ slot: TaskSlotPointer) {
        let state = slot.state
        let task = TaskReference(index: tasks.index(of: slot), generation: state.generation)
        guard let handler = slot.handlerCell, let outcome = state.outcome,
            let entry = directory.unretainedEntry(handler.pointee.doneEvent)
        else { fatalError("a done event was queued for a task that is not over") }
        var (text, length) = outcomeTexts[Int(outcome.rawValue)]
        if outcome == .failed, let record = tasks.existingRecord(of: slot), let error = record.error
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
        _ entry: EventEntry, _ values: UnsafeMutablePointer<curfew_value>, _ parameters: Int,
        task: UInt64
    ) {
        if entry.isSilent { return }
        sequence &+= 1
        let expectation = directory.look(entry, task: task, retired: &retired)
        let receivers = entry.receivers
        let count = receivers._withUnsafeGuaranteedRef {
            expectation == nil ? $0.count : $0.observers
        }
        guard expectation != nil || count > 0 else {
            counters.pointee.unheard.countAlone()
            return
        }
        counters.pointee.delivered.countAlone()
        becomeAttentive()
        let delivery = Delivery(
            entry: entry, values: values, count: parameters, task: task, sequence: sequence)
        let sender = delivering
        delivering = task
        nesting += 1
        // Observers first: what they see is what the loop delivers, in its order, also where a
        // subscriber turns the loop from inside. They see what a wait takes, subscribers do not.
        for place in 0..<count {
            receivers._withUnsafeGuaranteedRef { $0[place] }._withUnsafeGuaranteedRef {
                pass(delivery, to: $0)
            }
        }
        expectation?.settle(.success(delivery.event))
        nesting -= 1
        delivering = sender
    }

    @inline(__always) private func becomeAttentive() {
        guard !isAttentive else { return }
        isAttentive = true
        counters.pointee.attention.wrappingAdd(1, ordering: .sequentiallyConsistent)
    }

    private func pass(_ delivery: Delivery, to subscription: Subscription) {
        // Whoever unsubscribes says so, then waits until nobody is in here; and the other way round.
        // One after the other to the same receiver it is said once: most events have one.
        let isInner = nesting > 1
        if isInner {
            subscription.running.wrappingAdd(1, ordering: .sequentiallyConsistent)
        } else {
            enter(subscription)
        }
        if subscription.active.load(ordering: .sequentiallyConsistent) {
            switch subscription.receiver {
            case .typed(let function):
                delivery.entry.call?._withUnsafeGuaranteedRef { $0.call(function, delivery.values) }
            case .closure(let body): body(delivery.event)
            case .generic(let function, let data):
                var event = delivery.foreign
                function(data, &event)
            case nil: break
            }
        }
        if isInner {
            subscription.running.wrappingSubtract(1, ordering: .sequentiallyConsistent)
            tellUnsubscribing()
        }
    }

    /// Says that deliveries go to a receiver from now on, before `active` is looked at.
    @inline(__always) private func enter(_ subscription: Subscription) {
        let this = UInt(bitPattern: ObjectIdentifier(subscription))
        guard receiving.load(ordering: .relaxed) != this else { return }
        receiving.store(this, ordering: .sequentiallyConsistent)
        // The one before is left by that.
        tellUnsubscribing()
    }

    /// Says that they go to none; before the loop's thread sleeps or goes on with something else.
    private func leaveReceiver() {
        guard receiving.load(ordering: .relaxed) != 0 else { return }
        receiving.store(0, ordering: .sequentiallyConsistent)
        tellUnsubscribing()
    }

    private func tellUnsubscribing() {
        guard unsubscribing.load(ordering: .sequentiallyConsistent) > 0 else { return }
        turns.pointee.wrappingAdd(1, ordering: .sequentiallyConsistent)
        csys_futex_wake(turns, .max)
    }

    // MARK: Work

    /// Queues work for the loop's thread. `isLimited`: it counts as an event that waits, and is
    /// refused with `BUSY` where too many do. Other work is never refused: once nobody turns the
    /// loop any more, the calling thread does it.
    @discardableResult
    func post(isLimited: Bool = false, _ body: @escaping @Sendable () -> Void) -> Status {
        if isLimited {
            guard waiting.wrappingAdd(1, ordering: .relaxed).oldValue < limit else {
                waiting.wrappingSubtract(1, ordering: .relaxed)
                counters.pointee.dropped.wrappingAdd(1, ordering: .relaxed)
                return .busy
            }
        }
        add(LoopWork(body), isLimited: isLimited)
        if ended.load(ordering: .sequentiallyConsistent) { doRemainingWork() }
        return .ok
    }

    /// The same for a caller that holds a lock, while the loop has not ended.
    func add(_ work: LoopWork, isLimited: Bool = false) {
        let waiting = workWaiting.wrappingAdd(1, ordering: .sequentiallyConsistent).oldValue
        guard waiting < EventQueue.mostWork else {
            fatalError("\(waiting) pieces of work wait for the event loop, and nobody turns it")
        }
        queue.add(EventNode.make(work, isLimited: isLimited))
        wake()
    }

    private func doWork(_ node: UnsafeMutablePointer<EventNode>) {
        if node.pointee.event == EventNode.limitedWork {
            waiting.wrappingSubtract(1, ordering: .relaxed)
        }
        workWaiting.wrappingSubtract(1, ordering: .sequentiallyConsistent)
        let work = EventNode.takeWork(node)
        EventNode.free(node)
        if let work { perform(work) }
    }

    /// Does work on the loop's thread, now, or once the work that this thread is inside of has
    /// returned: that one may have turned the loop, and no other is to see it half-way.
    func perform(_ work: LoopWork) {
        guard !isWorking else {
            postponed.append(work)
            return
        }
        directly { work.body() }
    }

    /// Runs `body` on the loop's thread as a part of the work it is inside of, or as work.
    func directly<T>(_ body: () -> T) -> T {
        guard !isWorking else { return body() }
        becomeAttentive()
        // Work may wait for whoever ends a subscription.
        if nesting == 0 { leaveReceiver() }
        isWorking = true
        nesting += 1
        defer {
            while !postponed.isEmpty { postponed.removeFirst().body() }
            nesting -= 1
            isWorking = false
        }
        return body()
    }

    /// On the loop's thread: true inside of work.
    var isInsideWork: Bool { isWorking }

    /// Runs `body` if this is the loop's thread: inside a delivery, or, where the embedder turns
    /// the loop, outside of it too, on the thread that turned it last (any while none has).
    func onLoop<T>(_ body: () -> T) -> T? {
        if isLoopThread { return directly(body) }
        guard host.configuration.ownLoop, ThreadRole.current(in: host) == .other, isTurner,
            !turning.exchange(true, ordering: .acquiringAndReleasing)
        else { return nil }
        defer { turning.store(false, ordering: .releasing) }
        turner.store(csys_thread_number(), ordering: .relaxed)
        let attentive = isAttentive
        defer { calmDown(attentive) }
        return ThreadRole.loop.during(in: host) { directly(body) }
    }

    /// True on the thread that turned the loop last, and on any while none has.
    private var isTurner: Bool {
        let turner = turner.load(ordering: .relaxed)
        return turner == 0 || turner == csys_thread_number()
    }

    /// The loop's thread leaves for good: what work there is, and what comes later, is done by
    /// whoever calls this or brings it.
    func end() {
        ended.store(true, ordering: .sequentiallyConsistent)
        doRemainingWork()
    }

    /// A shutdown is over. On the thread whose loop it is, which may not dispatch any more, what
    /// waited for something is told.
    func doRemainingWorkIfMine() {
        if host.configuration.ownLoop, isTurner { doRemainingWork() }
    }

    private func doRemainingWork() {
        guard ThreadRole.current(in: host) != .loop else { return }
        while workWaiting.load(ordering: .sequentiallyConsistent) > 0 {
            // Whoever is at it looks again afterwards, and sees what was counted before this.
            guard !turning.exchange(true, ordering: .sequentiallyConsistent) else { return }
            var others: [UnsafeMutableRawPointer] = []
            let attentive = isAttentive
            ThreadRole.loop.during(in: host) {
                while workWaiting.load(ordering: .sequentiallyConsistent) > 0 {
                    guard let event = queue.take() else {
                        if queue.isEmpty { break }
                        csys_pause()
                        continue
                    }
                    if slot(event) == nil, node(event).pointee.work != nil {
                        doWork(node(event))
                    } else {
                        others.append(event)
                    }
                }
            }
            // Events stay for whoever dispatches.
            for event in others { queue.add(event) }
            calmDown(attentive)
            turning.store(false, ordering: .sequentiallyConsistent)
        }
    }

    private func calmDown(_ attentive: Bool) {
        guard isAttentive, !attentive else { return }
        isAttentive = false
        counters.pointee.attention.wrappingSubtract(1, ordering: .sequentiallyConsistent)
    }

    // MARK: Ending

    /// Ends a subscription, and waits until its receiver has returned, unless the caller is inside
    /// it.
    func unsubscribe(_ number: UInt64) -> Status {
        guard let subscription = directory.remove(number) else { return .notFound }
        defer { subscription.letGo() }
        guard !isLoopThread else { return .ok }
        unsubscribing.wrappingAdd(1, ordering: .sequentiallyConsistent)
        while true {
            let turn = turns.pointee.load(ordering: .sequentiallyConsistent)
            guard isInside(subscription) else { break }
            csys_futex_wait(turns, turn, .max)
        }
        unsubscribing.wrappingSubtract(1, ordering: .sequentiallyConsistent)
        return .ok
    }

    private func isInside(_ subscription: Subscription) -> Bool {
        subscription.running.load(ordering: .sequentiallyConsistent) > 0
            || receiving.load(ordering: .sequentiallyConsistent)
                == UInt(bitPattern: ObjectIdentifier(subscription))
    }

    /// Ends every wait with `CLOSING`, and every later one.
    func close() {
        directory.close()
        // A thread that waits on the loop looks again.
        csys_eventfd_signal(descriptor)
    }
}
