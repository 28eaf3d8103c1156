// SPDX-License-Identifier: Apache-2.0
import CSystem
import Glibc
public import PluginBridge
public import Scheduling
import Synchronization

extension HostRuntime {
    /// A task as it is now; nil when it is stale.
    public func query(_ id: UInt64) -> TaskState? {
        guard let task = tasks.find(id) else { return nil }
        // Where there is no record, all is in the slot, whose memory stays: the task is not held for
        // this, but afterwards it has to be the same one, and still without.
        let slot = tasks.slot(task)
        if slot.pointee.record.load(ordering: .relaxed) == 0 {
            let state = describe(slot, nil)
            atomicMemoryFence(ordering: .acquiring)
            let hasRecord = slot.pointee.record.load(ordering: .acquiring) != 0
            guard slot.state.generation == task.generation else { return nil }
            if !hasRecord { return state }
        }
        return tasks.pinning(task) { describe($0, tasks.existingRecord(of: $0)) } ?? nil
    }

    private func describe(_ slot: TaskSlotPointer, _ record: TaskRecord?) -> TaskState? {
        guard let cell = slot.handlerCell, let handler = handler(at: cell.pointee.index) else {
            return nil
        }
        let machine = slot.state
        func override(_ own: UInt64?, _ handlers: UInt64) -> UInt64 {
            guard let own, own != 0 else { return handlers }
            return own
        }
        return TaskState(
            // The outcome is told once its text and result can be read.
            phase: machine.isClaimed && !machine.isOver ? .stopping : machine.phase,
            outcome: machine.isOver ? machine.outcome : nil,
            reason: machine.reason,
            isAnswered: machine.isAnswered,
            isEndWaiting: machine.isClaimed && !machine.isOver
                && record?.request?.isEndWaiting.load(ordering: .acquiring) == true,
            isReturned: machine.isReturned || !machine.isEntered,
            attempt: max(1, record?.attempt ?? 1),
            handler: handler,
            startedAt: machine.isEntered ? slot.pointee.startedAt.load(ordering: .acquiring) : 0,
            budget: override(record?.budget, cell.pointee.budget),
            grace: override(record?.grace, cell.pointee.grace),
            progress: Double(bitPattern: record?.progress.load(ordering: .relaxed) ?? 0),
            errorBytes: machine.isOver ? errorBytes(slot, machine, record) : 0,
            resultBytes: machine.isOver ? record?.resultBytes ?? 0 : 0)
    }

    private func errorBytes(
        _ slot: TaskSlotPointer, _ machine: TaskStateMachine, _ record: TaskRecord?
    ) -> Int {
        machine.outcome?.doneText?.utf8.count ?? record?.errorBytes ?? 0
    }

    /// What of a task is read by `read`.
    public enum Part: Sendable { case error, result }

