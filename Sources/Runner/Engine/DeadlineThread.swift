// SPDX-License-Identifier: Apache-2.0
import CSystem
import PluginBridge
import Scheduling
import Synchronization

/// A thread that enforces deadlines and calls expiration callbacks.
///
/// All such threads are equal: each scans the worker cells and the timing wheel, handles one item
/// that is due, and sleeps until the earliest deadline it knows. It calls callbacks itself, because
/// a handover would cost a wake-up. A callback that blocks keeps only its own thread; the roster
/// makes another one take over the deadlines. The last thread without a callback calls none.
final class DeadlineThread {
    private static let atStart = 2

    private let engine: TaskEngine
    private let deadlines: Deadlines
    private let number: Int

    private init(_ engine: TaskEngine, _ number: Int) {
        self.engine = engine
        deadlines = engine.deadlines
        self.number = number
    }

    static func startFirst(of engine: TaskEngine) -> Bool {
        for _ in 0..<atStart {
            let number = engine.deadlines.state.withLock { $0.roster.join() }
            guard let number, start(number, of: engine) else { return false }
        }
        return true
    }

    private static func start(_ number: Int, of engine: TaskEngine) -> Bool {
        let thread = DeadlineThread(engine, number)
        if engine.threads.start({ thread.run() }) { return true }
        engine.deadlines.change { $0.resign(number) }
        return false
    }

    private func run() {
        csys_thread_name("curfew-watch")
        csys_thread_no_timer_slack()
        engine.threads.join(as: .deadline)
        pollDeadlines()
        engine.phase.progressed()
    }

    private enum Work {
        case call(TaskReference)
        case due(TaskReference)
        case nothing
        case stop
    }

    private func pollDeadlines() {
        var lead = WakeLead()
        while true {
            let seen = deadlines.sequence.pointee.load(ordering: .sequentiallyConsistent)
            deadlines.change { $0.scans(number) }
            let now = deadlines.clock.now()
            let cells = deadlines.scan(now: now)
            var next = cells.next
            if let task = cells.due {
                expire(task, next: next)
                continue
            }
            if let task = cells.stuck {
                loseWorker(task, next: next)
                continue
            }
            let work = deadlines.state.withLock { state -> Work in
                if state.hasCall(for: number) { return .call(state.calls.removeFirst()) }
                // Under the lock, so that no other thread overtakes this one.
                if let due = state.timers?.popDue(now: now), !state.stopping {
                    for work in due { engine.events.add(work) }
                }
                if let entry = state.wheel.popDue(now: now) {
                    return .due(TaskReference(bits: entry.value))
                }
                next = min(next, state.next ?? .max)
                return state.stopping ? .stop : .nothing
            }
            switch work {
            case .call(let task):
                callBack(task, next: next)
                continue
            case .due(let task):
                due(task, next: next)
                continue
            case .stop: return
            case .nothing: break
            }
            // Publish the time, then scan again: a worker stores its deadline, then reads the time.
            let until = deadlines.state.withLock { state -> UInt64? in
                guard !state.hasCall(for: number), !state.stopping else { return nil }
                next = min(next, state.next ?? .max)
                let until = state.roster.sleeps(number, next: next)
                deadlines.promise.pointee.store(
                    state.roster.promise, ordering: .sequentiallyConsistent)
                return until
            }
            guard let until else { continue }
            #if !(arch(x86_64) || arch(i386))
                atomicMemoryFence(ordering: .sequentiallyConsistent)
            #endif
            let again = deadlines.scan(now: now)
            if again.due != nil || again.stuck != nil || again.next < next { continue }
            if deadlines.clock.manual != nil || until == .max {
                csys_futex_wait(deadlines.sequence, seen, .max)
            } else if until == next {
                sleep(until, unlessAfter: seen, &lead)
            } else {
                // Another thread wakes up in time for `next`.
                csys_futex_wait(deadlines.sequence, seen, until)
            }
        }
    }

    /// Sleeps until exactly `until`, or until `sequence` differs from `seen`.
    private func sleep(_ until: UInt64, unlessAfter seen: UInt32, _ lead: inout WakeLead) {
        let asked = lead.before(until)
        var now = deadlines.clock.now()
        if now < asked {
            csys_futex_wait(deadlines.sequence, seen, asked)
            now = deadlines.clock.now()
            // Woken early, possibly by a signal.
            guard now >= asked else { return }
            lead.woke(at: now, asked: asked)
        }
        while now < until, deadlines.sequence.pointee.load(ordering: .relaxed) == seen {
            csys_pause()
            now = deadlines.clock.now()
        }
    }

    private func expire(_ task: TaskReference, next: UInt64) {
        guard engine.tellToStop(task, .budget) == .told else { return }
        if deadlines.tasks.slot(task).handlerQueue?.pointee.code.port != nil {
            engine.callBack(task)
        } else {
            callBack(task, next: next)
        }
    }

    /// Handles a deadline of the wheel; the task's state tells which one.
    private func due(_ task: TaskReference, next: UInt64) {
        if let handler = deadlines.tasks.slot(task).handlerQueue, let port = ChildPort.of(handler),
            port.isWaiting(task)
        {
            return
        }
        // Pinned, so that the read and the armed deadline belong to this task.
        let found = deadlines.tasks.pinning(task) { slot -> TaskStateMachine? in
            // The state is read first, because its deadline was written before it.
            let state = slot.state
            let deadline = slot.pointee.deadline.load(ordering: .acquiring)
            guard deadline > deadlines.clock.now() else { return state }
            // The entry is outdated; the current deadline may have been armed before it.
            if !state.isClaimed || !state.isReturned { deadlines.arm(task, deadline: deadline) }
            return nil
        }
        guard let found, let state = found else { return }
        if state.isClaimed {
            // A task completed by its plugin is found through the cells, some time later.
            let port = deadlines.tasks.slot(task).handlerQueue.flatMap(ChildPort.of)
            if port?.isOverdue(task) ?? (state.reason != nil && !state.isAnswered) {
                loseWorker(task, next: next)
            }
        } else if state.reason == nil {
            expire(task, next: next)
        } else {
            graceOver(task, next: next)
        }
    }

