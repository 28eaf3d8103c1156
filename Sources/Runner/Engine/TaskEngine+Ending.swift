// SPDX-License-Identifier: Apache-2.0
import CCurfew
import CSystem
import PluginBridge
import Scheduling
import Synchronization

/// The ends of tasks: by the function's return, by `complete`, or by the host after the grace.
///
/// One exchange decides, then the outcome is recorded, then the done event is queued.
extension TaskEngine {
    /// Handles a return. Returns true when the worker was lost meanwhile.
    ///
    /// - Parameter armed: the budget is in the wheel, because the thread is no worker.
    func functionReturned(
        _ task: TaskReference, _ handler: HandlerQueuePointer, _ status: Status,
        _ error: UnsafeMutablePointer<curfew_error>, armed: Bool = false
    ) -> Bool {
        // This run keeps the slot from being freed until the next step.
        let slot = tasks.slot(task)
        let id = tasks.publicID(task)
        let wasLost: Bool
        var isTooLate = false
        if status == .pending {
            // Armed before the task is pending, while no other thread can free the slot.
            deadlines.armBudget(task, isPending: true)
            if handler.pointee.code.pendingLimit > 0 { noteAwaited(task, handler) }
            let (action, state) = mustStep(task) { machine in
                isTooLate = machine.isAnsweredFor
                return (machine.functionReturned(success: nil), machine.isLost)
            }
            if action.0 == .none {
                deadlines.pendingEnded()
                noLongerAwaited(task, handler)
            }
            wasLost = action.1
            freeIfDone(task, state)
        } else {
            let (action, state) = mustStep(task) { machine in
                isTooLate = machine.isAnsweredFor
                let lost = machine.isLost
                return (machine.functionReturned(success: status == .ok), lost)
            }
            wasLost = action.1
            if action.0 == .decide {
                if status != .ok {
                    write(ErrorBuffer.text(error), or: status, to: slot)
                }
                publish(task, handler, state, armed: armed || state.reason != nil)
                if status != .ok, !ErrorBuffer.isSound(error) {
                    violations.report(
                        .malformedText, "returned \(status.constant ?? String(status.rawValue))",
                        "its message is not UTF-8 or has no NUL at its end; it was repaired",
                        task: id, plugin: handler.pointee.plugin, handler: identifier(of: handler))
                }
            } else {
                freeIfDone(task, state)
            }
        }
        if wasLost {
            workerCameBack(handler)
        } else if isTooLate {
            violations.reportLateAnswer(
                .expired, "returned",
                "its grace was over and the host had answered for it; what it returned is not taken",
                task: id, plugin: handler.pointee.plugin, handler: identifier(of: handler))
        }
        return wasLost
    }

    /// Notes a pending task, and closes the gate if no more may be pending.
    ///
    /// Called by the handler's one worker, while its tasks end on other threads.
    private func noteAwaited(_ task: TaskReference, _ handler: HandlerQueuePointer) {
        // Closed before the task is noted, so that its end opens the gate afterwards.
        handler.pointee.gate.bitwiseOr(
            HandlerQueue.Gate.awaited, ordering: .sequentiallyConsistent)
        let places = Int(handler.pointee.code.pendingLimit)
        var isNoted = false
        for place in 0..<places where !isNoted {
            isNoted =
                (handler.pointee.awaited + place).pointee.compareExchange(
                    expected: 0, desired: task.bits, ordering: .sequentiallyConsistent
                ).exchanged
        }
        let isFull = (0..<places).allSatisfy {
            (handler.pointee.awaited + $0).pointee.load(ordering: .sequentiallyConsistent) != 0
        }
        // The worker itself goes on then.
        if !isFull {
            handler.pointee.gate.bitwiseAnd(
                ~HandlerQueue.Gate.awaited, ordering: .sequentiallyConsistent)
        }
    }

