// SPDX-License-Identifier: Apache-2.0
import PluginBridge
import Scheduling
import Synchronization

extension TaskEngine {
    package func launch(_ index: UInt32) -> Launched {
        guard let handler = launchable(index) else { return refused(index) }
        return launch(handler, kept: false) { _ in }
    }

    package func launch(_ index: UInt32, _ launch: Launch) -> Launched {
        guard let handler = launchable(index) else { return refused(index) }
        if launch.isPlain { return self.launch(handler, kept: false) { _ in } }
        if let fault = launch.fault(payloadLimit: configuration.payloadLimit) {
            return Launched(status: fault, task: 0)
        }
        var payload = LargeCopy(launch.payload)
        defer { payload.free() }
        guard payload.isComplete else { return Launched(status: .exhausted, task: 0) }
        return self.launch(handler, kept: launch.keep) { prepare($0, launch, &payload) }
    }

    /// Returns the handler at `index` if it accepts launches now.
    @inline(__always)
    private func launchable(_ index: UInt32) -> HandlerQueuePointer? {
        guard let handler = queue(at: index),
            handler.pointee.gate.load(ordering: .acquiring) & HandlerQueue.Gate.refusing == 0,
            phase.isBefore(rawValue: handler.pointee.closesAt)
        else { return nil }
        return handler
    }

    @inline(never)
    private func refused(_ index: UInt32) -> Launched {
        guard let handler = queue(at: index) else {
            return Launched(status: .notFound, task: 0)
        }
        let gate = handler.pointee.gate.load(ordering: .acquiring)
        if gate & HandlerQueue.Gate.refusing != 0 {
            gateIsShut(handler)
            let isExhausted = gate & HandlerQueue.Gate.exhausted != 0
            return Launched(status: isExhausted ? .exhausted : .quarantined, task: 0)
        }
        // The gate that refused the launch may be open again.
        let isOpen = phase.isBefore(rawValue: handler.pointee.closesAt)
        return Launched(status: isOpen ? .busy : .closing, task: 0)
    }

    @inline(__always)
    private func launch(
        _ handler: HandlerQueuePointer, kept: Bool, prepare: (TaskReference) -> Void
    ) -> Launched {
        switch handler.add(tasks, prepare: prepare) {
        case .failure(.full): return launchAfterSweep(handler, kept: kept, prepare: prepare)
        case .failure(.noSlot): return Launched(status: .exhausted, task: 0)
        case .success(let task):
            callWorker(handler)
            // A shutdown changes the phase, then searches the queues. It may have missed this task.
            if !phase.isBefore(rawValue: handler.pointee.closesAt),
                withdraw(task, handler, kept: kept)
            {
                return Launched(status: .closing, task: 0)
            }
            return Launched(status: .ok, task: tasks.publicID(task))
        }
    }

    /// Retries a launch on a full queue after removing its cancelled tasks.
    @inline(never)
    private func launchAfterSweep(
        _ handler: HandlerQueuePointer, kept: Bool, prepare: (TaskReference) -> Void
    ) -> Launched {
        guard sweep(handler) else { return Launched(status: .busy, task: 0) }
        return launch(handler, kept: kept, prepare: prepare)
    }

    private func prepare(_ task: TaskReference, _ launch: Launch, _ payload: inout LargeCopy) {
        let slot = tasks.slot(task)
        if payload.count > 0 {
            slot.pointee.payloadBytes.store(UInt64(payload.count), ordering: .relaxed)
            slot.pointee.payload.store(
                UInt(bitPattern: payload.take().baseAddress), ordering: .relaxed)
        }
        if launch.budget != 0 || launch.grace != 0 || launch.attempt != 0 || launch.request != nil {
            let record = tasks.record(of: slot)
            record.budget = launch.budget
            record.grace = launch.grace
            record.attempt = launch.attempt
            record.request = launch.request
            launch.request?.hasTask(tasks.publicID(task))
        }
        if launch.keep { _ = tasks.step(task) { $0.keepForEmbedder() } }
    }

    /// Withdraws a launch during a shutdown, as if it had never happened.
    /// Returns false when the shutdown or a worker has seen the task, which then stays.
    private func withdraw(
        _ task: TaskReference, _ handler: HandlerQueuePointer, kept: Bool
    ) -> Bool {
        let step = { [tasks] in tasks.step(task) { $0.withdraw() } }
        guard
            let (isWithdrawn, _) = ChildPort.of(handler)?.decide(task, recalls: true, step)
                ?? step(), isWithdrawn
        else { return false }
        // The task stays queued, a worker skips it, and it does not count as launched.
        handler.pointee.blanks.wrappingAdd(1, ordering: .relaxed)
        let (_, state) = mustStep(task) { machine in
            machine.publish(queueingDone: false)
            if kept, machine.generation == task.generation { _ = machine.releaseForEmbedder() }
        }
        freeIfDone(task, state)
        return true
    }

