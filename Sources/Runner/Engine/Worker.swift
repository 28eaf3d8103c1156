// SPDX-License-Identifier: Apache-2.0
import CCurfew
import CSystem
import PluginBridge
import Scheduling
import Synchronization

final class Worker {
    /// Nanoseconds with one handler before a worker switches to others that are ready.
    private static let timeSlice: UInt64 = 1_000_000

    private let engine: TaskEngine
    private let pool: WorkerPool
    private let cell: UnsafeMutablePointer<WorkerCell>
    private let error: UnsafeMutablePointer<curfew_error>
    /// Free ids of this thread; tasks that a handler completes on it are freed into the list, too.
    private let free: UnsafeMutablePointer<TaskFreeList>

    // The engine's parts, one indirection less on the path of a task.
    private let tasks: TaskTable
    private let events: EventQueue
    private let deadlines: Deadlines
    private let threads: HostThreads
    private let clock: HostClock
    private let phase: HostPhase

    private init(_ engine: TaskEngine, _ pool: WorkerPool, _ cell: UnsafeMutablePointer<WorkerCell>)
    {
        self.engine = engine
        self.pool = pool
        self.cell = cell
        tasks = engine.tasks
        events = engine.events
        deadlines = engine.deadlines
        threads = engine.threads
        clock = engine.clock
        phase = engine.phase
        error = .allocate(capacity: 1)
        error.initialize(to: curfew_error())
        error.pointee.struct_size = UInt32(MemoryLayout<curfew_error>.size)
        free = .allocate(capacity: 1)
        free.initialize(to: TaskFreeList())
    }

    deinit {
        free.pointee.close(tasks)
        free.deallocate()
        error.deallocate()
        deadlines.cells.giveBack(cell)
    }

    /// Starts a worker that is searching. Returns false when no thread can be created.
    static func start(in pool: WorkerPool, for engine: TaskEngine) -> Bool {
        guard let cell = engine.deadlines.cells.take() else { return false }
        let worker = Worker(engine, pool, cell)
        return engine.threads.start(stackBytes: pool.workers.stackBytes) { worker.work() }
    }

    private func work() {
        csys_thread_name(pool.kind == .appRefresh ? "curfew-refresh" : "curfew-process")
        if pool.workers.nice != 0 { csys_thread_nice(pool.workers.nice) }
        if pool.workers.ioPriority != 0 { csys_thread_io_priority(pool.workers.ioPriority) }
        threads.join(as: .worker)
        csys_set_thread_free_list(Unmanaged.passUnretained(tasks).toOpaque(), free)
        while let handler = nextHandler() {
            guard drain(handler) else { break }
            pool.search()
        }
        csys_set_thread_free_list(nil, nil)
        phase.progressed()
    }

    /// Polls for a ready handler, then sleeps. Returns nil when the worker has to end.
    private func nextHandler() -> HandlerQueuePointer? {
        while true {
            for round in 1...CoreSharing.rounds {
                if let handler = pool.take(for: engine) { return handler }
                guard round % CoreSharing.yieldEvery == 0 else {
                    csys_pause()
                    continue
                }
                if !threads.cores.yield() { break }
            }
            free.pointee.flush(tasks)
            switch pool.rest(cell, for: engine) {
            case .work(let handler): return handler
            case .stop: return nil
            case .sleep:
                while cell.pointee.wake.load(ordering: .sequentiallyConsistent) == 0 {
                    csys_futex_wait(cell.wakeWord, 0, .max)
                }
            }
        }
    }