    /// Opens the gate of a handler with a limit of pending tasks after the end of a noted one.
    ///
    /// Other tasks may end too: cancelled in the queue, or decided earlier by a slow thread.
    private func noLongerAwaited(_ task: TaskReference, _ handler: HandlerQueuePointer) {
        let isNoted = (0..<Int(handler.pointee.code.pendingLimit)).contains { place in
            (handler.pointee.awaited + place).pointee.compareExchange(
                expected: task.bits, desired: 0, ordering: .sequentiallyConsistent
            ).exchanged
        }
        guard isNoted else { return }
        let before = handler.pointee.gate.bitwiseAnd(
            ~HandlerQueue.Gate.awaited, ordering: .sequentiallyConsistent
        ).oldValue
        if before & HandlerQueue.Gate.awaited != 0 { reopen(handler) }
    }

    private func write(_ text: String, or status: Status, to slot: TaskSlotPointer) {
        var text = text.isEmpty ? status.withoutMessage : text
        text.withUTF8 { tasks.record(of: slot).setError(UnsafeRawBufferPointer($0)) }
    }

    /// Publishes the outcome of a claimed task: it becomes readable and its done event is queued.
    ///
    /// The end of a request's task is recorded in the store first.
    ///
    /// - Parameter armed: the task has an obsolete deadline in the wheel.
    func publish(
        _ task: TaskReference, _ handler: HandlerQueuePointer, _ claimed: TaskStateMachine,
        armed: Bool
    ) {
        let slot = tasks.slot(task)
        guard let record = tasks.existingRecord(of: slot), let request = record.request,
            let end = end(of: slot, record, request, claimed, handler)
        else { return publishNow(task, handler, claimed, armed: armed) }
        // Constant for the life of the host.
        nonisolated(unsafe) let queue = handler
        let willBeRecorded = request.record(end) { [self] isRecorded in
            if isRecorded {
                publishNow(task, queue, claimed, armed: armed)
            } else {
                publishUnrecorded(task, queue, armed: armed)
            }
        }
        if !willBeRecorded { publishUnrecorded(task, handler, armed: armed) }
    }

    private func end(
        of slot: TaskSlotPointer, _ record: TaskRecord, _ request: RequestLaunch,
        _ claimed: TaskStateMachine, _ handler: HandlerQueuePointer
    ) -> TaskEnd? {
        guard let outcome = claimed.outcome else { return nil }
        let snooze = request.snooze.load(ordering: .acquiring)
        let error = record.error.map { String(cString: $0) } ?? outcome.doneText ?? ""
        let started = slot.pointee.startedAt.load(ordering: .acquiring)
        let ran = claimed.isEntered && started > 0 ? clock.now() &- started : 0
        let measured = record.cpu.load(ordering: .acquiring)
        let isAnswered = claimed.isAnswered || claimed.reason == nil
        let cpu = measured == 0 ? request.cpuOfRunning : measured
        var kept = request.kept.withLock { $0 }
        kept.processorTime = cpu
        if record.resultBytes > 0 {
            kept.setResult(UnsafeRawBufferPointer(start: record.result, count: record.resultBytes))
        }
        return TaskEnd(
            attempt: AttemptEnd(
                outcome, reason: claimed.reason, error: outcome == .succeeded ? "" : error,
                snooze: snooze == 0 ? nil : snooze - 1,
                isSuspect: request.isSuspect.load(ordering: .acquiring), record: kept, elapsed: ran,
                budget: record.budget > 0 ? record.budget : handler.pointee.budget,
                isAnswered: isAnswered),
            isAnswered: isAnswered,
            cost: DayAmounts(
                launches: 0, wall: ran, cpu: cpu))
    }

    /// Publishes a launch as interrupted, because its end is not recorded and it will be repeated.
    private func publishUnrecorded(
        _ task: TaskReference, _ handler: HandlerQueuePointer, armed: Bool
    ) {
        let (_, state) = mustStep(task) { $0.interruptUnwritten() }
        publishNow(task, handler, state, armed: armed)
    }

    func isEndWaiting(_ task: TaskReference) -> Bool {
        tasks.existingRecord(of: tasks.slot(task))?.request?.isEndWaiting
            .load(ordering: .acquiring) == true
    }

