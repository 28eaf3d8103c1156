// SPDX-License-Identifier: Apache-2.0
public import Curfew
import PluginBridge
package import Runner

/// A target of events: a module, or an instance of a class, with subs as B4X has them.
///
/// ```swift
/// let main = try Target("main", in: host, takesHostEvents: true)
/// try main.sub("tidy_done::") { _, event in print(event.values) }
/// try main.resumable {
///     try await main.sleep(milliseconds: 10)
///     let done = try await main.waitFor("tidy_done::", within: .seconds(60))
///     print(done.values)
/// }
/// ```
///
/// Subs, and the code of resumable subs between two pauses, run on the thread that turns the host's
/// event loop, one at a time, in the order of the events. An event goes to one who waits for it
/// here, else to its sub, else it is counted as untaken. A name matches only with its number of
/// parameters: `x_done`, `x_done:` and `x_done::` are three events.
///
/// A target is not reached by events of other targets. With `takesHostEvents` it has those of the
/// host too, as a subscriber has them, their task as the sender.
///
/// Holds its host. Dropping the last reference closes it: let subs use the target they are given
/// rather than capture it. All that throw, throw `CurfewError` unless they say otherwise.
public final class Target: Sendable {
    /// Whose loop its subs run on.
    public let host: Host
    package let engine: EventTarget
    private let executor: LoopExecutor

    /// Makes a target. `untaken` is told of events that nobody took, on the loop's thread; its flag
    /// is true for those that were ignored since the target was paused. `name` is for messages.
    ///
    /// Throws `.invalid` (the name), `.exhausted` or `.closing`.
    public init(
        _ name: String, in host: Host, kind: TargetKind = .module, takesHostEvents: Bool = false,
        untaken: (@Sendable (TargetEvent, _ isPaused: Bool) -> Void)? = nil
    ) throws(CurfewError) {
        var options = EventTarget.Options()
        options.kind = kind
        options.takesHostEvents = takesHostEvents
        options.untaken = untaken
        self.host = host
        executor = host.loopExecutor
        do throws(BridgeError) {
            engine = try host.runtime.targets.make(name, options)
        } catch {
            throw CurfewError(error)
        }
    }

    deinit {
        // On the loop's thread: elsewhere closing waits for subs, and one may wait for this thread.
        let engine = engine
        host.runtime.loop.post { engine.close() }
    }

    /// For messages.
    public var name: String { engine.name }

    /// What it has counted.
    public var counts: TargetCounts { engine.counts }

    /// Whom the event comes from whose sub is running. Nil after the sub's first pause, in what a
    /// wait has resumed (there the event has it), and on other threads.
    public var sender: EventSender? { engine.sender }

    // MARK: Subs

    /// Adds a sub that returns a value, by its name in whatever case and one colon per parameter:
    /// `"JobDone::"`.
    ///
    /// An error that comes out of it goes to whoever called it from another sub, else to the sub
    /// `application_error::` with its text and the sub's selector; where there is none, or that
    /// returns true, it is logged and counted. The process goes on in any case.
    ///
    /// Throws `.invalid`, `.exists`, `.exhausted` or `.closing`.
    public func valueSub(
        _ selector: String,
        _ body: @escaping @Sendable (Target, TargetEvent) throws -> EventValue?
    ) throws(CurfewError) {
        try checked { () throws(BridgeError) in
            try engine.add(selector) { [weak self] event in
                guard let self else { return nil }
                return try body(self, event)
            }
        }
    }

    /// Adds a sub that returns nothing.
    public func sub(
        _ selector: String, _ body: @escaping @Sendable (Target, TargetEvent) throws -> Void
    ) throws(CurfewError) {
        try valueSub(selector) { target, event in
            try body(target, event)
            return nil
        }
    }

    /// Adds a sub that may pause: each event for it begins a new instance, and whoever raised the
    /// event goes on at its first pause.
    public func resumableSub(
        _ selector: String, _ body: @escaping @Sendable (Target, TargetEvent) async throws -> Void
    ) throws(CurfewError) {
        try sub(selector) { target, event in
            try target.resumable { [target] in try await body(target, event) }
        }
    }

    /// Whether there is a sub of that name, in whatever case, with so many parameters.
    public func subExists(_ name: String, parameters: Int = 0) -> Bool {
        engine.subExists(name, parameters: parameters)
    }

    // MARK: Raising and calling

    /// Raises an event at once, on the loop's thread. The name is used as it is given: no sub has a
    /// name with capitals. Returns the sub's value; nil when one who waited took the event, or nobody.
    ///
    /// Throws `.wrongThread`, `.invalid` (other than one colon per value), and inside a sub what
    /// comes out of the sub.
    @discardableResult
    public func raiseEvent(
        _ selector: String, _ values: EventValue..., from sender: EventSender? = nil
    ) throws -> EventValue? {
        try translating { try engine.raise(selector, values, from: sender) }
    }

