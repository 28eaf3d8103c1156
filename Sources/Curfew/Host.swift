// SPDX-License-Identifier: Apache-2.0
import PluginBridge
package import Runner
package import Scheduling

/// A host: it loads plugins, runs their handlers under budgets, and raises an event when each task
/// ends.
///
/// ```swift
/// let host = try Host()
/// try host.load(plugin: "/usr/lib/curfew/plugins/mirror")
/// let task = try host.launch("org.curfew.mirror", payload: Array(#"{"from":"/a","to":"/b"}"#.utf8))
/// print(await task.result.outcome)
/// try host.shutDown()
/// ```
///
/// All members may be called from any thread, except `load`, `scan`, `shutDown` and `dispatch`,
/// which throw `.wrongThread` inside the host's callbacks, events and handlers. The durations of
/// waits are real time; budgets and graces are time on the host's clock.
///
/// Call `shutDown` before the last reference is released. Otherwise the release shuts the host down
/// with the default limits and logs a warning. The releasing thread waits for that, unless it is a
/// thread of the host: then another thread shuts it down. Tasks, observations and waits retain
/// their host; handlers and observers should capture it `weak`.
public final class Host: Sendable {
    package let runtime: HostRuntime
    /// Runs Swift tasks on the thread of the event loop.
    package let loopExecutor: LoopExecutor
    /// Makes the blocking calls of the `async` methods.
    let calls = CallThread()

    /// The buffers of open event sequences, by the number of their subscription.
    private let buffers = Locked<[UInt64: EventBuffer]>([:])

    /// Creates a host. Throws `.invalid` if the configuration cannot be used, and `.system` if the
    /// system has no thread or descriptor left.
    public init(_ configuration: HostConfiguration = HostConfiguration()) throws(CurfewError) {
        do throws(BridgeError) {
            runtime = try HostRuntime(configuration)
        } catch {
            throw CurfewError(error)
        }
        loopExecutor = LoopExecutor(runtime)
        guard configuration.loadsPlugins else { return }
        do throws(CurfewError) {
            try loadAll()
        } catch {
            try? shutDown()
            throw error
        }
    }

    deinit {
        if !runtime.isClosed {
            runtime.log(
                .warning,
                "a host was dropped before it was shut down, and is shut down now: call shutDown() where its work is to end"
            )
        }
        let end = HostEnd(runtime: runtime, buffers: buffers)
        if end.finish() || HostThreads.startDetached({ _ = end.finish() }) { return }
        // Without a thread the host keeps running, and needs its callbacks.
        _ = Unmanaged.passRetained(runtime)
    }

    // MARK: Plugins and handlers

    /// Reads the manifests of the plugins in a directory without loading code. Returns the number
    /// of plugins, including faulty and shadowed ones; `plugins` lists each with its fault.
    ///
    /// Nil means the standard directories, or those of `CURFEW_PLUGIN_PATH`: `curfew paths` lists
    /// them, and any of them may be missing. Of two plugins with the same id the first one counts.
    /// The other is listed as `.shadowed`, and its reason names the directory of the first.
    ///
    /// Throws `.system` if the given directory cannot be read, and `.closing`.
    @discardableResult
    public func scan(_ directory: String? = nil) throws(CurfewError) -> Int {
        do throws(BridgeError) {
            guard let directory else { return try runtime.plugins.discover() }
            return try runtime.plugins.scan(directory)
        } catch {
            throw CurfewError(error)
        }
    }

    /// Loads the plugin in a directory and registers its handlers. After an error none of its
    /// handlers is registered, and `plugins` has the reason.
    ///
    /// Throws `.refused` (its manifest or its library), `.abiMismatch`, `.exists` (an identifier,
    /// an event or the plugin's id is taken; the existing one stays), `.denied` (a handler is not
    /// in the list of permitted handlers), `.failed` (its entry returned an error), `.system` or
    /// `.closing`.
    public func load(plugin directory: String) throws(CurfewError) {
        do throws(BridgeError) { try runtime.plugins.load(directory) } catch {
            throw CurfewError(error)
        }
    }

    /// Loads plugins, those in processes at the same time. Returns the errors by position.
    package func load(plugins directories: [String]) -> [Int: CurfewError] {
        runtime.plugins.load(directories).mapValues { CurfewError($0) }
    }

    /// Loads the plugins in a directory, and returns those that could not be loaded, each with its
    /// reason. The log has the reasons as well, and the other plugins are loaded all the same.
    ///
    /// Nil means the directories that `scan` searches. A plugin that is shadowed, or loaded already,
    /// is left alone. The directory may be that of a single plugin.
    ///
    /// Throws `.system` if the given directory cannot be read, and `.closing`.
    @discardableResult
    public func loadAll(_ directory: String? = nil) throws(CurfewError) -> [PluginInfo] {
        do throws(BridgeError) {
            return try runtime.plugins.loadAll(directory).failed.map { PluginInfo($0, runtime) }
        } catch {
            throw CurfewError(error)
        }
    }