    private func publishNow(
        _ task: TaskReference, _ handler: HandlerQueuePointer, _ claimed: TaskStateMachine,
        armed: Bool
    ) {
        let slot = tasks.slot(task)
        var hasRaised = claimed.hasRaised
        if hasRaised || claimed.isCalling, let record = tasks.existingRecord(of: slot) {
            // A thread that queues an event of this task holds the lock and saw the task unclaimed;
            // the next one sees it claimed.
            record.order.withLock { _ in }
            hasRaised = slot.state.hasRaised
        }
        if armed { deadlines.disarm(task) }
        if let outcome = claimed.outcome { handler.count(outcome) }
        // Read before publishing: afterwards another thread may release the task or deliver its done
        // event, and the slot may be reused.
        let record = tasks.existingRecord(of: slot)
        let state = TaskEnding(task: task, slot: slot, handler: handler).decide(
            in: tasks, events, mustQueue: hasRaised,
            exchange: { wanted in mustStep(task) { $0.publish(queueingDone: wanted) }.1 },
            decided: {},
            late: {
                let outcome = claimed.outcome ?? .failed
                let text = record?.error.map { String(cString: $0) }
                return (outcome, outcome.doneText ?? text ?? "")
            }, unwanted: { events.countUnwanted() })
        slot.pointee.sleepers.wake()
        phase.progressed()
        // An observer registers itself before its last check of the state, and keeps the task.
        if slot.pointee.listened.load(ordering: .sequentiallyConsistent) != 0 {
            _ = tasks.pinning(task) { tasks.existingRecord(of: $0)?.announce() }
        }
        noLongerAwaited(task, handler)
        if let state { freeIfDone(task, state) }
    }

    // MARK: Completion by the plugin

    func complete(
        _ id: UInt64, _ status: Status, error: UnsafeRawBufferPointer?,
        result: UnsafeRawBufferPointer, plugin: Int32
    ) -> Status {
        guard let task = tasks.find(id), mayTouch(task, plugin) else {
            return completedNothing(id, plugin)
        }
        guard UInt64(result.count) <= configuration.resultLimit else {
            violations.report(
                .resultSize, "called complete with a result of \(result.count) bytes",
                "the limit is \(configuration.resultLimit); it is not completed",
                task: id, plugin: plugin)
            return .tooLarge
        }
        if status == .ok, result.isEmpty, completeAtOnce(task) { return .ok }
        let before = tasks.slot(task).state
        // Copied before the task is claimed, so that a refusal leaves it unchanged.
        var copy = LargeCopy(result)
        guard copy.isComplete else { return .exhausted }
        defer { copy.free() }
        var wasPending = false
        guard
            let (verdict, state) = tasks.step(
                task,
                { machine in
                    wasPending = machine.isReturned
                    return machine.complete(success: status == .ok)
                })
        else { return completedNothing(id, plugin) }
        switch verdict {
        case .stale: return completedNothing(id, plugin)
        case .already:
            guard !phase.isClosed else { return .closing }
            // A stopped task may be answered both by its callback and by its function, which do not
            // know of each other. Otherwise this is a second answer, unless it and the function's
            // return were simultaneous.
            let isSecond =
                !state.isReturned
                || (before.generation == task.generation && before.isClaimed)
            if state.reason == nil, isSecond {
                violations.report(
                    .completedTwice, "called complete",
                    "it was completed before; the first answer stands", task: id, plugin: plugin)
            }
            return .already
        case .expired:
            guard !phase.isClosed else { return .closing }
            violations.reportLateAnswer(
                .expired, "called complete",
                "its grace was over and the host had answered for it; this answer is not taken",
                task: id, plugin: plugin)
            return .expired
        case .accepted, .late:
            guard let handler = tasks.slot(task).handlerQueue else { return .stale }
            let slot = tasks.slot(task)
            // The claim keeps the slot, and the record is not read before it is published.
            if status != .ok {
                if let error, !error.isEmpty {
                    write(String(decoding: error, as: UTF8.self), or: status, to: slot)
                } else {
                    write("", or: status, to: slot)
                }
            }
            if !result.isEmpty { tasks.record(of: slot).setResult(copy.take()) }
            if wasPending { deadlines.pendingEnded() }
            publish(task, handler, state, armed: wasPending || verdict == .late)
            return verdict == .late ? .late : .ok
        }
    }

