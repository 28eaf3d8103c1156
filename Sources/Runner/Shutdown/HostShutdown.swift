// SPDX-License-Identifier: Apache-2.0
import CSystem
import PluginBridge
import Scheduling
import Synchronization

/// Shuts a host down in bounded phases, following `HostStateMachine`, then destroys it.
///
/// Nothing is polled: threads signal `HostPhase`, ended threads are joined, and a gate wakes its
/// waiter when the last call leaves.
final class HostShutdown: Sendable {
    private let engine: TaskEngine
    private let loop: EventLoop
    private let requests: RequestService
    private let registry: PluginRegistry
    private let targets: TargetDirectory
    private let machine = Locked(HostStateMachine())
    /// The result of the shutdown, once it is over.
    private let ended = Locked<Result<Void, BridgeError>?>(nil)
    /// The time by which running tasks have to have ended, whatever the limits of the shutdown say; `.max` without one.
    private let latestEnd = Atomic<UInt64>(.max)

    static let leaked = Atomic<UInt32>(0)

    /// Nanoseconds for threads that only need processor time to leave.
    private static let exitLimit: UInt64 = 10_000_000_000
    /// The least time, in nanoseconds, after which a thread that has made no progress counts as
    /// blocked: on a busy machine it can wait that long for a processor.
    private static let leastLeave: UInt64 = 100_000_000

    init(
        _ engine: TaskEngine, _ loop: EventLoop, _ requests: RequestService,
        _ registry: PluginRegistry, _ targets: TargetDirectory
    ) {
        self.engine = engine
        self.loop = loop
        self.requests = requests
        self.registry = registry
        self.targets = targets
    }

    private var phase: HostPhase { engine.phase }
    private var threads: HostThreads { engine.threads }
    private var tasks: TaskTable { engine.tasks }
    private var handlers: [HandlerRecord] { engine.handlers.all }

    // MARK: Shutting down

    /// Ends the host's work. A second call waits for the first.
    ///
    /// Throws `TIMED_OUT` if foreign code did not return, `WRONG_THREAD` on a thread of the host.
    func run(_ limits: ShutdownLimits) throws(BridgeError) {
        guard threads.role == .other else { throw PluginRegistry.wrongThread("shutdown") }
        var action = machine.withLock { $0.shutDown() }
        var expireEnd: UInt64?
        while true {
            switch action {
            case .awaitClosed:
                // A later call has nothing to do; one beside the first has the same result.
                if ended.withLock({ $0 }) != nil { return }
                _ = phase.wait(until: .max) { ended.withLock { $0 } != nil }
                try ended.withLock { $0 }?.get()
                return
            case .drain:
                drain(limits)
                let hasQueues = handlers.contains { $0.queue.pointee.code.isQueue }
                action = machine.withLock { $0.drained(hasQueues: hasQueues) }
            case .expire(let keepsQueues):
                phase.enter(.expiring)
                // Both rounds share one limit.
                let end = expireEnd ?? EventLoop.deadline(after: expireLimit(limits))
                let isSecond = expireEnd != nil
                expireEnd = end
                expire(keepsQueues: keepsQueues, until: end, isSecond: isSecond)
                action = machine.withLock { $0.expired() }
            case .interrupt:
                interrupt(limits)
                action = machine.withLock { $0.left() }
            case .close:
                let result: Result<Void, BridgeError>
                do throws(BridgeError) {
                    result = .success(try close(limits))
                } catch {
                    result = .failure(error)
                }
                ended.withLock { $0 = result }
                phase.progressed()
                return try result.get()
            }
        }
    }

    /// Leaves tasks no longer than this to end, in nanoseconds from now, once or while the host is shut down. Any thread
    /// may call.
    func hurry(_ limit: UInt64) {
        let end = EventLoop.deadline(after: limit)
        // `Atomic.min` compares as signed numbers, also those that have no sign.
        var latest = latestEnd.load(ordering: .sequentiallyConsistent)
        while end < latest {
            let (isExchanged, original) = latestEnd.compareExchange(
                expected: latest, desired: end, ordering: .sequentiallyConsistent)
            if isExchanged { break }
            latest = original
        }
        phase.progressed()
    }

