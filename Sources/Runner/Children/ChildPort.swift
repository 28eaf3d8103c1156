// SPDX-License-Identifier: Apache-2.0
import CCurfew
import CSystem
import PluginBridge
import Scheduling
import Synchronization

/// Where the tasks of a plugin go that runs in a process of its own.
///
/// The engine queues tasks as for any handler. The thread that launches a task offers it to the process
/// itself, and the thread that waits for it, or the channel reader, reads the answer: no worker of the
/// host stands between them. Until the process has taken a task, it can be recalled.
final class ChildPort: @unchecked Sendable {
    // Sendable: `lock` guards the variables; the rest is constant. Exclusivity checks of those that each
    // task needs would be a fifth of a launch.

    let engine: TaskEngine
    let services: PluginServices
    let plugin: Int32
    let manifest: Manifest
    private let calls: ChildCalls
    /// Each task gets a process of its own, which is used for no other.
    let isFresh: Bool
    private let lock = ChannelLock()
    /// The processes that have not ended, oldest first.
    @exclusivity(unchecked) private var links: [ChildLink] = []
    /// The process that takes tasks, unless each task gets its own.
    @exclusivity(unchecked) private var current: ChildLink?
    /// The number of processes that take no more tasks, and have not ended.
    @exclusivity(unchecked) private var leaving = 0
    /// The task of the thread that reads a ring while it waits, or 0.
    private let waiting = Atomic<UInt64>(0)
    /// The process whose ring that thread reads.
    @exclusivity(unchecked) private var waitingLink: ChildLink?
    @exclusivity(unchecked) private var queues: [HandlerQueuePointer] = []
    /// Recalled tasks, by handler, which are offered before those in the queue.
    @exclusivity(unchecked) private var recalled: [[TaskReference]]
    /// Whether each handler has an expiration callback, and how many tasks may be pending.
    private var codes: [String: (hasExpired: Bool, pendingLimit: UInt32)] = [:]
    /// The handlers are registered with the host: a later process of the plugin registers them only
    /// with this object.
    var isRegistered: Bool { registration.load(ordering: .acquiring) }
    private let registration = Atomic<Bool>(false)
    /// No process runs, since there was nothing to do: the next task starts one.
    @exclusivity(unchecked) private var isParked = false
    /// There is a task for a plugin without a process.
    @exclusivity(unchecked) private var isWanted = false

    /// - Parameter isFresh: each task gets a process of its own.
    init(
        _ engine: TaskEngine, _ services: PluginServices, plugin: Int32, _ manifest: Manifest,
        isFresh: Bool = false
    ) {
        self.isFresh = isFresh
        self.engine = engine
        self.services = services
        self.plugin = plugin
        self.manifest = manifest
        calls = ChildCalls(engine, services, plugin: plugin)
        recalled = manifest.handlers.map { _ in [] }
        calls.port = self
    }

    /// The port of a handler, if its tasks run in another process.
    @inline(__always) static func of(_ handler: HandlerQueuePointer) -> ChildPort? {
        guard let raw = handler.pointee.code.port else { return nil }
        return Unmanaged<ChildPort>.fromOpaque(raw).takeUnretainedValue()
    }

    /// The place of a handler in the manifest.
    static func index(of handler: HandlerQueuePointer) -> Int {
        Int(bitPattern: handler.pointee.code.data) - 1
    }

    // MARK: The lock

    /// Runs `body` with the lock. Foreign code must not be called in it: log lines wait until later.
    private func locked<T>(_ body: () -> T) -> T {
        var reader: ChildLink?
        var after = After()
        lock.enter()
        let result = engine.threads.during(.channel) {
            let result = body()
            reader = current ?? links.first
            after = leave()
            return result
        }
        if engine.log.hasDeferred { reader?.wakeReader() }
        finish(after)
        return result
    }

