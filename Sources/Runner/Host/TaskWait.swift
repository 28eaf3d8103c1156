// SPDX-License-Identifier: Apache-2.0
import CSystem
import PluginBridge
import Scheduling
import Synchronization

/// Waits until a task is over, on threads that may: on the loop's own thread it runs the loop meanwhile.
struct TaskWait {
    let engine: TaskEngine
    let loop: EventLoop

    /// Waits for a task, at most `timeout` ns of real time.
    func wait(_ id: UInt64, timeout: UInt64) -> (status: Status, state: TaskState?) {
        let role = loop.threads.role
        switch role {
        case .worker, .watcher, .loading, .logging: return (.wrongThread, nil)
        case .loop where loop.isTooDeep: return (.exhausted, nil)
        case .loop, .other: break
        }
        guard let task = engine.tasks.find(id) else { return (.stale, nil) }
        let until = EventLoop.deadline(after: timeout)
        let isFree = role == .other && !loop.isEmbedders
        var looks = isFree && timeout > 0
        let state = engine.tasks.slot(task).state
        if state.generation == task.generation {
            if state.isOver, let over = engine.query(id) { return (.ok, over) }
            // What the embedder keeps needs no other reference for so long; to take one would take
            // the slot's line from the worker that is about to run the task.
            if looks, state.embedderReferences > 0 {
                if lookBriefly(task, until), let over = engine.query(id) { return (.ok, over) }
                looks = false
            }
        }
        // Where the embedder holds all references it can, one of them keeps the task.
        let kept = engine.keep(id)
        guard kept == .ok || kept == .exhausted else { return (kept, nil) }
        defer { if kept == .ok { _ = engine.release(id) } }
        let status = looks && lookBriefly(task, until) ? .ok : sleep(task, until)
        let last = engine.query(id)
        return (last == nil ? .stale : status, last)
    }

    /// Looks between two yields. To sleep and to be woken costs more than most tasks take. Where a
    /// worker has a core to itself, it ends its task during these looks; where it shares this one, it
    /// needs it, and soon: yielding only seldom, or never, was ten times as slow there.
    private static let yieldEvery = 8

    /// Nanoseconds of looking at most: as long as it takes to wake a worker on another core.
    private static let lookLimit: UInt64 = 50_000

    /// True once the task is over.
    private func lookBriefly(_ task: TaskReference, _ until: UInt64) -> Bool {
        let slot = engine.tasks.slot(task)
        let end = min(until, csys_monotonic_ns() &+ Self.lookLimit)
        while true {
            for _ in 1..<Self.yieldEvery {
                let state = slot.state
                if state.isOver || state.generation != task.generation { return true }
                csys_pause()
            }
            let now = csys_monotonic_ns()
            guard loop.phase.isOpen, now < end, loop.threads.cores.yield(at: now) else {
                return false
            }
        }
    }

    /// Sleeps, or turns the loop, until the task is over or nothing more can be waited for.
    private func sleep(_ task: TaskReference, _ until: UInt64) -> Status {
        let slot = engine.tasks.slot(task)
        while true {
            let word = slot.pointee.sleepers.prepare()
            let state = TaskStateMachine(
                word: slot.pointee.word.load(ordering: .sequentiallyConsistent))
            if state.isOver || state.generation != task.generation { return .ok }
            if !loop.phase.isOpen { return .closing }
            if csys_monotonic_ns() >= until { return .timedOut }
            if loop.runWhileWaiting() {
                // Its done event is queued in any case here, and wakes this thread; so does a
                // shutdown, unless the turn has swallowed that signal.
                if !slot.state.isOver, loop.phase.isOpen {
                    loop.sleep(until: until)
                }
            } else {
                slot.pointee.sleepers.sleep(since: word, until: until)
            }
        }
    }
}
