// SPDX-License-Identifier: Apache-2.0
public import Curfew
import PluginBridge
package import Runner

/// A target of events: a module, or an instance of a class, with the event handlers (subs) of B4X.
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
/// Subs, and the code of resumable subs between two suspensions, run on the thread that runs the
/// host's event loop, one at a time, in the order of the events. An event resumes a wait for it in
/// this target; otherwise it calls its sub; otherwise it counts as untaken. Names match only with
/// their number of parameters: `x_done`, `x_done:` and `x_done::` are three events.
///
/// Events of other targets do not reach a target. With `takesHostEvents` it receives the host's
/// events like a subscriber, with their task as the sender.
///
/// It retains its host. Releasing the last reference closes it, so subs should use the target that
/// they receive instead of capturing it. Functions that throw, throw `CurfewError` unless
/// documented otherwise.
public final class Target: Sendable {
    /// The host whose loop runs its subs.
    public let host: Host
    package let engine: EventTarget
    private let executor: LoopExecutor

    /// Creates a target. The loop's thread calls `untaken` for each event without a receiver; its
    /// flag is true for events that were ignored because the target is paused. Messages contain
    /// `name`.
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
        // Closing runs on the loop's thread: elsewhere it would wait for subs, one of which may
        // wait for this thread.
        let engine = engine
        host.runtime.loop.post { engine.close() }
    }

    /// The name, for messages.
    public var name: String { engine.name }

    /// The event counts since its creation.
    public var counts: TargetCounts { engine.counts }

    /// The sender of the event whose sub is running. Nil after the sub's first suspension, in code
    /// that a wait has resumed (its event has the sender), and on other threads.
    public var sender: EventSender? { engine.sender }

    // MARK: Subs

    /// Adds a sub that returns a value. The selector is the sub's name, in any case, and one colon
    /// per parameter: `"JobDone::"`.
    ///
    /// If another sub called it, that sub receives its error. Otherwise the sub
    /// `application_error::` receives the error's text and the sub's selector. If there is no such
    /// sub, or it returns true, the error is logged and counted. The process continues in any case.
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

    /// Adds a sub that may suspend. Each event starts a new instance; the code that raised the
    /// event continues at the instance's first suspension.
    public func resumableSub(
        _ selector: String, _ body: @escaping @Sendable (Target, TargetEvent) async throws -> Void
    ) throws(CurfewError) {
        try sub(selector) { target, event in
            try target.resumable { [target] in try await body(target, event) }
        }
    }

    /// Returns whether there is a sub of that name, in any case, with that number of parameters.
    public func subExists(_ name: String, parameters: Int = 0) -> Bool {
        engine.subExists(name, parameters: parameters)
    }

    // MARK: Raising and calling

    /// Raises an event at once, on the loop's thread. The name is used unchanged, and no sub has a
    /// name with capitals. Returns the sub's value; nil if a wait took the event, or it had no
    /// receiver.
    ///
    /// Throws `.wrongThread`, `.invalid` (not one colon per value), and inside a sub the error of
    /// the called sub.
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

    /// Calls a sub at once by its name, in any case and without colons, on the loop's thread, with
    /// at most two values. A wait for that name takes the call.
    ///
    /// Throws `.wrongThread`, `.invalid`, `.notFound` if an instance of a class has no such sub (a
    /// module ignores the call), and the error of the sub.
    @discardableResult
    public func callSub(_ name: String, _ values: EventValue...) throws -> EventValue? {
        try translating { try engine.call(name, values) }
    }

    /// Queues a call of a sub, from any thread. If the sub is missing then, that is an error of a
    /// sub. Throws `.invalid`, `.busy` or `.closing`.
    public func callSubDelayed(_ name: String, _ values: EventValue...) throws(CurfewError) {
        try checked { () throws(BridgeError) in try engine.callDelayed(name, values) }
    }

    private func checked<T>(_ body: () throws(BridgeError) -> T) throws(CurfewError) -> T {
        do throws(BridgeError) { return try body() } catch { throw CurfewError(error) }
    }

    private func translating<T>(_ body: () throws -> T) throws -> T {
        do { return try body() } catch let error as BridgeError { throw CurfewError(error) }
    }

    // MARK: Suspending

    /// Starts a resumable sub. On the loop's thread it runs at once, up to its first suspension,
    /// and then the caller continues; elsewhere it is queued. Its code runs on the loop's thread,
    /// and so does the code of actors without their own executor that it awaits.
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

    /// Waits for an event, at most `limit` on the host's clock. It replaces an older wait for the
    /// same event and sender. In a resumable sub no other event comes between the event and the
    /// code after the wait.
    ///
    /// With a sender, only events of that sender match; an object is held weakly. Throws
    /// `.timedOut`, `.closing`, `.stale` (the sender no longer exists), `.invalid`, `.exhausted`,
    /// and `CancellationError` if a newer wait took this one's place or this Swift task is
    /// cancelled.
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

    /// Suspends for at least that many milliseconds on the host's clock, while the loop continues;
    /// 0 resumes in the loop's next run. Throws `.closing`, and `CancellationError`.
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

    // MARK: Life cycle

    /// Pauses the target: events are dropped, counted, and reported as ignored; waits continue.
    public func pause() { engine.pause() }

    /// Undoes `pause`; dropped events stay dropped.
    public func resume() { engine.resume() }

    /// Whether the target is paused and ignores events.
    public var isPaused: Bool { engine.isPaused }

    /// Closes the target: no sub is called any more, and all waits end with `.closing`. On return
    /// no sub is running, unless the caller is inside one.
    public func close() { engine.close() }
}