    /// What is left to do when the lock was released.
    struct After {
        /// The process whose ring a thread reads while it waits for a task.
        var awaited: ChildLink?
        /// Processes that take no more tasks, and whose tasks are over.
        var quiet: [ChildLink] = []
        /// A process got the one task that is meant for it.
        var isOneUsed = false
        /// There is a task, and no process.
        var isWanted = false
    }

    /// Releases the lock.
    private func leave() -> After {
        var after = After()
        repeat {
            after.awaited = waitingLink
            if isOneUsed { (after.isOneUsed, isOneUsed) = (true, false) }
            if isWanted { (after.isWanted, isWanted) = (true, false) }
            guard leaving > 0 else { continue }
            for link in links where link.isLeaving && !link.isFoundQuiet && link.isQuiet {
                link.isFoundQuiet = true
                after.quiet.append(link)
            }
        } while !leaveOrFill()
        return after
    }

    /// Returns false if another thread has added work meanwhile, which was done.
    private func leaveOrFill() -> Bool {
        if lock.leave() { return true }
        fillAll()
        return false
    }

    func finish(_ after: After) {
        wakeIfOver(after.awaited)
        if after.isOneUsed { onUsed?() }
        if after.isWanted { onWanted?() }
        for link in after.quiet { onQuiet?(link) }
    }

    /// A process got the one task that is meant for it. Called without the lock.
    var onUsed: (@Sendable () -> Void)?
    /// There is a task, and no process: the last one was ended because it had nothing to do. Called without the
    /// lock.
    var onWanted: (@Sendable () -> Void)?
    /// A process has had nothing to do for the limit of idle processes. Called without the lock.
    var onIdle: (@Sendable (ChildLink) -> Void)?
    /// The tasks of a process that takes no more are over. Called without the lock.
    var onQuiet: (@Sendable (ChildLink) -> Void)?
    @exclusivity(unchecked) private var isOneUsed = false

    /// The process that has a task.
    private func link(of task: TaskReference, _ index: Int) -> ChildLink? {
        links.count == 1 ? links[0] : links.first { $0.has(task, index) }
    }

    // MARK: Offering

    /// Offers queued tasks to the process.
    func pump(_ handler: HandlerQueuePointer) {
        guard lock.tryEnter() else { return }
        fill(Self.index(of: handler))
        finish(leave())
    }

    private func fillAll() {
        for index in queues.indices { fill(index) }
    }

    private func fill(_ index: Int) {
        guard index < queues.count else { return }
        let handler = queues[index]
        guard !isFresh else {
            while let link = unused(index), offer(index, handler, to: link, { false }) {
                link.isLeaving = true
                leaving += 1
                isOneUsed = true
            }
            return
        }
        guard let current else {
            let isOpen =
                handler.pointee.gate.load(ordering: .sequentiallyConsistent)
                == HandlerQueue.Gate.remote
            if isParked, isOpen, !recalled[index].isEmpty || handler.hasNext {
                (isParked, isWanted) = (false, true)
            }
            return
        }
        guard current.isReady else { return }
        let isSingle = handler.pointee.code.pendingLimit > 0
        func hasRoom() -> Bool {
            isSingle ? current.windows[index].isEmpty : current.windows[index].hasRoom
        }
        guard hasRoom() else { return }
        _ = offer(index, handler, to: current, hasRoom)
    }

    /// A process for a task of a handler, if the handler may have another one.
    private func unused(_ index: Int) -> ChildLink? {
        let places = Int(manifest.handlers[index].maxConcurrency)
        guard links.count(where: { !$0.windows[index].isEmpty }) < places else { return nil }
        return links.first { $0.isReady && !$0.isLeaving && !$0.hasEnded }
    }

