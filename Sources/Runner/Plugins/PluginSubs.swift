// SPDX-License-Identifier: Apache-2.0
import CCurfew
import PluginBridge
import Scheduling

/// The queue of a plugin with handlers of form `subs`: its subs that receive events, and what
/// continues after a wait or a sleep.
///
/// A module in the sense of B4X, whose loop is a handler of its own with one place: each delivery is
/// one task of it, so that it has a budget, and a sub that does not come back is answered for like
/// any function of a plugin.
final class PluginSubs: @unchecked Sendable {
    // Sendable: `state` is locked, `index` is set before the first delivery, the rest is constant.

    private enum Delivery {
        case event(EventSelector, [EventValue], sender: UInt64)
        case settle(PluginContinuation, Status)

        /// Bytes of its texts.
        var bytes: Int {
            guard case .event(_, let values, _) = self else { return 0 }
            return values.reduce(0) { sum, value in
                if case .text(let text) = value { sum + text.utf8.count } else { sum }
            }
        }

        /// What has a right to its place: how a wait or a sleep ended, and how a task did.
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
        /// The first so many are gone.
        var taken = 0
        var bytes = 0
        /// The one task that is launched for what waits, or 0.
        var task: UInt64 = 0
        var numbers: UInt64 = 0
        var followed: Set<EventSelector> = []
        /// That deliveries are refused was told.
        var isTold = false

        var waiting: Int { queue.count - taken }
    }

    /// Deliveries that wait, besides those that have a right to their place, and their texts.
    private static let limit = 16_384
    private static let byteLimit = 16 << 20
    /// All of them: beyond it nobody may wait or sleep, and done events are lost, too.
    private static let promiseLimit = 1 << 17

    private let state = Locked(State())
    /// Whose handlers keep this object.
    private unowned let engine: TaskEngine
    private let library: PluginLibrary
    private let plugin: String
    private let kind: TaskKind
    /// All events about its handlers, and those their tasks raise.
    private let known: [EventSelector: EventSignature]
    /// Expired subs, which the watcher calls as the expiration callback.
    private let expired: Set<EventSelector>
    private let index = Locked<UInt32?>(nil)

    init(_ library: PluginLibrary, _ manifest: Manifest, _ engine: TaskEngine) {
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

    /// The handler whose tasks are the deliveries.
    func description(number: Int32) -> HandlerDescription {
        .queue(of: plugin, number: number, kind: kind)
    }

    /// What a worker calls for a delivery. The handler's record keeps this object.
    func code(_ table: PluginTable) -> HandlerCode {
        HandlerCode(
            run: { data, _, _, _ in
                Unmanaged<PluginSubs>.fromOpaque(data!)._withUnsafeGuaranteedRef { $0.deliver() }
                return Status.ok.rawValue
            }, expired: nil, data: Unmanaged.passUnretained(self).toOpaque(), api: table.api,
            isQueue: true)
    }

    /// Deliveries go to this handler from now on, and events come to the subs there are.
    func begin(_ handler: UInt32) {
        index.withLock { $0 = handler }
        for signature in known.values where !expired.contains(signature.selector) {
            guard let function = library.sub(signature) else { continue }
            _ = state.withLock { $0.machine.add(function, for: signature.selector) }
            follow(signature.selector)
        }
    }

    /// The plugin is retired: nothing of it is called any more.
    func end() {
        index.withLock { $0 = nil }
        let waits = state.withLock { state in
            state.queue = []
            state.taken = 0
            state.bytes = 0
            return state.machine.end()
        }
        for wait in waits { cancelTimer(of: wait) }
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

    /// Queues a delivery. What is refused is told once, until one is taken again.
    @discardableResult
    private func post(_ delivery: Delivery) -> Status {
        guard let index = index.withLock({ $0 }) else { return .closing }
        let bytes = delivery.bytes
        let (status, isFirst) = state.withLock { state -> (Status, Bool) in
            let status = add(delivery, bytes, index, &state)
            defer { state.isTold = status != .ok }
            return (status, !state.isTold)
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
        // Waits and sleeps are refused before; of one that was begun the end is always kept.
        if case .event = delivery, state.waiting >= Self.promiseLimit { return .busy }
        state.queue.append(delivery)
        state.bytes += bytes
        let status = launch(index, &state)
        // How a wait has ended stays until somebody can be told.
        if case .settle = delivery, status != .closing { return .ok }
        if status != .ok {
            state.queue.removeLast()
            state.bytes -= bytes
        }
        return status
    }

    /// Sees to it that a task is there for what waits: one at a time.
    private func launch(_ index: UInt32, _ state: inout State) -> Status {
        if state.task != 0, !engine.isOver(state.task) { return .ok }
        let launched = engine.launch(index)
        state.task = launched.status == .ok ? launched.task : 0
        return launched.status
    }

    /// The queue was quarantined, and is not any more.
    func goOn() {
        guard let index = index.withLock({ $0 }) else { return }
        state.withLock { if $0.waiting > 0 { _ = launch(index, &$0) } }
    }

    /// On a worker: the oldest delivery.
    private func deliver() {
        let (action, untaken) = state.withLock { take(&$0) }
        action?()
        if let (selector, values) = untaken { callUnknown(selector, values) }
        guard let index = index.withLock({ $0 }) else { return }
        state.withLock { state in
            // This task is as good as over.
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
                        cancelTimer(of: wait)
                        wait.continuation(.ok, values)
                    }, nil
                )
            case .call(let function): return ({ function(values) }, nil)
            case .untaken: return (nil, (selector, values))
            case .missing, .paused, .closed: return (nil, nil)
            }
        }
    }

    /// Nobody waits, and it is no event: a sub that is called by its name alone.
    private func callUnknown(_ selector: EventSelector, _ values: [EventValue]) {
        // An event has the parameters that are declared, and no others.
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
            // Each that is replaced leaves a delivery.
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
                cancelTimer(of: replaced)
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
        guard let timer = engine.deadlines.post(work, after: time) else {
            // The host is about to be gone.
            _ = state.withLock { $0.machine.waitEnded(number) }
            return
        }
        let isOver = state.withLock { state in
            wait.timer = timer
            return !state.machine.isOpen(number)
        }
        if isOver { cancelTimer(of: wait) }
    }

    private func cancelTimer(of wait: PluginWait) {
        let timer = state.withLock { _ in
            defer { wait.timer = nil }
            return wait.timer
        }
        if let timer { engine.deadlines.cancelPost(timer) }
    }
}
