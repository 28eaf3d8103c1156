// SPDX-License-Identifier: Apache-2.0
import CSystem
import PluginBridge
import Scheduling
import Synchronization

/// The deadlines of a host's tasks, and the work of its deadline threads.
///
/// A running task's deadline is in its worker's cell, a pending task's in a timing wheel. Arming
/// costs a worker two stores and a load: the threads publish until when they sleep (`promise`), so
/// only an earlier deadline needs a wake-up.
final class Deadlines: @unchecked Sendable {
    // Sendable: `state` is locked; the words are atomic; the rest is constant.

    /// Maximum number of deadline threads. All but one can be inside callbacks; more callbacks wait.
    static let threadLimit = 64

    struct State {
        var roster = DeadlineThreadRoster(limit: Deadlines.threadLimit)
        var wheel: TimingWheel
        var pending = 0
        /// Tasks that were told to stop and whose expiration callback a deadline thread has to call.
        var calls: [TaskReference] = []
        /// Callbacks wait until another one returns, and the log says so.
        var isExhausted = false
        var stopping = false
        var timers: LoopTimers?
        /// Current callback of each deadline thread.
        var inside = [Call?](repeating: nil, count: Deadlines.threadLimit)

        /// Whether a deadline thread has a callback to call now. When the host stops, a callback that
        /// still waits is settled without a call.
        func hasCall(for thread: Int) -> Bool {
            !calls.isEmpty && (stopping || roster.canCall(thread))
        }

        /// The earliest deadline outside of the worker cells.
        var next: UInt64? {
            guard let timer = timers?.next else { return wheel.next }
            return min(timer, wheel.next ?? .max)
        }
    }

    /// A running expiration callback.
    struct Call {
        let task: TaskReference
        let handler: HandlerQueuePointer
        let since: UInt64
        /// The callback was logged as slow.
        var isReported = false
    }

    let state: Locked<State>
    let clock: HostClock
    let tasks: TaskTable
    let cells = WorkerCells()
    /// Nanoseconds from the end of the grace until a worker counts as lost.
    let lostAfter: UInt64

    /// A worker that arms a deadline before this time has to wake the deadline threads. It has a
    /// cache line of its own, because all workers read it for every task.
    let promise: UnsafeMutablePointer<Atomic<UInt64>>
    /// Futex word of the sleeping deadline threads.
    let sequence: UnsafeMutablePointer<Atomic<UInt32>>
    let wakeups = Atomic<UInt64>(0)

    init(_ clock: HostClock, _ tasks: TaskTable, lostAfter: UInt64) {
        self.clock = clock
        self.tasks = tasks
        self.lostAfter = lostAfter
        state = Locked(State(wheel: TimingWheel(now: clock.now())))
        let line = UnsafeMutableRawPointer.allocate(byteCount: 256, alignment: 128)
        promise = line.bindMemory(to: Atomic<UInt64>.self, capacity: 1)
        promise.initialize(to: Atomic(0))
        sequence = (line + 128).bindMemory(to: Atomic<UInt32>.self, capacity: 1)
        sequence.initialize(to: Atomic(0))
    }

    deinit { UnsafeMutableRawPointer(promise).deallocate() }

    var threadCount: Int { state.withLock { $0.roster.posts.count { $0 != .vacant } } }

    // MARK: Arming

    func wake() {
        wakeups.wrappingAdd(1, ordering: .relaxed)
        sequence.pointee.wrappingAdd(1, ordering: .sequentiallyConsistent)
        csys_futex_wake(sequence, .max)
    }

    /// Wakes the deadline threads if an armed deadline is before their next scan.
    /// The wake resets the promise to 0, so no second wake is sent before the next promise.
    @inline(__always) func wake(before deadline: UInt64) {
        if deadline < promise.pointee.load(ordering: .sequentiallyConsistent) { hurry(deadline) }
    }

    @inline(never) private func hurry(_ deadline: UInt64) {
        var said = promise.pointee.load(ordering: .sequentiallyConsistent)
        while deadline < said {
            let (exchanged, original) = promise.pointee.compareExchange(
                expected: said, desired: 0, ordering: .sequentiallyConsistent)
            if exchanged { return wake() }
            said = original
        }
    }

    /// Arms the only deadline that a task can have outside of a worker cell; replaces an older one.
    func arm(_ task: TaskReference, deadline: UInt64) {
        state.withLock { state in
            state.wheel.arm(
                TimingWheel.Entry(key: task.index, value: task.bits, deadline: deadline))
        }
        // An earlier sleeper has published that under the lock; a later one sees the entry.
        wake(before: deadline)
    }

    /// Arms the budget of a task that runs on a thread without a cell, or is about to be pending,
    /// and then counts it, unless it was told to stop.
    /// The stop reason is stored before the grace is armed, so the check protects the armed grace.
    func armBudget(_ task: TaskReference, isPending: Bool) {
        let slot = tasks.slot(task)
        let armed = state.withLock { state -> UInt64? in
            if isPending { state.pending += 1 }
            let now = slot.state
            guard !now.isClaimed, now.reason == nil else { return nil }
            let deadline = slot.pointee.deadline.load(ordering: .acquiring)
            state.wheel.arm(
                TimingWheel.Entry(key: task.index, value: task.bits, deadline: deadline))
            return deadline
        }
        if let armed { wake(before: armed) }
    }

    func disarm(_ task: TaskReference) {
        state.withLock { _ = $0.wheel.disarm(task.index, value: task.bits) }
    }

