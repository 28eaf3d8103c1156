// SPDX-License-Identifier: Apache-2.0
import CCurfew
import CSystem
import PluginBridge
import Scheduling
import Synchronization

/// A thread that runs handlers.
final class Worker {
    /// Rounds of looking before a worker sleeps, some 30 us; it gives way to others often, which on
    /// few cores is what lets the others produce something to find: where a launcher shares its core
    /// with the worker, it waits for that, and a pause can take 45 ns.
    private static let searchRounds = 400
    private static let yieldEvery = 8
    /// After so long with one handler a worker gives way to others that are ready, in nanoseconds.
    private static let turn: UInt64 = 1_000_000

    private let lane: Lane
    private let host: HostRuntime
    private let cell: UnsafeMutablePointer<WorkerCell>
    private let error: UnsafeMutablePointer<curfew_error>

    private init(lane: Lane, host: HostRuntime, cell: UnsafeMutablePointer<WorkerCell>) {
        self.lane = lane
        self.host = host
        self.cell = cell
        error = .allocate(capacity: 1)
        error.initialize(to: curfew_error())
        error.pointee.struct_size = UInt32(MemoryLayout<curfew_error>.size)
    }

    deinit { error.deallocate() }

    /// Starts a worker that is searching. False when there is no thread to be had.
    static func start(in lane: Lane, host: HostRuntime) -> Bool {
        guard let cell = host.workerCells.take() else { return false }
        let worker = Worker(lane: lane, host: host, cell: cell)
        let raw = Unmanaged.passRetained(worker)
        let isStarted = host.threads.start(
            { Unmanaged<Worker>.fromOpaque($0!).takeRetainedValue().work() }, raw.toOpaque(),
            stackBytes: lane.workers.stackBytes)
        guard !isStarted else { return true }
        raw.release()
        host.workerCells.giveBack(cell)
        return false
    }

    private func work() {
        csys_thread_name(lane.kind == .appRefresh ? "curfew-refresh" : "curfew-process")
        if lane.workers.nice != 0 { csys_thread_nice(lane.workers.nice) }
        if lane.workers.ioPriority != 0 { csys_thread_io_priority(lane.workers.ioPriority) }
        csys_set_thread_owner(Unmanaged.passUnretained(host).toOpaque(), ThreadRole.worker.rawValue)
        let free = UnsafeMutablePointer<FreeTasks>.allocate(capacity: 1)
        free.initialize(to: FreeTasks())
        // What a handler completes on this thread is freed into it, too.
        csys_set_thread_stash(Unmanaged.passUnretained(host.tasks).toOpaque(), free)
        while let handler = nextHandler(free) {
            guard drain(handler, free) else { break }
            lane.search()
        }
        csys_set_thread_stash(nil, nil)
        free.pointee.close(host.tasks)
        free.deallocate()
        host.workerCells.giveBack(cell)
    }

    /// Looks for a handler, then sleeps until there is one. Nil when the worker has to leave.
    private func nextHandler(_ free: UnsafeMutablePointer<FreeTasks>) -> HandlerCellPointer? {
        while true {
            for round in 1...Self.searchRounds {
                if let handler = lane.take() { return handler }
                guard round % Self.yieldEvery == 0 else {
                    csys_pause()
                    continue
                }
                if !host.cores.giveWay() { break }
            }
            free.pointee.flush(host.tasks)
            switch lane.rest(cell) {
            case .work(let handler): return handler
            case .stop: return nil
            case .sleep:
                while cell.pointee.wake.load(ordering: .sequentiallyConsistent) == 0 {
                    csys_futex_wait(cell.wakeWord, 0, .max)
                }
            }
        }
    }

