// SPDX-License-Identifier: Apache-2.0
package import PluginBridge
package import Scheduling
import Synchronization

/// A target of events on its host's loop: a module or class instance with subs, as in B4X.
///
/// Subs and continuations run on the loop's thread, one at a time, without a lock held.
package final class EventTarget: @unchecked Sendable {
    // Sendable: `state` is locked; the loop's thread owns its variables; the rest is constant.

    package typealias Sub = @Sendable (TargetEvent) throws -> EventValue?

    package struct Options: Sendable {
        package var kind = TargetKind.module
        /// Whether the target also receives the host's events.
        package var takesHostEvents = false
        /// Called on the loop's thread for events that no sub or wait took; `isPaused` tells
        /// whether the target was paused.
        package var untaken: (@Sendable (TargetEvent, _ isPaused: Bool) -> Void)?

        package init() {}
    }

    struct State {
        var machine: TargetStateMachine<Sub, TargetWait>
        var numbers: UInt64 = 0
        /// Subscriptions to the host's events.
        var subscriptions: [EventSelector: UInt64] = [:]
    }

    package let name: String
    package let number: UInt64
    let options: Options
    private let targets: TargetDirectory
    private let loop: EventLoop
    private let deadlines: Deadlines
    private let log: HostLog
    let state: Locked<State>

    /// Number of events that the loop's thread is inside of.
    private let inside = Atomic<Int>(0)
    private let waiters = Sleepers()

    // Owned by the loop's thread.

    private var currentSender: EventSender?
    private var isFailing = false

    init(_ name: String, number: UInt64, _ options: Options, in targets: TargetDirectory) {
        self.name = name
        self.number = number
        self.options = options
        self.targets = targets
        loop = targets.loop
        deadlines = targets.deadlines
        log = targets.log
        state = Locked(State(machine: TargetStateMachine(kind: options.kind)))
    }

    package var counts: TargetCounts { state.withLock { $0.machine.counts } }

    /// The sender of the event whose sub is running; nil on other threads and after a wait resumed.
    package var sender: EventSender? { loop.isLoopThread ? currentSender : nil }

    // MARK: Subs

    package func add(_ selector: String, _ sub: @escaping Sub) throws(BridgeError) {
        let selector = try TargetText.selector(selector)
        let added = state.withLock { state in
            let added = state.machine.add(sub, for: selector)
            if added == .added { follow(selector, &state) }
            return added
        }
        switch added {
        case .added: return
        case .exists:
            throw BridgeError(.exists, "\(title) has a sub \"\(selector)\"; the first one stays")
        case .exhausted:
            throw BridgeError(
                .exhausted,
                "\(title) has \(TargetStateMachine<Sub, TargetWait>.subLimit) subs; no more can be")
        case .closed: throw closed
        }
    }

    /// Whether a sub with that case-insensitive name and number of parameters exists.
    package func subExists(_ name: String, parameters: Int) -> Bool {
        guard let text = try? TargetText(called: name, values: parameters),
            let selector = text.selector
        else { return false }
        return state.withLock { $0.machine.sub(selector) != nil }
    }

    // MARK: Raising

    /// Raises an event at once on the loop's thread. Returns the sub's value.
    ///
    /// Returns nil when a wait or nothing took the event. Throws `.wrongThread` and `.invalid`.
    /// Inside a sub it also throws the called sub's error; elsewhere `application_error::` receives
    /// that.
    package func raise(
        _ event: String, _ values: [EventValue], from sender: EventSender? = nil
    ) throws -> EventValue? {
        let text = try TargetText(raised: event, values: values.count)
        let event = TargetEvent(selector: text.text, values: values, sender: sender, mode: .direct)
        return try onLoop("raiseEvent") { isOutermost in
            do {
                return try dispatch(event, text.selector)
            } catch {
                guard isOutermost else { throw error }
                failed(error, in: event.selector)
                return nil
            }
        }
    }

    /// Queues an event, from any thread. Throws `.invalid`, `.busy` or `.closing`.
    package func post(
        _ event: String, _ values: [EventValue], from sender: EventSender? = nil
    ) throws(BridgeError) {
        try post(TargetText(raised: event, values: values.count), values, sender, isCall: false)
    }

    /// Calls a sub by its case-insensitive name, with at most two values.
    ///
    /// A wait takes precedence over the sub. A class instance throws `.notFound` without the sub.
    package func call(_ name: String, _ values: [EventValue]) throws -> EventValue? {
        let text = try callable(name, values)
        let event = TargetEvent(selector: text.text, values: values, sender: nil, mode: .direct)
        return try onLoop("callSub") { _ in try dispatch(event, text.selector, isCall: true) }
    }

    /// Queues a call of a sub by its name.
    package func callDelayed(_ name: String, _ values: [EventValue]) throws(BridgeError) {
        try post(callable(name, values), values, nil, isCall: true)
    }

    /// Maximum number of values of a call by name.
    package static let callLimit = 2

    private func callable(
        _ name: String, _ values: [EventValue]
    ) throws(BridgeError) -> TargetText {
        guard values.count <= Self.callLimit else {
            throw BridgeError(
                .invalid,
                "calling \"\(name.prefix(64))\" with \(values.count) values; \(Self.callLimit) is the most; raise an event instead"
            )
        }
        return try TargetText(called: name, values: values.count)
    }

    private func post(
        _ text: TargetText, _ values: [EventValue], _ sender: EventSender?, isCall: Bool
    ) throws(BridgeError) {
        guard !state.withLock({ $0.machine.isClosed }), !loop.phase.isClosed else { throw closed }
        let event = TargetEvent(selector: text.text, values: values, sender: sender, mode: .queued)
        let status = loop.postLimited { [self] in
            outermost(event) { try dispatch(event, text.selector, isCall: isCall) }
        }
        guard status == .ok else {
            throw BridgeError(
                status,
                "\(title): \"\(text.text)\" was not queued, too many events wait; try again later")
        }
    }

    private func onLoop(
        _ what: String, _ body: (_ isOutermost: Bool) throws -> EventValue?
    ) throws -> EventValue? {
        let isInside = loop.isLoopThread && loop.isInsideWork
        let result = loop.onLoop { Result { try body(!isInside) } }
        guard let result else {
            throw BridgeError(
                .wrongThread,
                "\(what) at \(title) from a thread that does not run the event loop; queue it instead"
            )
        }
        return try result.get()
    }

    // MARK: Dispatching

    private func outermost(_ event: TargetEvent, _ body: () throws -> EventValue?) {
        do { _ = try body() } catch { failed(error, in: event.selector) }
    }

    private func dispatch(
        _ event: TargetEvent, _ selector: EventSelector?, isCall: Bool = false
    ) throws -> EventValue? {
        inside.wrappingAdd(1, ordering: .sequentiallyConsistent)
        defer { leave() }
        let (arrival, gone) = state.withLock { state in
            let gone = purge(&state)
            return (
                state.machine.eventArrived(
                    selector, from: event.sender?.identity, isCall: isCall), gone
            )
        }
        settleGone(gone)
        switch arrival {
        case .resume(let wait):
            resume(wait, event)
            return nil
        case .call(let sub):
            return try withSender(event.sender) { try sub(event) }
        case .untaken:
            options.untaken?(event, false)
            return nil
        case .missing:
            throw BridgeError(
                .notFound, "Sub \(event.selector) was not found. \(title) has none of that name")
        case .paused:
            log(
                .info, nil, event.sender?.task ?? 0,
                "\(title) is paused; ignoring event: \(event.selector)")
            options.untaken?(event, true)
            return nil
        case .closed: return nil
        }
    }

    private func leave() {
        inside.wrappingSubtract(1, ordering: .sequentiallyConsistent)
        waiters.wake()
    }

    private func resume(_ wait: TargetWait, _ event: TargetEvent) {
        wait.disarm(deadlines)
        unfollow()
        withSender(nil) { wait.settle(.success(event)) }
    }

    private func withSender<T>(_ sender: EventSender?, _ body: () throws -> T) rethrows -> T {
        let outer = currentSender
        currentSender = sender
        defer { currentSender = outer }
        return try body()
    }

    /// Handles an error that the loop's code received from a sub or continuation.
    ///
    /// `application_error::` receives its text and place. The error is logged if there is no such
    /// sub, or if it returns true or fails.
    package func failed(_ error: any Error, in place: String) {
        inside.wrappingAdd(1, ordering: .sequentiallyConsistent)
        defer { leave() }
        let text = (error as? BridgeError)?.message ?? "\(error)"
        let selector = EventSelector(name: "application_error", arity: 2)!
        var isTaken = false
        if !isFailing, let sub = state.withLock({ $0.machine.sub(selector) }) {
            isFailing = true
            defer { isFailing = false }
            let event = TargetEvent(
                selector: selector.description, values: [.text(text), .text(place)], sender: nil,
                mode: .direct)
            do {
                isTaken = try withSender(nil) { try sub(event) } != .bool(true)
            } catch {
                log(.error, nil, 0, "\(title): application_error:: failed itself: \(error)")
            }
        }
        guard !isTaken else { return }
        state.withLock { $0.machine.subFailed() }
        log(
            .error, nil, 0,
            "\(title): an error came out of \(place): \(text); give it a sub application_error:: to take such errors"
        )
    }

    // MARK: Waiting

    /// Waits for an event, at most `limit` ns of the host's clock; replaces an older equal wait.
    ///
    /// `settle` is called once on the loop's thread: with the event, or with `.replaced`,
    /// `.timedOut`, `.stale` (the sender is gone), `.closing` or the error of `giveUp`. Throws
    /// `.invalid`, `.already` (the resumable sub has completed), `.exhausted` or `.closing`; then
    /// `settle` is not called.
    package func waitFor(
        _ event: String, from sender: SenderFilter? = nil, limit: UInt64? = nil,
        settle: @escaping @Sendable (Result<TargetEvent?, BridgeError>) -> Void
    ) throws(BridgeError) -> UInt64 {
        let selector = try TargetText.selector(event)
        let wait = TargetWait(filter: sender, settle: settle)
        let (number, waiting, gone) = state.withLock { state in
            let gone = purge(&state)
            state.numbers += 1
            let waiting = state.machine.waits(
                for: selector, from: sender?.identity, number: state.numbers, wait)
            if case .waiting = waiting { follow(selector, &state) }
            return (state.numbers, waiting, gone)
        }
        settleGone(gone)
        try check(waiting) { replaced in
            settleLater(
                replaced,
                BridgeError(
                    .replaced,
                    "a newer wait for \"\(selector)\" at \(title) took this one's place"))
        }
        if let limit {
            arm(wait, number, limit, "\"\(selector)\" did not come to \(title) in time")
        }
        return number
    }

    /// Sleeps for `duration` ns of the host's clock; 0 means until the loop's next run.
    /// Then `settle` is called as for a wait, without an event.
    package func sleep(
        _ duration: UInt64, settle: @escaping @Sendable (Result<TargetEvent?, BridgeError>) -> Void
    ) throws(BridgeError) -> UInt64 {
        let wait = TargetWait(filter: nil, settle: settle)
        let (number, waiting) = state.withLock { state in
            state.numbers += 1
            return (state.numbers, state.machine.sleeps(number: state.numbers, wait))
        }
        try check(waiting) { _ in }
        arm(wait, number, duration, nil)
        return number
    }

    private func check(
        _ waiting: TargetStateMachine<Sub, TargetWait>.Waiting, _ replaced: (TargetWait) -> Void
    ) throws(BridgeError) {
        switch waiting {
        case .waiting(let old): if let old { replaced(old) }
        case .completed:
            throw BridgeError(
                .already, "Resumable sub already completed; wait for it before it completes")
        case .unknown: throw BridgeError(.notFound, "\(title) has no such resumable sub")
        case .exhausted:
            throw BridgeError(
                .exhausted,
                "\(TargetStateMachine<Sub, TargetWait>.waitLimit) waits stand open at \(title); no more can be"
            )
        case .closed: throw closed
        }
    }

    /// Cancels a wait or a sleep, from any thread. Returns false when it is over.
    @discardableResult
    package func giveUp(_ number: UInt64, _ error: BridgeError) -> Bool {
        guard let wait = state.withLock({ $0.machine.waitEnded(number) }) else { return false }
        settleLater(wait, error)
        return true
    }

    /// Starts the timer of a wait or, with `late` nil, of a sleep.
    private func arm(_ wait: TargetWait, _ number: UInt64, _ time: UInt64, _ late: String?) {
        let work = LoopWork { [weak self] in
            guard let self, let ended = state.withLock({ $0.machine.waitEnded(number) }) else {
                return
            }
            unfollow()
            let error = late.map { BridgeError(.timedOut, $0) }
            withSender(nil) { ended.settle(error.map { .failure($0) } ?? .success(nil)) }
        }
        guard time > 0 else {
            loop.post { work.body() }
            return
        }
        if !wait.arm(work, after: time, deadlines) { giveUp(number, closed) }
    }

    /// Queues the settling of a wait on the loop.
    private func settleLater(_ wait: TargetWait, _ error: BridgeError) {
        wait.disarm(deadlines)
        loop.post { [self] in
            unfollow()
            withSender(nil) { wait.settle(.failure(error)) }
        }
    }

    private func purge(_ state: inout State) -> [TargetWait] { state.machine.purge(\.isGone) }

    private func settleGone(_ waits: [TargetWait]) {
        for wait in waits {
            settleLater(
                wait, BridgeError(.stale, "the sender that was waited for does not exist any more"))
        }
    }

    /// Ends the waits for a sender that C has freed with `.stale`.
    package func forget(_ sender: EventSender) {
        let waits = state.withLock { $0.machine.forget(sender.identity) }
        settleGone(waits)
    }

    // MARK: Resumable subs

    package func beginResumable() throws(BridgeError) -> UInt64 {
        let (number, isClosed) = state.withLock {
            ($0.machine.resumableBegan(), $0.machine.isClosed)
        }
        if isClosed { throw closed }
        guard let number else {
            throw BridgeError(
                .exhausted,
                "\(TargetStateMachine<Sub, TargetWait>.resumableLimit) resumable subs of \(title) have not completed; no more can begin"
            )
        }
        return number
    }

    /// The event that completes a resumable sub.
    package static let completion = "complete:"

    /// Queues the completion of a resumable sub that has returned; its waits resume then.
    ///
    /// Without a wait, an error goes to `application_error::`. Throws `.already`, or `.notFound`
    /// for a number that never began.
    package func finishResumable(
        _ number: UInt64, _ value: EventValue?, failure: (any Error)? = nil
    ) throws(BridgeError) {
        let (isFirst, hasBegun) = state.withLock {
            ($0.machine.resumableReturned(number), $0.machine.hasBegun(number))
        }
        guard isFirst else {
            throw BridgeError(
                hasBegun ? .already : .notFound,
                hasBegun ? "the resumable sub has returned before" : "no such resumable sub")
        }
        let selector = EventSelector(name: "complete", arity: 1)!
        let event = TargetEvent(
            selector: Self.completion, values: value.map { [$0] } ?? [],
            sender: .resumable(number), mode: .queued, failure: failure)
        loop.post { [self] in
            let wait = state.withLock { $0.machine.resumableCompleted(number, selector) }
            if let wait {
                resume(wait, event)
            } else if let failure {
                failed(failure, in: "a resumable sub")
            }
        }
    }

    /// Waits until a resumable sub completes; otherwise like `waitFor`.
    package func waitForCompletion(
        of resumable: UInt64, limit: UInt64? = nil,
        settle: @escaping @Sendable (Result<TargetEvent?, BridgeError>) -> Void
    ) throws(BridgeError) -> UInt64 {
        try waitFor(
            Self.completion, from: .resumable(resumable), limit: limit, settle: settle)
    }

    // MARK: The host's events

    /// Subscribes to an event of the host if this target receives them.
    private func follow(_ selector: EventSelector, _ state: inout State) {
        guard options.takesHostEvents, state.subscriptions[selector] == nil else { return }
        let receiver = EventReceiver.closure { [weak self] event in self?.received(event) }
        // When no more names can be registered, the host cannot raise such an event either.
        if case .success(let number) = loop.subscribe(selector, receiver) {
            state.subscriptions[selector] = number
        }
    }

    /// Unsubscribes from events that no sub or wait needs. Runs on the loop's thread.
    private func unfollow() {
        guard options.takesHostEvents else { return }
        let numbers = state.withLock { state -> [UInt64] in
            let unwanted = state.subscriptions.filter { !state.machine.wants($0.key) }
            for selector in unwanted.keys { state.subscriptions[selector] = nil }
            return Array(unwanted.values)
        }
        for number in numbers { _ = loop.unsubscribe(number) }
    }

    private func received(_ event: HostEvent) {
        let selector = event.selector
        let event = TargetEvent(
            selector: selector.description, values: event.values,
            sender: event.task == 0 ? nil : .task(event.task), mode: .queued)
        loop.perform(
            LoopWork { [self] in outermost(event) { try dispatch(event, selector) } })
    }

    // MARK: Life

    /// Drops and counts events from now on. Returns false when the target is closed.
    @discardableResult
    package func pause() -> Bool { state.withLock { $0.machine.pause() } }

    /// Undoes `pause`. Returns false when the target is closed.
    @discardableResult
    package func resume() -> Bool { state.withLock { $0.machine.resume() } }

    package var isPaused: Bool { state.withLock { $0.machine.isPaused } }

    /// Closes the target: no sub is called any more, and its waits end with `.closing`.
    /// Returns when no sub is running, unless called from inside one.
    package func close() {
        let (waits, subscriptions) = state.withLock { state in
            defer { state.subscriptions = [:] }
            return (state.machine.end(), Array(state.subscriptions.values))
        }
        for subscription in subscriptions { _ = loop.unsubscribe(subscription) }
        for wait in waits { settleLater(wait, closed) }
        targets.remove(number)
        guard !loop.isLoopThread else { return }
        _ = waiters.wait { inside.load(ordering: .sequentiallyConsistent) == 0 }
    }

    /// Ends all waits with `.closing` when the host begins to shut down.
    func hostCloses() {
        for wait in state.withLock({ $0.machine.close() }) { settleLater(wait, closed) }
    }

    /// Closes the target with its host. Does not wait, because a sub may never return.
    func hostEnds() {
        for wait in state.withLock({ $0.machine.end() }) { settleLater(wait, closed) }
    }

    private var closed: BridgeError {
        BridgeError(.closing, "\(title) is closed, or its host is shutting down")
    }

    var title: String { "target \"\(name)\"" }
}