    /// Waits as `HostPhase` does, at most until `hurry` says.
    private func wait(until deadline: UInt64, _ isOver: () -> Bool) -> Bool {
        while true {
            let latest = latestEnd.load(ordering: .sequentiallyConsistent)
            var isHurried = false
            let isDone = phase.wait(until: min(deadline, latest)) {
                isHurried = latestEnd.load(ordering: .sequentiallyConsistent) < latest
                return isHurried || isOver()
            }
            if !isHurried { return isDone }
        }
    }

    private func drain(_ limits: ShutdownLimits) {
        phase.enter(.draining)
        LoadLock.wakeWaiters()
        loop.close()
        targets.close()
        // Wakes threads that wait for tasks, after the phase has changed.
        for index in 1..<Int(tasks.allocated.load(ordering: .sequentiallyConsistent)) {
            tasks.slots[index].sleepers.wake()
        }
        for child in registry.isolated { child.port.wakeWaiter() }
        // A thread that runs the loop while it waits sleeps on the descriptor.
        loop.wake()
        _ = wait(until: EventLoop.deadline(after: limits.drain)) { isIdle }
    }

    private func expireLimit(_ limits: ShutdownLimits) -> UInt64 {
        if let limit = limits.expire { return limit }
        var longest = handlers.map(\.description.grace).max() ?? 0
        forEachTask { task, state in
            guard state.isEntered, !state.isOver else { return }
            let own = tasks.pinning(task) { tasks.existingRecord(of: $0)?.grace ?? 0 }
            longest = max(longest, own ?? 0)
        }
        return longest &+ 1_000_000_000
    }

    /// The nanoseconds in which `run` will have ended, if foreign code returns.
    func longest(_ limits: ShutdownLimits) -> UInt64 {
        limits.drain &+ expireLimit(limits) &+ limits.leave &+ Self.exitLimit
    }

    private func expire(keepsQueues: Bool, until end: UInt64, isSecond: Bool) {
        let isDone = wait(until: end) {
            // Repeats until no worker is between taking a task and entering it: such a task has
            // left its queue and is not entered yet, so it cannot be expired.
            let entering = isAnyEntering(besidesQueues: keepsQueues)
            expireEverything(besidesQueues: keepsQueues)
            return !entering && !hasUndecided(besidesQueues: keepsQueues)
        }
        guard !isDone, isSecond else { return }
        // Leaving a queue only needs processor time.
        _ = phase.wait(until: EventLoop.deadline(after: Self.exitLimit)) {
            let entering = isAnyEntering(besidesQueues: keepsQueues)
            expireEverything(besidesQueues: keepsQueues)
            return !entering
        }
    }

    private func interrupt(_ limits: ShutdownLimits) {
        phase.enter(.leaving)
        forEachTask { task, state in
            if state.isEntered, !state.isClaimed { engine.graceOver(task) }
        }
        let end = EventLoop.deadline(after: limits.leave)
        let haveLeft = { [self] in
            handlersInside.isEmpty && indices(where: \.isCalling).isEmpty
                && !registry.commands.isAwaitingEnds
        }
        let children = registry.isolated
        if !children.isEmpty {
            // Code in a process of its plugin's need not return, and has the time that it has elsewhere.
            let limit = min(limits.leave, engine.configuration.killAfter)
            if !phase.wait(until: EventLoop.deadline(after: limit), haveLeft) {
                for child in children where child.port.isInside { child.close() }
            }
        }
        _ = phase.wait(until: end, haveLeft)
        registry.loadGate.close()
        _ = registry.loadGate.waitUntilEmpty(until: end)
    }

