// SPDX-License-Identifier: Apache-2.0
import CCurfew
import PluginBridge
import Scheduling

/// Delivers events to a plugin's subs, and resumes its waits and sleeps.
///
/// It is a module as in B4X. Its loop is a handler with one place, and each delivery is one task of
/// that handler: so a delivery has a budget, and a sub that does not return is handled like any
/// function of a plugin.
final class PluginSubs: @unchecked Sendable {
    // Sendable: `state` and `index` are locked, the rest is constant.

    private enum Delivery {
        case event(EventSelector, [EventValue], sender: UInt64)
        case settle(PluginContinuation, Status)

        var bytes: Int {
            guard case .event(_, let values, _) = self else { return 0 }
            return values.reduce(0) { sum, value in
                if case .text(let text) = value { sum + text.utf8.count } else { sum }
            }
        }

        /// Whether the delivery ignores the limits: the end of a wait, a sleep or a task.
        var isPromised: Bool {
            switch self {
            case .settle: true
            case .event(let selector, let values, let sender):
                sender != 0 && selector.name.hasSuffix("_done") && values.count == 2
            }
        }
    }

    private struct State {
        var machine = TargetStateMachine<SubFunction, PluginWait>(kind: .module)
        var queue: [Delivery] = []
        /// Number of consumed deliveries at the front.
        var taken = 0
        var bytes = 0
        /// The one task launched for the waiting deliveries, or 0.
        var task: UInt64 = 0
        var numbers: UInt64 = 0
        var followed: Set<EventSelector> = []
        /// The current refusal of deliveries was logged.
        var isRefusalLogged = false

        var waiting: Int { queue.count - taken }
    }

    /// Limits of waiting deliveries and their texts, apart from promised deliveries.
    private static let limit = 16_384
    private static let byteLimit = 16 << 20
    /// Limit of all deliveries: beyond it waits and sleeps are refused, and done events are lost.
    private static let promiseLimit = 1 << 17

    private let state = Locked(State())
    /// The engine outlives this object, which its handlers keep alive.
    private unowned let engine: TaskEngine
    private let library: any PluginCode
    private let plugin: String
    private let kind: TaskKind
    /// All events about its handlers, and those that their tasks raise.
    private let known: [EventSelector: EventSignature]
    /// Expired subs, which a deadline thread calls as the expiration callback.
    private let expired: Set<EventSelector>
    private let index = Locked<UInt32?>(nil)

    init(_ library: any PluginCode, _ manifest: Manifest, _ engine: TaskEngine) {
        self.library = library
        self.engine = engine
        plugin = manifest.id
        let ofSubs = manifest.handlers.filter { $0.form == .subs }
        kind = ofSubs.allSatisfy { !$0.kind.isShort } ? .processing : .appRefresh
        let events = manifest.handlers.map { HandlerDescription($0) }
            .flatMap { $0.hostEvents + $0.events }
        known = Dictionary(
            events.map { ($0.selector, $0) }, uniquingKeysWith: { first, _ in first })
        expired = Set(
            ofSubs.compactMap { EventSelector(name: "\($0.event)_expired", arity: 0) })
    }

    func description(number: Int32) -> HandlerDescription {
        .queue(of: plugin, number: number, kind: kind)
    }

    /// The function that runs a delivery. The handler's record keeps this object alive.
    func code(_ table: PluginTable) -> HandlerCode {
        HandlerCode(
            run: { data, _, _, _ in
                Unmanaged<PluginSubs>.fromOpaque(data!)._withUnsafeGuaranteedRef { $0.deliver() }
                return Status.ok.rawValue
            }, expired: nil, data: Unmanaged.passUnretained(self).toOpaque(), api: table.api,
            isQueue: true)
    }

    /// Starts deliveries through a handler, and subscribes the subs of the library.
    func begin(_ handler: UInt32) {
        index.withLock { $0 = handler }
        for signature in known.values where !expired.contains(signature.selector) {
            guard let function = library.sub(signature) else { continue }
            _ = state.withLock { $0.machine.add(function, for: signature.selector) }
            follow(signature.selector)
        }
    }

    /// Stops all deliveries and waits when the plugin is retired.
    func end() {
        index.withLock { $0 = nil }
        let waits = state.withLock { state in
            state.queue = []
            state.taken = 0
            state.bytes = 0
            return state.machine.end()
        }
        for wait in waits { wait.disarm(engine.deadlines) }
    }

    // MARK: Deliveries

    private func follow(_ selector: EventSelector) {
        guard known[selector] != nil,
            state.withLock({ $0.followed.insert(selector).inserted })
        else { return }
        _ = engine.directory.subscribe(
            to: selector,
            .closure { [weak self] event in
                self?.post(.event(event.selector, event.values, sender: event.task))
            }, seesTaken: true)
    }

    /// Queues a delivery. Logs the first refusal until a delivery is accepted again.
    @discardableResult
    private func post(_ delivery: Delivery) -> Status {
        guard let index = index.withLock({ $0 }) else { return .closing }
        let bytes = delivery.bytes
        let (status, isFirst) = state.withLock { state -> (Status, Bool) in
            let status = add(delivery, bytes, index, &state)
            defer { state.isRefusalLogged = status != .ok }
            return (status, !state.isRefusalLogged)
        }
        if isFirst, status != .ok, status != .closing {
            engine.log(
                .warning, plugin, 0,
                "an event for its subs is lost, and others are until there is room: \(plugin)/subs has \(status == .busy ? "too much waiting" : "a sub that has not come back"); `curfew explain CF00\(status.rawValue < 10 ? "0" : "")\(status.rawValue)`"
            )
        }
        return status
    }