    /// Queues an event, from any thread. Throws `.invalid`, `.busy` (the queue is full) or
    /// `.closing`.
    public func raiseUIEvent(
        _ selector: String, _ values: EventValue..., from sender: EventSender? = nil
    ) throws(CurfewError) {
        try checked { () throws(BridgeError) in try engine.post(selector, values, from: sender) }
    }

    /// Calls a sub at once by its name, in whatever case and without colons, on the loop's thread,
    /// with at most two values. One who waits for it takes the call.
    ///
    /// Throws `.wrongThread`, `.invalid`, `.notFound` where an instance of a class has no such sub
    /// (a module ignores the call), and what comes out of the sub.
    @discardableResult
    public func callSub(_ name: String, _ values: EventValue...) throws -> EventValue? {
        try translating { try engine.call(name, values) }
    }

    /// The same, queued, from any thread; a sub that is missing is an error that comes out of a sub
    /// then. Throws `.invalid`, `.busy` or `.closing`.
    public func callSubDelayed(_ name: String, _ values: EventValue...) throws(CurfewError) {
        try checked { () throws(BridgeError) in try engine.callDelayed(name, values) }
    }

    private func checked<T>(_ body: () throws(BridgeError) -> T) throws(CurfewError) -> T {
        do throws(BridgeError) { return try body() } catch { throw CurfewError(error) }
    }

    private func translating<T>(_ body: () throws -> T) throws -> T {
        do { return try body() } catch let error as BridgeError { throw CurfewError(error) }
    }

    // MARK: Pausing

    /// Begins a resumable sub. On the loop's thread it runs at once, up to its first pause, and then
    /// the caller goes on; elsewhere it begins in its turn. Its code runs on the loop's thread, and
    /// so does that of actors without an executor of their own that it awaits.
    ///
    /// Throws `.exhausted` or `.closing`.
    @discardableResult
    public func resumable<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value
    ) throws(CurfewError) -> ResumableSub<Value> {
        let number = try checked { () throws(BridgeError) in try engine.beginResumable() }
        let sub = ResumableSub<Value>(number: number, self)
        let executor = executor
        let begin = {
            executor.here { _ = Task(executorPreference: executor) { await sub.run(body) } }
        }
        if host.runtime.loop.onLoop(begin) == nil { begin() }
        return sub
    }

    /// Waits for an event, in place of an older wait for the same event and sender, at most `limit`
    /// of the host's clock. In a resumable sub nothing comes between the event and what follows.
    ///
    /// With a sender only events from that very one count; an object is held weakly. Throws
    /// `.timedOut`, `.closing`, `.stale` (the sender does not exist any more), `.invalid`,
    /// `.exhausted`, and `CancellationError` when a newer wait took this one's place or this Swift
    /// task is cancelled.
    @discardableResult
    public func waitFor(
        _ selector: String, from sender: SenderFilter? = nil, within limit: Duration? = nil
    ) async throws -> TargetEvent {
        let event = try await suspend { [engine] settle throws(BridgeError) in
            try engine.waitFor(selector, from: sender, limit: limit?.inNanoseconds, settle: settle)
        }
        guard let event else { preconditionFailure("a wait ended without an event") }
        return event
    }

    /// Lets the loop go on, and returns at least so many milliseconds of the host's clock later; 0:
    /// in the loop's next turn. Throws `.closing`, and `CancellationError`.
    public func sleep(milliseconds: Int) async throws {
        let time = Duration.milliseconds(max(0, milliseconds)).inNanoseconds
        _ = try await suspend { [engine] settle throws(BridgeError) in
            try engine.sleep(time, settle: settle)
        }
    }

    typealias Settle = @Sendable (Result<TargetEvent?, BridgeError>) -> Void

    func suspend(
        _ begin: (@escaping Settle) throws(BridgeError) -> UInt64
    ) async throws -> TargetEvent? {
        let suspension = Suspension(engine)
        let executor = executor
        let result: Result<TargetEvent?, BridgeError> = await withTaskCancellationHandler {
            await withCheckedContinuation {
                (continuation: CheckedContinuation<Result<TargetEvent?, BridgeError>, Never>) in
                do throws(BridgeError) {
                    let number = try begin { result in
                        executor.here { continuation.resume(returning: result) }
                    }
                    suspension.began(number)
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        } onCancel: {
            suspension.cancel()
        }
        switch result {
        case .success(let event): return event
        case .failure(let error):
            if error.status == .replaced { throw CancellationError() }
            throw CurfewError(error)
        }
    }

    // MARK: Life

    /// From now on events are dropped, counted, and told as ignored; waits go on.
    public func pause() { engine.pause() }

    /// Undoes `pause`; what was dropped stays so.
    public func resume() { engine.resume() }

    /// Events are ignored until `resume`.
    public var isPaused: Bool { engine.isPaused }

    /// No sub is called any more, and all who wait are told `.closing`. On return none is running,
    /// unless the caller is inside one.
    public func close() { engine.close() }
}