    /// Offers tasks of a handler to a process: one, and then as long as `continues` returns true. Returns
    /// whether it got any.
    private func offer(
        _ index: Int, _ handler: HandlerQueuePointer, to link: ChildLink, _ continues: () -> Bool
    ) -> Bool {
        var isOffered = false
        while handler.pointee.gate.load(ordering: .sequentiallyConsistent)
            == HandlerQueue.Gate.remote,
            !isOffered || continues(), let task = next(index)
        {
            let state = engine.tasks.slot(task).state
            if state.isClaimed || state.isHeld {
                // Cancelled or paused while it waited.
                let (_, after) = engine.mustStep(task) { $0.enter() }
                engine.freeIfDone(task, after)
                continue
            }
            guard link.offer(task, index, handler) else {
                recalled[index].insert(task, at: 0)
                break
            }
            isOffered = true
        }
        guard isOffered else { return false }
        atomicMemoryFence(ordering: .sequentiallyConsistent)
        link.ring(index)
        link.armTurns(index, handler)
        return true
    }

    private func next(_ index: Int) -> TaskReference? {
        if !recalled[index].isEmpty { return recalled[index].removeFirst() }
        return queues[index].take(replacement: 0).map { TaskReference(bits: $0) }
    }

    // MARK: Deciding

    /// Runs `body`, which decides about a task, so that the process cannot answer unseen meanwhile.
    ///
    /// - Parameter recalls: a task that the process has not taken is taken back first.
    func decide<T>(
        _ task: TaskReference, recalls: Bool = false, _ body: () -> T
    ) -> T {
        locked {
            guard let handler = engine.tasks.slot(task).handlerQueue else { return body() }
            let index = Self.index(of: handler)
            var isRecalled = recalled[index].firstIndex(of: task) != nil
            var hasRead = false
            if let link = link(of: task, index), link.isReady {
                link.close(task)
                hasRead = link.drain(all: true)
                if let position = link.position(of: task, index) {
                    if recalls {
                        isRecalled = link.recall(task, index, at: position)
                        if isRecalled { recalled[index].insert(task, at: 0) }
                    } else {
                        link.observe(task, index, at: position)
                    }
                }
            }
            let result = body()
            // Each process that has had the task may still use it.
            for link in links { link.refresh(task, isEndedByHost: true) }
            if isRecalled { sweep(index) }
            // What was read may have been the last returns, after which nothing else makes room.
            if isRecalled || hasRead { fillAll() }
            return result
        }
    }

    /// Lets recalled tasks go that were cancelled or paused.
    private func sweep(_ index: Int) {
        recalled[index].removeAll { task in
            let state = engine.tasks.slot(task).state
            guard state.isClaimed || state.isHeld else { return false }
            let (_, after) = engine.mustStep(task) { $0.enter() }
            engine.freeIfDone(task, after)
            return true
        }
    }

    /// Lets recalled tasks of a handler go that were cancelled or paused. Returns whether there were any.
    func sweep(_ handler: HandlerQueuePointer) -> Bool {
        let index = Self.index(of: handler)
        return locked {
            let before = recalled[index].count
            sweep(index)
            return recalled[index].count < before
        }
    }

    /// The function of a task has not returned for long after its end.
    func isStuck(_ task: TaskReference) {
        onStuck?(task)
    }

    /// Ends the process of a task that is stuck.
    var onStuck: (@Sendable (TaskReference) -> Void)?
    /// Called once for a process that has written what does not fit; by the channel reader.
    var onFault: (@Sendable (ChildLink) -> Void)?

    /// Enters a task if the process has taken it. Nothing is decided, so that no record is read for it.
    func look(at task: TaskReference) {
        locked {
            guard let handler = engine.tasks.slot(task).handlerQueue else { return }
            let index = Self.index(of: handler)
            if let link = link(of: task, index), link.isReady,
                let position = link.position(of: task, index)
            {
                link.observe(task, index, at: position)
            }
        }
    }

    /// The least nanoseconds between two looks at a task whose budget has not begun.
    private static let leastPause: UInt64 = 1_000_000

