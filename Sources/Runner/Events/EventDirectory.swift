// SPDX-License-Identifier: Apache-2.0
import CSystem
import PluginBridge
import Scheduling
import Synchronization

/// The events of a host: which are known, who has declared them, who subscribes, and who waits.
final class EventDirectory: @unchecked Sendable {
    // Sendable: `entries` are written under the lock before their index is given out; the rest is
    // locked or atomic.

    /// Events that can be known at a time.
    static let entryLimit = 1 << 16
    /// Of those, how many may be names that no handler declares: raised, expected or subscribed to
    /// by the embedder. The rest is kept for handlers.
    static let strangerLimit = 1 << 15
    /// Expectations that were not collected.
    static let expectationLimit = 1 << 16

    /// The index of the event that announces the loss of others, and of the one about a factor of the
    /// machine.
    static let gap: UInt32 = 0
    private static let factor: UInt32 = 1

    /// Prepared calls that are looked through for one with the same parameters.
    private static let sharedCalls = 16

    private struct State {
        var byName: [EventSelector: EventEntry] = [:]
        /// Those that several events share; most have the same parameters as others.
        var calls: [PreparedCall] = []
        var count: UInt32 = 0
        var strangers = 0
        var waits = WaiterRegistry()
        var expectations: [UInt64: Expectation] = [:]
        var observers = SubscriberList()
        var subscriptions: [UInt64: Standing] = [:]
        var numbers: UInt64 = 0
        var closed = false
    }

    /// A subscription, and in which list it stands.
    private struct Standing {
        let subscription: Subscription
        var seesTaken = false
    }

    private let state = Locked(State())
    private let factorObserver = Locked<(@Sendable () -> Void)?>(nil)
    /// The same as `byName`, for those who have a text of C's.
    private let texts = NameIndex()
    private let entries: UnsafeMutablePointer<Unmanaged<EventEntry>?>
    /// Changes with every subscription and wait: what the loop remembers of an event is good while
    /// it has not.
    private let version = Atomic<UInt64>(1)
    /// The loop's: observers of all events raise its attention.
    private let attention: UnsafeMutablePointer<EventCounters>

    /// Nil when there is no memory to be had.
    init?(_ attention: UnsafeMutablePointer<EventCounters>) {
        let bytes = UInt64(Self.entryLimit * MemoryLayout<Unmanaged<EventEntry>?>.stride)
        guard let memory = csys_map(bytes) else { return nil }
        entries = memory.bindMemory(to: Unmanaged<EventEntry>?.self, capacity: Self.entryLimit)
        self.attention = attention
        let own = [
            EventSignature(name: "curfew_gap", parameters: [.int64])!,
            EventSignature(name: "curfew_factor", parameters: [.text, .int32])!,
        ]
        // The first two of a table are there, and have these indices.
        _ = declare(own, owner: PluginList.embedder)
    }

    /// The event about a factor of the machine.
    var factor: EventEntry { entry(Self.factor)! }

    deinit {
        for index in 0..<Int(state.withLock { $0.count }) { entries[index]?.release() }
        csys_unmap(entries, UInt64(Self.entryLimit * MemoryLayout<Unmanaged<EventEntry>?>.stride))
    }

    // MARK: What is known

    /// The same without counting a reference; entries live as long as this.
    func unretainedEntry(_ index: UInt32) -> Unmanaged<EventEntry>? { entries[Int(index)] }

