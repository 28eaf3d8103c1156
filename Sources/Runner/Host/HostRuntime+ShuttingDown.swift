// SPDX-License-Identifier: Apache-2.0
import CSystem
public import PluginBridge
import Scheduling
import Synchronization

extension HostRuntime {
    /// How long the phases of a shutdown may take, in nanoseconds of real time.
    public struct Shutdown: Sendable {
        /// Let tasks go on and queued ones start.
        public var drain: UInt64 = 0
        /// Wait for answers after expiration; nil: the longest grace of a handler, and a second.
        public var expire: UInt64?
        /// Wait for functions to return; for each plugin's retire function anew.
        public var leave: UInt64 = 1_000_000_000

        /// Every default.
        public init() {}
    }

    /// Between looks at whether a phase is over. Shutting down is the only place that polls: the
    /// path of a task would have to pay for anything else.
    private static let look: UInt64 = 500_000
    /// The first pause, from which they double up to that: most phases are over at once.
    private static let firstLook: UInt64 = 20_000
    /// For threads that only need a processor to leave.
    private static let patience: UInt64 = 10_000_000_000

    /// Ends the host's work in four bounded phases. A second call does nothing.
    public func shutDown(_ limits: Shutdown = Shutdown()) throws(BridgeError) {
        guard ThreadRole.current(in: self) == .other else {
            throw HostRuntime.wrongThread("shutdown")
        }
        guard life.withLock({ $0.shutDown() }) else {
            // Somebody else is at it: it is over for this caller when it is over.
            while !closed { pauseBriefly() }
            return
        }
        enter(.draining)
        events.close()
        targets.close()
        // Those who wait for tasks, after the stage has changed.
        for index in 1..<Int(tasks.allocated.load(ordering: .sequentiallyConsistent)) {
            tasks.slots[index].sleepers.wake()
        }
        // Whoever turns the loop while it waits sleeps on the descriptor.
        csys_eventfd_signal(events.descriptor)
        wait(limits.drain) { isIdle }
        life.withLock { $0.drained() }
        enter(.expiring)

        let grace = handlers.map(\.description.grace).max() ?? 0
        // The queues of plugins' subs last: by them pending tasks answer.
        let hasQueues = handlers.contains { $0.cell.pointee.code.isQueue }
        let limit = limits.expire ?? grace &+ 1_000_000_000
        let end = HostRuntime.realDeadline(limit)
        for queuesGoOn in hasQueues ? [true, false] : [false] {
            expireEverything(besidesQueues: queuesGoOn)
            // Both together have the one limit; to leave a queue takes no more than a processor.
            wait(queuesGoOn || !hasQueues ? limit : max(limit, Self.patience)) {
                // Again, until nobody stands between taking a task and entering it: such a task is
                // in no queue any more and not entered yet, so nobody could tell it to stop.
                let entering = isSomebodyEntering(besidesQueues: queuesGoOn)
                expireEverything(besidesQueues: queuesGoOn)
                return !entering
                    && (!hasUndecided(besidesQueues: queuesGoOn) || csys_monotonic_ns() >= end)
            }
        }
        life.withLock { $0.expired() }
        enter(.leaving)

        forEachTask { task, state in
            if state.isEntered, !state.isClaimed { graceOver(task) }
        }
        wait(limits.leave) { !isInsidePlugins }
        let inside = names(handlersInside.map(\.description.identifier))
        let calling = names(handlersCalling.map(\.description.identifier))
        leaveRequests()
        for lane in lanes { lane.stop() }
        watchers.stop()
        life.withLock { $0.left() }
        enter(.closed)
        csys_eventfd_signal(events.descriptor)
        // What is inside nothing foreign leaves as soon as it has a processor, which on a machine
        // with too much to do takes its time. Nobody is waited for who may never come.
        // What was raised is delivered by Curfew's own thread in any case.
        let isStuck = !inside.isEmpty || !calling.isEmpty
        wait(max(limits.leave, Self.patience)) {
            threads.areOver
                || (isStuck && (configuration.ownLoop || events.isQuiet)
                    && lanes.allSatisfy { $0.alive <= stuckWorkers })
        }
        events.doRemainingWorkIfMine()
        configuration.clock?.leave(self)
        guard inside.isEmpty, threads.areOver else {
            let who =
                !inside.isEmpty
                ? "a function of \(inside)"
                : !calling.isEmpty
                    ? "the expiration callback of \(calling)"
                    : "a receiver of an event, a log function, or a destructor of thread-local data"
            throw BridgeError(
                .timedOut, "\(who) has not returned; its thread and the host's memory are kept")
        }
    }

    /// What tasks of requests came to is written down, and the store is left.
    private func leaveRequests() {
        guard let loop = requests.withLock({ $0 }) else { return }
        loop.stop()
        wait(Self.patience) { loop.isStopped }
    }

