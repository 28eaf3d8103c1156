// SPDX-License-Identifier: Apache-2.0
import CSystem
import PluginBridge
import Scheduling
import Synchronization

/// The deadlines of a host's tasks, and what its deadline threads have to do.
///
/// A running task's deadline stands in its worker's cell, a pending task's in a timing wheel. Arming one
/// costs a worker two stores and a load: threads sleep until the earliest deadline they know, and say
/// until when (`promise`), so that a wake-up is due only for an earlier one.
final class Deadlines: @unchecked Sendable {
    // Sendable: `state` is locked; the words are atomic; the rest is constant.

    /// Deadline threads there may be: as many expiration callbacks can block before deadlines wait.
    static let threadLimit = 64

    struct State {
        var roster = WatcherRoster(limit: Deadlines.threadLimit)
        var wheel: TimingWheel
        var pending = 0
        /// Tasks that were told to stop by other threads and whose callback is due.
        var calls: [TaskReference] = []
        var stopping = false
        /// Nil until the first is added.
        var timers: LoopTimers?
        /// By deadline thread.
        var inside = [Call?](repeating: nil, count: Deadlines.threadLimit)

        /// The earliest time that is not in a worker's cell.
        var next: UInt64? {
            guard let timer = timers?.next else { return wheel.next }
            return min(timer, wheel.next ?? .max)
        }
    }

    /// An expiration callback that a deadline thread is inside of.
    struct Call {
        let task: TaskReference
        let handler: HandlerQueuePointer
        let since: UInt64
        /// That it takes too long was logged.
        var isReported = false
    }

    let state: Locked<State>
    let clock: HostClock
    let tasks: TaskTable
    /// The cells of all workers.
    let cells = WorkerCells()
    /// Nanoseconds from the end of the grace until a worker is given up.
    let lostAfter: UInt64

    /// A worker that arms a deadline before this time has to wake the deadline threads. On a line of
    /// its own: all workers read it for every task.
    let promise: UnsafeMutablePointer<Atomic<UInt64>>
    /// The word that sleeping deadline threads sleep on.
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

    /// Deadline threads, now.
    var threadCount: Int { state.withLock { $0.roster.posts.count { $0 != .vacant } } }

    // MARK: Arming

    func wake() {
        wakeups.wrappingAdd(1, ordering: .relaxed)
        sequence.pointee.wrappingAdd(1, ordering: .sequentiallyConsistent)
        csys_futex_wake(sequence, .max)
    }

    /// Wakes the deadline threads if a deadline that was armed is before their next look. One wake is on
    /// its way at a time: it takes the promise back, and until there is another one no wake is needed.
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

    /// Arms the one deadline that a task can have outside a worker's cell, in place of an older one.
    func arm(_ task: TaskReference, deadline: UInt64) {
        state.withLock { state in
            state.wheel.arm(
                TimingWheel.Entry(key: task.index, value: task.bits, deadline: deadline))
        }
        // A thread that went to sleep before has said so under the lock; a later one has seen it.
        wake(before: deadline)
    }

    /// Counts a task that is about to be pending, and arms its budget unless it is told to stop: the
    /// reason is stored before the grace is armed, which must not be replaced.
    func armPending(_ task: TaskReference) {
        let slot = tasks.slot(task)
        let armed = state.withLock { state -> UInt64? in
            state.pending += 1
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

    /// Disarms a task that was pending and is over.
    func disarmPending(_ task: TaskReference) {
        state.withLock { state in
            state.pending -= 1
            state.wheel.disarm(task.index, value: task.bits)
        }
    }

    /// A pending task is over whose deadline another thread disarms.
    func pendingEnded() { state.withLock { $0.pending -= 1 } }

    /// Tasks that are pending; under the lock that each of them takes anyway.
    var pending: Int { state.withLock { $0.pending } }

    /// Has a deadline thread call the callback of a task that was told to stop.
    func call(_ task: TaskReference) {
        state.withLock { $0.calls.append(task) }
        wake()
    }

    /// Has work done on the event loop at a time of the host's clock. Returns the number by which it
    /// can be cancelled, or nil when the host is about to stop.
    func post(_ work: LoopWork, at deadline: UInt64) -> UInt64? {
        let number = state.withLock { state -> UInt64? in
            guard !state.stopping else { return nil }
            if state.timers == nil { state.timers = LoopTimers(now: clock.now()) }
            return state.timers?.add(work, at: deadline)
        }
        if number != nil { wake(before: deadline) }
        return number
    }

    /// Has work done on the event loop so many nanoseconds from now; what is too far away for the clock
    /// is never due.
    func post(_ work: LoopWork, after span: UInt64) -> UInt64? {
        let (deadline, overflow) = clock.now().addingReportingOverflow(span)
        return post(work, at: overflow ? 1 << 63 : min(deadline, 1 << 63))
    }

    /// Nothing happens when it was due before.
    func cancelPost(_ number: UInt64) { state.withLock { $0.timers?.cancel(number) } }

    func stop() {
        state.withLock {
            $0.stopping = true
            $0.timers = nil
        }
        wake()
    }

    /// The earliest deadline of all, or a time somewhat before it.
    var nextDeadline: UInt64? {
        let (inWheel, stopping) = state.withLock { ($0.next, $0.stopping) }
        if stopping { return nil }
        let inCells = scan(now: 0).next
        let next = min(inWheel ?? .max, inCells)
        return next == .max ? nil : next
    }

    /// For a manual clock: returns once everything that is due was done and every deadline thread sleeps,
    /// or they have been told to leave.
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

    /// For a manual clock: a worker is inside of a function whose task has been completed, and has
    /// not been given up.
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

    // MARK: Of the deadline threads

    /// Changes the roster, and what workers have been promised.
    func change<T>(_ change: (inout WatcherRoster) -> T) -> T {
        state.withLock { state in
            defer {
                promise.pointee.store(state.roster.promise, ordering: .sequentiallyConsistent)
            }
            return change(&state.roster)
        }
    }

    /// Looks through the workers' cells: one task whose budget is over, and the earliest deadline of
    /// the others. A task read from a cell may be over by now, and its deadline another's; whether
    /// it still runs is in its state, and only the exchange there decides.
    ///
    /// And one that was completed in time or within its grace, but whose function has not returned
    /// long after that: it is not told to stop again, and its worker is lost all the same.
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
            // Between the two words of a cell the second may be the next task's; the task's own
            // deadline decides, and who has moved on has another generation by now.
            deadline = max(deadline, slot.pointee.deadline.load(ordering: .acquiring))
            if state.isClaimed {
                guard state.isEntered, !state.isReturned, !state.isLost,
                    let handler = slot.handlerQueue
                else { continue }
                // One that was told to stop has the end of its grace for a deadline.
                if state.reason == nil { deadline &+= handler.pointee.grace }
                deadline &+= lostAfter
            }
            if deadline > now {
                next = min(next, deadline)
            } else if !state.isEntered {
                // It is between arming and entering; it cannot expire before it has started.
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