    private func graceOver(_ task: TaskReference, next: UInt64) {
        // An unreturned callback pins the task.
        let isInside = deadlines.state.withLock { $0.inside.contains { $0?.task == task } }
        let grace = isInside ? deadlines.tasks.pinning(task) { self.grace(of: $0) } : nil
        guard engine.graceOver(task), let grace else { return }
        let now = deadlines.clock.now()
        let handler = deadlines.state.withLock { state -> HandlerQueuePointer? in
            guard let place = state.inside.firstIndex(where: { $0?.task == task }),
                // A callback that has only just begun had no time yet.
                let call = state.inside[place],
                now &- call.since >= max(grace / 2, Self.leastGrace)
            else { return nil }
            state.inside[place]?.isReported = true
            return call.handler
        }
        guard let handler else { return }
        _ = handOver(next: next)
        slowCallback(
            handler, deadlines.tasks.publicID(task), "has not returned from its expiration callback"
        )
    }

    /// Minimum grace in nanoseconds for reporting a slow callback; on a busy machine a thread can
    /// wait that long for a processor.
    private static let leastGrace: UInt64 = 100_000_000

    private func grace(of slot: TaskSlotPointer) -> UInt64 {
        if let own = deadlines.tasks.existingRecord(of: slot)?.grace, own != 0 { return own }
        return slot.handlerQueue?.pointee.grace ?? 0
    }

    private func slowCallback(_ handler: HandlerQueuePointer, _ id: UInt64, _ did: String) {
        engine.violations.report(
            .slowCallback, did,
            "its grace is over, and a thread that watches deadlines was kept as long",
            task: id, plugin: handler.pointee.plugin,
            handler: engine.identifier(of: handler))
    }

    private func callBack(_ task: TaskReference, next: UInt64) {
        let slot = deadlines.tasks.slot(task)
        guard let handler = slot.handlerQueue else { return }
        let code = handler.pointee.code
        guard let expired = code.expired, !deadlines.state.withLock({ $0.stopping }) else {
            engine.callbackReturned(task)
            return
        }
        let (id, reason, grace) = (
            deadlines.tasks.publicID(task), slot.state.reason, grace(of: slot)
        )
        let since = deadlines.clock.now()
        let call = Deadlines.Call(task: task, handler: handler, since: since)
        guard handOver(next: next, call) else { return postpone(task) }
        expired(code.data, code.api, id, Int32(reason?.rawValue ?? 0))
        engine.children.endIfChild(task: id, plugin: handler.pointee.plugin)
        let isReported = deadlines.state.withLock { state in
            defer {
                state.inside[number] = nil
                state.roster.returns(number)
                state.isExhausted = false
            }
            return state.inside[number]?.isReported ?? false
        }
        engine.callbackReturned(task)
        // No deadline waits for this thread yet, so the log may take its time.
        if !isReported, deadlines.clock.now() &- since >= max(grace, Self.leastGrace) {
            slowCallback(handler, id, "has returned from its expiration callback only now")
        }
    }

    private func loseWorker(_ task: TaskReference, next: UInt64) {
        // The embedder's log function may block just as a callback may.
        engine.loseWorker(task) { _ = handOver(next: next) }
    }

    /// Lets a callback wait until another one returns.
    private func postpone(_ task: TaskReference) {
        let (blocked, isFirst) = deadlines.state.withLock { state in
            defer { state.isExhausted = true }
            state.calls.append(task)
            return (state.inside.count { $0 != nil }, !state.isExhausted)
        }
        guard isFirst else { return }
        let names = engine.handlersInCallbacks.map(\.description.identifier)
        engine.log(
            .error, nil, 0,
            "\(blocked) expiration callbacks of \(names.joined(separator: ", ")) have not returned, and no thread is left for another; further ones wait until one returns, while deadlines and graces are kept"
        )
    }

    /// Makes another thread take over the deadlines, before this one calls code that may block.
    /// Returns false if none can; then a callback must not be called.
    private func handOver(next: UInt64, _ call: Deadlines.Call? = nil) -> Bool {
        // The wheel holds more than the scan found, for example this task's own grace.
        let action = deadlines.state.withLock { state in
            let action = state.roster.calls(number, next: min(next, state.next ?? .max))
            if action != .exhausted { state.inside[number] = call }
            deadlines.promise.pointee.store(state.roster.promise, ordering: .sequentiallyConsistent)
            return action
        }
        switch action {
        case .none:
            // As before sleeping: publish, then scan once more. A worker that armed a deadline
            // during this thread's scan relied on it and sent no wake-up.
            #if !(arch(x86_64) || arch(i386))
                atomicMemoryFence(ordering: .sequentiallyConsistent)
            #endif
            let again = deadlines.scan(now: deadlines.clock.now())
            let earliest = again.due == nil && again.stuck == nil ? again.next : 0
            if earliest < deadlines.promise.pointee.load(ordering: .sequentiallyConsistent) {
                deadlines.wake()
            }
        case .wake: deadlines.wake()
        case .start(let added):
            if !Self.start(added, of: engine) {
                deadlines.state.withLock { $0.inside[number] = nil }
                deadlines.change { $0.scans(number) }
                return false
            }
        case .exhausted: return false
        }
        return true
    }
}