    /// Runs a handler's tasks until none is left, others are ready, or its gate closes.
    /// Returns false when this worker counts as lost and has to end.
    private func drain(_ handler: HandlerQueuePointer) -> Bool {
        var began: UInt64 = 0
        while true {
            guard let task = take(handler) else {
                if waitForMore(handler) { continue }
                cell.pointee.task.store(0, ordering: .releasing)
                if leave(handler) { return true }
                continue
            }
            if began == 0 { began = csys_monotonic_ns() }
            let slot = tasks.slot(task)
            // References are not counted: the run keeps the task, and the task its record.
            let (budget, request) = tasks.terms(slot, handler)
            guard enter(task, slot, budget) else { continue }
            let status = run(task, handler, request)
            let word = slot.pointee.word.load(ordering: .acquiring)
            var over: TaskStateMachine?
            // The end of a request is recorded first.
            if status == 0, request == nil {
                over = TaskEnding(task: task, slot: slot, handler: handler).decide(
                    in: tasks, events,
                    exchange: { wanted in
                        let over = TaskStateMachine(word: word).finished(queueingDone: wanted)
                        return exchange(slot, word, over)
                    },
                    decided: { countSuccess(handler) }, late: { (.succeeded, "") },
                    unwanted: {
                        cell.pointee.untaken.store(
                            cell.pointee.untaken.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
                    })
            }
            if over == nil, status == 0 {
                // The function had completed the task, its end is published, and it has no
                // references.
                over = exchange(slot, word, TaskStateMachine(word: word).returnedWhenOver)
            }
            if let over {
                if over.generation != task.generation { give(task) }
            } else if engine.functionReturned(task, handler, Status(rawValue: status), error) {
                cell.pointee.task.store(0, ordering: .releasing)
                return false
            }
            // Real time, because other handlers wait in real time whatever the host's clock.
            if pool.readyCount.load(ordering: .relaxed) > 0,
                csys_monotonic_ns() &- began > Self.timeSlice
            {
                cell.pointee.task.store(0, ordering: .releasing)
                pool.add(handler, for: engine)
                return true
            }
        }
    }

    /// Takes the next task of the queue and leaves a free id in its cell, if there is one.
    @inline(__always)
    private func take(_ handler: HandlerQueuePointer) -> TaskReference? {
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
        else { return nil }
        if replacement != 0 { free.pointee.drop() }
        return TaskReference(bits: bits)
    }

    /// Starts a task's budget. Returns false when the task was cancelled or parked in the queue.
    @inline(__always)
    private func enter(_ task: TaskReference, _ slot: TaskSlotPointer, _ budget: UInt64) -> Bool {
        let now = clock.now()
        let deadline = now &+ budget
        // Arming: store the deadline, then the task, then the full barrier of `enter`, then read
        // `promise`. A deadline thread stores `promise`, then scans.
        let (action, entered) = tasks.enter(task, at: now, until: deadline) {
            cell.pointee.deadline.store(deadline, ordering: .relaxed)
            cell.pointee.task.store(task.bits, ordering: .releasing)
        }
        #if !(arch(x86_64) || arch(i386))
            // There an exchange does not order the two stores above before the load below.
            atomicMemoryFence(ordering: .sequentiallyConsistent)
        #endif
        switch action {
        case .run: break
        case .skip:
            if entered.generation != task.generation { give(task) }
            return false
        case .park: return false
        }
        deadlines.wake(before: deadline)
        // A shutdown looks for tasks that were entered while it closed the gates.
        phase.progressed()
        return true
    }

    @inline(__always)
    private func run(
        _ task: TaskReference, _ handler: HandlerQueuePointer, _ request: Unmanaged<TaskRecord>?
    ) -> curfew_status {
        ErrorBuffer.reset(error)
        let code = handler.pointee.code
        var spent: UInt64 = 0
        if let request {
            spent = csys_thread_cpu_ns()
            request._withUnsafeGuaranteedRef { $0.request?.begins(atCPU: spent) }
        }
        let status = code.run(code.data, code.api, tasks.publicID(task), error)
        if !csys_is_process(threads.processMark) {
            engine.children.end(task: tasks.publicID(task), plugin: handler.pointee.plugin)
        }
        // Stored before the task's end is recorded.
        request?._withUnsafeGuaranteedRef {
            $0.cpu.store(csys_thread_cpu_ns() &- spent, ordering: .releasing)
        }
        return status
    }

    /// Makes a precomputed step. Returns nil when it was not possible or another thread was faster.
    @inline(__always)
    private func exchange(
        _ slot: TaskSlotPointer, _ word: UInt64, _ over: TaskStateMachine?
    ) -> TaskStateMachine? {
        guard let over,
            slot.pointee.word.compareExchange(
                expected: word, desired: over.word, ordering: .sequentiallyConsistent
            ).exchanged
        else { return nil }
        return over
    }

    @inline(__always)
    private func countSuccess(_ handler: HandlerQueuePointer) {
        if handler.pointee.maxConcurrency == 1 {
            handler.pointee.successes.store(
                handler.pointee.successes.load(ordering: .relaxed) &+ 1, ordering: .releasing)
        } else {
            handler.pointee.successes.wrappingAdd(1, ordering: .releasing)
        }
    }

    @inline(__always)
    private func give(_ task: TaskReference) {
        if let next = tasks.clear(task) { free.pointee.add(next, tasks) }
    }

    /// Polls the empty queue for a while. Returns true when it has a task.
    private func waitForMore(_ handler: HandlerQueuePointer) -> Bool {
        for round in 1...CoreSharing.rounds {
            guard handler.pointee.gate.load(ordering: .acquiring) == 0,
                pool.readyCount.load(ordering: .relaxed) == 0
            else { return false }
            if handler.hasNext { return true }
            guard round % CoreSharing.yieldEvery == 0 else {
                csys_pause()
                continue
            }
            guard threads.cores.yield() else { return false }
        }
        return false
    }

    /// Releases the handler's place. Returns false when it took the place again for a new task.
    private func leave(_ handler: HandlerQueuePointer) -> Bool {
        engine.leavePlace(handler)
        // Counterpart of a launcher, which adds a task, then reads `active`.
        guard !handler.isEmpty else { return true }
        guard handler.pointee.gate.load(ordering: .sequentiallyConsistent) == 0 else {
            engine.gateIsShut(handler)
            return true
        }
        return !engine.takePlace(handler)
    }
}
