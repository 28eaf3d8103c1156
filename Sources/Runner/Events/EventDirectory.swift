// SPDX-License-Identifier: Apache-2.0
import CSystem
import PluginBridge
import Scheduling
import Synchronization

/// The known events of a host with their declarations, subscriptions and waits.
final class EventDirectory: @unchecked Sendable {
    // Sendable: `entries` are written under the lock before their index is published; the rest is
    // locked or atomic.

    static let entryLimit = 1 << 16
    /// Maximum number of events that no handler declares (raised, expected or subscribed to by the
    /// embedder). The rest of `entryLimit` is reserved for handlers.
    static let strangerLimit = 1 << 15
    static let expectationLimit = 1 << 16

    /// Indices of the events that report lost events, a changed factor of the machine, and a process of
    /// a plugin.
    static let gap: UInt32 = 0
    private static let factor: UInt32 = 1
    private static let child: UInt32 = 2

    /// Prepared calls that are searched for one with the same parameters.
    private static let sharedCalls = 16

    private struct State {
        var byName: [EventSelector: EventEntry] = [:]
        /// Calls shared by several events; most events have the parameters of others.
        var calls: [PreparedCall] = []
        var count: UInt32 = 0
        var strangers = 0
        var waits = WaiterRegistry()
        var expectations: [UInt64: Expectation] = [:]
        var observers = SubscriberList()
        var subscriptions: [UInt64: ListedSubscription] = [:]
        var numbers: UInt64 = 0
        var closed = false
    }

    /// A subscription and the list that contains it.
    private struct ListedSubscription {
        let subscription: Subscription
        var seesTaken = false
    }

    private let state = Locked(State())
    private let factorObserver = Callback<Void>()
    /// Maps the UTF-8 bytes of a selector to its index, for callers from C.
    private let texts = NameIndex()
    private let entries: UnsafeMutablePointer<Unmanaged<EventEntry>?>
    /// Changes with every subscription and wait; invalidates what the loop caches of an event.
    private let version = Atomic<UInt64>(1)
    /// The loop's counters; observers of all events raise `attention`.
    private let attention: UnsafeMutablePointer<EventCounters>

    /// Fails when no memory is available.
    init?(_ attention: UnsafeMutablePointer<EventCounters>) {
        let bytes = UInt64(Self.entryLimit * MemoryLayout<Unmanaged<EventEntry>?>.stride)
        guard let memory = csys_map(bytes) else { return nil }
        entries = memory.bindMemory(to: Unmanaged<EventEntry>?.self, capacity: Self.entryLimit)
        self.attention = attention
        let own = [
            EventSignature(name: "curfew_gap", parameters: [.int64])!,
            EventSignature(name: "curfew_factor", parameters: [.text, .int32])!,
            EventSignature(name: "curfew_child", parameters: [.text, .text, .text])!,
        ]
        // The first declarations cannot fail and get the indices from 0 on.
        _ = declare(own, owner: PluginList.embedder)
    }

    var factor: EventEntry { entry(Self.factor)! }
    /// Plugin, what happened (`ChildCode.Change`), and the details.
    var child: EventEntry { entry(Self.child)! }

    deinit {
        for index in 0..<Int(state.withLock { $0.count }) { entries[index]?.release() }
        csys_unmap(entries, UInt64(Self.entryLimit * MemoryLayout<Unmanaged<EventEntry>?>.stride))
    }

    // MARK: What is known

    /// Returns the entry without retaining it; entries live as long as the directory.
    func unretainedEntry(_ index: UInt32) -> Unmanaged<EventEntry>? { entries[Int(index)] }

    func entry(_ index: UInt32) -> EventEntry? {
        entries[Int(index)]?.takeUnretainedValue()
    }

    private func entry(
        for selector: EventSelector, byHandler: Bool = false, _ state: inout State
    ) -> EventEntry? {
        if let entry = state.byName[selector] { return entry }
        guard state.count < Self.entryLimit, byHandler || state.strangers < Self.strangerLimit
        else { return nil }
        if !byHandler { state.strangers += 1 }
        let entry = EventEntry(index: state.count, selector: selector)
        entries[Int(state.count)] = Unmanaged.passRetained(entry)
        state.byName[selector] = entry
        texts.add(
            UnsafeRawBufferPointer(
                start: entry.text, count: selector.name.utf8.count + selector.arity),
            entry.index)
        state.count += 1
        return entry
    }

    private func prepared(_ parameters: [EventType], _ state: inout State) -> PreparedCall {
        for call in state.calls where call.parameters == parameters { return call }
        let call = PreparedCall(parameters)
        // Event signatures have few shapes; beyond the limit each entry has a call of its own.
        if state.calls.count < Self.sharedCalls { state.calls.append(call) }
        return call
    }