    private func names(_ identifiers: [String]) -> String {
        identifiers.map { "\"\($0)\"" }.joined(separator: ", ")
    }

    private var stuckWorkers: Int { handlers.reduce(0) { $0 + Int($1.active) } }

    private func enter(_ state: HostStateMachine.State) {
        stage.store(state.rawValue, ordering: .sequentiallyConsistent)
    }

    func pauseBriefly() { Self.pause(Self.look) }

    private static func pause(_ span: UInt64) {
        var word: UInt32 = 0
        csys_futex_wait(&word, 0, csys_monotonic_ns() &+ span)
    }

    /// Whether it was so once before the limit.
    @discardableResult
    private func wait(
        _ limit: UInt64, first: UInt64 = firstLook, until done: () -> Bool
    ) -> Bool {
        let until = HostRuntime.realDeadline(limit)
        var span = first
        while !done() {
            guard csys_monotonic_ns() < until else { return false }
            Self.pause(span)
            span = min(span * 2, Self.look)
        }
        return true
    }

    /// Nothing waits, runs or is pending.
    private var isIdle: Bool {
        watchers.pending == 0
            && handlers.allSatisfy { handler in
                handler.cell.isQueueEmpty
                    && handler.cell.pointee.active.load(ordering: .sequentiallyConsistent) == 0
            }
    }

    private var isInsidePlugins: Bool { !handlersInside.isEmpty || !handlersCalling.isEmpty }

    /// The handlers whose functions have not returned. Not those with a place taken: a worker that
    /// looks for the next task has one too.
    private var handlersInside: [HandlerRecord] {
        var inside: Set<UInt32> = []
        forEachTask { task, state in
            guard state.isEntered, !state.isReturned,
                let cell = tasks.slot(task).handlerCell
            else { return }
            inside.insert(cell.pointee.index)
        }
        return handlers.filter { $0.lost > 0 || inside.contains($0.index) }
    }

    /// The handlers whose expiration callbacks have not returned.
    private var handlersCalling: [HandlerRecord] {
        var calling: Set<UInt32> = []
        forEachTask { task, state in
            if state.isCalling, let cell = tasks.slot(task).handlerCell {
                calling.insert(cell.pointee.index)
            }
        }
        return handlers.filter { calling.contains($0.index) }
    }

    /// A worker has a place and is inside no function: it may be about to enter one. The gates are
    /// shut, so that it takes no other and its place is free soon.
    private func isSomebodyEntering(besidesQueues: Bool) -> Bool {
        var inside: [UInt32: UInt32] = [:]
        forEachTask { task, state in
            guard state.isEntered, !state.isReturned, !state.isLost,
                let cell = tasks.slot(task).handlerCell
            else { return }
            inside[cell.pointee.index, default: 0] += 1
        }
        return handlers.contains {
            $0.active > inside[$0.index, default: 0]
                && !(besidesQueues && $0.cell.pointee.code.isQueue)
        }
    }

    private func hasUndecided(besidesQueues: Bool) -> Bool {
        var undecided = false
        forEachTask { task, state in
            guard state.isEntered, !state.isOver, !(besidesQueues && isOfQueue(task)),
                // It answered, and waits for a store that may not work again.
                !(state.isClaimed && isEndWaiting(task))
            else { return }
            undecided = true
        }
        return undecided
    }

    private func isOfQueue(_ task: TaskReference) -> Bool {
        tasks.slot(task).handlerCell?.pointee.code.isQueue == true
    }

    private func forEachTask(_ body: (TaskReference, TaskStateMachine) -> Void) {
        for index in 1..<tasks.allocated.load(ordering: .acquiring) {
            let state = tasks.slots[Int(index)].word.load(ordering: .acquiring)
            let machine = TaskStateMachine(word: state)
            body(TaskReference(index: index, generation: machine.generation), machine)
        }
    }

    private func expireEverything(besidesQueues: Bool) {
        for handler in handlers where !(besidesQueues && handler.cell.pointee.code.isQueue) {
            // Nothing more is started; what waits is interrupted.
            handler.cell.pointee.gate.bitwiseOr(
                HandlerCell.Gate.paused, ordering: .sequentiallyConsistent)
            for task in handler.cell.waitingTasks() { interruptQueued(task) }
        }
        for lane in lanes { lane.clear(besides: besidesQueues) }
        forEachTask { task, state in
            if besidesQueues, isOfQueue(task) { return }
            if state.isParked {
                interruptQueued(task)
            } else if state.isEntered, !state.isClaimed, tellToStop(task, .shutdown) == .told {
                watchers.call(task)
            }
        }
    }

    /// Undoes a start that failed half-way.
    func abandonStart() {
        watchers.stop()
        enter(.closed)
        csys_eventfd_signal(events.descriptor)
        wait(1_000_000_000) { threads.areOver }
    }

