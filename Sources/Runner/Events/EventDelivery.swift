// SPDX-License-Identifier: Apache-2.0
import CCurfew
import PluginBridge
import Scheduling
import Synchronization

/// Delivers one event at a time to its receivers, without a lock held.
final class EventDelivery: @unchecked Sendable {
    // Sendable: the loop's thread owns the variables; the rest is atomic or constant.

    private let queue: EventQueue
    private let directory: EventDirectory
    private let tasks: TaskTable
    let receiver = ActiveReceiver()

    // The queue writes its words for every task, the following are written for every event.
    private let padding1: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) =
        (0, 0, 0, 0, 0, 0, 0, 0)

    /// Number of the last event, starting at 1.
    private var sequence: UInt64 = 0
    /// Depth of nested deliveries and work on the loop's thread.
    var nesting = 0
    /// The task of the innermost event, or 0.
    private(set) var task: UInt64 = 0
    /// Set from the first callback of a run to its end: every done event is queued.
    private(set) var isAttentive = false
    // One thread owns it; the exclusivity checks would cost 18 % of a delivery.
    @exclusivity(unchecked) private var freed = TaskFreeList()
    private let doneValues: UnsafeMutablePointer<curfew_value>
    /// Indexed by `Outcome.rawValue`; a failure's own text is in its record.
    private let outcomeTexts: UnsafeMutablePointer<(text: UnsafeMutablePointer<CChar>, bytes: Int)>
    /// Receiver lists that were replaced during this run.
    @exclusivity(unchecked) private var retired: [ReceiverList] = []

    private let padding2: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) =
        (0, 0, 0, 0, 0, 0, 0, 0)

    init(_ queue: EventQueue, _ directory: EventDirectory, _ tasks: TaskTable) {
        self.queue = queue
        self.directory = directory
        self.tasks = tasks
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
    }

    deinit {
        freed.close(tasks)
        while let event = queue.take() {
            if slot(event) == nil { EventNode.free(Self.node(event)) }
        }
        for raw in 0..<8 { outcomeTexts[raw].text.deallocate() }
        outcomeTexts.deallocate()
        doneValues.deallocate()
    }

    private static func node(_ event: UnsafeMutableRawPointer) -> UnsafeMutablePointer<EventNode> {
        event.assumingMemoryBound(to: EventNode.self)
    }

    /// Returns the task of a done event, or nil for a node.
    @inline(__always) private func slot(_ event: UnsafeMutableRawPointer) -> TaskSlotPointer? {
        let offset = event - UnsafeMutableRawPointer(tasks.slots)
        guard offset >= 0, offset < TaskTable.capacity * MemoryLayout<TaskSlot>.stride else {
            return nil
        }
        return event.assumingMemoryBound(to: TaskSlot.self)
    }

    /// Returns the node of a piece of work, or nil for an event.
    func work(_ event: UnsafeMutableRawPointer) -> UnsafeMutablePointer<EventNode>? {
        guard slot(event) == nil else { return nil }
        let node = Self.node(event)
        return node.pointee.work == nil ? nil : node
    }

    /// Delivers an event taken from the queue. Returns the node undelivered if it is work.
    @inline(__always)
    func deliver(_ event: UnsafeMutableRawPointer) -> UnsafeMutablePointer<EventNode>? {
        if let slot = slot(event) {
            deliverDone(slot)
            return nil
        }
        let node = Self.node(event)
        if node.pointee.work != nil { return node }
        deliverNode(node)
        queue.free(node)
        return nil
    }

    private func deliverNode(_ node: UnsafeMutablePointer<EventNode>) {
        let values = EventNode.values(of: node)
        if node.pointee.event == EventDirectory.gap {
            let missing = queue.takeGap()
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
        guard let handler = slot.handlerQueue, let outcome = state.outcome,
            let entry = directory.unretainedEntry(handler.pointee.doneEvent)
        else { fatalError("a done event was queued for a task that is not over") }
        var (text, length) = outcomeTexts[Int(outcome.rawValue)]
        if outcome == .failed || outcome == .crashed,
            let record = tasks.existingRecord(of: slot), let error = record.error
        {
            text = error
            length = record.errorBytes
        }
        // A nested run of the loop reuses `doneValues` while the outer event may still have
        // subscribers left, so a nested delivery works on a copy.
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
            queue.counters.pointee.unheard.countAlone()
            return
        }
        queue.counters.pointee.delivered.countAlone()
        becomeAttentive()
        let delivery = Delivery(
            entry: entry, values: values, count: parameters, task: task, sequence: sequence)
        let outer = self.task
        self.task = task
        nesting += 1
        // Observers first, so that they see events in delivery order even where a subscriber runs
        // the loop. Observers also see an event that a wait takes, subscribers do not.
        for place in 0..<count {
            receivers._withUnsafeGuaranteedRef { $0[place] }._withUnsafeGuaranteedRef {
                pass(delivery, to: $0)
            }
        }
        expectation?.settle(.success(delivery.event))
        nesting -= 1
        self.task = outer
    }

    private func pass(_ delivery: Delivery, to subscription: Subscription) {
        let isNested = nesting > 1
        receiver.enter(subscription, isNested: isNested)
        if subscription.active.load(ordering: .sequentiallyConsistent) {
            switch subscription.receiver {
            case .typed(let function, let data):
                delivery.entry.call?._withUnsafeGuaranteedRef {
                    $0.call(function, data, delivery.values)
                }
            case .closure(let body): body(delivery.event)
            case .generic(let function, let data):
                var event = delivery.foreign
                function(data, &event)
            case nil: break
            }
        }
        receiver.returned(subscription, isNested: isNested)
    }

    // MARK: Around deliveries

    /// Queues every done event from now on, because a receiver may begin to wait for it.
    @inline(__always) func becomeAttentive() {
        guard !isAttentive else { return }
        isAttentive = true
        queue.counters.pointee.attention.wrappingAdd(1, ordering: .sequentiallyConsistent)
    }

    /// Undoes `becomeAttentive()` unless an outer run still needs it.
    func calmDown(_ wasAttentive: Bool) {
        guard isAttentive, !wasAttentive else { return }
        isAttentive = false
        queue.counters.pointee.attention.wrappingSubtract(1, ordering: .sequentiallyConsistent)
    }

    @inline(__always) func betweenEvents() {
        guard nesting == 0 else { return }
        receiver.leaveIfAwaited()
        if !retired.isEmpty { retired.removeAll(keepingCapacity: true) }
    }

    func runEnded(_ wasAttentive: Bool) {
        calmDown(wasAttentive)
        freed.flush(tasks)
        if nesting == 0 { receiver.leave() }
    }
}
