// SPDX-License-Identifier: Apache-2.0

/// The state of a target of events: its subs, its waits, and its resumable subs, by the rules of
/// B4X.
///
/// `Sub` is called for an event, and `Waiter` is resumed by one; the caller chooses both types.
package struct TargetStateMachine<Sub: Sendable, Waiter: Sendable>: Sendable {
    private enum State {
        /// Can transition to `paused`, `closing`, `closed`.
        case open
        /// Events are dropped. Can transition to `open`, `closing`, `closed`.
        case paused
        /// Accepts no new waits; running subs continue to their end. Can transition to `closed`.
        case closing
        /// Terminal.
        case closed
    }

    private struct Wait {
        let number: UInt64
        let sender: SenderIdentity?
        let waiter: Waiter
    }

    /// The waits for one event: at most one for each sender, and one for any sender.
    private struct Waits {
        var filtered: [SenderIdentity: Wait] = [:]
        var unfiltered: Wait?

        var isEmpty: Bool { filtered.isEmpty && unfiltered == nil }
        var all: [Wait] { filtered.values + (unfiltered.map { [$0] } ?? []) }

        subscript(sender: SenderIdentity?) -> Wait? {
            get { sender.map { filtered[$0] } ?? unfiltered }
            set {
                if let sender { filtered[sender] = newValue } else { unfiltered = newValue }
            }
        }
    }

    /// The maximum number of subs.
    package static var subLimit: Int { 4_096 }
    /// The maximum number of waits and sleeps at a time.
    package static var waitLimit: Int { 65_536 }
    /// The maximum number of resumable subs that have not completed.
    package static var resumableLimit: Int { 65_536 }

    package let kind: TargetKind
    package private(set) var counts = TargetCounts()
    private var state = State.open
    private var subs: [EventSelector: Sub] = [:]
    private var waits: [EventSelector: Waits] = [:]
    /// The sleeping waiters by number; the caller keeps their times.
    private var sleepers: [UInt64: Waiter] = [:]
    /// The place of each wait.
    private var places: [UInt64: (selector: EventSelector, sender: SenderIdentity?)] = [:]
    /// The resumable subs. The value is true once the sub has returned and its completion was
    /// posted.
    private var resumables: [UInt64: Bool] = [:]
    private var lastResumable: UInt64 = 0

    package init(kind: TargetKind) { self.kind = kind }

    // MARK: Subs

    /// The result of adding a sub.
    package enum Adding: Equatable, Sendable { case added, exists, exhausted, closed }

    package mutating func add(_ sub: Sub, for selector: EventSelector) -> Adding {
        if state == .closed { return .closed }
        if subs[selector] != nil { return .exists }
        guard subs.count < Self.subLimit else { return .exhausted }
        subs[selector] = sub
        return .added
    }

    package func sub(_ selector: EventSelector) -> Sub? { subs[selector] }

    /// Returns whether a sub or a wait receives this event now.
    package func wants(_ selector: EventSelector) -> Bool {
        subs[selector] != nil || waits[selector] != nil
    }

    // MARK: Events

    /// The result of delivering an event.
    package enum Arrival {
        /// A wait takes the event; the sub is not called.
        case resume(Waiter)
        case call(Sub)
        /// The event has no receiver.
        case untaken
        /// The event has no receiver, which is an error.
        case missing
        /// The target is paused.
        case paused
        case closed
    }

    /// Delivers an event. `selector` is nil if the given name is not valid for a sub; `isCall`
    /// means that a sub was called by name.
    package mutating func eventArrived(
        _ selector: EventSelector?, from sender: SenderIdentity?, isCall: Bool = false
    ) -> Arrival {
        switch state {
        case .closed: return .closed
        case .paused:
            counts.paused &+= 1
            return .paused
        case .open, .closing: break
        }
        if let selector, let wait = take(selector, sender) {
            counts.resumed &+= 1
            return .resume(wait.waiter)
        }
        if let selector, let sub = subs[selector] {
            counts.called &+= 1
            return .call(sub)
        }
        counts.untaken &+= 1
        return isCall && kind == .classInstance ? .missing : .untaken
    }

    /// Removes and returns the wait that takes the event. Filtered waits come before the unfiltered
    /// one.
    private mutating func take(_ selector: EventSelector, _ sender: SenderIdentity?) -> Wait? {
        if let sender, let wait = remove(selector, sender) { return wait }
        return remove(selector, nil)
    }

    private mutating func remove(_ selector: EventSelector, _ sender: SenderIdentity?) -> Wait? {
        guard let wait = waits[selector]?[sender] else { return nil }
        waits[selector]?[sender] = nil
        if waits[selector]?.isEmpty == true { waits[selector] = nil }
        places[wait.number] = nil
        return wait
    }

    // MARK: Waiting

    /// The result of beginning to wait.
    package enum Waiting {
        /// The wait has begun. It replaced the older wait for the same event and sender, if there
        /// was one.
        case waiting(replaced: Waiter?)
        /// The resumable sub has already completed.
        case completed
        /// The resumable sub does not exist.
        case unknown
        case exhausted
        case closed
    }

    /// Registers a wait for an event, in place of an older one for the same event and sender.
    package mutating func waits(
        for selector: EventSelector, from sender: SenderIdentity?, number: UInt64, _ waiter: Waiter
    ) -> Waiting {
        guard state == .open || state == .paused else { return .closed }
        guard places.count + sleepers.count < Self.waitLimit else { return .exhausted }
        if let sender, sender.kind == .resumable, resumables[sender.number] == nil {
            return hasBegun(sender.number) ? .completed : .unknown
        }
        let replaced = remove(selector, sender)?.waiter
        waits[selector, default: Waits()][sender] = Wait(
            number: number, sender: sender, waiter: waiter)
        places[number] = (selector, sender)
        return .waiting(replaced: replaced)
    }

    /// Registers a sleep, until `waitEnded`.
    package mutating func sleeps(number: UInt64, _ waiter: Waiter) -> Waiting {
        guard state == .open || state == .paused else { return .closed }
        guard places.count + sleepers.count < Self.waitLimit else { return .exhausted }
        sleepers[number] = waiter
        return .waiting(replaced: nil)
    }

    /// Ends a wait or sleep before its event, because its time is over or it was given up. Returns
    /// nil if it had ended.
    package mutating func waitEnded(_ number: UInt64) -> Waiter? {
        if let sleeper = sleepers.removeValue(forKey: number) { return sleeper }
        guard let (selector, sender) = places[number] else { return nil }
        return remove(selector, sender)?.waiter
    }

    /// Ends the waits for one sender. Returns the waiters.
    package mutating func forget(_ sender: SenderIdentity) -> [Waiter] {
        let gone = waits.values.compactMap { $0.filtered[sender] }
        return gone.compactMap { waitEnded($0.number) }
    }

    /// Ends the waits for which `isGone` returns true, because the object that they wait for no
    /// longer exists.
    package mutating func purge(_ isGone: (Waiter) -> Bool) -> [Waiter] {
        let gone = waits.values.flatMap(\.filtered.values)
            .filter { $0.sender?.kind == .object && isGone($0.waiter) }
        return gone.compactMap { waitEnded($0.number) }
    }

    // MARK: Resumable subs

    /// Begins a resumable sub. Returns its number; nil if there are too many.
    package mutating func resumableBegan() -> UInt64? {
        guard resumables.count < Self.resumableLimit else { return nil }
        lastResumable += 1
        resumables[lastResumable] = false
        return lastResumable
    }

    /// Notes that a resumable sub has returned, so that its completion has to be posted. Returns
    /// false if it had returned before, or never began.
    package mutating func resumableReturned(_ number: UInt64) -> Bool {
        guard resumables[number] == false else { return false }
        resumables[number] = true
        return true
    }

    /// Delivers the posted completion: from now on no code can wait for it. Returns the waiter.
    package mutating func resumableCompleted(
        _ number: UInt64, _ selector: EventSelector
    ) -> Waiter? {
        resumables[number] = nil
        guard state != .closed,
            let wait = take(selector, SenderIdentity(.resumable, number))
        else { return nil }
        counts.resumed &+= 1
        return wait.waiter
    }

    package func hasBegun(_ number: UInt64) -> Bool {
        number > 0 && number <= lastResumable
    }

    // MARK: Life cycle

    /// Counts an error of a sub that no other sub handled.
    package mutating func subFailed() { counts.failed &+= 1 }

    /// Pauses the target. Returns false if it is closing or closed.
    package mutating func pause() -> Bool {
        guard state == .open || state == .paused else { return false }
        state = .paused
        return true
    }

    package mutating func resume() -> Bool {
        guard state == .open || state == .paused else { return false }
        state = .open
        return true
    }

    package var isPaused: Bool { state == .paused }
    package var isClosed: Bool { state == .closed }

    /// Begins to close, when the host shuts down. Returns all waiters.
    package mutating func close() -> [Waiter] {
        if state != .closed { state = .closing }
        return endAll()
    }

    /// Closes the target. Returns all waiters.
    package mutating func end() -> [Waiter] {
        state = .closed
        subs = [:]
        resumables = [:]
        return endAll()
    }

    private mutating func endAll() -> [Waiter] {
        defer {
            waits = [:]
            places = [:]
            sleepers = [:]
        }
        return waits.values.flatMap(\.all).map(\.waiter) + sleepers.values
    }
}