    /// Has plugins that are loaded from now on run where and as a configuration says; those that are loaded stay as they
    /// are.
    package func setPluginPolicy(of configuration: HostConfiguration) {
        runtime.plugins.setPolicy(of: configuration)
    }

    /// Notes that plugins which were not loaded are not there any more, where that is so.
    package func forgetMissingPlugins() { runtime.plugins.forgetMissing() }

    /// The plugins that were scanned or loaded, in that order, without those that were not loaded and in whose
    /// directories others have been found since.
    public var plugins: [PluginInfo] { runtime.plugins.current.map { PluginInfo($0, runtime) } }

    /// The registered handlers, in the order of registration.
    public var handlers: [HandlerInfo] { runtime.engine.handlers.all.map(HandlerInfo.init) }

    /// Returns the kind of a handler; nil if none has the identifier.
    package func kind(ofHandler identifier: String) -> TaskKind? {
        runtime.engine.handlers.find(identifier)?.description.kind
    }

    /// The counters of the host since its creation.
    public var counts: HostCounts { runtime.counts }

    /// Registers a handler of the embedder, which the host treats like a plugin's.
    ///
    /// - Parameters:
    ///   - identifier: a reverse-DNS name, unique in a host.
    ///   - kind: the kind, which sets the default budget and selects the worker pool.
    ///   - budget: the time that a task may use, 1 ms…24 h; nil for the kind's default.
    ///   - grace: the time to complete after expiration, at most 10 min; nil for 5 s.
    ///   - maxConcurrency: the number of its tasks that may run at the same time, 1…64.
    ///   - maxInStore: the number of its requests' tasks that may run at the same time in all hosts of a store,
    ///     1…10,000; nil for 1 where `maxConcurrency` is 1, and else for no limit.
    ///   - onLeaseLost: what becomes of its requests' tasks once other hosts of the store will soon take this one for
    ///     dead.
    ///   - event: the base name of its events; nil for the last component of the identifier.
    ///   - events: the names of further events that its tasks may raise, with the types of their
    ///     parameters.
    ///   - needs: the conditions for launching its requests, which must hold while their tasks run.
    ///   - expired: called at most once by a deadline thread, when the task has to stop, while `run`
    ///     may still be running; it should return soon.
    ///   - run: called by a worker. If it returns, the task succeeded; if it throws, the task failed with
    ///     the error's description as text, cut at about 1,000 bytes.
    ///
    /// The host keeps both closures until it is gone, and for ever if a thread never returned from
    /// them.
    ///
    /// Throws `.exists` (the identifier or an event is taken), `.denied` (not in the list of
    /// permitted handlers), `.invalid` or `.closing`.
    @discardableResult
    public func register(
        _ identifier: String, kind: TaskKind = .appRefresh, budget: Duration? = nil,
        grace: Duration? = nil, maxConcurrency: UInt32 = 1, maxInStore: Int? = nil,
        onLeaseLost: LeaseLoss = .stop, event: String? = nil,
        events: [String: [EventType]] = [:], needs: RequestNeeds = [],
        expired: (@Sendable (RunningTask, StopReason) -> Void)? = nil,
        run: @escaping @Sendable (RunningTask) throws -> Void
    ) throws(CurfewError) -> HandlerInfo {
        var description = HandlerDescription(
            identifier: identifier, kind: kind, budget: budget?.inNanoseconds,
            grace: grace?.inNanoseconds, maxConcurrency: maxConcurrency, event: event)
        description.needs = needs
        description.maxInStore = maxInStore
        description.onLeaseLost = onLeaseLost
        for (name, parameters) in events.sorted(by: { $0.key < $1.key }) {
            guard let event = EventSignature(name: name, parameters: parameters) else {
                throw CurfewError(
                    .invalid,
                    "\(identifier): \"\(name)\" cannot be an event of \(parameters.count) parameters"
                )
            }
            description.events.append(event)
        }
        return try register(description, expired: expired, run: run)
    }

    @discardableResult
    package func register(
        _ description: HandlerDescription,
        expired: (@Sendable (RunningTask, StopReason) -> Void)? = nil,
        run: @escaping @Sendable (RunningTask) throws -> Void
    ) throws(CurfewError) -> HandlerInfo {
        let closures = HandlerClosures(run: run, expired: expired)
        do throws(BridgeError) {
            return HandlerInfo(try closures.register(description, in: runtime))
        } catch {
            throw CurfewError(error)
        }
    }

