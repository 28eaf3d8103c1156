// SPDX-License-Identifier: Apache-2.0
package import PluginBridge
package import Scheduling
import Synchronization

extension TaskEngine {
    /// How an attempt to stop a task went.
    enum Stop {
        /// It is told to stop; its callback is the caller's to see to.
        case told
        /// It was never entered, and is over.
        case neverEntered
        case already
        case notStarted
        case stale
    }

    /// Tells a task to stop: the exchange, the expired event, the grace. Not the callback.
    func tellToStop(_ task: TaskReference, _ reason: StopReason) -> Stop {
        guard let (action, state) = tasks.step(task, { $0.stop(reason) }) else { return .stale }
        guard let handler = tasks.slot(task).handlerQueue else { return .stale }
        switch action {
        case .already: return .already
        case .notStarted: return .notStarted
        case .neverEntered:
            publish(task, handler, state, armed: false)
            return .neverEntered
        case .confirm:
            // From here to `callbackReturned` the slot is kept.
            let slot = tasks.slot(task)
            let record = tasks.record(of: slot)
            let grace = record.grace != 0 ? record.grace : handler.pointee.grace
            let graceEnd = clock.now() &+ grace
            let told = record.order.withLock { _ -> Bool in
                // Before the reason can be seen: whoever finds both compares this with the time.
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

    func callbackReturned(_ task: TaskReference) {
        let (_, state) = mustStep(task) { $0.callbackReturned() }
        freeIfDone(task, state)
        phase.progressed()
    }

    /// A queued task that nobody will start any more.
    func interruptQueued(_ task: TaskReference) {
        guard !tasks.slot(task).state.isEntered else { return }
        // A worker may have entered it since: then it is told to stop as any other.
        if tellToStop(task, .shutdown) == .told { deadlines.call(task) }
    }

    func stop(_ id: UInt64, _ reason: StopReason) -> Status {
        guard let task = tasks.find(id) else { return .stale }
        switch tellToStop(task, reason) {
        case .told:
            deadlines.call(task)
            return .ok
        case .neverEntered:
            if let handler = tasks.slot(task).handlerQueue { sweep(handler) }
            return .ok
        case .already: return .already
        case .notStarted: return .wrongState
        case .stale: return .stale
        }
    }

    /// Cancels a task: one that has not started never will; one that runs is told to stop.
    package func cancel(_ id: UInt64) -> Status { stop(id, .cancelled) }

    /// Tells a running task to stop, for `condition` or `host`.
    package func stopTask(_ id: UInt64, _ reason: StopReason) -> Status {
        guard reason == .condition || reason == .host else { return .invalid }
        return stop(id, reason)
    }

    /// Holds a task back that has not started.
    package func hold(_ id: UInt64) -> Status {
        guard let task = tasks.find(id), let (action, _) = tasks.step(task, { $0.hold() }) else {
            return .stale
        }
        switch action {
        case .done: return .ok
        case .already: return .already
        case .wrongState: return .wrongState
        }
    }

    /// Lets a task go that was held back.
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
        // As in `launch`: a shutdown that has begun may not have seen it.
        if !phase.isOpen { interruptQueued(task) }
        return .ok
    }
}