    /// Enters a task if the process has taken it, before its deadline is looked at. Otherwise its budget
    /// has not begun: its deadline is moved and armed again, and the result is true.
    func isWaiting(_ task: TaskReference) -> Bool {
        decide(task) {
            let slot = engine.tasks.slot(task)
            // It may be over by now, and its slot another task's. One that waits is entered or cancelled
            // with the lock only, so that it stays.
            let state = slot.state
            guard state.generation == task.generation, !state.isEntered, !state.isClaimed,
                let handler = slot.handlerQueue
            else { return false }
            let budget = engine.tasks.terms(slot, handler).budget
            let deadline = engine.clock.now() &+ max(budget, Self.leastPause)
            slot.pointee.deadline.store(deadline, ordering: .releasing)
            engine.deadlines.arm(task, deadline: deadline)
            return true
        }
    }

    /// Whether the function of a task that is over should have returned by now. If it has time left, its deadline is
    /// armed again.
    ///
    /// A task is over a moment before the time is set in which its function has to return; both happen with the
    /// lock.
    func isOverdue(_ task: TaskReference) -> Bool {
        locked {
            let slot = engine.tasks.slot(task)
            let state = slot.state
            guard state.generation == task.generation, !state.isReturned else { return false }
            let deadline = slot.pointee.deadline.load(ordering: .acquiring)
            guard deadline > engine.clock.now() else { return true }
            engine.deadlines.arm(task, deadline: deadline)
            return false
        }
    }

    /// Takes the tasks back that the process has not taken, when a gate was closed.
    func recallAll() {
        locked { for link in links { recallAll(from: link) } }
    }

    private func recallAll(from link: ChildLink) {
        for index in queues.indices {
            var back: [TaskReference] = []
            for (bits, position, _) in link.windows[index].all {
                let task = TaskReference(bits: bits)
                if link.recall(task, index, at: position) { back.append(task) }
            }
            recalled[index].insert(contentsOf: back, at: 0)
        }
    }

    /// Has the process call the expiration callback of a task that was told to stop. Returns false when
    /// it has none, or cannot.
    func callBack(_ task: TaskReference) -> Bool {
        locked {
            guard let handler = engine.tasks.slot(task).handlerQueue else { return false }
            let index = Self.index(of: handler)
            return link(of: task, index)?
                .expire(task, index, engine.tasks.slot(task).state.reason) ?? false
        }
    }

    /// The tasks that wait for the process.
    func waitingTasks(_ handler: HandlerQueuePointer) -> [TaskReference] {
        let index = Self.index(of: handler)
        return locked {
            let offered = links.flatMap { $0.windows[index].all.filter { $0.state == .offered } }
            return recalled[index] + offered.map { TaskReference(bits: $0.task) }
        }
    }

    /// The tasks whose functions run, as far as the host has seen.
    func active(_ handler: HandlerQueuePointer) -> Int {
        let index = Self.index(of: handler)
        return locked {
            links.reduce(0) { $0 + $1.windows[index].all.count { $0.state == .taken } }
        }
    }

    func hasTasks(_ handler: HandlerQueuePointer) -> Bool {
        let index = Self.index(of: handler)
        return locked {
            !recalled[index].isEmpty || !links.allSatisfy { $0.windows[index].isEmpty }
        }
    }

    // MARK: Reading