    private func close(_ limits: ShutdownLimits) throws(BridgeError) {
        endChildren()
        let (inside, calling) = (handlersInside, engine.handlersInCallbacks)
        registry.commands.publishEnds()
        requests.stop(until: EventLoop.deadline(after: Self.exitLimit))
        registry.commands.close()
        registry.children.close()
        for pool in engine.pools { pool.stop() }
        engine.deadlines.stop()
        phase.enter(.closed)
        loop.wake()
        let isBlocked = awaitThreads(limits, areKept: !inside.isEmpty || !calling.isEmpty)
        loop.doRemainingWorkIfMine()
        engine.clock.manual?.leave(threads)
        guard inside.isEmpty, threads.areOver, registry.loadGate.isEmpty else {
            throw notReturned(inside, calling, isBlocked: isBlocked)
        }
        registry.commands.releaseHandlers()
    }

    /// Makes the last call into the plugins that run in processes, and ends those.
    private func endChildren() {
        for child in registry.isolated { child.retire() }
        let end = EventLoop.deadline(after: Self.exitLimit)
        _ = phase.wait(until: end) { registry.isolated.allSatisfy { $0.isOver } }
    }

    /// Waits for the host's threads to end. Returns whether foreign code outside of handlers kept one.
    ///
    /// A thread outside foreign code leaves as soon as it gets processor time, which takes a while on
    /// a busy machine. The event thread delivers the remaining events first. Foreign code that makes
    /// no progress for the limit is not waited for.
    ///
    /// - Parameter areKept: a thread is inside a handler and may never return.
    private func awaitThreads(_ limits: ShutdownLimits, areKept: Bool) -> Bool {
        let interval = max(limits.leave, Self.leastLeave)
        let end = EventLoop.deadline(after: max(limits.leave, Self.exitLimit))
        var progress = (loop.delivered, threads.running)
        while true {
            let next = min(EventLoop.deadline(after: interval), end)
            let isOver =
                areKept
                ? phase.wait(until: next) {
                    threads.areOver
                        || ((loop.isEmbedders || loop.isQuiet)
                            && engine.pools.allSatisfy { $0.alive <= stuckWorkers })
                } : threads.awaitEnd(until: next)
            let now = (loop.delivered, threads.running)
            let isInForeignCode =
                loop.isRunning || !engine.log.gate.isEmpty || threads.running == 0
            if isOver { return false }
            if next == end || (now == progress && isInForeignCode) { return isInForeignCode }
            progress = now
        }
    }

    /// The error that names the foreign code which has not returned.
    private func notReturned(
        _ inside: [HandlerRecord] = [], _ calling: [HandlerRecord] = [], isBlocked: Bool = true
    ) -> BridgeError {
        func named(_ what: String, _ handlers: [HandlerRecord]) -> String? {
            handlers.isEmpty ? nil : "\(what) of \(names(handlers.map(\.description.identifier)))"
        }
        let loading = registry.plugins.loading.compactMap { registry.plugins.id(of: $0) }
        var code = [
            named("a function", inside), named("the expiration callback", calling),
            loading.isEmpty
                ? nil : "the entry or a constructor of the plugin \(names(loading))",
        ].compactMap(\.self)
        if !threads.areOver {
            if isBlocked, loop.isRunning, !loop.isEmbedders {
                code.append(loop.receiver.map { "a receiver of \($0)" } ?? "work on the event loop")
            }
            if threads.running == 0 { code.append("a destructor of thread-local data") }
        }
        // It may be called by a thread of the embedder's, too.
        if !engine.log.gate.isEmpty { code.append("the log function") }
        if code.isEmpty {
            code = [threads.areOver ? "a call that loads a plugin" : "a thread of the host"]
        }
        return BridgeError(
            .timedOut,
            "\(code.joined(separator: " and ")) \(code.count == 1 ? "has" : "have") not returned; "
                + "its thread and the host's memory are kept")
    }