    /// Ends a task without a record in one exchange. Returns false when it needs the general path.
    ///
    /// Without a record there is nothing to store, and no thread that waits for the task, which
    /// would hold a reference.
    private func completeAtOnce(_ task: TaskReference) -> Bool {
        let slot = tasks.slot(task)
        let word = slot.pointee.word.load(ordering: .acquiring)
        let state = TaskStateMachine(word: word)
        guard state.generation == task.generation, let handler = slot.handlerQueue else {
            return false
        }
        let over = TaskEnding(task: task, slot: slot, handler: handler).decide(
            in: tasks, events,
            exchange: { wanted in
                guard let over = state.completed(queueingDone: wanted),
                    slot.pointee.record.load(ordering: .acquiring) == 0,
                    slot.pointee.word.compareExchange(
                        expected: word, desired: over.word, ordering: .sequentiallyConsistent
                    ).exchanged
                else { return nil }
                return over
            },
            decided: {
                if state.isReturned { deadlines.disarmPending(task) }
                handler.count(.succeeded)
            }, late: { (.succeeded, "") }, unwanted: { events.countUnwanted() })
        guard let over else { return false }
        phase.progressed()
        noLongerAwaited(task, handler)
        if over.generation != task.generation { tasks.free(task) }
        return true
    }

    /// Handles an answer for a task that is gone, usually because it was answered before.
    private func completedNothing(_ id: UInt64, _ plugin: Int32) -> Status {
        guard !phase.isClosed else { return .closing }
        if violations.isOthers(id, than: plugin) {
            return violations.cannotReach(id, "complete", plugin: plugin)
        }
        violations.reportLateAnswer(
            .stale, "called complete for task \(id)",
            "it is over and its last reference is gone; this answer is not taken",
            task: 0, plugin: plugin)
        return .stale
    }

    // MARK: The grace, and what comes after it

    /// Answers for the plugin at the end of the grace. Returns true unless it has answered itself.
    @discardableResult
    func graceOver(_ task: TaskReference) -> Bool {
        let end = { [self] in tasks.pinning(task) { graceOver(task, $0) } ?? false }
        return tasks.slot(task).handlerQueue.flatMap(ChildPort.of)?.decide(task, end) ?? end()
    }

    private func graceOver(_ task: TaskReference, _ slot: TaskSlotPointer) -> Bool {
        // Stored before the step, so that a thread that sees the new state sees its deadline.
        let isRemote = slot.handlerQueue?.pointee.code.port != nil
        let limit = isRemote ? configuration.killAfter : configuration.lostAfter
        let deadline = clock.now() &+ limit
        slot.pointee.deadline.store(deadline, ordering: .releasing)
        var wasPending = false
        let (decided, state) = mustStep(task) { machine in
            wasPending = machine.isReturned
            return machine.graceOver()
        }
        guard decided, let handler = slot.handlerQueue else { return false }
        if wasPending {
            deadlines.pendingEnded()
        } else {
            deadlines.arm(task, deadline: deadline)
        }
        if let graceOver = handler.pointee.code.graceOver {
            if graceOver(handler.pointee.code.data, tasks.publicID(task)) { return true }
        } else {
            // Never decremented: a late answer may find the slot reused, and then looks like none.
            unanswered.wrappingAdd(1, ordering: .relaxed)
        }
        publish(task, handler, state, armed: false)
        return true
    }

    /// Publishes the end of a task whose grace was over before, for its handler's code. Called once.
    func publishEnd(of id: UInt64) {
        guard let task = tasks.find(id) else { return }
        _ = tasks.pinning(task) { slot in
            guard let handler = slot.handlerQueue else { return }
            publish(task, handler, slot.state, armed: false)
        }
    }