    /// Pauses a handler, or all registered ones: queued tasks wait, running tasks continue. Throws
    /// `.notFound`.
    public func pause(_ identifier: String? = nil) throws(CurfewError) {
        try CurfewError.check(runtime.engine.pause(identifier), identifier ?? "all handlers")
    }

    /// Undoes `pause`. Throws `.notFound`.
    public func resume(_ identifier: String? = nil) throws(CurfewError) {
        try CurfewError.check(runtime.engine.resume(identifier), identifier ?? "all handlers")
    }

    /// Releases a handler that was quarantined because its worker was lost; does nothing for a
    /// handler that is not quarantined. Throws `.notFound`.
    public func release(_ identifier: String) throws(CurfewError) {
        try CurfewError.check(runtime.plugins.release(identifier), identifier)
    }

    // MARK: Tasks

    /// Launches a handler: appends a task to its queue. Never blocks.
    ///
    /// The host copies `payload`. If `budget` or `grace` is nil, the handler's counts; both are at
    /// most 24 h, and the budget is more than 0. The handler reads `attempt` from its task.
    ///
    /// Throws `.notFound`, `.busy` (the queue is full: try again later), `.exhausted` (the limit of
    /// tasks, or of lost workers of the handler), `.quarantined`, `.tooLarge` (the payload),
    /// `.invalid` or `.closing`. After an error no task was launched and no event follows. The
    /// outcome of the task is not an error of the launch.
    @discardableResult
    public func launch(
        _ identifier: String, payload: [UInt8] = [], budget: Duration? = nil,
        grace: Duration? = nil, attempt: UInt32 = 1
    ) throws(CurfewError) -> LaunchedTask {
        guard let handler = runtime.engine.handlers.find(identifier) else {
            throw CurfewError(
                .notFound,
                "no handler is registered for \"\(identifier)\"; load its plugin first")
        }
        if let budget, budget <= .zero {
            throw CurfewError(
                .invalid,
                "\(identifier): a budget of \(budget) leaves no time; nothing was launched")
        }
        if let grace, grace < .zero {
            throw CurfewError(
                .invalid, "\(identifier): a grace of \(grace) is negative; nothing was launched")
        }
        let launched = payload.withUnsafeBytes {
            runtime.engine.launch(
                handler.index,
                // The runtime reads 0 as the handler's default.
                Launch(
                    payload: $0, budget: budget.map { max(1, $0.inNanoseconds) } ?? 0,
                    grace: grace.map { max(1, $0.inNanoseconds) } ?? 0, attempt: attempt,
                    keep: true))
        }
        try CurfewError.check(launched.status, identifier)
        return LaunchedTask(id: launched.task, host: self)
    }

    // MARK: Events

    /// Returns the events of a selector (`"mirror_done::"`), or all events, from now on.
    ///
    /// At most `limit` events are buffered; `HostEvents` says what happens to further ones, and when
    /// the sequence ends. To await one task, use `LaunchedTask.result` instead.
    ///
    /// Throws `.invalid` if the selector is malformed.
    public func events(
        named selector: String? = nil, limit: Int = 4_096
    ) throws(CurfewError) -> HostEvents {
        let buffer = EventBuffer(limit: limit)
        switch runtime.loop.subscribe(try Host.parse(selector), .closure { buffer.add($0) }) {
        case .failure(let error): throw CurfewError(error)
        case .success(let number):
            let subscription = HostEvents.Subscription(buffer, number, runtime, in: buffers)
            // A shutdown that was over before the buffer was among `buffers` has not ended it.
            if runtime.isClosed, !runtime.loop.isEmbedders { buffer.end() }
            return HostEvents(subscription: subscription)
        }
    }

    /// Ends all sequences, since no further event will come.
    private func endSequences() {
        for buffer in buffers.withLock({ Array($0.values) }) { buffer.end() }
    }

    /// Calls `body` for each event of a selector, or for all events, on the thread that runs the
    /// loop, one at a time. If a wait takes an event, only observers of all events receive it.
    ///
    /// The observation ends when the returned object is released. Throws `.invalid` if the selector
    /// is malformed.
    public func observe(
        _ selector: String? = nil, _ body: @escaping @Sendable (HostEvent) -> Void
    ) throws(CurfewError) -> Observation {
        switch runtime.loop.subscribe(try Host.parse(selector), .closure(body)) {
        case .success(let number): return Observation(number: number, host: self)
        case .failure(let error): throw CurfewError(error)
        }
    }