    func disarmPending(_ task: TaskReference) {
        state.withLock { state in
            state.pending -= 1
            state.wheel.disarm(task.index, value: task.bits)
        }
    }

    /// Counts the end of a pending task whose deadline another thread disarms.
    func pendingEnded() { state.withLock { $0.pending -= 1 } }

    var pending: Int { state.withLock { $0.pending } }

    /// Makes a deadline thread call the callback of a task that was told to stop. One that no thread
    /// can be spared for waits until another one returns; the deadlines come first.
    func call(_ task: TaskReference) {
        state.withLock { $0.calls.append(task) }
        wake()
    }

    /// Runs work on the event loop at a time of the host's clock.
    /// Returns a number for cancelling it, or nil when the host is stopping.
    func post(_ work: LoopWork, at deadline: UInt64) -> UInt64? {
        let number = state.withLock { state -> UInt64? in
            guard !state.stopping else { return nil }
            if state.timers == nil { state.timers = LoopTimers(now: clock.now()) }
            return state.timers?.add(work, at: deadline)
        }
        if number != nil { wake(before: deadline) }
        return number
    }

    /// Runs work on the event loop after `span` ns; a time beyond the clock's range never comes.
    func post(_ work: LoopWork, after span: UInt64) -> UInt64? {
        let (deadline, overflow) = clock.now().addingReportingOverflow(span)
        return post(work, at: overflow ? 1 << 63 : min(deadline, 1 << 63))
    }

    /// Cancels posted work. Does nothing if it was due already.
    func cancelPost(_ number: UInt64) { state.withLock { $0.timers?.cancel(number) } }

    func stop() {
        state.withLock {
            $0.stopping = true
            $0.timers = nil
        }
        wake()
    }

    /// A lower bound of the earliest deadline.
    var nextDeadline: UInt64? {
        let (inWheel, stopping) = state.withLock { ($0.next, $0.stopping) }
        if stopping { return nil }
        let inCells = scan(now: 0).next
        let next = min(inWheel ?? .max, inCells)
        return next == .max ? nil : next
    }

    /// For a manual clock: waits until all due work is done and the deadline threads sleep or stop.
    func settle() {
        while !state.withLock({ $0.stopping }) {
            let now = clock.now()
            let quiet = state.withLock { state in
                state.calls.isEmpty && (state.next ?? .max) > now
                    && state.roster.posts.allSatisfy {
                        switch $0 {
                        case .asleep(let until): until > now
                        case .vacant: true
                        case .scanning, .calling: false
                        }
                    }
            }
            let cells = scan(now: now)
            if quiet, cells.due == nil, cells.stuck == nil { return }
            wake()
            csys_yield()
        }
    }

    /// For a manual clock: whether a worker, not lost, is inside the function of a completed task.
    var isReturning: Bool {
        (0..<cells.used.load(ordering: .acquiring)).contains { index in
            let bits = cells.cells[index].task.load(ordering: .acquiring)
            guard bits != 0 else { return false }
            let task = TaskReference(bits: bits)
            let state = tasks.slot(task).state
            return state.generation == task.generation && state.isEntered && state.isClaimed
                && !state.isReturned && !state.isLost && (state.reason == nil || state.isAnswered)
        }
    }

    // MARK: For deadline threads

    /// Changes the roster and publishes its promise to the workers.
    func change<T>(_ change: (inout DeadlineThreadRoster) -> T) -> T {
        state.withLock { state in
            defer {
                promise.pointee.store(state.roster.promise, ordering: .sequentiallyConsistent)
            }
            return change(&state.roster)
        }
    }

    /// Scans the worker cells for one expired task, one stuck task and the next deadline.
    ///
    /// A task read from a cell may have ended, and the deadline may be another task's; the task's
    /// state tells whether it still runs, and only the exchange there decides. A stuck task was
    /// completed in time or within its grace, but its function has not returned long after that: it
    /// is not told to stop again, and its worker is lost.
    func scan(now: UInt64) -> (due: TaskReference?, stuck: TaskReference?, next: UInt64) {
        var due: TaskReference?
        var stuck: TaskReference?
        var next = UInt64.max
        for index in 0..<cells.used.load(ordering: .acquiring) {
            let cell = cells.cells + index
            let bits = cell.pointee.task.load(ordering: .acquiring)
            guard bits != 0 else { continue }
            var deadline = cell.pointee.deadline.load(ordering: .acquiring)
            let task = TaskReference(bits: bits)
            let slot = tasks.slot(task)
            let state = slot.state
            guard state.generation == task.generation, !state.isCalling,
                state.reason == nil || state.isAnswered
            else { continue }
            // The second word of a cell may already be the next task's, so the task's own deadline
            // decides. A task that has ended has another generation by now.
            deadline = max(deadline, slot.pointee.deadline.load(ordering: .acquiring))
            if state.isClaimed {
                guard state.isEntered, !state.isReturned, !state.isLost,
                    let handler = slot.handlerQueue
                else { continue }
                // After a stop, the deadline is the end of the grace.
                if state.reason == nil { deadline &+= handler.pointee.grace }
                deadline &+= lostAfter
            }
            if deadline > now {
                next = min(next, deadline)
            } else if !state.isEntered {
                // The task is between arming and entering; it cannot expire before it has started.
                next = min(next, now &+ 50_000)
            } else if state.isClaimed {
                stuck = task
            } else if due == nil {
                due = task
            } else {
                next = min(next, now)
            }
        }
        return (due, stuck, next)
    }
}
