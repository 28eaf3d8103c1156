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
    // Sendable: `lock` guards the variables; the rest is constant.

    let engine: TaskEngine
    let services: PluginServices
    let plugin: Int32
    let manifest: Manifest
    private let calls: ChildCalls
    private let lock = ChannelLock()
    private var link: ChildLink?
    /// The task of the thread that reads the ring while it waits, or 0.
    private let waiting = Atomic<UInt64>(0)
    private var queues: [HandlerQueuePointer] = []
    /// Recalled tasks, by handler, which are offered before those in the queue.
    private var recalled: [[TaskReference]]
    /// Whether each handler has an expiration callback, and how many tasks may be pending.
    private var codes: [String: (hasExpired: Bool, pendingLimit: UInt32)] = [:]
    /// The handlers are registered with the host: a later process of the plugin registers them only
    /// with this object.
    private var isRegistered = false

    init(_ engine: TaskEngine, _ services: PluginServices, plugin: Int32, _ manifest: Manifest) {
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
        var readerBell: Bell?
        var awaited: ChildLink?
        lock.enter()
        let result = engine.threads.during(.channel) {
            let result = body()
            (readerBell, awaited) = (link?.memory.readerBell, link)
            while !lock.leave() { fillAll() }
            return result
        }
        if engine.log.hasDeferred { readerBell?.ring() }
        wakeIfOver(awaited)
        return result
    }

    // MARK: Offering

    /// Offers queued tasks to the process.
    func pump(_ handler: HandlerQueuePointer) {
        guard lock.tryEnter() else { return }
        fill(Self.index(of: handler))
        while !lock.leave() { fillAll() }
    }

    private func fillAll() {
        for index in queues.indices { fill(index) }
    }

    private func fill(_ index: Int) {
        guard let link, link.isReady, index < queues.count else { return }
        let handler = queues[index]
        var isOffered = false
        let isSingle = handler.pointee.code.pendingLimit > 0
        while handler.pointee.gate.load(ordering: .sequentiallyConsistent)
            == HandlerQueue.Gate.remote,
            isSingle ? link.windows[index].isEmpty : link.windows[index].hasRoom,
            let task = next(index)
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
        guard isOffered else { return }
        link.armTurns(index, handler)
        atomicMemoryFence(ordering: .sequentiallyConsistent)
        link.ring(index)
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
            if let link, link.isReady {
                link.close(task)
                link.drain(all: true)
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
            link?.refresh(task, isEndedByHost: true)
            if isRecalled { sweep(index) }
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
            if let link, link.isReady, let position = link.position(of: task, index) {
                link.observe(task, index, at: position)
            }
        }
    }

    /// Enters a task if the process has taken it, before its deadline is looked at. Otherwise its budget
    /// has not begun, and its deadline is moved.
    func observe(_ task: TaskReference) {
        decide(task) {
            let slot = engine.tasks.slot(task)
            guard let handler = slot.handlerQueue, !slot.state.isEntered else { return }
            let budget = engine.tasks.terms(slot, handler).budget
            slot.pointee.deadline.store(engine.clock.now() &+ budget, ordering: .releasing)
        }
    }

    /// Takes the tasks back that the process has not taken, when a gate was closed.
    func recallAll() {
        locked {
            guard let link else { return }
            for index in queues.indices {
                var back: [TaskReference] = []
                for (bits, position, _) in link.windows[index].all {
                    let task = TaskReference(bits: bits)
                    if link.recall(task, index, at: position) { back.append(task) }
                }
                recalled[index].insert(contentsOf: back, at: 0)
            }
        }
    }

    /// Has the process call the expiration callback of a task that was told to stop. Returns false when
    /// it has none, or cannot.
    func callBack(_ task: TaskReference) -> Bool {
        locked {
            guard let link, let handler = engine.tasks.slot(task).handlerQueue else { return false }
            return link.expire(
                task, Self.index(of: handler), engine.tasks.slot(task).state.reason)
        }
    }

    /// The tasks that wait for the process.
    func waitingTasks(_ handler: HandlerQueuePointer) -> [TaskReference] {
        let index = Self.index(of: handler)
        return locked {
            let offered = link?.windows[index].all.filter { $0.state == .offered } ?? []
            return recalled[index] + offered.map { TaskReference(bits: $0.task) }
        }
    }

    /// The tasks whose functions run, as far as the host has seen.
    func active(_ handler: HandlerQueuePointer) -> Int {
        let index = Self.index(of: handler)
        return locked { link?.windows[index].all.count { $0.state == .taken } ?? 0 }
    }

    func hasTasks(_ handler: HandlerQueuePointer) -> Bool {
        let index = Self.index(of: handler)
        return locked { !recalled[index].isEmpty || !(link?.windows[index].isEmpty ?? true) }
    }

    // MARK: Reading

    /// Reads the records of a process until it has ended, on a thread of its own.
    func read(_ link: ChildLink) {
        csys_thread_name("curfew-channel")
        engine.threads.join(as: .channel)
        var isKilled = false
        while true {
            lock.enter()
            let hasRead = link.drain()
            let isOver = link.hasEnded
            while !lock.leave() { fillAll() }
            pumpIfRead(hasRead)
            if hasRead { wakeIfOver(link) }
            if engine.log.hasDeferred {
                engine.log.writeDeferred()
                if waiting.load(ordering: .relaxed) != 0 { link.memory.waiterBell.ring() }
            }
            if isOver { break }
            if link.isBroken, !isKilled {
                // Outside of the lock, which those who kill may need.
                isKilled = true
                onFault?(link)
            }
            if hasRead || link.hasRecords { continue }
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
            link.memory.readerBell.sleep(
                since: rings, until: csys_monotonic_ns() &+ 1_000_000_000)
        }
        engine.phase.progressed()
    }

    /// Waits until a task is over, at most until a CLOCK_MONOTONIC time, and reads the records of the
    /// process itself: one wake-up less than if the channel reader did. Returns false when another
    /// thread does that already, or there is no process.
    func wait(for task: TaskReference, until deadline: UInt64, _ isClosing: () -> Bool) -> Bool {
        guard let link = locked({ self.link }),
            waiting.compareExchange(
                expected: 0, desired: task.bits, ordering: .sequentiallyConsistent
            ).exchanged
        else { return false }
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
            if engine.log.hasDeferred { link.memory.readerBell.ring() }
            if engine.threads.cores.poll({ canRead() || isDone() }) { continue }
            let rings = link.memory.waiterBell.announce()
            if canRead() || isDone() {
                link.memory.waiterBell.cancel(since: rings)
                continue
            }
            // What the process writes is not believed, not even that it rings.
            link.memory.waiterBell.sleep(
                since: rings, until: min(deadline, csys_monotonic_ns() &+ 1_000_000_000))
        }
        waiting.store(0, ordering: .sequentiallyConsistent)
        isAwaited.pointee.isAwaited.store(0, ordering: .sequentiallyConsistent)
        atomicMemoryFence(ordering: .sequentiallyConsistent)
        if link.hasRecords || engine.log.hasDeferred { link.memory.readerBell.ring() }
        return true
    }

    /// Wakes the thread that waits for a task and reads the ring, to look again.
    func wakeWaiter() {
        guard waiting.load(ordering: .sequentiallyConsistent) != 0 else { return }
        locked { link }?.memory.waiterBell.ring()
    }

    private func readOnce(_ link: ChildLink) {
        guard lock.tryEnter() else { return }
        engine.threads.during(.channel) {
            _ = link.drain()
            fillAll()
            while !lock.leave() { fillAll() }
        }
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
        while !lock.leave() { fillAll() }
    }

    func answer(
        _ link: ChildLink, _ mailbox: Int, _ number: UInt32, _ status: Status, _ bytes: [UInt8]
    ) {
        locked { if !link.hasEnded { link.answer(mailbox, number, status, bytes) } }
    }

    // MARK: Orders

    /// Gives an order and waits until a CLOCK_MONOTONIC time. Returns the process' message, or nil.
    func order(
        _ kind: ChannelOrder, message: [UInt8] = [], until deadline: UInt64 = .max
    ) -> [UInt8]? {
        let order = ChildOrder()
        let isGiven = locked {
            link.map { !$0.hasEnded && $0.order(kind, order, message: message) } ?? false
        }
        return isGiven ? order.wait(until: deadline) : nil
    }

    /// Has the process call a sub or a continuation, and waits until that has returned.
    func deliver(_ message: [UInt8]) { _ = order(.deliver, message: message) }

    // MARK: Loading

    /// Registers a handler for the process that is being loaded. A later process finds its handlers
    /// registered.
    func register(_ identifier: String, hasExpired: Bool) -> BridgeError? {
        let index = manifest.handlers.firstIndex { $0.identifier == identifier }
        guard locked({ isRegistered }) else {
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
            isRegistered = true
            link?.queues = handlers
            link?.isReady = true
        }
        for handler in handlers { pump(handler) }
    }

    /// A later process has loaded the plugin again.
    func begin(_ link: ChildLink) {
        locked { link.isReady = self.link === link }
        for handler in handlers { pump(handler) }
    }

    func makeLink() throws(BridgeError) -> ChildLink {
        try ChildLink(engine, services, plugin: plugin, manifest, calls)
    }

    /// A new process takes the tasks from now on.
    func connect(_ link: ChildLink) {
        locked {
            self.link = link
            link.queues = queues
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

    /// Whether a process takes tasks.
    var hasProcess: Bool { locked { link != nil } }

    /// The handlers, once they are registered.
    var handlers: [HandlerQueuePointer] { locked { queues } }

    /// No call of a process is answered any more.
    func stop() { calls.stop() }

    /// Whether a function of the plugin runs, as far as the host has seen.
    var isInside: Bool {
        locked { link?.windows.contains { $0.all.contains { $0.state == .taken } } ?? false }
    }

    /// How a process has ended, as the rest of a sentence; nil while it runs.
    func endText(of link: ChildLink) -> String? {
        locked { link.endText }
    }

    /// A process has ended, with everything that it had started, so that no other record will come.
    /// Returns how, as the rest of a sentence.
    ///
    /// - Parameter stuck: the task whose function did not return, so that the host has killed it.
    func processEnded(_ link: ChildLink, _ end: ChildEnd, killedFor stuck: UInt64?) -> String {
        let text = locked { () -> String in
            let left = link.end(end)
            func text(for reader: LastWords.Reader) -> String {
                if let fault = link.fault { return "was killed: \(fault)" }
                if let stuck {
                    let words = LastWords(phase: .function, task: stuck)
                    return "was killed: \(words.place(for: reader).dropFirst(3)) had not returned"
                }
                return end.text(link.lastWords, for: reader) { SignalName.of($0) }
            }
            if self.link === link { self.link = nil }
            // The oldest first, before those that were recalled earlier.
            for (task, index) in left.untaken.reversed() { recalled[index].insert(task, at: 0) }
            let blame = Blame(
                stuck.map { LastWords(phase: .function, task: $0) } ?? link.lastWords,
                running: left.running.map(engine.tasks.publicID),
                pending: left.pending.map(engine.tasks.publicID))
            let tasks = left.running + left.pending
            let handler = tasks.first { engine.tasks.publicID($0) == stuck ?? link.lastWords?.task }
                .flatMap { engine.tasks.slot($0).handlerQueue }
            let inLog = text(
                for: .log(handler: handler.map { manifest.handlers[Self.index(of: $0)].identifier })
            )
            for task in tasks {
                let isInnocent = blame.isInnocent(engine.tasks.publicID(task))
                if isInnocent { launchAgain(task) }
                var words = isInnocent ? "the process of its plugin " : "its process "
                words += text(for: isInnocent ? .otherTask : .task)
                if isInnocent, link.lastWords == nil, stuck == nil { words += ", in another task" }
                engine.processEnded(
                    task, isInnocent && stuck != nil ? .interrupted : .crashed, words)
            }
            link.endText = inLog
            return inLog
        }
        link.memory.readerBell.ringAll()
        link.memory.waiterBell.ringAll()
        engine.phase.progressed()
        return text
    }
}
