// SPDX-License-Identifier: Apache-2.0
import PluginBridge
public import Runner
public import Scheduling

/// A host: it loads plugins, runs their handlers under budgets, and raises an event about how each
/// task ended.
///
/// ```swift
/// let host = try Host()
/// try host.load(plugin: "/usr/lib/curfew/plugins/mirror")
/// let task = try host.launch("org.curfew.mirror", payload: Array(#"{"from":"/a","to":"/b"}"#.utf8))
/// print(await task.outcome)
/// try host.shutDown()
/// ```
///
/// All members may be used from any thread, but for `load`, `scan` and `shutDown`, which must not
/// be called from inside the host's own callbacks. A host whose last reference goes is shut down
/// first, with the default limits.
public final class Host: Sendable {
    /// The parts below, for the C interface.
    public let runtime: HostRuntime

    /// Makes a host. Throws `CurfewError` with code `.invalid` when the configuration cannot be
    /// used, `.system` when threads or descriptors are lacking.
    public init(_ configuration: HostConfiguration = HostConfiguration()) throws {
        do {
            runtime = try HostRuntime(configuration)
        } catch {
            throw CurfewError(error)
        }
    }

    deinit { try? runtime.destroy() }

    // MARK: Plugins and handlers

    /// Reads the manifests of the plugins in a directory without loading code. Returns how many
    /// were found; faulty ones are listed in `plugins` with their fault and are not an error here.
    @discardableResult
    public func scan(_ directory: String) throws -> Int {
        do { return try runtime.scan(directory) } catch { throw CurfewError(error) }
    }

    /// Loads the plugin in a directory and registers its handlers. On an error nothing of it is
    /// registered.
    public func load(plugin directory: String) throws {
        do { try runtime.load(directory) } catch { throw CurfewError(error) }
    }

    /// The plugins that were scanned or loaded.
    public var plugins: [PluginInfo] { runtime.plugins.map { PluginInfo($0, runtime) } }

    /// The registered handlers.
    public var handlers: [HandlerInfo] { runtime.handlers.map(HandlerInfo.init) }

    /// Registers a handler of the embedder's own; it is treated like a plugin's.
    ///
    /// `run` is called on a worker, within the description's budget; returning is success, throwing
    /// is failure with the error's description as text. `expired` is called on a watcher's thread
    /// when the task is to stop.
    @discardableResult
    public func register(
        _ description: HandlerDescription,
        expired: (@Sendable (RunningTask, StopReason) -> Void)? = nil,
        run: @escaping @Sendable (RunningTask) throws -> Void
    ) throws -> HandlerInfo {
        let closures = HandlerClosures(run: run, expired: expired)
        do {
            return HandlerInfo(try closures.register(description, in: runtime))
        } catch {
            throw CurfewError(error)
        }
    }

    /// Stops starting tasks of a handler, or of all; they wait, and running ones go on.
    public func pause(_ identifier: String? = nil) throws {
        try CurfewError.check(runtime.pause(identifier), identifier ?? "all handlers")
    }

    /// Undoes `pause`.
    public func resume(_ identifier: String? = nil) throws {
        try CurfewError.check(runtime.resume(identifier), identifier ?? "all handlers")
    }

    /// Lifts the quarantine of a handler whose worker was lost.
    public func lift(_ identifier: String) throws {
        try CurfewError.check(runtime.lift(identifier), identifier)
    }

    // MARK: Tasks

    /// Launches a handler: one more task in its queue. Never blocks.
    ///
    /// Throws `CurfewError`: `.notFound`, `.busy` (its queue is full), `.exhausted`, `.quarantined`,
    /// `.tooLarge` or `.closing`. How the task ends is not an error of the launch.
    @discardableResult
    public func launch(
        _ identifier: String, payload: [UInt8] = [], budget: Duration? = nil,
        grace: Duration? = nil, attempt: UInt32 = 1
    ) throws -> LaunchedTask {
        guard let handler = runtime.handler(identifier) else {
            throw CurfewError(
                .notFound,
                "no handler is registered for \"\(identifier)\"; load its plugin first")
        }
        let launched = payload.withUnsafeBytes {
            runtime.launch(
                handler.index,
                HostRuntime.Launch(
                    payload: $0, budget: budget?.inNanoseconds ?? 0,
                    grace: grace?.inNanoseconds ?? 0, attempt: attempt, keep: true))
        }
        try CurfewError.check(launched.status, identifier)
        return LaunchedTask(id: launched.task, host: self)
    }

