// SPDX-License-Identifier: Apache-2.0
public import CCurfew
import CSystem
import Glibc
public import PluginBridge
public import Scheduling
import Synchronization

/// A host: tasks, handlers, workers, watchers and events, put together.
///
/// Split by what it does: launching, ending, stopping, plugins, shutting down, and the services a
/// plugin's table reaches.
public final class HostRuntime: @unchecked Sendable {
    // Sendable: what changes is atomic or behind a lock; the parts are set in init and constant.

    /// Handlers there may be.
    static let handlerLimit = 1 << 14

    // MARK: Constants

    let configuration: HostConfiguration
    /// Which handlers it may have; nil: all.
    let permitted: PermittedHandlers?
    let clock: HostClock
    let tasks: TaskTable
    let workerCells = WorkerCells()
    public private(set) var events: EventLoop! = nil
    private(set) var watchers: Watchers! = nil
    /// The same two without counting references, for the path of a task.
    private(set) var pathEvents: Unmanaged<EventLoop>! = nil
    private(set) var pathWatchers: Unmanaged<Watchers>! = nil
    private(set) var lanes: [Lane] = []
    /// By index; written before the count is raised, then constant.
    let handlerCells: UnsafeMutablePointer<HandlerCellPointer?>
    let handlerCount = Atomic<UInt32>(0)
    /// What is known of them besides.
    let handlerIndex: HandlerIndex
    /// The table for the embedder's own handlers and threads.
    private(set) var ownTable: PluginTable! = nil
    /// The plugin number of the embedder's own handlers.
    static let ownPlugin: Int32 = -1

    // MARK: Shared

    struct Directory {
        var handlers: [HandlerRecord] = []
        var plugins: [PluginRecord] = []
        var loading: PluginLoad?
    }

    let directory = Locked(Directory())
    /// One thread looks for plugins at a time.
    let discovering = Locked<Void>(())
    let life = Locked(HostStateMachine())
    /// `HostStateMachine.State.rawValue`, for those who cannot take the lock.
    let stage = Atomic<UInt32>(0)
    let lostWorkers = Atomic<UInt32>(0)
    let cores = CoreSharing()
    /// Tasks whose plugin still owes an answer, though the host has answered for it.
    let unanswered = Atomic<UInt32>(0)
    let misbehaviours = Atomic<UInt64>(0)
    let misdeeds: MisdeedCounts
    let threads = HostThreads()
    /// What tells this process from children of its own.
    let processMark = csys_process_mark()
    /// Notes of children that were looked at.
    let childrenSeen = Atomic<UInt32>(csys_child_note_count())
    let destroyed = Atomic<Bool>(false)
    /// Threads of the embedder's that are inside a plugin's entry, or on their way to it.
    let loadGate = CallGate()
    /// The embedder's log function is not called once the host is destroyed.
    let logGate = CallGate()
    /// The thread that has the requests, once there is one.
    let requests = Locked<RequestLoop?>(nil)
    /// Modules and instances with subs.
    let targets = TargetDirectory()

    /// Hosts that were destroyed while a thread was inside plugin code.
    static let leaked = Atomic<UInt32>(0)

    /// Makes a host and starts its watchers, and the thread of its event loop unless the embedder
    /// turns it. Workers are started when there is something to do.
    public init(_ configuration: HostConfiguration = HostConfiguration()) throws(BridgeError) {
        if let fault = configuration.fault {
            throw BridgeError(.invalid, "the configuration cannot be used: \(fault)")
        }
        var configuration = configuration
        permitted = try Self.readPermitted(configuration)
        // Far enough to be never, and near enough to be added to any time.
        configuration.lostAfter = min(configuration.lostAfter, 1 << 62)
        self.configuration = configuration
        clock = HostClock(manual: configuration.clock)
        guard let tasks = TaskTable(limit: configuration.taskLimit) else {
            throw BridgeError(.system, "no address space is left for the table of tasks")
        }
        self.tasks = tasks
        guard let misdeeds = MisdeedCounts() else {
            throw BridgeError(.system, "no address space is left for the counts of misdeeds")
        }
        self.misdeeds = misdeeds
        guard let handlerIndex = HandlerIndex(limit: Self.handlerLimit) else {
            throw BridgeError(.system, "no address space is left for the table of handlers")
        }
        self.handlerIndex = handlerIndex
        handlerCells = .allocate(capacity: Self.handlerLimit)
        handlerCells.initialize(repeating: nil, count: Self.handlerLimit)
        lanes = [TaskKind.appRefresh, .processing].map {
            Lane(kind: $0, host: self, workers: configuration.workers(for: $0))
        }
        watchers = Watchers(host: self, clock: clock)
        events = try EventLoop(
            host: self, tasks: tasks, limit: configuration.eventLimit,
            ownLoop: configuration.ownLoop)
        pathEvents = Unmanaged.passUnretained(events)
        pathWatchers = Unmanaged.passUnretained(watchers)
        ownTable = RetiredTables.take("")
        serve(ownTable, plugin: Self.ownPlugin)
        guard watchers.start(), configuration.ownLoop || startLoop() else {
            abandonStart()
            throw BridgeError(
                .system, "no thread could be started; raise the limit of processes (ulimit -u)")
        }
        if configuration.requests.openStore != nil {
            do throws(RequestFailure) {
                _ = try requestLoop()
            } catch {
                abandonStart()
                throw BridgeError(error.status, error.message)
            }
        }
        configuration.clock?.join(self)
    }

