// SPDX-License-Identifier: Apache-2.0
import CSystem
import PluginBridge
import Scheduling
import Synchronization

/// The threads that keep watch over deadlines and call expiration callbacks.
///
/// They are all alike: each looks through the workers' cells and the timing wheel, does one thing
/// that is due, and sleeps until the earliest deadline it knows. Handing a callback over to another
/// thread would cost a wake-up on its way; a callback that blocks costs only the watcher that
/// called it, since the roster sees to it that somebody else keeps watch.
final class Watchers: @unchecked Sendable {
    // Sendable: `state` is locked; the words are atomic; the rest is constant.

    /// So many callbacks may block at a time before deadlines have to wait for one.
    static let limit = 64
    private static let atStart = 2

    private struct State {
        var roster = WatcherRoster(limit: Watchers.limit)
        var wheel: TimingWheel
        var pending = 0
        /// Tasks that were told to stop by other threads and whose callback is due.
        var calls: [TaskReference] = []
        var stopping = false
        /// Nil until the first is added.
        var timers: LoopTimers?
        /// By watcher.
        var inside = [Call?](repeating: nil, count: Watchers.limit)

        /// The earliest time that is not in a worker's cell.
        var next: UInt64? {
            guard let timer = timers?.next else { return wheel.next }
            return min(timer, wheel.next ?? .max)
        }
    }

    /// An expiration callback that a watcher is inside of.
    private struct Call {
        let task: TaskReference
        let handler: HandlerCellPointer
        let since: UInt64
        /// The log has been told that it takes too long.
        var isTold = false
    }

    private let state: Locked<State>
    private let clock: HostClock
    private unowned(unsafe) let host: HostRuntime

    /// A worker that arms a deadline before this time has to wake the watchers. On a line of its
    /// own: all workers read it for every task.
    let promise: UnsafeMutablePointer<Atomic<UInt64>>
    /// What sleeping watchers sleep on.
    private let sequence: UnsafeMutablePointer<Atomic<UInt32>>
    let wakeups = Atomic<UInt64>(0)

    init(host: HostRuntime, clock: HostClock) {
        self.host = host
        self.clock = clock
        state = Locked(State(wheel: TimingWheel(now: clock.now())))
        let line = UnsafeMutableRawPointer.allocate(byteCount: 256, alignment: 128)
        promise = line.bindMemory(to: Atomic<UInt64>.self, capacity: 1)
        promise.initialize(to: Atomic(0))
        sequence = (line + 128).bindMemory(to: Atomic<UInt32>.self, capacity: 1)
        sequence.initialize(to: Atomic(0))
    }

    deinit { UnsafeMutableRawPointer(promise).deallocate() }

    /// Starts the first watchers. False when there is no thread to be had.
    func start() -> Bool {
        for _ in 0..<Self.atStart {
            let number = state.withLock { $0.roster.join() }
            guard let number, start(number) else { return false }
        }
        return true
    }

    var count: Int { state.withLock { $0.roster.posts.count { $0 != .vacant } } }

    // MARK: From other threads

    func wake() {
        wakeups.wrappingAdd(1, ordering: .relaxed)
        sequence.pointee.wrappingAdd(1, ordering: .sequentiallyConsistent)
        csys_futex_wake(sequence, .max)
    }