    private func names(_ identifiers: [String]) -> String {
        identifiers.map { "\"\($0)\"" }.joined(separator: ", ")
    }

    private var stuckWorkers: Int { handlers.reduce(0) { $0 + Int($1.active) } }

    // MARK: Looking

    private var isIdle: Bool {
        engine.deadlines.pending == 0
            && handlers.allSatisfy { handler in
                handler.queue.isEmpty
                    && !(ChildPort.of(handler.queue)?.hasTasks(handler.queue) ?? false)
                    && handler.queue.pointee.active.load(ordering: .sequentiallyConsistent) == 0
            }
    }

    /// The handlers whose functions have not returned.
    /// `active` does not tell: a worker that looks for its next task counts too.
    private var handlersInside: [HandlerRecord] {
        let inside = indices { $0.isEntered && !$0.isReturned }
        return handlers.filter { $0.lost > 0 || inside.contains($0.index) }
    }

    /// The indices of the handlers that have such a task.
    private func indices(where isWanted: (TaskStateMachine) -> Bool) -> Set<UInt32> {
        var found: Set<UInt32> = []
        forEachTask { task, state in
            guard isWanted(state), let queue = tasks.slot(task).handlerQueue else { return }
            found.insert(queue.pointee.index)
        }
        return found
    }

    /// Whether a worker may be about to enter a function: it holds a place and is inside none.
    /// The gates are closed, so it takes no other task and frees its place soon.
    private func isAnyEntering(besidesQueues: Bool) -> Bool {
        var inside: [UInt32: UInt32] = [:]
        forEachTask { task, state in
            guard state.isEntered, !state.isReturned, !state.isLost,
                let queue = tasks.slot(task).handlerQueue
            else { return }
            inside[queue.pointee.index, default: 0] += 1
        }
        return handlers.contains {
            $0.active > inside[$0.index, default: 0]
                && !(besidesQueues && $0.queue.pointee.code.isQueue)
        }
    }

    private func hasUndecided(besidesQueues: Bool) -> Bool {
        var undecided = false
        forEachTask { task, state in
            guard state.isEntered, !state.isOver, !(besidesQueues && isOfQueue(task)),
                // The task has answered, and waits for a store that may not work again.
                !(state.isClaimed && engine.isEndWaiting(task))
            else { return }
            undecided = true
        }
        return undecided
    }

    private func isOfQueue(_ task: TaskReference) -> Bool {
        tasks.slot(task).handlerQueue?.pointee.code.isQueue == true
    }

    private func forEachTask(_ body: (TaskReference, TaskStateMachine) -> Void) {
        for index in 1..<tasks.allocated.load(ordering: .acquiring) {
            let state = tasks.slots[Int(index)].word.load(ordering: .acquiring)
            let machine = TaskStateMachine(word: state)
            body(TaskReference(index: index, generation: machine.generation), machine)
        }
    }

    private func expireEverything(besidesQueues: Bool) {
        for handler in handlers where !(besidesQueues && handler.queue.pointee.code.isQueue) {
            // Starts nothing more, and interrupts what waits.
            handler.queue.pointee.gate.bitwiseOr(
                HandlerQueue.Gate.paused, ordering: .sequentiallyConsistent)
            for task in engine.waitingTasks(handler.queue) { engine.interruptQueued(task) }
        }
        for pool in engine.pools { pool.clear(besides: besidesQueues, for: engine) }
        forEachTask { task, state in
            if besidesQueues, isOfQueue(task) { return }
            if state.isParked {
                engine.interruptQueued(task)
            } else if state.isEntered, !state.isClaimed,
                engine.tellToStop(task, .shutdown) == .told
            {
                engine.callBack(task)
            }
        }
    }

    // MARK: Destroying

    /// Undoes a start that failed half-way.
    func abandonStart() {
        engine.deadlines.stop()
        phase.enter(.closed)
        loop.wake()
        _ = threads.awaitEnd(until: EventLoop.deadline(after: 1_000_000_000))
    }