    deinit { handlerCells.deallocate() }

    func lane(_ kind: TaskKind) -> Lane { lanes[kind.isShort ? 0 : 1] }

    // MARK: Threads

    private func startLoop() -> Bool {
        let raw = Unmanaged.passRetained(self)
        let isStarted = threads.start(
            {
                csys_thread_name("curfew-events")
                Unmanaged<HostRuntime>.fromOpaque($0!).takeRetainedValue().turnLoop()
            }, raw.toOpaque())
        if !isStarted { raw.release() }
        return isStarted
    }

    private func turnLoop() {
        while true {
            _ = events.turn(limit: 0, patient: true)
            // Between the turn, which may have swallowed the last signal, and the sleep.
            if stage.load(ordering: .sequentiallyConsistent)
                >= HostStateMachine.State.closed.rawValue
            {
                break
            }
            csys_wait_readable(events.descriptor, .max)
        }
        _ = events.turn(limit: 0)
        events.end()
    }

    /// For a manual clock: returns once nothing waits to be delivered by the loop's own thread.
    func settleEvents() {
        guard !configuration.ownLoop else { return }
        while !events.isQuiet, !closed { csys_yield() }
    }

    // MARK: What is known

    public var handlers: [HandlerRecord] { directory.withLock { $0.handlers } }
    public var plugins: [PluginRecord] { directory.withLock { $0.plugins } }

    public func handler(_ identifier: String) -> HandlerRecord? { handlerIndex.find(identifier) }

    public func handler(at index: UInt32) -> HandlerRecord? {
        handlerIndex[index]?.takeUnretainedValue()
    }

    /// The index of a handler whose identifier is a text of C's.
    public func indexOfHandler(_ identifier: UnsafePointer<CChar>) -> UInt32? {
        handlerIndex.find(
            UnsafeRawBufferPointer(start: identifier, count: strlen(identifier)))
    }

    public func status(of plugin: PluginRecord) -> (status: PluginRecord.Status, reason: String) {
        directory.withLock { _ in (plugin.status, plugin.reason) }
    }

    func pluginID(_ number: Int32) -> String? {
        guard number >= 0 else { return nil }
        return directory.withLock {
            Int(number) < $0.plugins.count ? $0.plugins[Int(number)].id : nil
        }
    }

    /// The queue of a plugin with handlers made of subs.
    func subs(of plugin: Int32) -> PluginSubs? {
        directory.withLock {
            plugin >= 0 && Int(plugin) < $0.plugins.count ? $0.plugins[Int(plugin)].subs : nil
        }
    }

    /// The table an embedder's own handlers are called with.
    public var table: UnsafeRawPointer { UnsafeRawPointer(ownTable.api) }

