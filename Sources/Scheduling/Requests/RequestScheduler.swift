// SPDX-License-Identifier: Apache-2.0

/// Decides which request is launched next, and explains why others are not.
///
/// It knows the first request of each queue only, so that its memory and its effort grow with the
/// handlers and not with the requests. The caller passes all inputs: heads, handlers, factors, the
/// time.
package struct RequestScheduler: Sendable {
    /// A decided launch.
    package struct Launch: Hashable, Sendable {
        package let queue: RequestQueue
        package var id: RequestID
        /// The date from which it could be launched.
        let date: Int64
        /// Whether it has waited as long as it may, so that its task does not depend on its wish.
        let isWaitOver: Bool

        init(queue: RequestQueue, id: RequestID, date: Int64, isWaitOver: Bool = false) {
            self.queue = queue
            self.id = id
            self.date = date
            self.isWaitOver = isWaitOver
        }
    }

    /// The time of the next decision, if no input comes before.
    package struct Wake: Hashable, Sendable {
        /// The time on the clock of dates.
        package var wall: Int64?
        /// The time on the clock of spans.
        package var span: UInt64?

        package init(wall: Int64? = nil, span: UInt64? = nil) {
            self.wall = wall
            self.span = span
        }

        /// Returns whether it is earlier on one of the clocks.
        package func isBefore(_ other: Wake) -> Bool {
            wall ?? .max < other.wall ?? .max || span ?? .max < other.span ?? .max
        }
    }

    private struct Waiting: Comparable, Sendable {
        let date: Int64
        let id: RequestID
        let queue: RequestQueue

        static func < (a: Waiting, b: Waiting) -> Bool { (a.date, a.id) < (b.date, b.id) }
    }

    /// Ready queues: the highest priority first, then the earliest date, then the oldest request.
    private struct Ready: Comparable, Sendable {
        let date: Int64
        let id: RequestID
        let queue: RequestQueue

        static func < (a: Ready, b: Ready) -> Bool {
            (b.queue.priority.rawValue, a.date, a.id) < (a.queue.priority.rawValue, b.date, b.id)
        }
    }

    private struct Rest: Comparable, Sendable {
        let until: UInt64
        let identifier: String

        static func < (a: Rest, b: Rest) -> Bool { a.until < b.until }
    }

    struct Handler: Sendable {
        var state = HandlerState.missing
        var setting = HandlerSetting()
        var rate: LaunchRate
        init(rate: LaunchRate) { self.rate = rate }
        var running = 0
        /// Whether `rate` includes the launches of earlier hosts.
        var isRecalled = false
        /// The end of a rest for which requests wait.
        var restsUntil: UInt64?
        /// Queues that are due and wait for the handler.
        var parked: Set<RequestQueue> = []
    }

    package var policy: FactorPolicy
    package var board: FactorBoard
    package var budget: DayBudget
    package var usage: UsageHistogram
    /// The minimum likelihood of use at the hour of a launch, 0…1; 0 for no minimum.
    package var usageThreshold = 0.0
    /// The time zone of the hours.
    package var zone: any TimeZoneRules = UTC()
    /// The maximum number of running tasks of requests, counted separately for short and long ones.
    package var places = 64 { didSet { if places > oldValue { releaseCrowded() } } }
    /// The initial launch rate of a handler.
    package var rate = LaunchRate()
    /// The reason why the store does not work, so that nothing is launched; nil if it works.
    package var storeFault: String?
    /// The date since which the host is drained and launches nothing, in nanoseconds since 1970 in UTC; nil if it
    /// launches.
    package var drainedSince: Int64?
    /// The date since which the machine is about to sleep or to be shut down, so that nothing is launched and running
    /// tasks stop, in nanoseconds since 1970 in UTC; nil if it stays.
    package var leavingSince: Int64?
    /// The date since which other hosts may take this one for dead, so that nothing is launched, in nanoseconds since
    /// 1970 in UTC; nil while they do not.
    package var lapsedSince: Int64?

    private(set) var heads: [RequestQueue: RequestHead] = [:]
    var handlers = HandlerTable()
    private var dates = Heap<Waiting>()
    private var ready = Heap<Ready>()
    private var rests = Heap<Rest>()
    /// Queues that are due and wait for the machine or the host.
    private var held: Set<RequestQueue> = []
    /// The date from which some of them can continue.
    private var heldUntil: Int64?
    /// Queues that are due and wait for a place of the host.
    private var crowded: Set<RequestQueue> = []
    private(set) var running: [RequestID: RequestQueue] = [:]
    private var shortRunning = 0
    /// The running request that also ran when the process crashed.
    private(set) var suspect: RequestID?
    /// The running request that must run alone: nothing else is launched meanwhile.
    private(set) var alone: RequestID?
    /// The queue whose first request must run alone: nothing else is launched until it can begin.
    private(set) var toBeAlone: RequestQueue?

    package init(
        policy: FactorPolicy = FactorPolicy(), board: FactorBoard = FactorBoard(),
        budget: DayBudget = DayBudget(limits: DayLimits()), usage: UsageHistogram = UsageHistogram()
    ) {
        self.policy = policy
        self.board = board
        self.budget = budget
        self.usage = usage
    }

    // MARK: Inputs

    /// Sets the first request of a queue; nil if the queue is empty.
    package mutating func setHead(_ head: RequestHead?, of queue: RequestQueue) {
        guard heads[queue] != head else { return }
        forget(queue)
        heads[queue] = head
        guard let head else { return }
        dates.insert(Waiting(date: head.notBefore, id: head.id, queue: queue))
        if dates.count > 2 * heads.count + 64 { dropStaleDates() }
    }

    /// The number of dates and rests in memory, for tests.
    var entries: Int { dates.count + ready.count + rests.count }

    /// Without this, dates of heads that have gone would stay until they come.
    private mutating func dropStaleDates() {
        var kept: Set<RequestQueue> = []
        dates.removeAll { date in
            heads[date.queue] != RequestHead(id: date.id, notBefore: date.date)
                || !kept.insert(date.queue).inserted
        }
    }

    /// Returns the scheduler without the state that can be read from the store again, and without
    /// the handlers, which `HandlerTable` reverts.
    func withoutDerived() -> RequestScheduler {
        var light = self
        light.heads = [:]
        light.dates = Heap()
        light.ready = Heap()
        light.held = []
        light.crowded = []
        light.toBeAlone = nil
        light.rests = Heap()
        light.handlers = HandlerTable()
        return light
    }

    /// Reverts to the result of `withoutDerived`, except for handlers and rests: a superfluous rest
    /// does no harm.
    mutating func goBack(to light: RequestScheduler) {
        let (handlers, rests) = (handlers, rests)
        self = light
        self.handlers = handlers
        self.rests = rests
        self.handlers.revert()
    }

    private mutating func forget(_ queue: RequestQueue) {
        if toBeAlone == queue { endWaitToBeAlone() }
        if !held.isEmpty { held.remove(queue) }
        if !crowded.isEmpty { crowded.remove(queue) }
        if handlers.parking.contains(queue.identifier) {
            handlers[queue.identifier]?.parked.remove(queue)
        }
    }

    /// Discards everything that is known about queues.
    package mutating func forgetHeads() {
        heads.removeAll(keepingCapacity: true)
        dates.removeAll()
        ready.removeAll()
        held.removeAll()
        crowded.removeAll()
        toBeAlone = nil
        for identifier in handlers.parking { handlers[identifier]?.parked.removeAll() }
    }

    /// Checks dates again after the clock was set back: dates that had come may be in the future.
    package mutating func recheckDates() {
        let all = heads
        forgetHeads()
        for (queue, head) in all { setHead(head, of: queue) }
    }

    /// Sets the state of a handler, after it was registered, paused, resumed, quarantined or
    /// released.
    package mutating func setState(_ state: HandlerState, of identifier: String) {
        handlers[identifier, default: Handler(rate: rate)].state = state
        unpark(identifier)
    }

    /// Applies changed settings to several handlers.
    mutating func applySettings(
        _ setting: (_ identifier: String, _ plugin: String) -> HandlerSetting
    ) {
        for (identifier, handler) in handlers.all {
            setSetting(setting(identifier, handler.state.plugin), of: identifier)
        }
    }

    /// Sets a person's setting for a handler.
    package mutating func setSetting(_ setting: HandlerSetting, of identifier: String) {
        handlers[identifier, default: Handler(rate: rate)].setting = setting
        unpark(identifier)
    }

    /// Notes a change of a factor, the policy, the budget or the store: delayed queues may
    /// continue.
    package mutating func reconsider() {
        for queue in held { makeReady(queue) }
        held.removeAll(keepingCapacity: true)
        for identifier in handlers.parking { unpark(identifier) }
    }

    private mutating func unpark(_ identifier: String) {
        guard let parked = handlers[identifier]?.parked, !parked.isEmpty else { return }
        handlers[identifier]?.parked.removeAll()
        for queue in parked { makeReady(queue) }
    }

    private mutating func makeReady(_ queue: RequestQueue) {
        guard let head = heads[queue] else { return }
        ready.insert(Ready(date: head.notBefore, id: head.id, queue: queue))
    }

    /// Lets a queue wait for the next end of a task, because its request must not run beside the
    /// running ones. If it must run alone, all others wait with it.
    mutating func wait(_ queue: RequestQueue, _ head: RequestHead?, toBeAlone isAlone: Bool) {
        setHead(nil, of: queue)
        guard let head else { return }
        heads[queue] = head
        crowded.insert(queue)
        if isAlone { toBeAlone = queue }
    }

    private mutating func endWaitToBeAlone() {
        toBeAlone = nil
        releaseCrowded()
    }

    private mutating func releaseCrowded() {
        for queue in crowded { makeReady(queue) }
        crowded.removeAll(keepingCapacity: true)
    }

    /// The running tasks, for the next launch.
    var neighbours: LaunchTerms.Neighbours {
        suspect != nil ? .suspect : running.isEmpty ? .none : .ordinary
    }

    /// Notes a task that another process runs, for the reports about a request.
    package mutating func noteRunning(_ id: RequestID, of queue: RequestQueue) {
        running[id] = queue
    }

    /// Changes the launch rate of all handlers, of which what was noted stays.
    package mutating func setRate(_ rate: LaunchRate) {
        guard rate != self.rate else { return }
        self.rate = rate
        for (identifier, var handler) in handlers.all {
            handler.rate.takeLimits(of: rate)
            handlers[identifier] = handler
        }
    }

    /// Restores the launch rate of a handler from a host's report.
    package mutating func restore(_ rate: LaunchRate, of identifier: String) {
        var handler = handlers[identifier] ?? Handler(rate: rate)
        handler.rate = rate
        handlers[identifier] = handler
    }

    /// Notes that a request's task was launched; it occupies its place until `ended`.
    package mutating func launched(
        _ launch: Launch, isSuspect: Bool = false, isAlone: Bool = false, isUndated: Bool = false,
        at now: Moment
    ) {
        if isSuspect { suspect = launch.id }
        if isAlone { alone = launch.id }
        running[launch.id] = launch.isWaitOver ? launch.queue.withoutWish : launch.queue
        if launch.queue.kind.isShort { shortRunning += 1 }
        var handler = handlers[launch.queue.identifier] ?? Handler(rate: rate)
        handler.running += 1
        handler.rate.launched(at: now.span, isUndated: isUndated)
        handlers[launch.queue.identifier] = handler
        budget.spend(launches: 1, at: now.wall)
    }

    /// Notes that a request's task is over; `answered` means that it completed in time.
    package mutating func ended(_ id: RequestID, _ outcome: Outcome, answered: Bool, at now: Moment)
    {
        guard let queue = running.removeValue(forKey: id) else { return }
        if suspect == id { suspect = nil }
        if alone == id { alone = nil }
        if queue.kind.isShort { shortRunning -= 1 }
        if var handler = handlers[queue.identifier] {
            handler.running -= 1
            switch outcome {
            case .succeeded: handler.rate.succeeded()
            case .abandoned: handler.rate.missed(at: now.span)
            case .expired where !answered: handler.rate.missed(at: now.span)
            case .failed, .expired, .cancelled, .interrupted, .crashed: break
            }
            handlers[queue.identifier] = handler
        }
        freed(queue)
    }

    /// Notes that a decided launch did not take place.
    package mutating func withdrawn(_ id: RequestID) {
        guard let queue = running.removeValue(forKey: id) else { return }
        if suspect == id { suspect = nil }
        if alone == id { alone = nil }
        if queue.kind.isShort { shortRunning -= 1 }
        handlers[queue.identifier]?.running -= 1
        freed(queue)
    }

    private mutating func freed(_ queue: RequestQueue) {
        unpark(queue.identifier)
        releaseCrowded()
    }

    /// Returns whether launches of earlier hosts count for a handler, and were not read yet.
    func wantsLaunches(of identifier: String) -> Bool {
        rate.floor > 0 && handlers[identifier]?.isRecalled != true
    }

    /// Passes the dates at which earlier hosts launched requests of a handler without a date:
    /// nanoseconds since 1970 in UTC, in order.
    mutating func recall(undated dates: [Int64], of identifier: String, at now: Moment) {
        var handler = handlers[identifier] ?? Handler(rate: rate)
        handler.isRecalled = true
        // A date in the future means that the clock was set back since, so the time of the launch
        // is unknown.
        for date in dates where date <= now.wall {
            // The span of a launch before the machine's boot counts from that boot.
            let passed = UInt64(now.wall - date)
            handler.rate.launched(at: now.span - min(passed, now.span), isUndated: true)
        }
        handlers[identifier] = handler
    }

    /// Returns the nanoseconds until a request of a handler without a date may be launched; nil for
    /// now.
    func floor(of identifier: String, at now: Moment) -> UInt64? {
        handlers[identifier]?.rate.holdsUndatedUntil(now.span).map { $0 - now.span }
    }

    /// Returns the machine's factors that apply to a queue: by the needs of its requests and of their
    /// handler, and by the wish.
    func factors(of queue: RequestQueue) -> Set<Factor> {
        let handlers = handlers[queue.identifier]?.state.needs ?? []
        return policy.factors(
            of: queue.kind, needs: queue.needs.union(handlers), opportunistic: queue.opportunistic)
    }

    /// Returns the running requests that need a condition that was lost, with the lost factor; `host` where the machine
    /// is about to sleep.
    package func losing() -> [(id: RequestID, factor: Factor)] {
        if leavingSince != nil { return running.keys.sorted().map { ($0, .host) } }
        return running.compactMap { id, queue in
            factors(of: queue).sorted { $0.rawValue < $1.rawValue }
                .first { factor in
                    // Losing a condition of the launch does not stop a running task, unless the
                    // request asked for it, or a user came back.
                    [.externalPower, .network, .idle, .thermal].contains(factor)
                        && board.state(factor) == .no
                }
                .map { (id, $0) }
        }.sorted { $0.id < $1.id }
    }

    // MARK: Decisions

    /// Returns the next launch, if there is one. The caller calls `launched` if it takes place, and
    /// `setHead` otherwise.
    package mutating func next(at now: Moment) -> Launch? {
        bringUp(now)
        while let candidate = ready.first {
            guard
                heads[candidate.queue]
                    == RequestHead(id: candidate.id, notBefore: candidate.date)
            else {
                ready.removeFirst()
                continue
            }
            ready.removeFirst()
            guard !hold(candidate.queue, now) else { continue }
            let isWaitOver = endOfWait(candidate.queue).map { $0 <= now.wall } ?? false
            // The caller sets the queue's next head.
            heads[candidate.queue] = nil
            if toBeAlone == candidate.queue { endWaitToBeAlone() }
            return Launch(
                queue: candidate.queue, id: candidate.id, date: candidate.date,
                isWaitOver: isWaitOver)
        }
        return nil
    }

    /// Returns the queues of which requests may be launched now, with the places that there are for them: the most urgent
    /// ones, and few of them, since what is returned is kept from other hosts for a moment.
    ///
    /// - Parameter ended: requests whose tasks end before, and leave their places.
    func wanted(at now: Moment, without ended: Set<RequestID> = []) -> [Outlook.Claim] {
        guard storeFault == nil, drainedSince == nil, leavingSince == nil, lapsedSince == nil
        else { return [] }
        let due = heads.filter { $0.value.notBefore <= now.wall }.sorted {
            ($1.key.priority.rawValue, $0.value.notBefore, $0.value.id)
                < ($0.key.priority.rawValue, $1.value.notBefore, $1.value.id)
        }
        var (freed, freedShort): ([String: Int], Int) = ([:], 0)
        let ending = ended.compactMap { running[$0] }
        for queue in ending {
            freed[queue.identifier, default: 0] += 1
            if queue.kind.isShort { freedShort += 1 }
        }
        let short = shortRunning - freedShort
        let long = running.count - ending.count - short
        var claims: [Outlook.Claim] = []
        for (queue, _) in due {
            var handler = handlers[queue.identifier] ?? Handler(rate: rate)
            let ends = freed[queue.identifier] ?? 0
            handler.running -= ends
            // What waits for a place goes on once one is left.
            let isParked =
                handler.parked.contains(queue) && (ends == 0 || handler.restsUntil != nil)
            guard !holdsHandler(handler, queue), !held.contains(queue), !isParked else { continue }
            let free = places - (queue.kind.isShort ? short : long)
            let count = min(handler.state.places - handler.running, free, 64)
            if count > 0 {
                claims.append(
                    Outlook.Claim(
                        queue: queue, count: count, isLimited: handler.state.mostInStore != nil))
            }
            if claims.count == 16 { break }
        }
        return claims
    }

    /// Makes the queues ready that are due, or have rested long enough.
    private mutating func bringUp(_ now: Moment) {
        while let first = dates.first, first.date <= now.wall {
            dates.removeFirst()
            guard heads[first.queue] == RequestHead(id: first.id, notBefore: first.date) else {
                continue
            }
            ready.insert(Ready(date: first.date, id: first.id, queue: first.queue))
        }
        if let until = heldUntil, until <= now.wall {
            heldUntil = nil
            reconsider()
        }
        while let first = rests.first, first.until <= now.span {
            rests.removeFirst()
            if handlers[first.identifier]?.restsUntil == first.until {
                handlers[first.identifier]?.restsUntil = nil
            }
            unpark(first.identifier)
        }
    }

    /// Puts a due queue with the queues that wait for the same thing. Returns false if it need not
    /// wait.
    private mutating func hold(_ queue: RequestQueue, _ now: Moment) -> Bool {
        guard place(queue, now) else { return false }
        // A request that waits for another reason as well must not delay other requests.
        if toBeAlone == queue, !crowded.contains(queue) { endWaitToBeAlone() }
        return true
    }

    private mutating func place(_ queue: RequestQueue, _ now: Moment) -> Bool {
        let handler = handlers[queue.identifier] ?? Handler(rate: rate)
        if holdsHandler(handler, queue) {
            handlers[queue.identifier, default: Handler(rate: rate)].parked.insert(queue)
            return true
        }
        let end = endOfWait(queue)
        let waiting = end.map { $0 <= now.wall } ?? false ? queue.withoutWish : queue
        if let until = handler.rate.restsUntil(now.span), waiting.isPatient {
            hold(until: end)
            handlers[queue.identifier, default: Handler(rate: rate)].parked.insert(queue)
            if handler.restsUntil != until {
                handlers[queue.identifier]?.restsUntil = until
                rests.insert(Rest(until: until, identifier: queue.identifier))
            }
            return true
        }
        if isCrowded(queue) || alone != nil || (toBeAlone ?? queue) != queue {
            crowded.insert(queue)
            return true
        }
        let isHeld =
            storeFault != nil || drainedSince != nil || leavingSince != nil || lapsedSince != nil
            || factors(of: waiting).contains {
                !policy.allows($0, board.state($0))
            }
        let until = waiting.isPatient ? dateOfHost(now) : nil
        hold(until: until)
        if isHeld || until != nil {
            if waiting.opportunistic != .no { hold(until: end) }
            held.insert(queue)
            return true
        }
        return false
    }

    /// Notes a date from which a held queue can continue; nil for none.
    private mutating func hold(until date: Int64?) {
        if let date { heldUntil = min(heldUntil ?? .max, date) }
    }

    /// Returns when the first request of a queue has waited for its wish as long as it may; nil if it
    /// wishes for nothing, or for ever.
    private func endOfWait(_ queue: RequestQueue) -> Int64? {
        heads[queue].flatMap { Self.endOfWait(queue, from: $0.notBefore) }
    }

    /// Returns when a request with that date has waited for its wish as long as it may.
    package static func endOfWait(_ queue: RequestQueue, from date: Int64) -> Int64? {
        guard queue.opportunistic != .no, queue.atMost > 0 else { return nil }
        return RequestLedger.sum(date, queue.atMost)
    }

    /// Returns when the host launches requests again that wait for a quiet machine; nil for now.
    private func dateOfHost(_ now: Moment) -> Int64? {
        if budget.isSpent(at: now.wall) { return budget.resetsAt(now.wall) }
        guard isUnusual(now) else { return nil }
        let hour: Int64 = 3_600_000_000_000
        return (now.wall / hour + 1) * hour
    }

    private func isUnusual(_ now: Moment) -> Bool {
        usageThreshold > 0 && usage.score(at: now.wall, in: zone) < usageThreshold
    }

    private func isCrowded(_ queue: RequestQueue) -> Bool {
        (queue.kind.isShort ? shortRunning : running.count - shortRunning) >= places
    }

    private func holdsHandler(_ handler: Handler, _ queue: RequestQueue) -> Bool {
        handler.state.closed != nil || handler.running >= handler.state.places
            || handler.setting.enablement != .enabled
            || (queue.kind == .appRefresh && handler.setting.refresh != .available)
    }

    /// The identifiers of registered handlers.
    var registered: [String] {
        handlers.all.compactMap { $1.state.closed == .missing ? nil : $0 }
    }

    func isRegistered(_ identifier: String) -> Bool {
        (handlers[identifier]?.state ?? .missing).closed != .missing
    }

    /// Whether a request may be launched at once.
    var isReady: Bool { !ready.isEmpty }

    /// Whether no request is pending.
    var isEmpty: Bool { heads.isEmpty }

    /// Returns the time of the next decision, if no input comes before.
    package func wake(after now: Moment) -> Wake {
        var wake = Wake(wall: dates.first?.date, span: rests.first?.until)
        if !held.isEmpty || !handlers.parking.isEmpty, let heldUntil {
            wake.wall = min(wake.wall ?? .max, heldUntil)
        }
        if let settle = board.next { wake.span = min(wake.span ?? .max, settle) }
        return wake
    }

    /// Whether a request has reached its date and is delayed.
    var isAnyDelayed: Bool { !held.isEmpty || !crowded.isEmpty || !handlers.parking.isEmpty }

    /// The queues whose first request has reached its date and is delayed.
    package var waiting: Set<RequestQueue> {
        handlers.all.values.reduce(held.union(crowded)) { $0.union($1.parked) }
    }
}