    /// Reads the records of a process until it has ended, on a thread of its own.
    func read(_ link: ChildLink) {
        csys_thread_name("curfew-channel")
        engine.threads.join(as: .channel)
        var isKilled = false
        var nextLook: UInt64 = 0
        var canRest = true
        /// Since when the process has had nothing to do, and how much it had been given before.
        var idle: (since: UInt64, uses: UInt64)?
        let idleLimit = self.idleLimit
        let lookEvery = min(Self.lookEvery, idleLimit ?? .max)
        while true {
            lock.enter()
            let hasRead = link.drain()
            var rests = false
            var isIdleForLong = false
            if hasRead {
                idle = nil
            } else if csys_monotonic_ns() >= nextLook {
                link.observeAll()
                let now = csys_monotonic_ns()
                nextLook = now &+ lookEvery
                // Idle at two looks, so that a process which is at work is woken by its bell alone.
                if !link.isIdle {
                    idle = nil
                } else if let since = idle, since.uses == link.uses {
                    isIdleForLong = now &- since.since >= idleLimit ?? .max
                    rests = canRest && !isIdleForLong
                } else {
                    idle = (now, link.uses)
                }
                if rests { link.rest.begin() }
            }
            let isOver = link.hasEnded
            finish(leave())
            pumpIfRead(hasRead)
            if engine.log.hasDeferred {
                engine.log.writeDeferred()
                if waiting.load(ordering: .relaxed) != 0 { link.memory.waiterBell.ring() }
            }
            if isOver { break }
            if isIdleForLong {
                idle = nil
                onIdle?(link)
                continue
            }
            if link.isBroken, !isKilled {
                // Outside of the lock, which those who kill may need.
                isKilled = true
                onFault?(link)
            }
            if hasRead || link.hasRecords { continue }
            if rests {
                let end = idle.flatMap { idle in idleLimit.map { idle.since &+ $0 } } ?? .max
                if let ended = rest(of: link, until: end) { canRest = ended }
                continue
            }
            let isAwaited = waiting.load(ordering: .relaxed) != 0
            if !isAwaited, engine.threads.cores.poll({ link.hasRecords || link.hasEnded }) {
                continue
            }
            let rings = link.memory.readerBell.announce()
            if link.hasRecords && !isAwaited || link.hasEnded || engine.log.hasDeferred
                || link.isBroken && !isKilled
            {
                link.memory.readerBell.cancel(since: rings)
                continue
            }
            link.memory.readerBell.sleep(since: rings, until: csys_monotonic_ns() &+ lookEvery)
        }
        engine.phase.progressed()
    }

    /// Nanoseconds after which a process with nothing to do is ended; nil if it goes on: subs share what they know
    /// from one event to the next.
    private var idleLimit: UInt64? {
        isFresh || manifest.handlers.contains { $0.form == .subs }
            ? nil : engine.configuration.processIdleLimit
    }

    /// Sleeps until something is asked of the process, or it rings, at most until a CLOCK_MONOTONIC time. Returns
    /// whether the kernel can do that; nil if there was something to do already.
    private func rest(of link: ChildLink, until end: UInt64) -> Bool? {
        let rings = link.memory.readerBell.announce()
        if link.hasRecords || link.hasEnded || engine.log.hasDeferred || link.isBroken {
            link.memory.readerBell.cancel(since: rings)
            link.rest.end()
            return nil
        }
        return link.rest.sleep(link.memory.readerBell, since: rings, until: end)
    }

    /// Nanoseconds. What a process writes is not believed, not even that it rings.
    private static let lookEvery: UInt64 = 1_000_000_000

    /// Waits until a task is over, at most until a CLOCK_MONOTONIC time, and reads the records of the
    /// process itself: one wake-up less than if the channel reader did. Returns false when another
    /// thread does that already, or there is no process.
    func wait(for task: TaskReference, until deadline: UInt64, _ isClosing: () -> Bool) -> Bool {
        let found = locked { () -> ChildLink? in
            guard let handler = engine.tasks.slot(task).handlerQueue,
                let link = link(of: task, Self.index(of: handler)) ?? current,
                waiting.compareExchange(
                    expected: 0, desired: task.bits, ordering: .sequentiallyConsistent
                ).exchanged
            else { return nil }
            waitingLink = link
            return link
        }
        guard let link = found else { return false }
        let isAwaited = link.memory.header
        isAwaited.pointee.isAwaited.store(1, ordering: .sequentiallyConsistent)
        let slot = engine.tasks.slot(task)
        func isDone() -> Bool {
            let state = slot.state
            return state.isOver || state.generation != task.generation || isClosing()
                || link.hasEnded
        }
        while !isDone(), deadline == .max || csys_monotonic_ns() < deadline {
            // Log lines are written by the channel reader, before what comes after them is read.
            func canRead() -> Bool { link.hasRecords && !engine.log.hasDeferred }
            if canRead() {
                readOnce(link)
                continue
            }
            if engine.log.hasDeferred { link.wakeReader() }
            if engine.threads.cores.poll({ canRead() || isDone() }) { continue }
            let rings = link.memory.waiterBell.announce()
            if canRead() || isDone() {
                link.memory.waiterBell.cancel(since: rings)
                continue
            }
            link.memory.waiterBell.sleep(
                since: rings, until: min(deadline, csys_monotonic_ns() &+ Self.lookEvery))
        }
        waiting.store(0, ordering: .sequentiallyConsistent)
        isAwaited.pointee.isAwaited.store(0, ordering: .sequentiallyConsistent)
        atomicMemoryFence(ordering: .sequentiallyConsistent)
        if link.hasRecords || engine.log.hasDeferred { link.wakeReader() }
        return true
    }