    /// Implements `HostRuntime.destroy`.
    func destroy(_ limits: ShutdownLimits) throws(BridgeError) {
        var failure: BridgeError?
        do {
            try run(limits)
        } catch {
            if error.status == .wrongThread { throw error }
            failure = error
        }
        guard machine.withLock({ $0.destroy() }) else { return }
        // A function may have returned since the shutdown, and its thread is about to end.
        if failure == nil {
            let end = EventLoop.deadline(after: limits.leave)
            _ = threads.awaitEnd(until: end)
            _ = registry.loadGate.waitUntilEmpty(until: end)
        }
        targets.end()
        // No thread runs the embedder's loop any more.
        if loop.isEmbedders { loop.end() }
        let isLoadStuck = !registry.loadGate.isEmpty
        // Another host of the process may load then.
        if isLoadStuck { LoadLock.release(of: threads.host) }
        let isThreadStuck = isLoadStuck || !threads.areOver
        let retiring = isThreadStuck ? [] : registry.retireAll(within: limits.leave)
        reportKeptReferences()
        let tables = registry.tables
        for (_, table) in tables { table.gate.close() }
        engine.children.report(to: engine.violations)
        engine.log.gate.close()
        // A plugin's thread may be inside an earlier call. One wait is enough: later ones are
        // rejected.
        let gates = tables.map { $0.table.gate } + [engine.log.gate]
        let end = EventLoop.deadline(after: limits.leave)
        let isStuck =
            isThreadStuck || !retiring.isEmpty
            || !gates.allSatisfy { $0.waitUntilEmpty(until: end) }
        let stuckThread = isThreadStuck ? notReturned() : nil
        if isStuck {
            Self.leaked.wrappingAdd(1, ordering: .relaxed)
            _ = Unmanaged.passRetained(self)
            threads.detach()
        } else {
            // Computed once for all tables, because it iterates over every task slot.
            let isOwed = mayPluginsCall
            for (library, table) in tables {
                RetiredTables.put(table, library, isOwed: isOwed)
            }
            registry.forgetIsolated()
        }
        if let failure { throw failure }
        if isStuck {
            if let stuckThread { throw stuckThread }
            throw BridgeError(
                .timedOut,
                !retiring.isEmpty
                    ? "the retire function of \(names(retiring)) has not returned; its thread and the host's memory are kept"
                    : "\(engine.log.gate.isEmpty ? "a call of a host's table" : "the log function") has not returned; the host's memory is kept"
            )
        }
    }

    /// Reports references that plugins still hold after their last call.
    private func reportKeptReferences() {
        forEachTask { task, state in
            guard state.pluginReferences > 0, let queue = tasks.slot(task).handlerQueue else {
                return
            }
            let count = state.pluginReferences
            engine.violations.report(
                .keptReference, "holds \(count) reference\(count == 1 ? "" : "s")",
                "the host goes, and the plugin's table is kept for the life of the process",
                task: tasks.publicID(task), plugin: queue.pointee.plugin)
        }
    }

    /// Whether a plugin may still call: it owes an answer or a release.
    private var mayPluginsCall: Bool {
        var isHeld = engine.unanswered.load(ordering: .sequentiallyConsistent) > 0
        forEachTask { _, state in if state.pluginReferences > 0 { isHeld = true } }
        return isHeld
    }
}

/// Time limits of the phases of a shutdown, in nanoseconds of real time.
package struct ShutdownLimits: Sendable {
    /// For running tasks to end and queued ones to start.
    package var drain: UInt64 = 0
    /// For answers after expiration; nil: the longest grace of a handler or a running task, plus one second.
    package var expire: UInt64?
    /// For functions to return; applies anew to each plugin's retire function.
    package var leave: UInt64 = 1_000_000_000

    package init() {}
}