    /// The event of an index that was given out.
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
        // There are not many sorts of events; of more than these each has its own.
        if state.calls.count < Self.sharedCalls { state.calls.append(call) }
        return call
    }

    /// Declares events for `owner`, all or none: a plugin's number, `PluginList.embedder` for a
    /// handler of the embedder's, or nil for what the embedder raises itself. Fails with the one
    /// that somebody has declared, and its owner.
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

    /// Who has declared an event in earnest, or nil.
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

    /// Declares an event that tells of a failure, unless somebody has declared it.
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

    /// What the embedder is about to raise: its entry, declaration and owner, declared for the
    /// embedder unless somebody has. Nil when no more events can be known.
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

    /// An event that the embedder has raised before, by the bytes of its selector. Nobody else can
    /// declare it any more.
    @inline(__always)
    func raisedBefore(_ selector: UnsafeRawBufferPointer) -> Unmanaged<EventEntry>? {
        guard let index = texts.find(selector), let entry = entries[Int(index)],
            entry._withUnsafeGuaranteedRef({ $0.isEmbedders.load(ordering: .acquiring) })
        else { return nil }
        return entry
    }

    private static let tooManyNames = BridgeError(
        .exhausted,
        "\(strangerLimit) events are known that no handler declares; no more can be")

    // MARK: Subscribing

    /// Calls `body` before a subscription to the event about factors.
    func observeFactorSubscriptions(_ body: @escaping @Sendable () -> Void) {
        factorObserver.withLock { $0 = body }
    }

    /// Adds a subscription. `selector` nil: all events. A typed receiver needs a declared event.
    /// `seesTaken`: also those that a wait took, as who subscribes to all events does.
    func subscribe(
        to selector: EventSelector?, _ receiver: EventReceiver, seesTaken: Bool = false
    ) -> Result<UInt64, BridgeError> {
        if selector == factor.selector { factorObserver.withLock { $0 }?() }
        return state.withLock { state in
            let version = newVersion()
            state.numbers += 1
            let number = state.numbers
            guard let selector else {
                let subscription = Subscription(number: number, event: nil, receiver: receiver)
                state.observers.add(subscription, at: version)
                state.subscriptions[number] = Standing(subscription: subscription)
                attention.pointee.attention.wrappingAdd(1, ordering: .sequentiallyConsistent)
                return .success(number)
            }
            if case .typed = receiver, state.byName[selector]?.declaration == nil {
                return .failure(
                    BridgeError(
                        .notFound,
                        "nobody has declared the event \"\(selector)\", so its parameters are not known; load its plugin before subscribing a typed function"
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
            state.subscriptions[number] = Standing(
                subscription: subscription, seesTaken: seesTaken)
            return .success(number)
        }
    }

    /// For whoever has the lock and changes who subscribes or waits: the loop, which sees the new
    /// version, has to take the lock, and so finds the change made.
    private func newVersion() -> UInt64 {
        version.wrappingAdd(1, ordering: .releasing).newValue
    }

    /// Ends a subscription: no delivery that begins now sees it. Nil when there is none.
    func remove(_ number: UInt64) -> Subscription? {
        state.withLock { state in
            guard let standing = state.subscriptions.removeValue(forKey: number) else {
                return nil
            }
            let subscription = standing.subscription
            subscription.active.store(false, ordering: .sequentiallyConsistent)
            let version = newVersion()
            if let event = subscription.event, let entry = entry(event) {
                if standing.seesTaken {
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

    /// For whoever turns the loop, before an event is delivered: brings what the entry remembers of
    /// its receivers up to date, and returns the wait that takes the event, if there is one.
    ///
    /// What it remembered before is added to `retired`.
    @inline(__always)
    func look(
        _ entry: EventEntry, task: UInt64, retired: inout [ReceiverList]
    ) -> Expectation? {
        // Whoever begins to wait makes a new version; whoever gives up need not be noticed.
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
            // Where a wait takes the event, subscribers are as they were listed before.
            entry.seen = wait == nil ? version : 0
            let old = entry.updateReceivers(
                observers: state.observers, to: version, isTaken: wait != nil)
            if let old { retired.append(old) }
            return wait.flatMap { state.expectations[$0] }
        }
    }

    // MARK: Waiting

    /// Expects the next event that matches, in place of an older expectation of the same kind.
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

    /// The expectation of a number, for as long as it was not collected.
    func expectation(_ number: UInt64) -> Expectation? {
        state.withLock { $0.expectations[number] }
    }

    /// Gives an expectation up. It is settled with `status` unless its event came first.
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

    /// Ends every wait with `CLOSING`, and every later one.
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