    /// A deadline was armed that may be before anybody looks again. One wake is on its way at a time:
    /// whoever sends it takes the promise back, and until there is another one nobody needs to.
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
        // Whoever went to sleep before has said so under the lock, whoever does after it has seen it.
        wake(before: deadline)
    }

    /// Counts a task that is about to be pending, and arms its budget unless it is told to stop:
    /// whoever tells it says so before arming the grace, which must not be replaced.
    func armPending(_ task: TaskReference) {
        let slot = host.tasks.slot(task)
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

    /// A task is over that was pending, and has no deadline any more.
    func disarmPending(_ task: TaskReference) {
        state.withLock { state in
            state.pending -= 1
            state.wheel.disarm(task.index, value: task.bits)
        }
    }

    /// The same while the deadline is somebody else's matter.
    func pendingEnded() { state.withLock { $0.pending -= 1 } }

    /// Tasks that are pending; under the lock that each of them takes anyway.
    var pending: Int { state.withLock { $0.pending } }

    /// A task was told to stop; a watcher calls its callback.
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

    /// The same, so many nanoseconds from now; what is too far away for the clock is never due.
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
        // Nobody keeps watch any more.
        if stopping { return nil }
        let inCells = scan(now: 0).next
        let next = min(inWheel ?? .max, inCells)
        return next == .max ? nil : next
    }

    /// For a manual clock: returns once everything that is due was done and every watcher sleeps, or
    /// the watchers have been told to leave.
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
        (0..<host.workerCells.used.load(ordering: .acquiring)).contains { index in
            let bits = host.workerCells.cells[index].task.load(ordering: .acquiring)
            guard bits != 0 else { return false }
            let task = TaskReference(bits: bits)
            let state = host.tasks.slot(task).state
            return state.generation == task.generation && state.isEntered && state.isClaimed
                && !state.isReturned && !state.isLost && (state.reason == nil || state.isAnswered)
        }
    }

    // MARK: A watcher

    private final class Thread {
        let watchers: Watchers
        let number: Int
        let host: HostRuntime

        init(_ watchers: Watchers, _ number: Int, _ host: HostRuntime) {
            self.watchers = watchers
            self.number = number
            self.host = host
        }
    }

    private func start(_ number: Int) -> Bool {
        let raw = Unmanaged.passRetained(Thread(self, number, host))
        let isStarted = host.threads.start(
            {
                let thread = Unmanaged<Thread>.fromOpaque($0!).takeRetainedValue()
                csys_thread_name("curfew-watch")
                csys_thread_no_timer_slack()
                csys_set_thread_owner(
                    Unmanaged.passUnretained(thread.host).toOpaque(), ThreadRole.watcher.rawValue)
                thread.watchers.watch(thread.number)
            }, raw.toOpaque())
        guard !isStarted else { return true }
        raw.release()
        post { $0.resign(number) }
        return false
    }

    /// What a watcher found to do.
    private enum Work {
        case call(TaskReference)
        case due(TaskReference)
        case nothing
        case stop
    }

    private func watch(_ number: Int) {
        var lead = WakeLead()
        while true {
            let seen = sequence.pointee.load(ordering: .sequentiallyConsistent)
            post { $0.scans(number) }
            let now = clock.now()
            let cells = scan(now: now)
            var next = cells.next
            if let task = cells.due {
                expire(task, number, next: next)
                continue
            }
            if let task = cells.stuck {
                loseWorker(task, number, next: next)
                continue
            }
            let work = state.withLock { state -> Work in
                if !state.calls.isEmpty { return .call(state.calls.removeFirst()) }
                // Under the lock: another watcher must not overtake this one.
                if let due = state.timers?.popDue(now: now), !state.stopping {
                    for work in due { host.events.add(work) }
                }
                if let entry = state.wheel.popDue(now: now) {
                    return .due(TaskReference(bits: entry.value))
                }
                next = min(next, state.next ?? .max)
                return state.stopping ? .stop : .nothing
            }
            switch work {
            case .call(let task):
                callBack(task, number, next: next)
                continue
            case .due(let task):
                due(task, number, next: next)
                continue
            case .stop: return
            case .nothing: break
            }
            // Say how long, then look once more: a worker stores its deadline, then reads what was
            // said here.
            let until = state.withLock { state -> UInt64? in
                guard state.calls.isEmpty, !state.stopping else { return nil }
                next = min(next, state.next ?? .max)
                let until = state.roster.sleeps(number, next: next)
                promise.pointee.store(state.roster.promise, ordering: .sequentiallyConsistent)
                return until
            }
            guard let until else { continue }
            #if !(arch(x86_64) || arch(i386))
                atomicMemoryFence(ordering: .sequentiallyConsistent)
            #endif
            let again = scan(now: now)
            if again.due != nil || again.stuck != nil || again.next < next { continue }
            if clock.manual != nil || until == .max {
                csys_futex_wait(sequence, seen, .max)
            } else if until == next {
                sleep(until, unlessAfter: seen, &lead)
            } else {
                // There is another one, who will be in time.
                csys_futex_wait(sequence, seen, until)
            }
        }
    }

    /// Sleeps until a time, and is there in time; or until somebody wakes the watchers, who then have
    /// another number than `seen`.
    private func sleep(_ until: UInt64, unlessAfter seen: UInt32, _ lead: inout WakeLead) {
        let asked = lead.before(until)
        var now = clock.now()
        if now < asked {
            csys_futex_wait(sequence, seen, asked)
            now = clock.now()
            // Woken by somebody, or by a signal.
            guard now >= asked else { return }
            lead.woke(at: now, asked: asked)
        }
        while now < until, sequence.pointee.load(ordering: .relaxed) == seen {
            csys_pause()
            now = clock.now()
        }
    }

    private func post<T>(_ change: (inout WatcherRoster) -> T) -> T {
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
    /// long after that: nobody tells it to stop again, and its worker is lost all the same.
    private func scan(now: UInt64) -> (due: TaskReference?, stuck: TaskReference?, next: UInt64) {
        var due: TaskReference?
        var stuck: TaskReference?
        var next = UInt64.max
        for index in 0..<host.workerCells.used.load(ordering: .acquiring) {
            let cell = host.workerCells.cells + index
            let bits = cell.pointee.task.load(ordering: .acquiring)
            guard bits != 0 else { continue }
            var deadline = cell.pointee.deadline.load(ordering: .acquiring)
            let task = TaskReference(bits: bits)
            let slot = host.tasks.slot(task)
            let state = slot.state
            guard state.generation == task.generation, !state.isCalling,
                state.reason == nil || state.isAnswered
            else { continue }
            // Between the two words of a cell the second may be the next task's; the task's own
            // deadline decides, and who has moved on has another generation by now.
            deadline = max(deadline, slot.pointee.deadline.load(ordering: .acquiring))
            if state.isClaimed {
                guard state.isEntered, !state.isReturned, !state.isLost,
                    let handler = slot.handlerCell
                else { continue }
                // One that was told to stop has the end of its grace for a deadline.
                if state.reason == nil { deadline &+= handler.pointee.grace }
                deadline &+= host.configuration.lostAfter
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

    private func expire(_ task: TaskReference, _ number: Int, next: UInt64) {
        if host.tellToStop(task, .budget) == .told { callBack(task, number, next: next) }
    }

    /// A deadline of the wheel has come: which one, says the task's state.
    private func due(_ task: TaskReference, _ number: Int, next: UInt64) {
        // Pinned, so that what is read is this task's and what is armed too.
        let found = host.tasks.pinning(task) { slot -> TaskStateMachine? in
            // The state first: the deadline that belongs to it was written before.
            let state = slot.state
            let deadline = slot.pointee.deadline.load(ordering: .acquiring)
            guard deadline > clock.now() else { return state }
            // An older one; the one that counts may have been armed before it.
            if !state.isClaimed || !state.isReturned { arm(task, deadline: deadline) }
            return nil
        }
        guard let found, let state = found else { return }
        if state.isClaimed {
            // One that completed by itself is looked for in the cells, some time later.
            if state.reason != nil, !state.isAnswered { loseWorker(task, number, next: next) }
        } else if state.reason == nil {
            expire(task, number, next: next)
        } else {
            graceOver(task, number, next: next)
        }
    }

    private func graceOver(_ task: TaskReference, _ number: Int, next: UInt64) {
        // Pinned by its callback, if that has not returned.
        let isInside = state.withLock { $0.inside.contains { $0?.task == task } }
        let grace = isInside ? host.tasks.pinning(task) { self.grace(of: $0) } : nil
        guard host.graceOver(task), let grace else { return }
        let now = clock.now()
        let handler = state.withLock { state -> HandlerCellPointer? in
            guard let place = state.inside.firstIndex(where: { $0?.task == task }),
                // One that could begin only just now has had no time.
                let call = state.inside[place],
                now &- call.since >= max(grace / 2, Watchers.leastGrace)
            else { return nil }
            state.inside[place]?.isTold = true
            return call.handler
        }
        guard let handler else { return }
        handOver(number, next: next)
        slowCallback(
            handler, host.tasks.publicID(task), "has not returned from its expiration callback")
    }

    /// A shorter grace is not held against a callback: a processor can be missing as long.
    private static let leastGrace: UInt64 = 100_000_000

    /// Of a task that is told to stop.
    private func grace(of slot: TaskSlotPointer) -> UInt64 {
        if let own = host.tasks.existingRecord(of: slot)?.grace, own != 0 { return own }
        return slot.handlerCell?.pointee.grace ?? 0
    }

    private func slowCallback(_ handler: HandlerCellPointer, _ id: UInt64, _ did: String) {
        host.misbehaved(
            .slowCallback, did,
            "its grace is over, and a thread that watches deadlines was kept as long",
            task: id, plugin: handler.pointee.plugin,
            handler: host.handler(at: handler.pointee.index)?.description.identifier)
    }

    private func callBack(_ task: TaskReference, _ number: Int, next: UInt64) {
        let slot = host.tasks.slot(task)
        guard let handler = slot.handlerCell else { return }
        let code = handler.pointee.code
        guard let expired = code.expired else {
            host.callbackReturned(task)
            return
        }
        let (id, reason, grace) = (host.tasks.publicID(task), slot.state.reason, grace(of: slot))
        let since = clock.now()
        handOver(number, next: next, Call(task: task, handler: handler, since: since))
        expired(code.data, code.api, id, Int32(reason?.rawValue ?? 0))
        host.endIfChild(task: id, plugin: handler.pointee.plugin)
        let isTold = state.withLock { state in
            defer { state.inside[number] = nil }
            return state.inside[number]?.isTold ?? false
        }
        host.callbackReturned(task)
        // This watcher is not missed yet, so that the log may take its time.
        if !isTold, clock.now() &- since >= max(grace, Watchers.leastGrace) {
            slowCallback(handler, id, "has returned from its expiration callback only now")
        }
    }

    private func loseWorker(_ task: TaskReference, _ number: Int, next: UInt64) {
        // The embedder's log, which is told, may block as a callback may.
        host.loseWorker(task) { handOver(number, next: next) }
    }

    /// A watcher is about to call code that may block: sees to it that somebody else keeps watch.
    private func handOver(_ number: Int, next: UInt64, _ call: Call? = nil) {
        // The wheel knows more than the scan did: this task's own grace, for one.
        let action = state.withLock { state in
            if let call { state.inside[number] = call }
            let action = state.roster.calls(number, next: min(next, state.next ?? .max))
            promise.pointee.store(state.roster.promise, ordering: .sequentiallyConsistent)
            return action
        }
        switch action {
        case .none:
            // As before sleeping: say that it calls, then look once more. Whoever armed a
            // deadline while this watcher was scanning has relied on it and woken nobody.
            #if !(arch(x86_64) || arch(i386))
                atomicMemoryFence(ordering: .sequentiallyConsistent)
            #endif
            let again = scan(now: clock.now())
            let earliest = again.due == nil && again.stuck == nil ? again.next : 0
            if earliest < promise.pointee.load(ordering: .sequentiallyConsistent) { wake() }
        case .wake: wake()
        case .start(let added):
            if !start(added) {
                host.log(
                    .error, nil, 0,
                    "no thread for another watcher; deadlines wait until an expiration callback returns"
                )
            }
        case .exhausted:
            host.log(
                .error, nil, 0,
                "\(Watchers.limit) expiration callbacks are blocked; deadlines wait until one returns"
            )
        }
    }
}