    /// Lets a plugin call this host through a table.
    func serve(_ table: PluginTable, plugin: Int32) {
        table.serve(
            Services(self), plugin: plugin,
            owner: UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()))
    }

    // MARK: Registering

    /// Adds handlers, all or none. Their events are declared for `plugin`. Names what is taken, and
    /// by whom.
    func add(
        _ handlers: [(description: HandlerDescription, code: HandlerCode)], plugin: Int32,
        owner: AnyObject? = nil
    ) throws(BridgeError) -> [HandlerRecord] {
        for handler in handlers {
            if let fault = handler.description.fault { throw BridgeError(.invalid, fault) }
        }
        let name = pluginID(plugin) ?? ""
        let result = directory.withLock { directory -> Result<[HandlerRecord], BridgeError> in
            for (description, _) in handlers {
                if let other = handlerIndex.find(description.identifier) {
                    return .failure(taken(description.identifier, by: other))
                }
            }
            guard directory.handlers.count + handlers.count <= Self.handlerLimit else {
                return .failure(
                    BridgeError(
                        .exhausted, "\(Self.handlerLimit) handlers are registered; no more can be"))
            }
            let signatures = handlers.flatMap {
                $0.description.reservedEvents + $0.description.events
            }
            guard let queues = queues(handlers.count) else {
                return .failure(
                    BridgeError(
                        .exhausted,
                        "there is no memory for a queue of \(configuration.queueLimit) tasks; make the queue limit smaller"
                    ))
            }
            switch events.directory.declare(signatures, owner: plugin) {
            case .failure(let conflict):
                for queue in queues {
                    HandlerCell.giveBack(queue, capacity: configuration.queueLimit)
                }
                return .failure(describe(conflict, in: directory))
            case .success(var entries):
                return .success(
                    zip(handlers, queues).map { handler, queue in
                        let (description, code) = handler
                        let count = HandlerRecord.reservedCount + description.events.count
                        defer { entries.removeFirst(count) }
                        return add(
                            description, code, queue, plugin, name, Array(entries.prefix(count)),
                            owner, to: &directory)
                    })
            }
        }
        return try result.get()
    }

    /// Memory for the queues of so many handlers, or nil.
    private func queues(_ count: Int) -> [UnsafeMutablePointer<QueueCell>]? {
        let capacity = configuration.queueLimit
        var queues: [UnsafeMutablePointer<QueueCell>] = []
        for _ in 0..<count {
            guard let queue = HandlerCell.makeQueue(capacity: capacity) else {
                for queue in queues { HandlerCell.giveBack(queue, capacity: capacity) }
                return nil
            }
            queues.append(queue)
        }
        return queues
    }

    private func add(
        _ description: HandlerDescription, _ code: HandlerCode,
        _ queue: UnsafeMutablePointer<QueueCell>, _ plugin: Int32, _ name: String,
        _ entries: [EventEntry], _ owner: AnyObject?, to directory: inout Directory
    ) -> HandlerRecord {
        let raw = UnsafeMutableRawPointer.allocate(
            byteCount: MemoryLayout<HandlerCell>.size, alignment: 128)
        let cell = raw.bindMemory(to: HandlerCell.self, capacity: 1)
        let index = UInt32(directory.handlers.count)
        cell.initialize(
            to: HandlerCell(
                code: code, budget: description.budget, grace: description.grace,
                queue: queue, capacity: configuration.queueLimit, index: index, plugin: plugin,
                maxConcurrency: description.maxConcurrency, kind: description.kind,
                done: entries[3], expired: entries[2], progress: entries[1]))
        let record = HandlerRecord(
            index: index, description: description, plugin: name, cell: cell, events: entries,
            owner: owner)
        // The queue keeps free slots; they are not to count against the task limit.
        tasks.limit.wrappingAdd(configuration.queueLimit, ordering: .relaxed)
        directory.handlers.append(record)
        if description.isQueue { for entry in entries { entry.isSilent = true } }
        handlerCells[Int(index)] = cell
        handlerIndex.add(record)
        handlerCount.store(index + 1, ordering: .releasing)
        return record
    }

    func taken(_ identifier: String, by other: HandlerRecord) -> BridgeError {
        BridgeError(
            .exists,
            "the identifier \"\(identifier)\" is taken by \(owner(other.plugin)); the first one stays"
        )
    }

    /// Says who has an event.
    func describe(_ conflict: DeclarationConflict) -> BridgeError {
        directory.withLock { describe(conflict, in: $0) }
    }

    private func describe(
        _ conflict: DeclarationConflict, in directory: Directory
    ) -> BridgeError {
        guard let number = conflict.owner else {
            return BridgeError(.exhausted, "no more events can be declared")
        }
        let name =
            number >= 0 && Int(number) < directory.plugins.count
            ? directory.plugins[Int(number)].id : ""
        return BridgeError(
            .exists,
            "the event \"\(conflict.selector)\" is taken by \(owner(name)), which keeps it; give the handler another \"event\""
        )
    }

    func owner(_ plugin: String) -> String {
        plugin.isEmpty ? "the embedder" : "plugin \"\(plugin)\""
    }

    /// Registers a handler of the embedder's own and raises `registering<event>_done`. `owner` is
    /// kept as long as the functions may be called.
    public func register(
        _ description: HandlerDescription, run: @escaping curfew_run_function,
        expired: curfew_expired_function?, data: UnsafeMutableRawPointer?, owner: AnyObject? = nil
    ) throws(BridgeError) -> HandlerRecord {
        guard isOpen else { throw HostRuntime.closing }
        try checkPermitted(description)
        let code = HandlerCode(run: run, expired: expired, data: data, api: ownTable.api)
        let record = try add([(description, code)], plugin: Self.ownPlugin, owner: owner)[0]
        standingChanged(record)
        _ = events.raise(record.registering, [.bool(true), .text("")], task: 0)
        return record
    }

    static var closing: BridgeError {
        BridgeError(.closing, "the host is shutting down; nothing was taken in")
    }

    @inline(__always) var isOpen: Bool { stage.load(ordering: .sequentiallyConsistent) == 0 }

    // MARK: Log

    /// Writes a log line: one line, control characters made visible.
    func log(_ level: LogLevel, _ plugin: String?, _ task: UInt64, _ text: String) {
        guard logGate.enter() else { return }
        defer { logGate.leave() }
        let line = LogLine.clean(text)
        if let log = configuration.log {
            ThreadRole.logging.during(in: self) { log(level, plugin, task, line) }
        } else if level >= .warning {
            // A line that names its handler need not be told whose task it is.
            let handler = identifier(ofTask: task).flatMap { line.contains($0) ? nil : $0 }
            let from = [plugin, handler].compactMap(\.self).joined(separator: ", ")
            var text = "curfew\(from.isEmpty ? "" : " [\(from)]"): \(line)\n"
            text.withUTF8 { _ = Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
        }
    }

    private func identifier(ofTask id: UInt64) -> String? {
        guard let task = tasks.find(id), let cell = tasks.slot(task).handlerCell else { return nil }
        return handler(at: cell.pointee.index)?.description.identifier
    }
}