    /// Runs a handler's tasks until there is none, others are ready, or it must not go on. False
    /// when this worker was given up meanwhile and has to leave.
    private func drain(_ handler: HandlerCellPointer, _ free: UnsafeMutablePointer<FreeTasks>)
        -> Bool
    {
        let host = host
        let tasks = host.tasks
        let events: EventLoop = host.events
        let clock = host.clock
        let watchers: Watchers = host.watchers
        let cell = cell
        let process = host.processMark
        let alone = handler.pointee.maxConcurrency == 1
        var began: UInt64 = 0
        while true {
            var replacement: UInt64 = 0
            if !tasks.isTight {
                if free.pointee.count == 0 { free.pointee.refill(tasks) }
                replacement = free.pointee.top
            }
            if replacement != 0 {
                free.pointee.askAhead(tasks)
                tasks.slot(TaskReference(bits: replacement)).pointee.handler.store(
                    UInt(bitPattern: handler), ordering: .relaxed)
            }
            guard handler.pointee.gate.load(ordering: .acquiring) == 0,
                let bits = handler.take(replacement: replacement)
            else {
                if waitForMore(handler) { continue }
                cell.pointee.task.store(0, ordering: .releasing)
                if leave(handler) { return true }
                continue
            }
            if replacement != 0 { free.pointee.drop() }

            let task = TaskReference(bits: bits)
            let slot = tasks.slot(task)
            let now = clock.now()
            if began == 0 { began = csys_monotonic_ns() }
            var budget = handler.pointee.budget
            // Without counting references: the run holds the task, and that its record.
            var request: Unmanaged<TaskRecord>?
            if slot.pointee.record.load(ordering: .acquiring) != 0,
                let record = tasks.existingRecord(of: slot)
            {
                if record.budget != 0 { budget = record.budget }
                if record.ticket != nil { request = Unmanaged.passUnretained(record) }
            }
            let deadline = now &+ budget
            slot.pointee.startedAt.store(now, ordering: .relaxed)
            slot.pointee.deadline.store(deadline, ordering: .relaxed)
            // Arming: the deadline, then the task, then the full barrier of `enter`, then the look
            // at when the watchers look next. A watcher says when it will look, then looks.
            cell.pointee.deadline.store(deadline, ordering: .relaxed)
            cell.pointee.task.store(bits, ordering: .releasing)
            guard let (action, entered) = tasks.step(task, { $0.enter() }) else {
                fatalError("a queued task was freed")
            }
            #if !(arch(x86_64) || arch(i386))
                // There an exchange does not keep the two stores above from passing the load below.
                atomicMemoryFence(ordering: .sequentiallyConsistent)
            #endif
            switch action {
            case .run: break
            case .skip:
                if entered.generation != task.generation, let next = tasks.clear(task) {
                    free.pointee.add(next, tasks)
                }
                continue
            case .park: continue
            }
            watchers.wake(before: deadline)

            ErrorBuffer.reset(error)
            let code = handler.pointee.code
            let spent = request == nil ? 0 : csys_thread_cpu_ns()
            let status = code.run(code.data, code.api, tasks.publicID(task), error)
            if !csys_is_process(process) {
                host.endChild(task: tasks.publicID(task), plugin: handler.pointee.plugin)
            }

            // Before its end is written down.
            request?._withUnsafeGuaranteedRef {
                $0.cpu.store(csys_thread_cpu_ns() &- spent, ordering: .releasing)
            }
            var lost = false
            let word = slot.pointee.word.load(ordering: .acquiring)
            let wanted = events.wants(handler.pointee.doneTakers)
            // The end of a request is written down first.
            if status == 0, request == nil,
                let over = TaskStateMachine(word: word).finished(queueingDone: wanted),
                slot.pointee.word.compareExchange(
                    expected: word, desired: over.word, ordering: .sequentiallyConsistent
                ).exchanged
            {
                // Counted before the event can be seen.
                if alone {
                    handler.pointee.successes.store(
                        handler.pointee.successes.load(ordering: .relaxed) &+ 1,
                        ordering: .releasing)
                } else {
                    handler.pointee.successes.wrappingAdd(1, ordering: .releasing)
                }
                if wanted {
                    events.raiseDone(slot)
                } else if events.wants(handler.pointee.doneTakers) {
                    // Somebody came between the look and the exchange, and may have seen it running.
                    if let next = tasks.clear(task) { free.pointee.add(next, tasks) }
                    events.raiseDone(
                        handler.pointee.doneEvent, task: tasks.publicID(task), .succeeded, error: ""
                    )
                } else {
                    cell.pointee.untaken.store(
                        cell.pointee.untaken.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
                    if let next = tasks.clear(task) { free.pointee.add(next, tasks) }
                }
            } else if status == 0, let over = TaskStateMachine(word: word).returnedWhenOver,
                slot.pointee.word.compareExchange(
                    expected: word, desired: over.word, ordering: .sequentiallyConsistent
                ).exchanged
            {
                // Completed by its function, told to whom it may concern, and nobody's any more.
                if let next = tasks.clear(task) { free.pointee.add(next, tasks) }
            } else {
                lost = host.functionReturned(task, handler, Status(rawValue: status), error)
            }
            if lost {
                cell.pointee.task.store(0, ordering: .releasing)
                return false
            }
            // In real time: others wait in real time too, whatever the host's clock.
            if lane.readyCount.load(ordering: .relaxed) > 0,
                csys_monotonic_ns() &- began > Self.turn
            {
                cell.pointee.task.store(0, ordering: .releasing)
                lane.add(handler)
                return true
            }
        }
    }

    /// The queue is empty: looks at it for a while. True when there is something.
    private func waitForMore(_ handler: HandlerCellPointer) -> Bool {
        for round in 1...Self.searchRounds {
            guard handler.pointee.gate.load(ordering: .acquiring) == 0,
                lane.readyCount.load(ordering: .relaxed) == 0
            else { return false }
            if handler.hasNext { return true }
            guard round % Self.yieldEvery == 0 else {
                csys_pause()
                continue
            }
            guard host.cores.giveWay() else { return false }
        }
        return false
    }

    /// Gives the handler's place up. False when a task came meanwhile and the place was taken again.
    private func leave(_ handler: HandlerCellPointer) -> Bool {
        handler.pointee.active.wrappingSubtract(1, ordering: .sequentiallyConsistent)
        // A launcher adds, then looks at `active`; this is the other half.
        guard !handler.isQueueEmpty else { return true }
        guard handler.pointee.gate.load(ordering: .sequentiallyConsistent) == 0 else {
            host.gateIsShut(handler)
            return true
        }
        return !host.takePlace(handler)
    }
}