    /// Declares all of the events for `owner`, or none.
    ///
    /// `owner` is a plugin's number, `PluginList.embedder` for a handler of the embedder, or nil
    /// for events that the embedder raises itself. Fails with the first event that is declared
    /// already.
    func declare(
        _ signatures: [EventSignature], owner: Int32?
    ) -> Result<[EventEntry], DeclarationConflict> {
        state.withLock { state in
            for signature in signatures {
                if let conflict = conflict(with: signature, state) { return .failure(conflict) }
            }
            var result: [EventEntry] = []
            for signature in signatures {
                guard
                    let entry = entry(
                        for: signature.selector, byHandler: owner != nil, &state)
                else {
                    return .failure(DeclarationConflict(selector: signature.selector, owner: nil))
                }
                entry.declare(
                    signature, prepared(signature.parameters, &state), owner: owner)
                result.append(entry)
            }
            return .success(result)
        }
    }

    /// Returns the non-provisional declaration that conflicts with `signature`, or nil.
    func conflict(with signature: EventSignature) -> DeclarationConflict? {
        state.withLock { conflict(with: signature, $0) }
    }

    private func conflict(
        with signature: EventSignature, _ state: State
    ) -> DeclarationConflict? {
        guard let entry = state.byName[signature.selector], entry.declaration != nil,
            !entry.isProvisional
        else { return nil }
        return DeclarationConflict(
            selector: signature.selector, owner: entry.owner ?? PluginList.embedder)
    }

    /// Declares an event that reports a failure, unless it is declared already.
    func declareProvisionally(_ signature: EventSignature) -> EventEntry? {
        state.withLock { state in
            guard let entry = entry(for: signature.selector, byHandler: true, &state) else {
                return nil
            }
            if entry.declaration == nil {
                entry.declare(
                    signature, prepared(signature.parameters, &state), owner: PluginList.embedder)
                entry.isProvisional = true
            }
            return entry
        }
    }

    /// Declares an event that the embedder is about to raise, unless it is declared already.
    /// Returns its entry, declaration and owner, or nil when the event table is full.
    func declareRaised(
        _ signature: EventSignature
    ) -> (entry: EventEntry, signature: EventSignature, owner: Int32?)? {
        state.withLock { state in
            guard let entry = entry(for: signature.selector, &state) else { return nil }
            if let declared = entry.declaration { return (entry, declared, entry.owner) }
            entry.declare(signature, prepared(signature.parameters, &state), owner: nil)
            return (entry, signature, nil)
        }
    }

    /// Returns an event that the embedder has raised before, by the bytes of its selector. No other
    /// owner can declare it any more.
    @inline(__always)
    func raisedBefore(_ selector: UnsafeRawBufferPointer) -> Unmanaged<EventEntry>? {
        guard let index = texts.find(selector), let entry = entries[Int(index)],
            entry._withUnsafeGuaranteedRef({ $0.isEmbedders.load(ordering: .acquiring) })
        else { return nil }
        return entry
    }

    func declaration(of selector: EventSelector) -> EventSignature? {
        state.withLock { $0.byName[selector]?.declaration }
    }

    /// Returns the selector of the subscription that a delivery is inside, or nil.
    func selector(of receiver: ActiveReceiver) -> String? {
        state.withLock { state in
            guard
                let listed = state.subscriptions.values.first(where: {
                    receiver.isInside($0.subscription)
                })
            else { return nil }
            return listed.subscription.event.flatMap { entry($0) }?.selector.description
                ?? "all events"
        }
    }

    private static let tooManyNames = BridgeError(
        .exhausted,
        "\(strangerLimit) events are known that no handler declares; no more can be")

    // MARK: Subscribing

    /// Sets a function that is called before each subscription to the factor event.
    func observeFactorSubscriptions(_ body: @escaping @Sendable () -> Void) {
        factorObserver.set(body)
    }

    /// Adds a subscription to one event, or to all events when `selector` is nil.
    ///
    /// A typed receiver needs a declared event. With `seesTaken` it also receives events that a
    /// wait takes, as observers of all events do.
    func subscribe(
        to selector: EventSelector?, _ receiver: EventReceiver, seesTaken: Bool = false
    ) -> Result<UInt64, BridgeError> {
        if selector == factor.selector { factorObserver() }
        return state.withLock { state in
            let version = newVersion()
            state.numbers += 1
            let number = state.numbers
            guard let selector else {
                let subscription = Subscription(number: number, event: nil, receiver: receiver)
                state.observers.add(subscription, at: version)
                state.subscriptions[number] = ListedSubscription(subscription: subscription)
                attention.pointee.attention.wrappingAdd(1, ordering: .sequentiallyConsistent)
                return .success(number)
            }
            if case .typed = receiver, state.byName[selector]?.declaration == nil {
                return .failure(
                    BridgeError(
                        .notFound,
                        "the event \"\(selector)\" is not declared, so its parameters are not known; load its plugin before you subscribe a typed function"
                    ))
            }
            guard let entry = entry(for: selector, &state) else {
                return .failure(Self.tooManyNames)
            }
            let subscription = Subscription(
                number: number, event: entry.index, receiver: receiver)
            if seesTaken {
                entry.listeners.add(subscription, at: version)
            } else {
                entry.subscribers.add(subscription, at: version)
            }
            entry.takers.pointee.wrappingAdd(1, ordering: .sequentiallyConsistent)
            state.subscriptions[number] = ListedSubscription(
                subscription: subscription, seesTaken: seesTaken)
            return .success(number)
        }
    }