    /// Wakes the thread that waits for a task and reads the ring, to look again.
    func wakeWaiter() {
        guard waiting.load(ordering: .sequentiallyConsistent) != 0 else { return }
        locked { waitingLink }?.memory.waiterBell.ring()
    }

    private func readOnce(_ link: ChildLink) {
        guard lock.tryEnter() else { return }
        var after = After()
        engine.threads.during(.channel) {
            _ = link.drain()
            fillAll()
            after = leave()
        }
        after.awaited = nil
        finish(after)
    }

    /// The thread that waits sleeps until its task is over, whoever ends that.
    private func wakeIfOver(_ link: ChildLink?) {
        let bits = waiting.load(ordering: .sequentiallyConsistent)
        guard bits != 0, let link else { return }
        let task = TaskReference(bits: bits)
        let state = engine.tasks.slot(task).state
        if state.isOver || state.generation != task.generation { link.memory.waiterBell.ring() }
    }

    /// Returned tasks have made room.
    private func pumpIfRead(_ hasRead: Bool) {
        guard hasRead, lock.tryEnter() else { return }
        fillAll()
        finish(leave())
    }

    func answer(
        _ link: ChildLink, _ mailbox: Int, _ number: UInt32, _ status: Status, _ bytes: [UInt8]
    ) {
        locked { if !link.hasEnded { link.answer(mailbox, number, status, bytes) } }
    }

    // MARK: Orders

    /// Gives an order and waits until a CLOCK_MONOTONIC time. Returns the process' message, or nil.
    ///
    /// - Parameter link: the process; nil for the one that takes tasks.
    func order(
        _ kind: ChannelOrder, message: [UInt8] = [], to link: ChildLink? = nil,
        until deadline: UInt64 = .max
    ) -> [UInt8]? {
        let order = ChildOrder()
        let isGiven = locked {
            (link ?? current).map { !$0.hasEnded && $0.order(kind, order, message: message) }
                ?? false
        }
        return isGiven ? order.wait(until: deadline) : nil
    }

    /// Has a process call a sub or a continuation, and waits until that has returned.
    ///
    /// - Parameter link: the process; nil for the one that takes tasks.
    func deliver(_ message: [UInt8], to link: ChildLink? = nil, isContinuation: Bool = false) {
        _ = order(.deliver, message: message, to: link)
        if isContinuation { locked { link?.continuations -= 1 } }
    }

    // MARK: Loading

    /// Registers a handler for the process that is being loaded. A later process finds its handlers
    /// registered.
    func register(_ identifier: String, hasExpired: Bool) -> BridgeError? {
        let index = manifest.handlers.firstIndex { $0.identifier == identifier }
        guard isRegistered else {
            return services.register(
                identifier, code(index ?? 0, hasExpired, 0), plugin: plugin)
        }
        return index == nil
            ? BridgeError(.denied, "\"\(identifier)\" is not in the plugin's manifest") : nil
    }

