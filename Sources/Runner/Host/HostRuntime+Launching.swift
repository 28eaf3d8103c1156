// SPDX-License-Identifier: Apache-2.0
public import PluginBridge
import Scheduling
import Synchronization

extension HostRuntime {
    /// What a launch says besides which handler.
    public struct Launch {
        /// Copied by the launch.
        public var payload: UnsafeRawBufferPointer
        /// Nanoseconds; 0: the handler's.
        public var budget: UInt64
        public var grace: UInt64
        /// 0 stands for 1.
        public var attempt: UInt32
        /// Take a reference for the embedder.
        public var keep: Bool
        /// The request it is a launch of.
        var ticket: RequestTicket?
        /// Nil: the handler's.
        var kind: TaskKind?

        public init(
            payload: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0),
            budget: UInt64 = 0, grace: UInt64 = 0, attempt: UInt32 = 0, keep: Bool = false
        ) {
            self.payload = payload
            self.budget = budget
            self.grace = grace
            self.attempt = attempt
            self.keep = keep
        }

        /// A launch of a request.
        init(
            payload: UnsafeRawBufferPointer, budget: UInt64, attempt: UInt32,
            ticket: RequestTicket, kind: TaskKind?
        ) {
            self.init(payload: payload, budget: budget, attempt: attempt, keep: true)
            self.ticket = ticket
            self.kind = kind
        }