    private func add(
        _ delivery: Delivery, _ bytes: Int, _ index: UInt32, _ state: inout State
    ) -> Status {
        if !delivery.isPromised,
            state.waiting >= Self.limit || state.bytes + bytes > Self.byteLimit
        {
            return .busy
        }
        // New waits and sleeps are refused earlier; the end of one that has begun is always kept.
        if case .event = delivery, state.waiting >= Self.promiseLimit { return .busy }
        state.queue.append(delivery)
        state.bytes += bytes
        let status = launch(index, &state)
        // The end of a wait is kept until it can be delivered.
        if case .settle = delivery, status != .closing { return .ok }
        if status != .ok {
            state.queue.removeLast()
            state.bytes -= bytes
        }
        return status
    }

    /// Launches a task for the waiting deliveries unless there is one.
    private func launch(_ index: UInt32, _ state: inout State) -> Status {
        if state.task != 0, !engine.isOver(state.task) { return .ok }
        let launched = engine.launch(index)
        state.task = launched.status == .ok ? launched.task : 0
        return launched.status
    }

    /// Resumes deliveries after the queue's release from quarantine.
    func goOn() {
        guard let index = index.withLock({ $0 }) else { return }
        state.withLock { if $0.waiting > 0 { _ = launch(index, &$0) } }
    }

    /// Runs the oldest delivery, on a worker.
    private func deliver() {
        let (action, untaken) = state.withLock { take(&$0) }
        action?()
        if let (selector, values) = untaken { callUnknown(selector, values) }
        guard let index = index.withLock({ $0 }) else { return }
        state.withLock { state in
            // This task is about to end.
            state.task = 0
            if state.waiting > 0 { _ = launch(index, &state) }
        }
    }

    private func take(_ state: inout State) -> ((() -> Void)?, (EventSelector, [EventValue])?) {
        guard state.waiting > 0 else { return (nil, nil) }
        let delivery = state.queue[state.taken]
        state.bytes -= delivery.bytes
        state.taken += 1
        if state.taken == state.queue.count || state.taken >= 1_024 {
            state.queue.removeFirst(state.taken)
            state.taken = 0
        }
        switch delivery {
        case .settle(let continuation, let status): return ({ continuation(status, []) }, nil)
        case .event(let selector, let values, let sender):
            let identity = sender == 0 ? nil : SenderIdentity(.task, sender)
            switch state.machine.eventArrived(selector, from: identity) {
            case .resume(let wait):
                return (
                    { [self] in
                        wait.disarm(engine.deadlines)
                        wait.continuation(.ok, values)
                    }, nil
                )
            case .call(let function): return ({ function(values) }, nil)
            case .untaken: return (nil, (selector, values))
            case .missing, .paused, .closed: return (nil, nil)
            }
        }
    }

    /// Calls a sub by its name, for a selector that is no event and has no wait.
    private func callUnknown(_ selector: EventSelector, _ values: [EventValue]) {
        // A declared event is delivered only with its declared parameters.
        guard !known.keys.contains(where: { $0.name == selector.name }),
            let signature = EventSignature(name: selector.name, parameters: values.map(\.type))
        else { return }
        library.sub(signature)?(values)
    }

    // MARK: For the plugin

    func call(_ selector: EventSelector, _ values: [EventValue]) -> Status {
        if let signature = known[selector], signature.parameters != values.map(\.type) {
            return .invalid
        }
        return post(.event(selector, values, sender: 0))
    }

    func waitFor(
        _ selector: EventSelector, sender: UInt64, limit: UInt64?,
        _ continuation: PluginContinuation
    ) -> Status {
        follow(selector)
        let wait = PluginWait(continuation)
        let (number, waiting) = state.withLock { state in
            state.numbers += 1
            // Each replaced wait adds a delivery.
            let isFull = state.waiting >= Self.promiseLimit
            let from = sender == 0 ? nil : SenderIdentity(.task, sender)
            return (
                state.numbers,
                isFull
                    ? .exhausted
                    : state.machine.waits(
                        for: selector, from: from, number: state.numbers, wait)
            )
        }
        switch waiting {
        case .waiting(let replaced):
            if let replaced {
                replaced.disarm(engine.deadlines)
                post(.settle(replaced.continuation, .replaced))
            }
        case .exhausted: return .exhausted
        case .closed, .completed, .unknown: return .closing
        }
        if let limit { arm(wait, number, limit, .timedOut) }
        return .ok
    }

    func sleep(_ duration: UInt64, _ continuation: PluginContinuation) -> Status {
        guard duration > 0 else {
            let isFull = state.withLock { $0.waiting >= Self.promiseLimit }
            return isFull ? .exhausted : post(.settle(continuation, .ok))
        }
        let wait = PluginWait(continuation)
        let (number, waiting) = state.withLock { state in
            state.numbers += 1
            return (state.numbers, state.machine.sleeps(number: state.numbers, wait))
        }
        switch waiting {
        case .exhausted: return .exhausted
        case .closed, .completed, .unknown: return .closing
        case .waiting:
            arm(wait, number, duration, .ok)
            return .ok
        }
    }

    private func arm(_ wait: PluginWait, _ number: UInt64, _ time: UInt64, _ status: Status) {
        let work = LoopWork { [weak self] in
            guard let self, let ended = state.withLock({ $0.machine.waitEnded(number) }) else {
                return
            }
            post(.settle(ended.continuation, status))
        }
        if !wait.arm(work, after: time, engine.deadlines) {
            // The host is stopping.
            _ = state.withLock { $0.machine.waitEnded(number) }
        }
    }
}

/// A wait or a sleep in a plugin's queue.
private final class PluginWait: TimedWait, @unchecked Sendable {
    let continuation: PluginContinuation

    init(_ continuation: PluginContinuation) { self.continuation = continuation }
}