    // MARK: Workers

    /// Requests a worker for the handler if it has a place left.
    @inline(__always)
    func callWorker(_ handler: HandlerQueuePointer) {
        guard
            handler.pointee.active.load(ordering: .sequentiallyConsistent)
                < handler.pointee.maxConcurrency
        else { return }
        guard handler.pointee.gate.load(ordering: .sequentiallyConsistent) == 0 else {
            // No worker takes a place of a handler whose tasks run in another process.
            ChildPort.of(handler)?.pump(handler)
            return
        }
        if takePlace(handler) { pool(of: handler.pointee.kind).add(handler, for: self) }
    }

    /// Takes one of the handler's places. Returns false when all are taken.
    func takePlace(_ handler: HandlerQueuePointer) -> Bool {
        var active = handler.pointee.active.load(ordering: .sequentiallyConsistent)
        while active < handler.pointee.maxConcurrency {
            let (exchanged, original) = handler.pointee.active.compareExchange(
                expected: active, desired: active + 1, ordering: .sequentiallyConsistent)
            if exchanged { return true }
            active = original
        }
        return false
    }

    func leavePlace(_ handler: HandlerQueuePointer) {
        handler.pointee.active.wrappingSubtract(1, ordering: .sequentiallyConsistent)
        phase.progressed()
    }

    /// Takes the next task of a handler and starts its budget, on a thread that is no worker and has
    /// taken a place. The thread runs the task, calls `functionReturned`, and leaves the place.
    func takeTask(_ handler: HandlerQueuePointer) -> TaskReference? {
        while handler.pointee.gate.load(ordering: .acquiring) == 0,
            let bits = handler.take(replacement: 0)
        {
            let task = TaskReference(bits: bits)
            let now = clock.now()
            let deadline = now &+ tasks.terms(tasks.slot(task), handler).budget
            let (action, state) = tasks.enter(task, at: now, until: deadline)
            if action == .run {
                deadlines.armBudget(task, isPending: false)
                phase.progressed()
                return task
            }
            freeIfDone(task, state)
        }
        return nil
    }

    /// Requests workers for the queued tasks after a gate was opened.
    func reopen(_ handler: HandlerQueuePointer) {
        if let port = ChildPort.of(handler) { return port.pump(handler) }
        let wanted = min(UInt64(handler.pointee.maxConcurrency), handler.length)
        for _ in 0..<wanted { callWorker(handler) }
    }

    /// Removes cancelled tasks from the front of a closed queue. Returns whether it found any.
    @discardableResult
    func sweep(_ handler: HandlerQueuePointer) -> Bool {
        guard handler.pointee.gate.load(ordering: .sequentiallyConsistent) != 0 else {
            return false
        }
        if let port = ChildPort.of(handler) { return port.sweep(handler) }
        guard takePlace(handler) else { return false }
        let swept = handler.sweep { task in
            let state = tasks.slot(task).state
            return state.generation == task.generation && state.isClaimed
        }
        for task in swept {
            let (_, state) = mustStep(task) { $0.enter() }
            freeIfDone(task, state)
        }
        leavePlace(handler)
        // The gate may have been opened meanwhile, when no place was left for a worker.
        if !handler.isEmpty, handler.pointee.gate.load(ordering: .sequentiallyConsistent) == 0 {
            callWorker(handler)
        }
        return !swept.isEmpty
    }

    /// Interrupts the tasks that wait in a quarantine, if the embedder configured that.
    ///
    /// Called by the thread that closed the gate, by workers that leave the handler, and by refused
    /// launches: those find a task that was added at the moment of the quarantine. A check with
    /// every launch would cost 26 of its 165 instructions.
    @inline(never)
    func gateIsShut(_ handler: HandlerQueuePointer) {
        let gate = handler.pointee.gate.load(ordering: .sequentiallyConsistent)
        guard configuration.interruptsQuarantined, gate & HandlerQueue.Gate.quarantined != 0 else {
            return
        }
        for task in waitingTasks(handler) { interruptQueued(task) }
        sweep(handler)
    }

    /// The tasks of a handler that were not entered, as far as other threads can see them.
    func waitingTasks(_ handler: HandlerQueuePointer) -> [TaskReference] {
        (ChildPort.of(handler)?.waitingTasks(handler) ?? []) + handler.waitingTasks()
    }
}