    /// Gives a worker up as lost that has not returned within the second limit after the grace.
    /// `willTell` is called before the log is written.
    func loseWorker(_ task: TaskReference, willTell: () -> Void) {
        if let handler = tasks.slot(task).handlerQueue, let port = ChildPort.of(handler) {
            return port.isStuck(task)
        }
        // Read before the step: afterwards the function may return and the slot be reused.
        guard let cell = tasks.slot(task).handlerQueue,
            let (lost, _) = tasks.step(task, { $0.lose() }), lost
        else { return }
        let handler = handlers[cell.pointee.index]
        lostWorkers.wrappingAdd(1, ordering: .sequentiallyConsistent)
        let count = cell.pointee.lost.wrappingAdd(1, ordering: .sequentiallyConsistent).newValue
        var gate = HandlerQueue.Gate.quarantined
        if count >= configuration.lostLimit { gate |= HandlerQueue.Gate.exhausted }
        let seconds = Double(configuration.lostAfter / 1_000_000) / 1_000
        let reason =
            "a task did not return within \(seconds) s after its grace; its worker is lost"
        handler.closed = .quarantined(reason)
        cell.pointee.gate.bitwiseOr(gate, ordering: .sequentiallyConsistent)
        stateChanged(handler)
        // The worker may have returned meanwhile.
        reopenIfFew(cell)
        // Frees the place, so that the handler can run again after its release from quarantine.
        leavePlace(cell)
        pool(of: cell.pointee.kind).lose(for: self)
        willTell()
        violations.report(
            .lostWorker, "did not return within \(seconds) s after its grace",
            "its worker is lost and the handler quarantined; release the handler once it is mended",
            task: tasks.publicID(task), plugin: cell.pointee.plugin,
            handler: handler.description.identifier)
        gateIsShut(cell)
    }

    /// Handles a lost worker that has returned. Its thread ends.
    private func workerCameBack(_ handler: HandlerQueuePointer) {
        lostWorkers.wrappingSubtract(1, ordering: .sequentiallyConsistent)
        handler.pointee.lost.wrappingSubtract(1, ordering: .sequentiallyConsistent)
        reopenIfFew(handler)
        let record = handlers[handler.pointee.index]
        log(
            .info, record.plugin.isEmpty ? nil : record.plugin, 0,
            "a lost worker of \"\(record.description.identifier)\" has come back")
    }

    /// Reopens a handler below its limit of lost workers, unless it is quarantined or paused.
    private func reopenIfFew(_ handler: HandlerQueuePointer) {
        guard
            handler.pointee.lost.load(ordering: .sequentiallyConsistent)
                < configuration.lostLimit
        else { return }
        let before = handler.pointee.gate.bitwiseAnd(
            ~HandlerQueue.Gate.exhausted, ordering: .sequentiallyConsistent
        ).oldValue
        if before & HandlerQueue.Gate.exhausted != 0 { reopen(handler) }
    }

    /// Ends a task that a process of its plugin had taken, and that has ended with the process.
    ///
    /// - Parameters:
    ///   - outcome: `crashed`, or `interrupted` where the host has ended the process.
    ///   - text: of the done event.
    func processEnded(_ task: TaskReference, _ outcome: Outcome, _ text: String) {
        let slot = tasks.slot(task)
        let before = slot.state
        guard before.generation == task.generation, let handler = slot.handlerQueue else { return }
        if !before.isClaimed { write(text, or: .failed, to: slot) }
        guard let (isDecided, state) = tasks.step(task, { $0.processEnded(outcome) }) else {
            return
        }
        if isDecided {
            if before.isReturned { deadlines.pendingEnded() }
            publish(task, handler, state, armed: true)
        } else {
            freeIfDone(task, state)
        }
    }

    /// Ends a pending task whose last reference was released without a completion.
    func abandoned(_ task: TaskReference, _ claimed: TaskStateMachine) {
        guard let handler = tasks.slot(task).handlerQueue else { return }
        deadlines.pendingEnded()
        if claimed.outcome == .abandoned {
            violations.report(
                .abandoned, "released its last reference",
                "it was pending and is not completed; it is abandoned",
                task: tasks.publicID(task), plugin: handler.pointee.plugin)
        }
        publish(task, handler, claimed, armed: true)
    }
}