    /// Starts a new version; the caller holds the lock and changes subscriptions or waits. When the
    /// loop sees the new version it takes the lock, and so sees the finished change.
    private func newVersion() -> UInt64 {
        version.wrappingAdd(1, ordering: .releasing).newValue
    }

    /// Ends a subscription: deliveries that begin later skip it. Returns nil for an unknown number.
    func remove(_ number: UInt64) -> Subscription? {
        state.withLock { state in
            guard let listed = state.subscriptions.removeValue(forKey: number) else {
                return nil
            }
            let subscription = listed.subscription
            subscription.active.store(false, ordering: .sequentiallyConsistent)
            let version = newVersion()
            if let event = subscription.event, let entry = entry(event) {
                if listed.seesTaken {
                    entry.listeners.oneEnded(at: version)
                } else {
                    entry.subscribers.oneEnded(at: version)
                }
                entry.takers.pointee.wrappingSubtract(1, ordering: .sequentiallyConsistent)
            } else {
                state.observers.oneEnded(at: version)
                attention.pointee.attention.wrappingSubtract(1, ordering: .sequentiallyConsistent)
            }
            return subscription
        }
    }

    // MARK: Delivering

    /// Updates an entry's cached receivers before delivery. Returns the wait that takes the event.
    ///
    /// Called by the thread that runs the loop. A replaced receiver list is added to `retired`.
    @inline(__always)
    func look(
        _ entry: EventEntry, task: UInt64, retired: inout [ReceiverList]
    ) -> Expectation? {
        // A new wait starts a new version; a cancelled wait may go unnoticed.
        guard entry.isAwaited || entry.seen != version.load(ordering: .acquiring) else {
            return nil
        }
        return state.withLock { state in
            let version = version.load(ordering: .relaxed)
            let wait =
                entry.waiting > 0 ? state.waits.take(event: entry.index, task: task) : nil
            if wait != nil {
                entry.waiting -= 1
                entry.takers.pointee.wrappingSubtract(1, ordering: .relaxed)
            }
            entry.isAwaited = entry.waiting > 0
            // When a wait takes the event, the cached subscribers stay as they were.
            entry.seen = wait == nil ? version : 0
            let old = entry.updateReceivers(
                observers: state.observers, to: version, isTaken: wait != nil)
            if let old { retired.append(old) }
            return wait.flatMap { state.expectations[$0] }
        }
    }

    // MARK: Waiting

    /// Expects the next matching event; replaces an older expectation with the same keys.
    func expect(
        _ selector: EventSelector, task: UInt64, context: UInt
    ) -> Result<Expectation, BridgeError> {
        let (result, replaced) = state.withLock {
            state -> (Result<Expectation, BridgeError>, Expectation?) in
            guard !state.closed else {
                return (.failure(BridgeError(.closing, "the host is shutting down")), nil)
            }
            guard state.expectations.count < Self.expectationLimit else {
                return (
                    .failure(
                        BridgeError(
                            .exhausted,
                            "\(Self.expectationLimit) expected events were never collected; collect them, also those that were replaced"
                        )), nil
                )
            }
            guard let entry = entry(for: selector, &state) else {
                return (.failure(Self.tooManyNames), nil)
            }
            _ = newVersion()
            state.numbers += 1
            let expectation = Expectation(number: state.numbers)
            let wait = WaiterRegistry.Wait(
                number: expectation.number, event: entry.index, task: task, context: context)
            let old = state.waits.add(wait)
            state.expectations[expectation.number] = expectation
            guard let old else {
                entry.waiting += 1
                entry.takers.pointee.wrappingAdd(1, ordering: .sequentiallyConsistent)
                return (.success(expectation), nil)
            }
            return (.success(expectation), state.expectations[old])
        }
        replaced?.settle(
            .failure(
                BridgeError(
                    .replaced,
                    "a newer wait for \"\(selector)\" with the same task and context took this one's place"
                )))
        return result
    }

    func expectation(_ number: UInt64) -> Expectation? {
        state.withLock { $0.expectations[number] }
    }

    /// Cancels an expectation. Settles it with `error` unless its event came first.
    func giveUp(_ expectation: Expectation, _ error: BridgeError) {
        state.withLock { state in
            state.expectations[expectation.number] = nil
            if let event = state.waits.remove(expectation.number), let entry = entry(event) {
                entry.waiting -= 1
                entry.takers.pointee.wrappingSubtract(1, ordering: .sequentiallyConsistent)
            }
        }
        expectation.settle(.failure(error))
    }

    /// Fails every current and later wait with `CLOSING`.
    func close() {
        let ended = state.withLock { state -> [Expectation] in
            state.closed = true
            for wait in state.waits.removeAll() {
                guard let entry = entry(wait.event) else { continue }
                entry.waiting -= 1
                entry.takers.pointee.wrappingSubtract(1, ordering: .sequentiallyConsistent)
            }
            return Array(state.expectations.values)
        }
        for expectation in ended {
            expectation.settle(
                .failure(BridgeError(.closing, "the host began to shut down during the wait")))
        }
    }
}