    /// Shuts down unless that is done, retires the plugins, and gives back what nobody can touch
    /// any more. The host must not be used afterwards. A second call does nothing.
    ///
    /// Throws `TIMED_OUT` when a thread never came back: then everything it may touch is kept for
    /// the life of the process. `WRONG_THREAD`: nothing happened.
    public func destroy(_ limits: Shutdown = Shutdown()) throws(BridgeError) {
        var failure: BridgeError?
        do {
            try shutDown(limits)
        } catch {
            if error.status == .wrongThread { throw error }
            failure = error
        }
        guard !destroyed.exchange(true, ordering: .sequentiallyConsistent) else { return }
        // A function may have returned since the host was shut down; its thread is on its way out.
        if failure == nil {
            // One that says so has some instructions to go.
            wait(limits.leave, first: Self.look) {
                threads.areOver
            }
        }
        targets.end()
        // Nobody turns the embedder's loop any more.
        if configuration.ownLoop { events.end() }
        loadGate.close()
        let isLoadStuck = !wait(limits.leave) { loadGate.isEmpty }
        if isLoadStuck { LoadTurn.giveUp(of: self) }
        let isThreadStuck = isLoadStuck || !threads.areOver
        let records = plugins
        let retiring = isThreadStuck ? [] : retire(records, within: limits.leave)
        noteKeptReferences()
        let tables =
            [("", ownTable!)]
            + directory.withLock { _ in
                records.compactMap { record in record.table.map { (record.libraryPath, $0) } }
            }
        for (_, table) in tables { table.gate.close() }
        reportChildren()
        logGate.close()
        // A thread of a plugin's may be inside a call that began before. Once is enough: later ones
        // are turned away.
        let gates = tables.map { $0.1.gate } + [logGate]
        let isStuck =
            isThreadStuck || !retiring.isEmpty
            || !gates.allSatisfy { gate in
                wait(limits.leave) { gate.isEmpty }
            }
        if !isStuck {
            // Once for all tables: it looks at every task there ever was.
            let isOwed = mayPluginsCall
            for (library, table) in tables {
                RetiredTables.put(table, library, isOwed: isOwed)
            }
        }
        if isStuck {
            HostRuntime.leaked.wrappingAdd(1, ordering: .relaxed)
            _ = Unmanaged.passRetained(self)
            threads.detach()
        }
        if let failure { throw failure }
        if isStuck {
            throw BridgeError(
                .timedOut,
                isLoadStuck
                    ? "the entry of a plugin that was being loaded has not returned; its thread and the host's memory are kept"
                    : !retiring.isEmpty
                        ? "the retire function of \(names(retiring)) has not returned; its thread and the host's memory are kept"
                        : isThreadStuck
                            ? "a thread of the host is inside plugin code; it and the host's memory are kept"
                            : "a thread of a plugin's is inside a call of its table, or a log function has not returned; the host's memory is kept"
            )
        }
    }

    /// Makes the last call into each plugin that is used, one after the other. Returns the ids of
    /// those that have not returned within the limit, which is each one's own.
    private func retire(_ records: [PluginRecord], within limit: UInt64) -> [String] {
        var stuck: [String] = []
        for record in records {
            let (library, subs) = directory.withLock { _ -> (PluginLibrary?, PluginSubs?) in
                guard record.status == .ready else { return (nil, nil) }
                record.status = .retired
                return (record.library, record.subs)
            }
            subs?.end()
            guard let library, library.wantsRetirement else { continue }
            let retirement = PluginRetirement(of: library, record, in: self)
            retirement.start()
            if !wait(limit, until: { retirement.isOver && threads.areOver }) {
                stuck.append(record.id)
            }
        }
        return stuck
    }

    /// A plugin had its last call, and its tasks are over: what it holds now it will hardly give back.
    private func noteKeptReferences() {
        forEachTask { task, state in
            guard state.pluginReferences > 0, let cell = tasks.slot(task).handlerCell else {
                return
            }
            let count = state.pluginReferences
            misbehaved(
                .keptReference, "holds \(count) reference\(count == 1 ? "" : "s")",
                "the host goes, and the plugin's table is kept for the life of the process",
                task: tasks.publicID(task), plugin: cell.pointee.plugin)
        }
    }

    /// A plugin has a right to call as long as it owes an answer or a release.
    private var mayPluginsCall: Bool {
        var isHeld = unanswered.load(ordering: .sequentiallyConsistent) > 0
        forEachTask { _, state in if state.pluginReferences > 0 { isHeld = true } }
        return isHeld
    }

    /// Hosts that were destroyed while a thread was inside plugin code.
    public static var leakedHosts: UInt32 { leaked.load(ordering: .relaxed) }
}
