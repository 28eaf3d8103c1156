// SPDX-License-Identifier: Apache-2.0
package import PluginBridge
import Scheduling
import Synchronization

/// Runs tasks from launch to end: handler queues, workers and deadlines.
///
/// Any thread may call. The engine does not know where handlers come from (`PluginRegistry`) nor
/// why they are launched (`RequestService`).
package final class TaskEngine: @unchecked Sendable {
    // Sendable: all parts are constant and synchronize themselves.

    let tasks: TaskTable
    package let handlers: HandlerTable
    /// The entries of `handlers`, one indirection less on the path of a task.
    private let entries: UnsafeMutablePointer<HandlerTable.Entry>
    let events: EventQueue
    let directory: EventDirectory
    let deadlines: Deadlines
    let clock: HostClock
    let phase: HostPhase
    let threads: HostThreads
    let children: ForkedChildren
    let claims: HandlerClaims
    let log: HostLog
    let violations: ContractViolations
    let configuration: HostConfiguration
    let short: WorkerPool
    let long: WorkerPool

    let lostWorkers = Atomic<UInt32>(0)
    /// Tasks whose plugin has not answered, though the host has answered for it.
    let unanswered = Atomic<UInt32>(0)
    /// One thread registers handlers at a time.
    private let registering = Locked<Void>(())
    private let observer = Callback<HandlerRecord>()

    init(
        _ configuration: HostConfiguration, tasks: TaskTable, handlers: HandlerTable,
        events: EventQueue, directory: EventDirectory, deadlines: Deadlines, phase: HostPhase,
        threads: HostThreads, children: ForkedChildren, claims: HandlerClaims, log: HostLog,
        violations: ContractViolations
    ) {
        self.tasks = tasks
        self.handlers = handlers
        entries = handlers.entries
        self.events = events
        self.directory = directory
        self.deadlines = deadlines
        clock = deadlines.clock
        self.phase = phase
        self.threads = threads
        self.children = children
        self.claims = claims
        self.log = log
        self.violations = violations
        self.configuration = configuration
        short = WorkerPool(.appRefresh, configuration.appRefresh)
        long = WorkerPool(.processing, configuration.processing)
    }

    @inline(__always) func pool(of kind: TaskKind) -> WorkerPool { kind.isShort ? short : long }

    var pools: [WorkerPool] { [short, long] }

    // MARK: Handlers

    @inline(__always) func queue(at index: UInt32) -> HandlerQueuePointer? {
        guard index < HandlerTable.limit else { return nil }
        return HandlerQueuePointer(bitPattern: entries[Int(index)].queue.load(ordering: .acquiring))
    }

    /// Adds all of the handlers or none, and declares their events for `plugin`.
    ///
    /// The error names the conflict and its owner.
    ///
    /// - Parameters:
    ///   - build: the digest of the plugin's content; "" if it is unknown.
    ///   - owner: kept alive as long as the functions may be called.
    func add(
        _ handlers: [(description: HandlerDescription, code: HandlerCode)], plugin: Int32,
        named name: String, build: String = "", owner: AnyObject? = nil
    ) throws(BridgeError) -> [HandlerRecord] {
        for handler in handlers {
            if let fault = handler.description.fault { throw BridgeError(.invalid, fault) }
        }
        return try registering.withLock { _ throws(BridgeError) in
            for (description, _) in handlers {
                if let other = self.handlers.find(description.identifier) {
                    throw claims.taken(description.identifier, by: other)
                }
            }
            guard let first = self.handlers.nextIndex(of: handlers.count) else {
                throw BridgeError(
                    .exhausted, "\(HandlerTable.limit) handlers are registered; no more can be")
            }
            guard let queues = queues(handlers.count) else {
                throw BridgeError(
                    .exhausted,
                    "there is no memory for a queue of \(configuration.queueLimit) tasks; make the queue limit smaller"
                )
            }
            let signatures = handlers.flatMap {
                $0.description.reservedEvents + $0.description.events
            }
            switch directory.declare(signatures, owner: plugin) {
            case .failure(let conflict):
                for queue in queues {
                    HandlerQueue.giveBack(queue, capacity: configuration.queueLimit)
                }
                throw claims.describe(conflict)
            case .success(var entries):
                return handlers.indices.map { place in
                    let (description, code) = handlers[place]
                    let count = HandlerRecord.reservedCount + description.events.count
                    defer { entries.removeFirst(count) }
                    let events = Array(entries.prefix(count))
                    if description.isQueue { for entry in events { entry.isSilent = true } }
                    let record = HandlerRecord(
                        index: first + UInt32(place), description: description, plugin: name,
                        build: build,
                        queue: HandlerQueue.make(
                            code, description, queues[place], capacity: configuration.queueLimit,
                            index: first + UInt32(place), plugin: plugin, events: events),
                        events: events, owner: owner)
                    // The queue keeps free slots, which must not count against the task limit.
                    tasks.limit.wrappingAdd(configuration.queueLimit, ordering: .relaxed)
                    self.handlers.add(record)
                    return record
                }
            }
        }
    }

    private func queues(_ count: Int) -> [UnsafeMutablePointer<QueueCell>]? {
        var queues: [UnsafeMutablePointer<QueueCell>] = []
        for _ in 0..<count {
            guard let queue = HandlerQueue.makeCells(capacity: configuration.queueLimit) else {
                for queue in queues {
                    HandlerQueue.giveBack(queue, capacity: configuration.queueLimit)
                }
                return nil
            }
            queues.append(queue)
        }
        return queues
    }

    /// Registers a handler of the embedder and raises `registering<event>_done`.
    func register(
        _ description: HandlerDescription, _ code: HandlerCode, owner: AnyObject?
    ) throws(BridgeError) -> HandlerRecord {
        guard phase.isOpen else { throw HostPhase.closing }
        try claims.checkPermitted(description)
        let record = try add(
            [(description, code)], plugin: PluginList.embedder, named: "", owner: owner)[0]
        stateChanged(record)
        _ = events.raise(record.registering, [.bool(true), .text("")], task: 0)
        return record
    }

    // MARK: The state of handlers

    /// Sets a function that is called after each change of a handler's availability.
    func observe(_ body: @escaping @Sendable (HandlerRecord) -> Void) {
        observer.set(body)
    }

    func stateChanged(_ handler: HandlerRecord) { observer(handler) }

    /// Stops starting tasks of one handler or of all. Returns `notFound` for an unknown identifier.
    package func pause(_ identifier: String?) -> Status {
        forEach(identifier) { handler in
            handler.pointee.gate.bitwiseOr(
                HandlerQueue.Gate.paused, ordering: .sequentiallyConsistent)
            ChildPort.of(handler)?.recallAll()
        }
    }

    package func resume(_ identifier: String?) -> Status {
        forEach(identifier) { handler in
            handler.pointee.gate.bitwiseAnd(
                ~HandlerQueue.Gate.paused, ordering: .sequentiallyConsistent)
            reopen(handler)
        }
    }

    private func forEach(_ identifier: String?, _ body: (HandlerQueuePointer) -> Void) -> Status {
        var chosen = handlers.all
        if let identifier {
            guard let handler = handlers.find(identifier) else { return .notFound }
            chosen = [handler]
        }
        for handler in chosen {
            body(handler.queue)
            stateChanged(handler)
        }
        return .ok
    }

    /// Begins no task of a handler until its quarantine ends.
    func quarantine(_ handler: HandlerRecord, _ closed: HandlerState.Closed) {
        handler.closed = closed
        handler.queue.pointee.gate.bitwiseOr(
            HandlerQueue.Gate.quarantined, ordering: .sequentiallyConsistent)
        stateChanged(handler)
        gateIsShut(handler.queue)
    }

    func endQuarantine(of handler: HandlerRecord) {
        handler.closed = nil
        handler.queue.pointee.gate.bitwiseAnd(
            ~HandlerQueue.Gate.quarantined, ordering: .sequentiallyConsistent)
        reopen(handler.queue)
        stateChanged(handler)
    }

    // MARK: Steps of tasks

    /// Makes a step of a task that the caller keeps alive.
    func mustStep<Action>(
        _ task: TaskReference, _ body: (inout TaskStateMachine) -> Action
    ) -> (Action, TaskStateMachine) {
        guard let (action, state) = tasks.step(task, body) else {
            fatalError("a task was freed while it was held")
        }
        return (action, state)
    }

    func freeIfDone(_ task: TaskReference, _ state: TaskStateMachine) {
        if state.generation != task.generation { tasks.free(task) }
    }

    /// Whether a task belongs to a plugin, so that the plugin may access it.
    func mayTouch(_ task: TaskReference, _ plugin: Int32) -> Bool {
        tasks.slot(task).handlerQueue?.pointee.plugin == plugin
    }

    func identifier(of handler: HandlerQueuePointer) -> String {
        handlers[handler.pointee.index].description.identifier
    }
}
