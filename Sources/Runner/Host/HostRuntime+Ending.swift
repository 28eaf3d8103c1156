// SPDX-License-Identifier: Apache-2.0
import CCurfew
import CSystem
import PluginBridge
import Scheduling
import Synchronization

/// How tasks come to their end: one exchange decides, then the outcome is written down, then the
/// done event is queued.
extension HostRuntime {
    /// The function has returned something else than plain success. True when its worker was given
    /// up meanwhile.
    func functionReturned(
        _ task: TaskReference, _ handler: HandlerCellPointer, _ status: Status,
        _ error: UnsafeMutablePointer<curfew_error>
    ) -> Bool {
        // Until the next step this run keeps the slot from being freed.
        let slot = tasks.slot(task)
        let id = tasks.publicID(task)
        let wasLost: Bool
        // The host has answered for it meanwhile.
        var isTooLate = false
        if status == .pending {
            // Armed before it is pending, while nobody can free the slot and use it again.
            pathWatchers._withUnsafeGuaranteedRef { $0.armPending(task) }
            if handler.pointee.code.isOneAtATime {
                // In this order: whoever finds the task opens a gate that is closed already.
                handler.pointee.gate.bitwiseOr(
                    HandlerCell.Gate.awaited, ordering: .sequentiallyConsistent)
                handler.pointee.awaited.store(task.bits, ordering: .sequentiallyConsistent)
            }
            let (action, state) = mustStep(task) { machine in
                isTooLate = machine.isAnsweredFor
                return (machine.functionReturned(success: nil), machine.isLost)
            }
            if action.0 == .none {
                watchers.pendingEnded()
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
                publish(task, handler, state, armed: state.reason != nil)
                if status != .ok, !ErrorBuffer.isSound(error) {
                    misbehaved(
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
            answeredLate(
                .expired, "returned",
                "its grace was over and the host had answered for it; what it returned is not taken",
                task: id, plugin: handler.pointee.plugin, handler: identifier(of: handler))
        }
        return wasLost
    }

    /// A task of a handler that has one at a time is over. Others than the one that is awaited may
    /// be: cancelled in the queue, or decided before, by a thread that comes here late.
    private func noLongerAwaited(_ task: TaskReference, _ handler: HandlerCellPointer) {
        guard handler.pointee.code.isOneAtATime,
            handler.pointee.awaited.compareExchange(
                expected: task.bits, desired: 0, ordering: .sequentiallyConsistent
            ).exchanged
        else { return }
        let before = handler.pointee.gate.bitwiseAnd(
            ~HandlerCell.Gate.awaited, ordering: .sequentiallyConsistent
        ).oldValue
        if before & HandlerCell.Gate.awaited != 0 { reopen(handler) }
    }

    private func identifier(of handler: HandlerCellPointer) -> String? {
        self.handler(at: handler.pointee.index)?.description.identifier
    }

    /// A step of a task that somebody holds.
    func mustStep<Action>(
        _ task: TaskReference, _ body: (inout TaskStateMachine) -> Action
    ) -> (Action, TaskStateMachine) {
        guard let (action, state) = tasks.step(task, body) else {
            fatalError("a task was freed while it was held")
        }
        return (action, state)
    }

    func freeIfDone(_ task: TaskReference, _ state: TaskStateMachine) {
        if state.generation != task.generation { tasks.free(task) }
    }

    private func write(_ text: String, or status: Status, to slot: TaskSlotPointer) {
        var text = text
        if text.isEmpty {
            text =
                status == .failed || status.text == nil
                ? "the handler failed with status \(status.rawValue) and gave no reason"
                : status.description
        }
        text.withUTF8 { tasks.record(of: slot).setError(UnsafeRawBufferPointer($0)) }
    }

    /// The outcome of a claimed task is written down: from now on it can be read, and its done
    /// event goes out after all of the task's earlier ones.
    ///
    /// `armed`: the task has a deadline in the wheel that does not matter any more.
    func publish(
        _ task: TaskReference, _ handler: HandlerCellPointer, _ claimed: TaskStateMachine,
        armed: Bool
    ) {
        if isOfRequest(task, handler, claimed, armed: armed) { return }
        publishNow(task, handler, claimed, armed: armed)
    }

    func publishNow(
        _ task: TaskReference, _ handler: HandlerCellPointer, _ claimed: TaskStateMachine,
        armed: Bool
    ) {
        let slot = tasks.slot(task)
        var hasRaised = claimed.hasRaised
        if hasRaised || claimed.isCalling, let record = tasks.existingRecord(of: slot) {
            // Whoever queues an event of this task holds the lock, and has seen that it was not
            // claimed; the next one will see that it is.
            record.order.withLock { _ in }
            hasRaised = slot.state.hasRaised
        }
        if armed { watchers.disarm(task) }
        if let outcome = claimed.outcome { handler.count(outcome) }
        let wanted =
            events.wants(handler.pointee.doneTakers) || hasRaised
        // Held from before: somebody may release the task, or deliver its done event, the moment it
        // is published, and then the slot is another task's.
        let record = tasks.existingRecord(of: slot)
        let (_, state) = mustStep(task) { $0.publish(queueingDone: wanted) }
        if wanted {
            events.raiseDone(slot)
        } else if events.wants(handler.pointee.doneTakers), let outcome = claimed.outcome {
            // Somebody came between the look and the step, and may have seen it running.
            let text = record?.error.map { String(cString: $0) }
            events.raiseDone(
                handler.pointee.doneEvent, task: tasks.publicID(task), outcome,
                error: outcome.doneText ?? text ?? "")
        } else {
            events.counters.pointee.unwanted.wrappingAdd(1, ordering: .relaxed)
        }
        slot.pointee.sleepers.wake()
        // Whoever wants to be called says so before the last look at the state, and keeps the task.
        if slot.pointee.listened.load(ordering: .sequentiallyConsistent) != 0 {
            _ = tasks.pinning(task) { tasks.existingRecord(of: $0)?.announce() }
        }
        noLongerAwaited(task, handler)
        freeIfDone(task, state)
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
            misbehaved(
                .resultSize, "called complete with a result of \(result.count) bytes",
                "the limit is \(configuration.resultLimit); it is not completed",
                task: id, plugin: plugin)
            return .tooLarge
        }
        if status == .ok, result.isEmpty, completeAtOnce(task) { return .ok }
        let before = tasks.slot(task).state
        // Before the task is claimed, so that a refusal leaves it as it was.
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
            guard !closed else { return .closing }
            // One that was told to stop may be answered by its callback and by its function, which
            // cannot know of each other. Else it is a second answer, unless this one and the
            // function's return were on their way together.
            let isSecond =
                !state.isReturned
                || (before.generation == task.generation && before.isClaimed)
            if state.reason == nil, isSecond {
                misbehaved(
                    .completedTwice, "called complete",
                    "it was completed before; the first answer stands", task: id, plugin: plugin)
            }
            return .already
        case .expired:
            guard !closed else { return .closing }
            answeredLate(
                .expired, "called complete",
                "its grace was over and the host had answered for it; this answer is not taken",
                task: id, plugin: plugin)
            return .expired
        case .accepted, .late:
            guard let handler = tasks.slot(task).handlerCell else { return .stale }
            let slot = tasks.slot(task)
            // Nobody reads the record before it is published, and the claim keeps the slot.
            if status != .ok {
                if let error, !error.isEmpty {
                    write(String(decoding: error, as: UTF8.self), or: status, to: slot)
                } else {
                    write("", or: status, to: slot)
                }
            }
            if !result.isEmpty { tasks.record(of: slot).setResult(copy.take()) }
            if wasPending { watchers.pendingEnded() }
            publish(task, handler, state, armed: wasPending || verdict == .late)
            return verdict == .late ? .late : .ok
        }
    }

    /// The whole of a success in one exchange, where there is nothing to write down and nobody to
    /// tell: whoever waits for a task holds a reference. False: it has to go the ordinary way.
    private func completeAtOnce(_ task: TaskReference) -> Bool {
        let slot = tasks.slot(task)
        let word = slot.pointee.word.load(ordering: .acquiring)
        let state = TaskStateMachine(word: word)
        guard state.generation == task.generation, let handler = slot.handlerCell else {
            return false
        }
        func isWanted() -> Bool {
            pathEvents._withUnsafeGuaranteedRef { $0.wants(handler.pointee.doneTakers) }
        }
        let wanted = isWanted()
        guard let over = state.completed(queueingDone: wanted),
            slot.pointee.record.load(ordering: .acquiring) == 0,
            slot.pointee.word.compareExchange(
                expected: word, desired: over.word, ordering: .sequentiallyConsistent
            ).exchanged
        else { return false }
        if state.isReturned {
            pathWatchers._withUnsafeGuaranteedRef { $0.disarmPending(task) }
        }
        handler.count(.succeeded)
        if wanted {
            pathEvents._withUnsafeGuaranteedRef { $0.raiseDone(slot) }
        } else if isWanted() {
            // Somebody came between the look and the exchange, and may have seen it running.
            events.raiseDone(
                handler.pointee.doneEvent, task: tasks.publicID(task), .succeeded, error: "")
        } else {
            pathEvents._withUnsafeGuaranteedRef {
                _ = $0.counters.pointee.unwanted.wrappingAdd(1, ordering: .relaxed)
            }
        }
        noLongerAwaited(task, handler)
        if over.generation != task.generation { tasks.free(task) }
        return true
    }

    /// There is no such task any more: mostly the answer came after the host's own, or after
    /// another one of the plugin's.
    private func completedNothing(_ id: UInt64, _ plugin: Int32) -> Status {
        guard !closed else { return .closing }
        if isOthers(id, than: plugin) { return cannotReach(id, "complete", plugin: plugin) }
        answeredLate(
            .stale, "called complete for task \(id)",
            "it is over and its last reference is gone; this answer is not taken",
            task: 0, plugin: plugin)
        return .stale
    }

    var closed: Bool {
        stage.load(ordering: .acquiring) == HostStateMachine.State.closed.rawValue
    }

    /// A plugin sees only its own tasks.
    func mayTouch(_ task: TaskReference, _ plugin: Int32) -> Bool {
        tasks.slot(task).handlerCell?.pointee.plugin == plugin
    }

    // MARK: The grace, and what comes after it

    /// The grace of a task is over: if nobody has answered, the host does. True when that was so.
    @discardableResult
    func graceOver(_ task: TaskReference) -> Bool {
        tasks.pinning(task) { graceOver(task, $0) } ?? false
    }

    private func graceOver(_ task: TaskReference, _ slot: TaskSlotPointer) -> Bool {
        // Before the step: whoever finds the task so finds the deadline that belongs to it.
        let deadline = clock.now() &+ configuration.lostAfter
        slot.pointee.deadline.store(deadline, ordering: .releasing)
        var wasPending = false
        let (decided, state) = mustStep(task) { machine in
            wasPending = machine.isReturned
            return machine.graceOver()
        }
        guard decided, let handler = slot.handlerCell else { return false }
        // For good: its late answer may find the slot used again, and cannot be told from none.
        unanswered.wrappingAdd(1, ordering: .relaxed)
        if wasPending {
            watchers.pendingEnded()
        } else {
            watchers.arm(task, deadline: deadline)
        }
        publish(task, handler, state, armed: false)
        return true
    }

    /// The second limit after the grace has passed: a worker that has not come back is given up.
    /// `willTell` is called before the log is told.
    func loseWorker(_ task: TaskReference, willTell: () -> Void) {
        // Read before the step: after it the function may return, and the slot be another task's.
        guard let cell = tasks.slot(task).handlerCell,
            let handler = handler(at: cell.pointee.index),
            let (lost, _) = tasks.step(task, { $0.lose() }), lost
        else { return }
        lostWorkers.wrappingAdd(1, ordering: .sequentiallyConsistent)
        let count = cell.pointee.lost.wrappingAdd(1, ordering: .sequentiallyConsistent).newValue
        var gate = HandlerCell.Gate.quarantined
        if count >= configuration.lostLimit { gate |= HandlerCell.Gate.exhausted }
        let seconds = Double(configuration.lostAfter / 1_000_000) / 1_000
        let reason =
            "a task did not return within \(seconds) s after its grace; its worker is lost"
        handler.quarantineReason = reason
        cell.pointee.gate.bitwiseOr(gate, ordering: .sequentiallyConsistent)
        standingChanged(handler)
        // It may have come back while this was written down.
        reopenIfFew(cell)
        // Its place is free again: once the quarantine is lifted, the handler can go on.
        cell.pointee.active.wrappingSubtract(1, ordering: .sequentiallyConsistent)
        lane(cell.pointee.kind).lose()
        willTell()
        misbehaved(
            .lostWorker, "did not return within \(seconds) s after its grace",
            "its worker is lost and the handler quarantined; lift that once it is mended",
            task: tasks.publicID(task), plugin: cell.pointee.plugin,
            handler: handler.description.identifier)
        gateIsShut(cell)
    }

    /// A lost worker has come back after all. Its thread ends.
    private func workerCameBack(_ handler: HandlerCellPointer) {
        lostWorkers.wrappingSubtract(1, ordering: .sequentiallyConsistent)
        handler.pointee.lost.wrappingSubtract(1, ordering: .sequentiallyConsistent)
        reopenIfFew(handler)
        if let record = self.handler(at: handler.pointee.index) {
            log(
                .info, pluginID(handler.pointee.plugin), 0,
                "a lost worker of \"\(record.description.identifier)\" has come back")
        }
    }

    /// A handler that has fewer lost workers than it may goes on, unless it is quarantined or paused.
    private func reopenIfFew(_ handler: HandlerCellPointer) {
        guard
            handler.pointee.lost.load(ordering: .sequentiallyConsistent)
                < configuration.lostLimit
        else { return }
        let before = handler.pointee.gate.bitwiseAnd(
            ~HandlerCell.Gate.exhausted, ordering: .sequentiallyConsistent
        ).oldValue
        if before & HandlerCell.Gate.exhausted != 0 { reopen(handler) }
    }

    /// The last reference of a pending task went without a completion.
    func abandoned(_ task: TaskReference, _ claimed: TaskStateMachine) {
        guard let handler = tasks.slot(task).handlerCell else { return }
        watchers.pendingEnded()
        if claimed.outcome == .abandoned {
            misbehaved(
                .abandoned, "released its last reference",
                "it was pending and nobody has completed it; it is abandoned",
                task: tasks.publicID(task), plugin: handler.pointee.plugin)
        }
        publish(task, handler, claimed, armed: true)
    }
}