    /// Copies what fits of a finished task's error text or result. Returns its whole length.
    public func read(
        _ part: Part, of id: UInt64, into buffer: UnsafeMutableRawBufferPointer
    ) -> (status: Status, bytes: Int) {
        guard let task = tasks.find(id) else { return (.stale, 0) }
        return tasks.pinning(task) { slot in
            let machine = slot.state
            guard machine.isOver else { return (.wrongState, 0) }
            let record = tasks.existingRecord(of: slot)
            func copy(_ source: UnsafeRawBufferPointer) -> (status: Status, bytes: Int) {
                let count = min(source.count, buffer.count)
                buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: source[..<count]))
                return (count < source.count ? .tooLarge : .ok, source.count)
            }
            switch part {
            case .result:
                return copy(
                    UnsafeRawBufferPointer(start: record?.result, count: record?.resultBytes ?? 0))
            case .error:
                if var text = machine.outcome?.doneText {
                    return text.withUTF8 { copy(UnsafeRawBufferPointer($0)) }
                }
                return copy(
                    UnsafeRawBufferPointer(start: record?.error, count: record?.errorBytes ?? 0))
            }
        } ?? (.stale, 0)
    }

    /// What a finished task's plugin said of it, besides the outcome: its error text also where the
    /// done event carries the host's.
    public func answer(of id: UInt64) -> String? {
        guard let task = tasks.find(id) else { return nil }
        return tasks.pinning(task) { slot in
            guard slot.state.isOver, let record = tasks.existingRecord(of: slot),
                let error = record.error
            else { return nil }
            return String(cString: error)
        } ?? nil
    }

    public func keep(_ id: UInt64) -> Status {
        guard let task = tasks.find(id), let (kept, _) = tasks.step(task, { $0.keepForEmbedder() })
        else { return .stale }
        return kept ? .ok : .exhausted
    }

    public func release(_ id: UInt64) -> Status {
        guard let task = tasks.find(id),
            let (released, state) = tasks.step(task, { $0.releaseForEmbedder() })
        else { return .stale }
        guard released else { return .wrongState }
        freeIfDone(task, state)
        return .ok
    }

    // MARK: Waiting

    /// Waits until a task is over, at most `timeout` ns of real time. On the loop's own thread it
    /// turns the loop meanwhile.
    public func wait(_ id: UInt64, timeout: UInt64) -> (status: Status, state: TaskState?) {
        let role = ThreadRole.current(in: self)
        switch role {
        case .worker, .watcher, .loading, .logging: return (.wrongThread, nil)
        case .loop where events.isTooDeep: return (.exhausted, nil)
        case .loop, .other: break
        }
        guard let task = tasks.find(id) else { return (.stale, nil) }
        let until = HostRuntime.realDeadline(timeout)
        let isNobodys = role == .other && !configuration.ownLoop
        var looks = isNobodys && timeout > 0
        let state = tasks.slot(task).state
        if state.generation == task.generation {
            if state.isOver, let over = query(id) { return (.ok, over) }
            // What the embedder keeps needs no other reference for so long; to take one would take
            // the slot's line from the worker that is about to run the task.
            if looks, state.embedderReferences > 0 {
                if lookBriefly(task, until), let over = query(id) { return (.ok, over) }
                looks = false
            }
        }
        // Where the embedder holds all references it can, one of them keeps the task.
        let kept = keep(id)
        guard kept == .ok || kept == .exhausted else { return (kept, nil) }
        defer { if kept == .ok { _ = release(id) } }
        let status = looks && lookBriefly(task, until) ? .ok : sleep(task, until)
        let last = query(id)
        return (last == nil ? .stale : status, last)
    }

    /// How often it gives way to others while it looks. To sleep and to be woken costs more than most
    /// tasks take. Where a worker has a core to itself, it ends its task during these looks; where it
    /// shares this one, it needs it, and soon: giving way only seldom, or never, was ten times as slow
    /// there.
    private static let yieldEvery = 8

    /// Nanoseconds of looking at most: as long as it takes to wake a worker on another core.
    private static let lookLimit: UInt64 = 50_000

    /// True once the task is over.
    private func lookBriefly(_ task: TaskReference, _ until: UInt64) -> Bool {
        let slot = tasks.slot(task)
        let end = min(until, csys_monotonic_ns() &+ Self.lookLimit)
        while true {
            for _ in 1..<Self.yieldEvery {
                let state = slot.state
                if state.isOver || state.generation != task.generation { return true }
                csys_pause()
            }
            let now = csys_monotonic_ns()
            guard isOpen, now < end, cores.giveWay(at: now) else { return false }
        }
    }

    /// Sleeps, or turns the loop, until the task is over or nothing more can be waited for.
    private func sleep(_ task: TaskReference, _ until: UInt64) -> Status {
        let slot = tasks.slot(task)
        while true {
            let word = slot.pointee.sleepers.prepare()
            let state = TaskStateMachine(
                word: slot.pointee.word.load(ordering: .sequentiallyConsistent))
            if state.isOver || state.generation != task.generation { return .ok }
            if !isOpen { return .closing }
            if csys_monotonic_ns() >= until { return .timedOut }
            if events.turnWhileWaiting(ownLoop: configuration.ownLoop) {
                // Its done event is queued in any case here, and wakes this thread; so does a
                // shutdown, unless the turn has swallowed that signal.
                if !slot.state.isOver, isOpen {
                    csys_wait_readable(events.descriptor, HostRuntime.lookAgain(until))
                }
            } else {
                slot.pointee.sleepers.sleep(since: word, until: until)
            }
        }
    }

    /// Calls `body` once the task is over, on the thread that ends it, or at once. The caller keeps
    /// the task. False when it is stale.
    public func whenOver(_ id: UInt64, _ body: @escaping @Sendable () -> Void) -> Bool {
        guard let task = tasks.find(id) else { return false }
        return tasks.pinning(task) { slot in
            // As for those who sleep: first say so, then look.
            let record = tasks.record(of: slot)
            record.whenAnnounced(body)
            slot.pointee.listened.store(1, ordering: .sequentiallyConsistent)
            let word = slot.pointee.word.load(ordering: .sequentiallyConsistent)
            if TaskStateMachine(word: word).isOver { record.announce() }
            return true
        } ?? false
    }

    /// Until when to sleep on the loop's descriptor: what is waited for may come without an event,
    /// or with one that another thread delivers, so look again after a while.
    private static func lookAgain(_ until: UInt64) -> UInt64 {
        min(until, csys_monotonic_ns() &+ 10_000_000)
    }

    static func realDeadline(_ timeout: UInt64) -> UInt64 {
        let (sum, overflow) = csys_monotonic_ns().addingReportingOverflow(timeout)
        return overflow ? .max : sum
    }

    // MARK: Events of the embedder's

    /// Waits for an expected event, at most `timeout` ns of real time, and ends the expectation.
    public func collect(_ number: UInt64, timeout: UInt64) -> Result<HostEvent, BridgeError> {
        switch ThreadRole.current(in: self) {
        case .worker, .watcher, .loading, .logging:
            return .failure(
                BridgeError(
                    .wrongThread,
                    "a worker, a watcher or a log function must not wait for an event"))
        case .loop, .other: break
        }
        guard !events.isTooDeep else {
            return .failure(
                BridgeError(
                    .exhausted,
                    "too many waits stand inside each other's events; wait outside the receiver"))
        }
        guard let expectation = events.directory.expectation(number) else {
            return .failure(BridgeError(.notFound, "no such expectation; it was collected before"))
        }
        let until = HostRuntime.realDeadline(timeout)
        while expectation.outcome == nil, csys_monotonic_ns() < until {
            if events.turnWhileWaiting(ownLoop: configuration.ownLoop) {
                if expectation.outcome == nil {
                    csys_wait_readable(events.descriptor, HostRuntime.lookAgain(until))
                }
            } else {
                expectation.sleep(until: until)
            }
        }
        events.directory.giveUp(
            expectation,
            BridgeError(.timedOut, "the event did not come within \(timeout / 1_000_000) ms"))
        return expectation.outcome ?? .failure(BridgeError(.timedOut, "the event did not come"))
    }

    /// Raises an event of the embedder's own, about no task. Its selector is a text of C's.
    public func raise(_ selector: UnsafePointer<CChar>, _ values: [EventValue]) -> Status {
        let length = strnlen(selector, EventSelector.textLimit + 1)
        guard length <= EventSelector.textLimit else { return .invalid }
        let text = UnsafeRawBufferPointer(start: selector, count: length)
        if let entry = events.directory.raisedBefore(text) {
            return entry._withUnsafeGuaranteedRef { raise($0, values) }
        }
        guard let selector = EventSelector(String(cString: selector)),
            values.count == selector.arity
        else { return .invalid }
        return raise(selector, values)
    }

    /// The same for a selector that was read before.
    public func raise(_ selector: EventSelector, _ values: [EventValue]) -> Status {
        guard isOpen else { return .closing }
        guard
            let signature = EventSignature(selector: selector, parameters: values.map(\.type))
        else { return .invalid }
        guard !selector.name.hasPrefix("curfew_") else { return .denied }
        guard let declared = events.directory.declareRaised(signature) else { return .exhausted }
        // What a handler declares is its tasks' alone, also where the handler is the embedder's.
        guard declared.owner == nil else { return .denied }
        guard declared.signature == signature else { return .invalid }
        return events.raise(declared.entry, values, task: 0).status
    }

    private func raise(_ entry: EventEntry, _ values: [EventValue]) -> Status {
        guard let types = entry.declaration?.parameters, types.count == values.count else {
            return .invalid
        }
        guard isOpen else { return .closing }
        for (type, value) in zip(types, values) where value.type != type { return .invalid }
        return events.raise(entry, values, task: 0).status
    }

    /// Expects the next event that matches, in place of an older expectation of the same kind.
    /// `task` 0: about any task or none.
    public func expect(
        _ selector: EventSelector, task: UInt64, context: UInt
    ) -> Result<Expectation, BridgeError> {
        events.directory.expect(selector, task: task, context: context)
    }

    /// Subscribes to an event, or to all when `selector` is nil.
    public func subscribe(
        _ selector: EventSelector?, _ receiver: EventReceiver
    ) -> Result<UInt64, BridgeError> {
        // What hinders the thread of requests is said to whoever asks for a factor.
        if selector == HostRuntime.factorSelector { (try? requestLoop())?.watchFactors() }
        return events.directory.subscribe(to: selector, receiver)
    }

    public func unsubscribe(_ number: UInt64) -> Status { events.unsubscribe(number) }

    /// Calls `body` once, when the expectation is settled.
    public func whenSettled(
        _ expectation: Expectation,
        _ body: @escaping @Sendable (Result<HostEvent, BridgeError>) -> Void
    ) { expectation.whenSettled(body) }

    public func giveUp(_ expectation: Expectation, _ error: BridgeError) {
        events.directory.giveUp(expectation, error)
    }
}