        var isPlain: Bool {
            payload.isEmpty && budget == 0 && grace == 0 && attempt == 0 && !keep
                && ticket == nil
        }
    }

    /// The answer of a launch: a status, and the task's public id with `ok`.
    @frozen
    public struct Launched {
        public let status: Status
        public let task: UInt64
    }

    /// Launches the handler at `index`: one more task in its queue, and nothing special about it.
    public func launch(_ index: UInt32) -> Launched {
        guard let handler = launchable(index) else { return refused(index) }
        return launch(handler, kept: false) { _ in }
    }

    /// The same with what `launch` says.
    public func launch(_ index: UInt32, _ launch: Launch) -> Launched {
        guard let handler = launchable(index) else { return refused(index) }
        if launch.isPlain { return self.launch(handler, kept: false) { _ in } }
        if let fault = check(launch) { return Launched(status: fault, task: 0) }
        var payload = LargeCopy(launch.payload)
        defer { payload.free() }
        guard payload.isComplete else { return Launched(status: .exhausted, task: 0) }
        return self.launch(handler, kept: launch.keep) { prepare($0, launch, &payload) }
    }

    /// The handler at `index`, where it may be launched now.
    @inline(__always)
    private func launchable(_ index: UInt32) -> HandlerCellPointer? {
        guard index < handlerCount.load(ordering: .acquiring),
            let handler = handlerCells[Int(index)],
            handler.pointee.gate.load(ordering: .acquiring) & HandlerCell.Gate.refusing == 0,
            isOpen
        else { return nil }
        return handler
    }

    /// Why it may not.
    @inline(never)
    private func refused(_ index: UInt32) -> Launched {
        guard index < handlerCount.load(ordering: .acquiring),
            let handler = handlerCells[Int(index)]
        else { return Launched(status: .notFound, task: 0) }
        if handler.pointee.gate.load(ordering: .acquiring) & HandlerCell.Gate.refusing != 0 {
            gateIsShut(handler)
            return Launched(status: refusal(handler), task: 0)
        }
        // Open again, if it was shut by a gate that has opened meanwhile.
        return Launched(status: isOpen ? .busy : .closing, task: 0)
    }

    @inline(__always)
    private func launch(
        _ handler: HandlerCellPointer, kept: Bool, prepare: (TaskReference) -> Void
    ) -> Launched {
        var added = handler.add(tasks, prepare: prepare)
        if case .failure(.full) = added, sweep(handler) {
            added = handler.add(tasks, prepare: prepare)
        }
        switch added {
        case .failure(.full): return Launched(status: .busy, task: 0)
        case .failure(.noSlot): return Launched(status: .exhausted, task: 0)
        case .success(let task):
            callWorker(handler)
            // Whoever begins a shutdown says so before it looks through the queues; what it cannot
            // have seen is taken back here.
            if !isOpen, withdraw(task, handler, kept: kept) {
                return Launched(status: .closing, task: 0)
            }
            return Launched(status: .ok, task: tasks.publicID(task))
        }
    }

    /// Launches a task of a plugin's queue, also while the host shuts down, until its last phase:
    /// what waits there may be what pending tasks need to come to their end.
    func launchQueue(_ index: UInt32) -> Launched {
        guard index < handlerCount.load(ordering: .acquiring),
            let handler = handlerCells[Int(index)]
        else { return Launched(status: .notFound, task: 0) }
        if handler.pointee.gate.load(ordering: .acquiring) & HandlerCell.Gate.refusing != 0 {
            return Launched(status: refusal(handler), task: 0)
        }
        func isClosed() -> Bool {
            stage.load(ordering: .sequentiallyConsistent)
                >= HostStateMachine.State.leaving.rawValue
        }
        guard !isClosed() else { return Launched(status: .closing, task: 0) }
        switch handler.add(tasks, prepare: { _ in }) {
        case .failure(.full): return Launched(status: .busy, task: 0)
        case .failure(.noSlot): return Launched(status: .exhausted, task: 0)
        case .success(let task):
            callWorker(handler)
            if isClosed(), withdraw(task, handler, kept: false) {
                return Launched(status: .closing, task: 0)
            }
            return Launched(status: .ok, task: tasks.publicID(task))
        }
    }

    /// True for a task that is over, or does not exist.
    func isOver(_ id: UInt64) -> Bool {
        guard let task = tasks.find(id) else { return true }
        let state = tasks.slot(task).state
        return state.generation != task.generation || state.isOver
    }

    /// Tasks that were cancelled while they waited leave the queue when their turn comes. Where no
    /// turn comes, because the handler is paused or quarantined, those at the front are taken out
    /// here. True when there were any.
    @discardableResult
    func sweep(_ handler: HandlerCellPointer) -> Bool {
        guard handler.pointee.gate.load(ordering: .sequentiallyConsistent) != 0, takePlace(handler)
        else { return false }
        let swept = handler.sweep { task in
            let state = tasks.slot(task).state
            return state.generation == task.generation && state.isClaimed
        }
        for task in swept {
            let (_, state) = mustStep(task) { $0.enter() }
            freeIfDone(task, state)
        }
        handler.pointee.active.wrappingSubtract(1, ordering: .sequentiallyConsistent)
        // The gate may have been opened meanwhile, and nobody called for want of a place.
        if !handler.isQueueEmpty,
            handler.pointee.gate.load(ordering: .sequentiallyConsistent) == 0
        {
            callWorker(handler)
        }
        return !swept.isEmpty
    }

    /// Takes a launch back that came into a shutdown, so that nothing was launched and no event
    /// follows. False when the shutdown or a worker has seen the task: then it is a task like others.
    private func withdraw(
        _ task: TaskReference, _ handler: HandlerCellPointer, kept: Bool
    ) -> Bool {
        guard let (isWithdrawn, _) = tasks.step(task, { $0.withdraw() }), isWithdrawn else {
            return false
        }
        // It stays in the queue, where a worker passes over it, and is not counted as launched.
        handler.pointee.blanks.wrappingAdd(1, ordering: .relaxed)
        let (_, state) = mustStep(task) { machine in
            machine.publish(queueingDone: false)
            if kept, machine.generation == task.generation { _ = machine.releaseForEmbedder() }
        }
        freeIfDone(task, state)
        return true
    }

    private func refusal(_ handler: HandlerCellPointer) -> Status {
        let gate = handler.pointee.gate.load(ordering: .acquiring)
        return gate & HandlerCell.Gate.exhausted != 0 ? .exhausted : .quarantined
    }

    private func check(_ launch: Launch) -> Status? {
        guard UInt64(launch.payload.count) <= configuration.payloadLimit else { return .tooLarge }
        let day: UInt64 = 86_400_000_000_000
        guard launch.budget <= day, launch.grace <= day else { return .invalid }
        return nil
    }

    private func prepare(_ task: TaskReference, _ launch: Launch, _ payload: inout LargeCopy) {
        let slot = tasks.slot(task)
        if payload.count > 0 {
            slot.pointee.payloadBytes.store(UInt64(payload.count), ordering: .relaxed)
            slot.pointee.payload.store(
                UInt(bitPattern: payload.take().baseAddress), ordering: .relaxed)
        }
        if launch.budget != 0 || launch.grace != 0 || launch.attempt != 0 || launch.ticket != nil {
            let record = tasks.record(of: slot)
            record.budget = launch.budget
            record.grace = launch.grace
            record.attempt = launch.attempt
            record.ticket = launch.ticket
            record.kind = launch.kind
        }
        if launch.keep { _ = tasks.step(task) { $0.keepForEmbedder() } }
    }

    /// Sees to it that somebody runs the handler, if it has a place left.
    @inline(__always)
    func callWorker(_ handler: HandlerCellPointer) {
        guard
            handler.pointee.active.load(ordering: .sequentiallyConsistent)
                < handler.pointee.maxConcurrency,
            handler.pointee.gate.load(ordering: .sequentiallyConsistent) == 0
        else { return }
        if takePlace(handler) { lane(handler.pointee.kind).add(handler) }
    }

    /// Tasks wait behind a gate that is shut. In a quarantine they end, where the embedder wants that.
    ///
    /// Called by the one who shut it, by workers that leave the handler, and by launches that are
    /// refused: a task that was added in the very moment of the quarantine is found by those. A look
    /// with every launch would cost 26 of its 165 instructions.
    @inline(never)
    func gateIsShut(_ handler: HandlerCellPointer) {
        let gate = handler.pointee.gate.load(ordering: .sequentiallyConsistent)
        guard configuration.interruptsQuarantined, gate & HandlerCell.Gate.quarantined != 0 else {
            return
        }
        for task in handler.waitingTasks() { interruptQueued(task) }
        sweep(handler)
    }

    /// Takes one of the handler's places. False when all are taken.
    func takePlace(_ handler: HandlerCellPointer) -> Bool {
        var active = handler.pointee.active.load(ordering: .sequentiallyConsistent)
        while active < handler.pointee.maxConcurrency {
            let (exchanged, original) = handler.pointee.active.compareExchange(
                expected: active, desired: active + 1, ordering: .sequentiallyConsistent)
            if exchanged { return true }
            active = original
        }
        return false
    }

    // MARK: Pausing

    /// Stops starting tasks of a handler, or of all.
    public func pause(_ identifier: String?) -> Status {
        setPaused(identifier) { handler in
            handler.pointee.gate.bitwiseOr(
                HandlerCell.Gate.paused, ordering: .sequentiallyConsistent)
        }
    }

    public func resume(_ identifier: String?) -> Status {
        setPaused(identifier) { handler in
            handler.pointee.gate.bitwiseAnd(
                ~HandlerCell.Gate.paused, ordering: .sequentiallyConsistent)
            reopen(handler)
        }
    }

    private func setPaused(_ identifier: String?, _ body: (HandlerCellPointer) -> Void) -> Status {
        if let identifier {
            guard let handler = handler(identifier) else { return .notFound }
            body(handler.cell)
            standingChanged(handler)
        } else {
            for handler in handlers {
                body(handler.cell)
                standingChanged(handler)
            }
        }
        return .ok
    }

    /// A gate was opened: as many workers as there are places and tasks.
    func reopen(_ handler: HandlerCellPointer) {
        let wanted = min(UInt64(handler.pointee.maxConcurrency), handler.queueLength)
        for _ in 0..<wanted { callWorker(handler) }
    }

    /// Lifts a quarantine.
    public func lift(_ identifier: String) -> Status {
        guard let handler = handler(identifier) else { return .notFound }
        handler.quarantineReason = nil
        handler.cell.pointee.gate.bitwiseAnd(
            ~HandlerCell.Gate.quarantined, ordering: .sequentiallyConsistent)
        reopen(handler.cell)
        standingChanged(handler)
        if handler.cell.pointee.code.isQueue { subs(of: handler.cell.pointee.plugin)?.goOn() }
        return .ok
    }
}
