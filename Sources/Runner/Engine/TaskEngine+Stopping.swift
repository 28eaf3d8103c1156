// SPDX-License-Identifier: Apache-2.0
package import PluginBridge
package import Scheduling
import Synchronization

extension TaskEngine {
    enum Stop {
        /// The task was told to stop; the caller arranges its callback.
        case told
        case neverEntered
        case already
        case notStarted
        case stale
    }

    /// Stops a task: exchange, expired event, grace. The callback is left to the caller.
    func tellToStop(_ task: TaskReference, _ reason: StopReason) -> Stop {
        guard let port = tasks.slot(task).handlerQueue.flatMap(ChildPort.of) else {
            return stopNow(task, reason)
        }
        let endsQueued = reason == .cancelled || reason == .shutdown || reason == .lease
        return port.decide(task, recalls: endsQueued) { stopNow(task, reason) }
    }

    private func stopNow(_ task: TaskReference, _ reason: StopReason) -> Stop {
        guard let (action, state) = tasks.step(task, { $0.stop(reason) }) else { return .stale }
        guard let handler = tasks.slot(task).handlerQueue else { return .stale }
        switch action {
        case .already: return .already
        case .notStarted: return .notStarted
        case .neverEntered:
            publish(task, handler, state, armed: false)
            return .neverEntered
        case .confirm:
            // The slot is kept from here to `callbackReturned`.
            let slot = tasks.slot(task)
            let record = tasks.record(of: slot)
            let grace = record.grace != 0 ? record.grace : handler.pointee.grace
            let graceEnd = clock.now() &+ grace
            let told = record.order.withLock { _ -> Bool in
                // Stored before the reason: a thread that sees the reason sees this deadline.
                slot.pointee.deadline.store(graceEnd, ordering: .releasing)
                let (confirmed, after) = mustStep(task) { $0.stopConfirmed(reason) }
                guard confirmed else {
                    freeIfDone(task, after)
                    return false
                }
                if let expired = directory.entry(handler.pointee.expiredEvent),
                    events.raiseIfWanted(expired, task: tasks.publicID(task), []).isQueued
                {
                    _ = mustStep(task) { $0.noteRaised() }
                }
                return true
            }
            guard told else { return .already }
            deadlines.arm(task, deadline: graceEnd)
            return .told
        }
    }

    /// Arranges the callback of a task that was told to stop.
    func callBack(_ task: TaskReference) {
        let handler = tasks.slot(task).handlerQueue
        if handler?.pointee.code.expired == nil {
            callbackReturned(task)
        } else if let port = handler.flatMap(ChildPort.of) {
            if !port.callBack(task) { callbackReturned(task) }
        } else {
            deadlines.call(task)
        }
    }

    func callbackReturned(_ task: TaskReference) {
        let (_, state) = mustStep(task) { $0.callbackReturned() }
        freeIfDone(task, state)
        phase.progressed()
    }

    /// Interrupts a queued task that will not be started.
    func interruptQueued(_ task: TaskReference) {
        guard !tasks.slot(task).state.isEntered else { return }
        // A worker may have entered it since; then it is stopped like any running task.
        if tellToStop(task, .shutdown) == .told { callBack(task) }
    }

    func stop(_ id: UInt64, _ reason: StopReason) -> Status {
        guard let task = tasks.find(id) else { return .stale }
        switch tellToStop(task, reason) {
        case .told:
            callBack(task)
            return .ok
        case .neverEntered:
            if let handler = tasks.slot(task).handlerQueue { sweep(handler) }
            return .ok
        case .already: return .already
        case .notStarted: return .wrongState
        case .stale: return .stale
        }
    }

    /// Cancels a task: a queued one never starts, a running one is told to stop.
    package func cancel(_ id: UInt64) -> Status { stop(id, .cancelled) }

    /// Ends a task as a shutdown does: a queued one never starts, a running one is told to stop and counts as
    /// interrupted.
    package func interrupt(_ id: UInt64) -> Status { stop(id, .shutdown) }

    package func stopTask(_ id: UInt64, _ reason: StopReason) -> Status {
        guard reason == .condition || reason == .host else { return .invalid }
        return stop(id, reason)
    }

    /// Parks a task that has not started.
    package func hold(_ id: UInt64) -> Status {
        guard let task = tasks.find(id) else { return .stale }
        let step = { [tasks] in tasks.step(task) { $0.hold() } }
        let port = tasks.slot(task).handlerQueue.flatMap(ChildPort.of)
        guard let (action, _) = port?.decide(task, recalls: true, step) ?? step() else {
            return .stale
        }
        switch action {
        case .done: return .ok
        case .already: return .already
        case .wrongState: return .wrongState
        }
    }

    /// Queues a parked task again.
    package func resumeTask(_ id: UInt64) -> Status {
        guard let task = tasks.find(id), let (action, _) = tasks.step(task, { $0.resume() }) else {
            return .stale
        }
        switch action {
        case .done: return .ok
        case .already: return .already
        case .wrongState: return .wrongState
        case .requeue: break
        }
        guard let handler = tasks.slot(task).handlerQueue else { return .stale }
        handler.pointee.requeued.wrappingAdd(1, ordering: .relaxed)
        guard case .success = handler.add(tasks, existing: task, prepare: { _ in }) else {
            handler.pointee.requeued.wrappingSubtract(1, ordering: .relaxed)
            let (aside, state) = mustStep(task) { $0.requeueFailed() }
            freeIfDone(task, state)
            return aside ? .busy : .already
        }
        callWorker(handler)
        // As in `launch`: a shutdown that has begun may have missed the task.
        if !phase.isOpen { interruptQueued(task) }
        return .ok
    }
}