    // MARK: Events

    /// The events of a selector (`"mirror_done::"`), or all, from now on until the sequence is
    /// dropped or the host shut down.
    ///
    /// At most `limit` wait to be taken; what comes while as many wait is dropped, which the
    /// `sequence` numbers show.
    public func events(named selector: String? = nil, limit: Int = 4_096) throws
        -> AsyncStream<HostEvent>
    {
        let parsed = try selector.map(Host.parse)
        let (stream, continuation) = AsyncStream<HostEvent>.makeStream(
            bufferingPolicy: .bufferingOldest(limit))
        let number: UInt64
        switch runtime.subscribe(parsed, .closure { continuation.yield($0) }) {
        case .success(let subscribed): number = subscribed
        case .failure(let error): throw CurfewError(error)
        }
        let runtime = runtime
        continuation.onTermination = { _ in _ = runtime.unsubscribe(number) }
        return stream
    }

    /// Calls `body` for each event of a selector, or for all, on the thread that turns the loop.
    public func observe(
        _ selector: String? = nil, _ body: @escaping @Sendable (HostEvent) -> Void
    ) throws -> Observation {
        switch runtime.subscribe(try selector.map(Host.parse), .closure(body)) {
        case .success(let number): return Observation(number: number, host: self)
        case .failure(let error): throw CurfewError(error)
        }
    }

    /// Expects the next event that matches: from now on it is kept for `EventWait.event`, and
    /// subscribers to that selector do not see it. Expect first, then launch, and nothing is missed.
    public func expect(_ selector: String, of task: LaunchedTask? = nil) throws -> EventWait {
        switch runtime.expect(try Host.parse(selector), task: task?.id ?? 0, context: 0) {
        case .success(let expectation): return EventWait(expectation, self)
        case .failure(let error): throw CurfewError(error)
        }
    }

    /// Waits for the next event that matches, in place of an older wait for the same event and task,
    /// which throws `CancellationError`.
    ///
    /// Throws `CurfewError` with `.timedOut` or `.closing`, and `CancellationError` when this Swift
    /// task is cancelled.
    public func wait(
        for selector: String, of task: LaunchedTask? = nil, within limit: Duration? = nil
    ) async throws -> HostEvent {
        try await expect(selector, of: task).event(within: limit)
    }

    /// Raises an event of the embedder's own, about no task.
    public func raise(_ name: String, _ values: EventValue...) throws {
        guard let selector = EventSelector(name: name, arity: values.count) else {
            throw CurfewError(.invalid, "\"\(name)\" cannot be an event's name")
        }
        try CurfewError.check(runtime.raise(selector, values), "event \(selector)")
    }

    /// Delivers up to `limit` waiting events (0: all) on this thread, for a host with `ownLoop`.
    /// Returns how many.
    @discardableResult
    public func dispatch(limit: UInt32 = 0) throws -> Int {
        switch runtime.dispatch(limit: limit) {
        case .success(let count): return Int(count)
        case .failure(let error): throw CurfewError(error)
        }
    }

    static func parse(_ selector: String) throws -> EventSelector {
        guard let parsed = EventSelector(selector) else {
            throw CurfewError(
                .invalid,
                "\"\(selector)\" is not a selector: a lower-case name and one colon per parameter, such as mirror_done::"
            )
        }
        return parsed
    }

    // MARK: The end

    /// Ends the host's work in four bounded phases: nothing new is taken in, tasks may finish, the
    /// rest is told to stop, whoever has not answered is interrupted. A second call does nothing.
    ///
    /// Throws `.timedOut` when a function of a plugin has not returned (the text names it), and
    /// `.wrongThread` from inside the host's own callbacks.
    public func shutDown(_ limits: HostRuntime.Shutdown = HostRuntime.Shutdown()) throws {
        do { try runtime.shutDown(limits) } catch { throw CurfewError(error) }
    }
}