    /// Expects the next event that matches. From now on the host keeps it for `EventWait.event`,
    /// and subscribers of that selector do not receive it. To miss no event, expect it before the
    /// launch.
    ///
    /// A wait replaces an older one for the same selector and task, which throws
    /// `CancellationError`. Throws `.invalid` if the selector is malformed, and `.closing`.
    public func expect(_ selector: String, of task: LaunchedTask? = nil)
        throws(CurfewError) -> EventWait
    {
        switch runtime.loop.expect(try Host.parse(selector), task: task?.id ?? 0, context: 0) {
        case .success(let expectation): return EventWait(expectation, self)
        case .failure(let error): throw CurfewError(error)
        }
    }

    /// Raises an event of the embedder that is not about a task. The host queues it like all
    /// others. The first event of a name and number of parameters fixes their types.
    ///
    /// Throws `.denied` (the name belongs to a handler or to the host), `.invalid` (no valid name,
    /// or other types than before), `.busy` (the queue is full) or `.closing`.
    public func raise(_ name: String, _ values: EventValue...) throws(CurfewError) {
        guard let selector = EventSelector(name: name, arity: values.count) else {
            throw CurfewError(.invalid, "\"\(name)\" cannot be an event's name")
        }
        let status = runtime.loop.raise(selector, values)
        if status == .invalid, let fault = runtime.loop.fault(of: values, selector) {
            throw CurfewError(status, fault)
        }
        try CurfewError.check(status, "event \(selector)")
    }

    /// A descriptor that is readable while events wait, for `poll` or `epoll`. The host owns it: do
    /// not read or close it. Nil without `manualDispatch`.
    public var eventDescriptor: Int32? {
        let descriptor = runtime.loop.descriptor
        return descriptor < 0 ? nil : descriptor
    }

    /// Delivers up to `limit` events on the calling thread, or with 0 all that wait now. For a host
    /// with `manualDispatch`, or one that is shut down. Returns the number of events.
    ///
    /// Throws `.wrongState` if the host's own thread runs the loop, and `.wrongThread` inside an
    /// event or while another thread dispatches.
    @discardableResult
    public func dispatch(limit: Int = 0) throws(CurfewError) -> Int {
        // A run after the shutdown is the last one: no later event is about a task.
        let isLast = runtime.isClosed
        switch runtime.loop.dispatch(limit: UInt32(clamping: limit)) {
        case .success(let count):
            if isLast, limit == 0 || count < limit { endSequences() }
            return Int(count)
        case .failure(let error): throw CurfewError(error)
        }
    }

    private static func parse(_ selector: String?) throws(CurfewError) -> EventSelector? {
        guard let selector else { return nil }
        return try parse(selector)
    }

    private static func parse(_ selector: String) throws(CurfewError) -> EventSelector {
        guard let parsed = EventSelector(selector) else {
            throw CurfewError(
                .invalid,
                "\"\(selector)\" is not a selector: a lower-case name and one colon per parameter, such as mirror_done::"
            )
        }
        return parsed
    }

    // MARK: Shutdown

    /// Shuts the host down in four bounded phases: it accepts nothing new, lets tasks finish for
    /// `drain`, stops the others and waits for `expire`, then waits for `leave` until their
    /// functions have returned. A second call does nothing.
    ///
    /// - Parameters:
    ///   - drain: the time in which running tasks continue and queued ones start.
    ///   - expire: the time to complete after expiration; nil for the longest grace of a handler or a
    ///     running task, plus a second.
    ///   - leave: the time for functions to return; the retire function of each plugin has as much
    ///     again.
    ///
    /// Blocks the calling thread for that long, in real time. Throws `.timedOut` if a function of a
    /// plugin has not returned (the text names it), and `.wrongThread`, after which nothing has
    /// happened.
    public func shutDown(
        drain: Duration = .zero, expire: Duration? = nil, leave: Duration = .seconds(1)
    ) throws(CurfewError) {
        var limits = ShutdownLimits()
        limits.drain = drain.inNanoseconds
        limits.expire = expire?.inNanoseconds
        limits.leave = leave.inNanoseconds
        try shutDown(limits)
    }

    /// Leaves tasks no longer than this to end, in nanoseconds from now, once or while the host is shut down. Any thread
    /// may call.
    package func hurryShutdown(_ limit: UInt64) { runtime.hurryShutdown(limit) }

    /// The nanoseconds in which `shutDown` will have ended, as far as can be said now.
    package func longestShutdown(_ limits: ShutdownLimits) -> UInt64 {
        runtime.longestShutdown(limits)
    }

    package func shutDown(_ limits: ShutdownLimits) throws(CurfewError) {
        do throws(BridgeError) {
            try runtime.shutDown(limits)
        } catch {
            if error.status != .wrongThread, !runtime.loop.isEmbedders { endSequences() }
            throw CurfewError(error)
        }
        if !runtime.loop.isEmbedders { endSequences() }
    }
}
