// SPDX-License-Identifier: Apache-2.0
import CSystem
import PluginBridge
import Scheduling
import Synchronization

/// Waits for the end of a task; on the loop's thread it runs the loop meanwhile.
struct TaskWait {
    let engine: TaskEngine
    let loop: EventLoop

    /// Waits at most `timeout` ns of real time.
    func wait(_ id: UInt64, timeout: UInt64) -> (status: Status, state: TaskState?) {
        let role = loop.threads.role
        switch role {
        case .worker, .deadline, .loading, .logging, .channel: return (.wrongThread, nil)
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
            // The embedder's reference keeps the task long enough. Taking another one would take
            // the slot's cache line from the worker that is about to run the task.
            let isRemote = engine.tasks.slot(task).handlerQueue?.pointee.code.port != nil
            if looks, state.embedderReferences > 0, !isRemote {
                if lookBriefly(task, until), let over = engine.query(id) { return (.ok, over) }
                looks = false
            }
        }
        // If the embedder holds the maximum of references, one of them keeps the task.
        let kept = engine.keep(id)
        guard kept == .ok || kept == .exhausted else { return (kept, nil) }
        defer { if kept == .ok { _ = engine.release(id) } }
        if isFree, let port = engine.tasks.slot(task).handlerQueue.flatMap(ChildPort.of) {
            _ = port.wait(for: task, until: until) { !loop.phase.isOpen }
            looks = false
        }
        let status = looks && lookBriefly(task, until) ? .ok : sleep(task, until)
        let last = engine.query(id)
        return (last == nil ? .stale : status, last)
    }

    /// Polls between two yields. Sleeping and waking costs more than most tasks take.
    ///
    /// A worker with a core of its own ends its task during these polls; one that shares this core
    /// needs it soon: yielding seldom or never was ten times as slow there.
    private static let yieldEvery = 8

    /// Maximum polling time in nanoseconds: as long as it takes to wake a worker on another core.
    private static let lookLimit: UInt64 = 50_000

    /// Returns true once the task is over.
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

    /// Sleeps or runs the loop until the task is over, the time is up or the host closes.
    private func sleep(_ task: TaskReference, _ until: UInt64) -> Status {
        let slot = engine.tasks.slot(task)
        func isOver() -> Bool { slot.state.isOver || slot.state.generation != task.generation }
        while true {
            // An announced sleeper costs the thread that ends the next task of the slot a system call.
            if isOver() { return .ok }
            let word = slot.pointee.sleepers.prepare()
            let state = TaskStateMachine(
                word: slot.pointee.word.load(ordering: .sequentiallyConsistent))
            if state.isOver || state.generation != task.generation { return .ok }
            if !loop.phase.isOpen { return .closing }
            if csys_monotonic_ns() >= until { return .timedOut }
            if loop.runWhileWaiting() {
                // The task's done event is always queued here and wakes this thread. So does a
                // shutdown, after it has changed the phase.
                loop.sleep(until: until) { slot.state.isOver || !loop.phase.isOpen }
            } else {
                slot.pointee.sleepers.sleep(since: word, until: until)
            }
        }
    }
}
