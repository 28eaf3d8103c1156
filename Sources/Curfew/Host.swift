// SPDX-License-Identifier: Apache-2.0
import PluginBridge
package import Runner
import Scheduling

/// A host: it loads plugins, runs their handlers under budgets, and raises an event about how each
/// task ended.
///
/// ```swift
/// let host = try Host()
/// try host.load(plugin: "/usr/lib/curfew/plugins/mirror")
/// let task = try host.launch("org.curfew.mirror", payload: Array(#"{"from":"/a","to":"/b"}"#.utf8))
/// print(await task.result.outcome)
/// try host.shutDown()
/// ```
///
/// All members may be used from any thread, but for `load`, `scan`, `shutDown` and `dispatch`, which
/// throw `.wrongThread` inside the host's own callbacks, events and handlers. Durations are real time
/// where a caller waits, and time of the host's clock where a task's budget or grace is meant.
///
/// Shut a host down before its last reference goes. One that was not is shut down then, with the
/// default limits, and writes a warning to its log: the thread that drops it waits for that, except
/// one of the host's own, which leaves it to another thread. Tasks, observations and waits hold their
/// host; handlers and observers should capture it `weak`.
public final class Host: Sendable {
    package let runtime: HostRuntime
    /// Runs Swift tasks on the thread of the event loop.
    package let loopExecutor: LoopExecutor
    /// Makes the calls that block, for the `async` forms.
    let calls = CallThread()

    /// The sequences that were given out and have not ended, by the number of their subscription.
    private let streams = Locked<[UInt64: AsyncStream<HostEvent>.Continuation]>([:])

    /// Makes a host. Throws `.invalid` when the configuration cannot be used, and `.system` when
    /// threads or descriptors are lacking.
    public init(_ configuration: HostConfiguration = HostConfiguration()) throws(CurfewError) {
        do throws(BridgeError) {
            runtime = try HostRuntime(configuration)
        } catch {
            throw CurfewError(error)
        }
        loopExecutor = LoopExecutor(runtime)
    }

    deinit {
        if !runtime.isClosed {
            runtime.log(
                .warning,
                "a host was dropped before it was shut down, and is shut down now: call shutDown() where its work is to end"
            )
        }
        let end = HostEnd(
            runtime: runtime, streams: streams.withLock { Array($0.values) })
        if !end.finish() { end.finishElsewhere() }
    }

    // MARK: Plugins and handlers

    /// Reads the manifests of the plugins in a directory without loading code. Returns how many
    /// were found; faulty ones are listed in `plugins` with their fault and are not an error here.
    ///
    /// Throws `.system` when the directory cannot be read, and `.closing`.
    @discardableResult
    public func scan(_ directory: String) throws(CurfewError) -> Int {
        do throws(BridgeError) { return try runtime.plugins.scan(directory) } catch {
            throw CurfewError(error)
        }
    }

    /// Looks for plugins in the usual directories, or in those of `CURFEW_PLUGIN_PATH`; without this
    /// call none is looked for. Reads manifests and loads nothing. Returns how many were found,
    /// faulty and shadowed ones included.
    ///
    /// The directories are those that `curfew paths` lists, and any may be missing. Of two plugins with
    /// the same id the first one counts: the other is listed as `.shadowed`, with the first one's
    /// directory in its reason. Throws `.closing`.
    @discardableResult
    public func discover() throws(CurfewError) -> Int {
        do throws(BridgeError) { return try runtime.plugins.discover() } catch {
            throw CurfewError(error)
        }
    }

    /// Loads the plugin in a directory and registers its handlers. On an error nothing of it is
    /// registered, and `plugins` says why.
    ///
    /// Throws `.refused` (its manifest or its library), `.abiMismatch`, `.exists` (an identifier, an
    /// event or the plugin's id is taken; what is there stays), `.denied` (a handler is not in the
    /// list of permitted ones), `.failed` (its entry said no), `.system` or `.closing`.
    public func load(plugin directory: String) throws(CurfewError) {
        do throws(BridgeError) { try runtime.plugins.load(directory) } catch {
            throw CurfewError(error)
        }
    }

    /// The plugins that were scanned or loaded, in that order.
    public var plugins: [PluginInfo] { runtime.plugins.all.map { PluginInfo($0, runtime) } }

    /// The registered handlers, in the order of registration.
    public var handlers: [HandlerInfo] { runtime.engine.handlers.all.map(HandlerInfo.init) }

    /// What the host has counted since it was made.
    public var counts: HostCounts { runtime.counts }