    /// The code of a handler: its functions are never called in this process.
    func code(_ index: Int, _ hasExpired: Bool, _ pendingLimit: UInt32) -> HandlerCode {
        HandlerCode(
            run: { _, _, _, _ in
                preconditionFailure("a task of another process was run in this one")
            },
            expired: hasExpired
                ? { _, _, _, _ in
                    preconditionFailure("a callback of another process was called in this one")
                } : nil,
            data: UnsafeMutableRawPointer(bitPattern: index + 1), api: api,
            pendingLimit: pendingLimit,
            port: UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()))
    }

    /// The table of the plugin in this host, which has no functions of its own called.
    var api: UnsafePointer<curfew_host_api>!

    /// The handlers were registered; tasks can be offered from now on.
    func begin(_ handlers: [HandlerQueuePointer]) {
        locked {
            queues = handlers
            registration.store(true, ordering: .releasing)
            for link in links {
                link.queues = handlers
                link.isReady = true
            }
        }
        for handler in handlers { pump(handler) }
    }

    /// A later process has loaded the plugin again.
    func begin(_ link: ChildLink) {
        locked { link.isReady = !link.hasEnded }
        for handler in handlers { pump(handler) }
    }

    /// Whether a process has loaded the plugin, and runs.
    func isReady(_ link: ChildLink) -> Bool { locked { link.isReady && !link.hasEnded } }

    /// Whether there is a process that can take the next task, or will be able to.
    var hasUnused: Bool { locked { links.contains { !$0.isLeaving && !$0.hasEnded } } }

    func makeLink() throws(BridgeError) -> ChildLink {
        try ChildLink(engine, services, plugin: plugin, manifest, calls)
    }

    /// A new process takes the tasks from now on.
    func connect(_ link: ChildLink) {
        locked {
            links.append(link)
            if !isFresh { (current, isParked) = (link, false) }
            link.queues = queues
        }
    }

    /// Stops offering tasks to a process, if it still has nothing to do.
    ///
    /// Returns whether it does so, and what the caller passes to `finish` once it has left its own locks.
    func park(_ link: ChildLink) -> (isParked: Bool, rest: After) {
        lock.enter()
        if current === link, link.isIdle, !link.hasRecords, recalled.allSatisfy(\.isEmpty) {
            link.isLeaving = true
            link.isFoundQuiet = true
            leaving += 1
            current = nil
            isParked = true
        }
        let isParked = link.isLeaving
        return (isParked, leave())
    }

    /// A process could not be started.
    func disconnect(_ link: ChildLink) { locked { remove(link) } }

    private func remove(_ link: ChildLink) {
        guard let index = links.firstIndex(where: { $0 === link }) else { return }
        links.remove(at: index)
        if link.isLeaving { leaving -= 1 }
        if current === link { current = nil }
        if waitingLink === link { waitingLink = nil }
    }

    /// A function does not return: its process takes no more tasks. Returns the process, if it was not
    /// known, and whether it goes on for tasks besides those that are stuck.
    func leave(because task: TaskReference) -> (link: ChildLink, goesOn: Bool)? {
        locked {
            guard let handler = engine.tasks.slot(task).handlerQueue,
                let link = links.first(where: { $0.has(task, Self.index(of: handler)) })
            else { return nil }
            link.stuck.insert(task.bits)
            guard !link.isFoundQuiet else { return nil }
            if !link.isLeaving {
                link.isLeaving = true
                leaving += 1
            }
            if current === link { current = nil }
            recallAll(from: link)
            let goesOn = !link.isQuiet
            // The caller ends it otherwise.
            if !goesOn { link.isFoundQuiet = true }
            return (link, goesOn)
        }
    }

    // MARK: The end of a process

    /// A request whose task has ended with another one's fault uses no attempt.
    private func launchAgain(_ task: TaskReference) {
        let id = engine.tasks.publicID(task)
        if services.request(of: id, plugin: plugin) != 0 {
            _ = services.snooze(id, 0, plugin: plugin)
        }
    }

    /// The handlers, once they are registered.
    var handlers: [HandlerQueuePointer] { locked { queues } }

    /// No call of a process is answered any more.
    func stop() { calls.stop() }

    /// Whether a function or an expiration callback of the plugin runs, as far as the host has seen.
    var isInside: Bool {
        locked {
            links.contains { link in
                !link.calling.isEmpty
                    || link.windows.contains { $0.all.contains { $0.state == .taken } }
            }
        }
    }

    /// How a process has ended, as the rest of a sentence; nil while it runs.
    func endText(of link: ChildLink) -> String? {
        locked { link.endText }
    }

    /// Why the host has killed a process.
    enum KillOrder: Equatable {
        /// The function of a task did not return.
        case stuck(UInt64)
        /// It had nothing to do.
        case idle
        /// A person has quarantined the plugin.
        case quarantined
    }

    /// A process has ended, with everything that it had started, so that no other record will come.
    /// Returns how, as the rest of a sentence.
    ///
    /// - Parameter order: why the host has killed it, if it has.
    func processEnded(_ link: ChildLink, _ end: ChildEnd, _ order: KillOrder?) -> String {
        let stuck: UInt64? = if case .stuck(let task) = order { task } else { nil }
        let text = locked { () -> String in
            let wasReady = link.isReady
            let left = link.end(end)
            func text(for reader: LastWords.Reader) -> String {
                if order == .quarantined { return "was ended: its plugin was quarantined" }
                if order == .idle {
                    return
                        "was ended: it had nothing to do for \(SpanText(nanoseconds: idleLimit ?? 0))"
                }
                if let fault = link.fault { return "was killed: \(fault)" }
                if let stuck {
                    let words = LastWords(phase: .function, task: stuck)
                    return "was killed: \(words.place(for: reader).dropFirst(3)) had not returned"
                }
                return end.text(link.lastWords, for: reader) { SignalName.of($0) }
            }
            remove(link)
            // The oldest first, before those that were recalled earlier.
            for (task, index) in left.untaken.reversed() { recalled[index].insert(task, at: 0) }
            let blame = Blame(
                stuck.map { LastWords(phase: .function, task: $0) } ?? link.lastWords,
                running: left.running.map(engine.tasks.publicID),
                pending: left.pending.map(engine.tasks.publicID),
                isLost: end == .lost && order == nil)
            let tasks = left.running + left.pending
            link.isEndTold = !wasReady || tasks.contains { !engine.tasks.slot($0).state.isClaimed }
            let handler = tasks.first { engine.tasks.publicID($0) == stuck ?? link.lastWords?.task }
                .flatMap { engine.tasks.slot($0).handlerQueue }
            let inLog = text(
                for: .log(handler: handler.map { manifest.handlers[Self.index(of: $0)].identifier })
            )
            for task in tasks {
                let isInnocent =
                    order == .quarantined || blame.isInnocent(engine.tasks.publicID(task))
                if isInnocent {
                    launchAgain(task)
                } else if blame == .unknown {
                    services.suspect(engine.tasks.publicID(task), plugin: plugin)
                }
                var words = isInnocent ? "the process of its plugin " : "its process "
                words += text(for: isInnocent ? .otherTask : .task)
                if isInnocent, link.lastWords == nil, order == nil, blame != .outside {
                    words += ", in another task"
                } else if blame == .unknown, order == nil {
                    words += "; which of its \(tasks.count) tasks did it is not known"
                }
                engine.processEnded(
                    task, isInnocent && order != nil ? .interrupted : .crashed, words)
            }
            link.endText = inLog
            // Its places are free.
            fillAll()
            return inLog
        }
        link.memory.readerBell.ringAll()
        link.rest.end()
        link.memory.waiterBell.ringAll()
        engine.phase.progressed()
        return text
    }
}