    /// Registers a handler of the embedder's own; it is treated like a plugin's.
    ///
    /// `run` is called on a worker, within the description's budget; returning is success, throwing
    /// is failure with the error's description as text, cut at about 1,000 bytes. `expired` is
    /// called once, at most, on a deadline thread, when the task is to stop, while `run` may still
    /// be at work; it should be short. Both are kept until the host is gone, and for ever when a
    /// thread never came back from them.
    ///
    /// Throws `.exists` (the identifier or an event is taken), `.denied` (it is not in the list of
    /// permitted handlers), `.invalid` or `.closing`.
    @discardableResult
    public func register(
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

    /// Stops starting tasks of a handler, or of all that are registered; they wait, and running ones
    /// go on. Throws `.notFound`.
    public func pause(_ identifier: String? = nil) throws(CurfewError) {
        try CurfewError.check(runtime.engine.pause(identifier), identifier ?? "all handlers")
    }

    /// Undoes `pause`. Throws `.notFound`.
    public func resume(_ identifier: String? = nil) throws(CurfewError) {
        try CurfewError.check(runtime.engine.resume(identifier), identifier ?? "all handlers")
    }

    /// Releases a handler from quarantine, whose worker was lost. Throws `.notFound`; a handler that is
    /// not quarantined is not an error.
    public func release(_ identifier: String) throws(CurfewError) {
        try CurfewError.check(runtime.plugins.release(identifier), identifier)
    }

    // MARK: Tasks

    /// Launches a handler: one more task in its queue. Never blocks.
    ///
    /// `payload` is copied. `budget` and `grace` are the handler's where they are nil, at most a day,
    /// the budget longer than nothing. `attempt` is passed on to the handler.
    ///
    /// Throws `.notFound`, `.busy` (its queue is full: try again later), `.exhausted` (the limit of
    /// tasks, or of workers the handler may lose), `.quarantined`, `.tooLarge` (the payload),
    /// `.invalid` or `.closing`; then nothing was launched and no event follows. How the task ends
    /// is not an error of the launch.
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
                // To the runtime 0 means the handler's own.
                Launch(
                    payload: $0, budget: budget.map { max(1, $0.inNanoseconds) } ?? 0,
                    grace: grace.map { max(1, $0.inNanoseconds) } ?? 0, attempt: attempt,
                    keep: true))
        }
        try CurfewError.check(launched.status, identifier)
        return LaunchedTask(id: launched.task, host: self)
    }

    // MARK: Events

    /// The events of a selector (`"mirror_done::"`), or all, from now on until the sequence is
    /// dropped or the host has ended.
    ///
    /// It ends after the last event of the shutdown: with `ownLoop` after that one was dispatched.
    /// Does not hold the host. At most `limit` events wait to be taken; what comes while as many
    /// wait is dropped: take them quickly, or follow `LaunchedTask.result` instead. Where all
    /// events are asked for, a gap in their `sequence` shows what was dropped.
    ///
    /// Throws `.invalid` for what is no selector.
    public func events(named selector: String? = nil, limit: Int = 4_096)
        throws(CurfewError) -> AsyncStream<HostEvent>
    {
        let parsed = try Host.parse(selector)
        let (stream, continuation) = AsyncStream<HostEvent>.makeStream(
            bufferingPolicy: .bufferingOldest(max(1, limit)))
        let number: UInt64
        switch runtime.loop.subscribe(parsed, .closure { continuation.yield($0) }) {
        case .success(let subscribed): number = subscribed
        case .failure(let error): throw CurfewError(error)
        }
        streams.withLock { $0[number] = continuation }
        let runtime = runtime
        continuation.onTermination = { [weak self] _ in
            _ = runtime.loop.unsubscribe(number)
            self?.streams.withLock { $0[number] = nil }
        }
        // A shutdown that was over before the sequence was listed has not ended it.
        if runtime.isClosed, !runtime.loop.isEmbedders { endStreams() }
        return stream
    }

    /// No event comes any more.
    private func endStreams() {
        for continuation in streams.withLock({ Array($0.values) }) { continuation.finish() }
    }

    /// Calls `body` for each event of a selector, or for all, on the thread that runs the loop,
    /// one at a time. An event that a wait took is seen by observers of all events only.
    ///
    /// Ends with the observation that is returned: keep it. Throws `.invalid` for what is no
    /// selector.
    public func observe(
        _ selector: String? = nil, _ body: @escaping @Sendable (HostEvent) -> Void
    ) throws(CurfewError) -> Observation {
        switch runtime.loop.subscribe(try Host.parse(selector), .closure(body)) {
        case .success(let number): return Observation(number: number, host: self)
        case .failure(let error): throw CurfewError(error)
        }
    }

    /// Expects the next event that matches: from now on it is kept for `EventWait.event`, and
    /// subscribers to that selector do not see it. Expect first, then launch, and nothing is missed.
    ///
    /// A wait for the same selector and task takes the place of an older one, which throws
    /// `CancellationError`. Throws `.invalid` for what is no selector, and `.closing`.
    public func expect(_ selector: String, of task: LaunchedTask? = nil)
        throws(CurfewError) -> EventWait
    {
        switch runtime.loop.expect(try Host.parse(selector), task: task?.id ?? 0, context: 0) {
        case .success(let expectation): return EventWait(expectation, self)
        case .failure(let error): throw CurfewError(error)
        }
    }

    /// Waits for the next event that matches, in place of an older wait for the same event and task,
    /// which throws `CancellationError`. At most `limit` of real time; nil waits until the shutdown.
    ///
    /// Throws `.timedOut`, `.closing`, and `.invalid` for what is no selector; `CancellationError`
    /// when a newer wait took this one's place, or this Swift task is cancelled.
    public func wait(
        for selector: String, of task: LaunchedTask? = nil, within limit: Duration? = nil
    ) async throws -> HostEvent {
        try await expect(selector, of: task).event(within: limit)
    }

    /// Raises an event of the embedder's own, about no task. It is queued like all others; the first
    /// time settles the types of its parameters, which its name and their number belong to.
    ///
    /// Throws `.denied` (the name is a handler's or the host's own), `.invalid` (no name, or other
    /// types than before), `.busy` (the queue is full) or `.closing`.
    public func raise(_ name: String, _ values: EventValue...) throws(CurfewError) {
        guard let selector = EventSelector(name: name, arity: values.count) else {
            throw CurfewError(.invalid, "\"\(name)\" cannot be an event's name")
        }
        try CurfewError.check(runtime.loop.raise(selector, values), "event \(selector)")
    }

    /// A descriptor that is readable while events wait, for `poll` or `epoll`; the host's, never to
    /// be read or closed. Nil without `ownLoop`.
    public var eventDescriptor: Int32? {
        let descriptor = runtime.loop.descriptor
        return descriptor < 0 ? nil : descriptor
    }

    /// Delivers up to `limit` events (0: all that wait now) on this thread, for a host with
    /// `ownLoop`, or one that is shut down. Returns how many.
    ///
    /// Throws `.wrongState` where the host's own thread turns the loop, and `.wrongThread` inside an
    /// event, or while another thread is at it.
    @discardableResult
    public func dispatch(limit: Int = 0) throws(CurfewError) -> Int {
        // What is raised after the shutdown is about nothing that could still be waited for.
        let isLast = runtime.isClosed
        switch runtime.loop.dispatch(limit: UInt32(clamping: limit)) {
        case .success(let count):
            if isLast, limit == 0 || count < limit { endStreams() }
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

    // MARK: The end

    /// Ends the host's work in four bounded phases: it takes in nothing new, lets tasks finish for
    /// `drain`, tells the others to stop and waits for `expire`, and waits for `leave` until their
    /// functions have returned. A second call does nothing.
    ///
    /// - Parameters:
    ///   - drain: the time in which tasks go on, and queued ones start.
    ///   - expire: the time for answers after expiration; nil for the longest grace of a handler, and
    ///     a second.
    ///   - leave: the time for functions to return; for each plugin's retire function anew.
    ///
    /// Blocks the calling thread for as long, in real time. Throws `.timedOut` when a function of a
    /// plugin has not returned (the text names it), and `.wrongThread`; then nothing happened.
    public func shutDown(
        drain: Duration = .zero, expire: Duration? = nil, leave: Duration = .seconds(1)
    ) throws(CurfewError) {
        var limits = ShutdownLimits()
        limits.drain = drain.inNanoseconds
        limits.expire = expire?.inNanoseconds
        limits.leave = leave.inNanoseconds
        try shutDown(limits)
    }

    package func shutDown(_ limits: ShutdownLimits) throws(CurfewError) {
        do throws(BridgeError) {
            try runtime.shutDown(limits)
        } catch {
            if error.status != .wrongThread, !runtime.loop.isEmbedders { endStreams() }
            throw CurfewError(error)
        }
        if !runtime.loop.isEmbedders { endStreams() }
    }
}
