// SPDX-License-Identifier: Apache-2.0

/// Applies rules and decisions to requests, in one transaction of their store.
///
/// The effects that a run returns may be performed only after its transaction was committed. If the
/// commit failed, restore the book with `mark` and `revert`, and call `failed`: the book then reads
/// the store again before its next run.
package struct RequestBook: Sendable {
    /// An effect to perform after the transaction was committed.
    package enum Effect: Sendable {
        /// Launch a request's task.
        case launch(Request, Attempt, payload: [UInt8], isSimulated: Bool)
        /// Stop the task of a request, because it needs a condition that was lost.
        case stop(RequestID, launch: UInt64, Factor)
        /// Cancel the task of a request that another process cancelled in the store.
        case cancel(RequestID, launch: UInt64)
        /// Another process has changed the list of quarantined plugins.
        case quarantine(QuarantineList)
    }

    /// A request whose task runs in this host.
    struct Running: Sendable {
        let launch: UInt64
        let isSimulated: Bool
        /// The task was stopped because a condition was lost.
        var isStopped = false
    }

    package var ledger: RequestLedger
    package var scheduler: RequestScheduler
    /// This host, with its number once it has entered the store.
    package private(set) var host: HostRecord
    private(set) var running: [RequestID: Running] = [:]
    package private(set) var settings = HandlerSettings()
    /// The plugins that are not run.
    package private(set) var quarantine = QuarantineList()
    /// The date since which dates have been processed without interruption.
    private var awakeSince: Int64 = 0
    /// The earliest latest date of a request.
    private var nextMiss: Int64?
    /// The next page of requests to update after the clock was set back.
    private var shortening: RequestID??
    /// Where the dates of cron expressions are computed for another time zone; nil where they are not.
    private var rezoning: RequestID??
    private var holds = HoldNotes()
    /// The date on which this host began to use the store.
    private var openedAt: Int64 = 0
    /// The date on which an earlier host was there for certain; nil if none was.
    private var lastSeen: Int64?
    private var isCurrent = false
    /// Whether there are too many queues, so that those without a handler were not read. Each is
    /// read once it has a handler.
    private var isPartial = false
    /// The minimum number of queues without a handler that are read.
    private static let strangers = 64
    private var haveOthersWritten = false
    /// Whether people may have removed something since the last run.
    private var areSettingsNew = false
    /// Whether a transaction failed, though it may have been committed.
    private var isInDoubt = false
    /// Whether the day's budget was spent at the last decision.
    private var isBudgetSpent = false
    /// The states of the machine's factors that were stored last.
    private var known: [Factor: FactorState] = [:]
    /// Whether other processes use the store, and get reports.
    package var isReporting = false
    /// Whether something of the report changed since the last one.
    private var isReportStale = true
    /// The time before which no other report is written, on the clock of spans.
    private var nextReport: UInt64 = 0
    /// The minimum time between two reports, in nanoseconds: a host that loads many plugins writes a
    /// few reports, and one that has loaded them is described correctly soon after.
    private static let reportInterval: UInt64 = 250_000_000
    /// The plugins that were found, by the identifiers of their handlers.
    private var discovered: [String: String] = [:]
    /// Launches that were decided outside a run.
    private var decided: [Effect] = []
    /// The maximum number of requests that end or are missed in one run, so that no transaction
    /// grows without bound.
    static let turnLimit = 256

    package init(
        host: HostIdentity, ledger: RequestLedger = RequestLedger(),
        scheduler: RequestScheduler = RequestScheduler()
    ) {
        self.host = HostRecord(identity: host, since: 0)
        self.ledger = ledger
        self.ledger.boot = host.boot
        self.scheduler = scheduler
    }

    /// Requests that were submitted since `takeArrived`, are due at once or soon, and were not launched here.
    private var arrivedSoon: Set<RequestID> = []
    /// Nanoseconds after which other hosts look into the store also without being told.
    private static let soon: Int64 = 1_000_000_000

    /// Returns whether requests were submitted since the last call that other hosts may launch soon.
    package mutating func takeArrived() -> Bool {
        defer { arrivedSoon = [] }
        return !arrivedSoon.isEmpty
    }

    /// Whether another host had locked a request that was to be launched here, since `takeMissed`.
    private var hasMissed = false

    /// Returns whether another host had locked a request, since the last call, that was to be launched here. If its
    /// transaction is rolled back, the request is free again without a notice.
    package mutating func takeMissed() -> Bool {
        defer { hasMissed = false }
        return hasMissed
    }

    // MARK: Reverting

    /// Returns the state for `revert`, before a transaction. Its cost grows with the running
    /// requests, not with the pending ones or the handlers.
    package mutating func mark() -> RequestBook {
        scheduler.handlers.mark()
        var light = self
        light.scheduler = scheduler.withoutDerived()
        return light
    }

    /// Discards all changes since the last `mark`, after a transaction was not committed. The next
    /// run reads the queues again; call `failed` to say so.
    package mutating func revert(to mark: RequestBook) {
        var scheduler = scheduler
        scheduler.goBack(to: mark.scheduler)
        self = mark
        self.scheduler = scheduler
    }

    // MARK: Life cycle of the host

    /// Whether this host has to enter the store anew.
    package private(set) var isOut = false

    /// Others have taken over the requests of this host. Returns those that ran: nothing that their tasks do counts
    /// any more.
    package mutating func fenced() -> [(id: RequestID, launch: UInt64)] {
        isOut = true
        isCurrent = false
        let lost = launches
        for id in running.keys { scheduler.withdrawn(id) }
        running = [:]
        return lost
    }

    /// The launches whose tasks run in this host, in the order of their requests.
    private var launches: [(id: RequestID, launch: UInt64)] {
        running.map { ($0.key, $0.value.launch) }.sorted { $0.0 < $1.0 }
    }

    /// Takes over the requests of a host that is dead.
    package mutating func takeOver(
        _ dead: HostRecord, at now: Moment, _ store: any StoreTransaction
    ) throws(StoreFault) -> RequestLedger.TakenOver {
        let counts = try ledger.takeOver(dead, by: host, at: now, store)
        if counts.interrupted > 0 { isCurrent = false }
        return counts
    }

    /// Has others see that this host is drained, or not any more, where several may use the store.
    package func storeDrain(
        _ isDrained: Bool, _ store: any StoreTransaction
    ) throws(StoreFault) {
        guard host.lease > 0 else { return }
        _ = try store.setDrained(isDrained, of: host.id)
    }

    /// Says what others are to know of this host, where several may use the store.
    package mutating func setHost(_ host: HostRecord) { self.host = host }

    /// Begins to use a store.
    ///
    /// - Parameter isGone: whether a host that has not left the store is dead.
    package mutating func open(
        at now: Moment, _ store: any StoreTransaction,
        isGone: (HostRecord) -> Bool = { _ in true }
    ) throws(StoreFault) -> (interrupted: Int, parked: Int, wasClean: Bool) {
        awakeSince = now.wall
        openedAt = now.wall
        host.isDrained = scheduler.drainedSince != nil
        lastSeen = try store.lastSeen()
        if let note = try store.value(.clock, { ClockNote($0) }),
            note.wasSetBack(host.identity.boot, at: now)
        {
            shortening = .some(nil)
        }
        try writeClock(at: now, store)
        // What others have launched meanwhile was not due for want of a host.
        for other in try store.hosts() where !isGone(other) {
            awakeSince = min(awakeSince, other.since)
            openedAt = min(openedAt, other.since)
        }
        let entered = try ledger.enter(host, at: now, store, isGone: isGone)
        host = entered.host
        isOut = false
        // The report of a host that was taken for dead is not this one's.
        hurryReport()
        try read(store)
        return (entered.takenOver.interrupted, entered.takenOver.parked, entered.wasClean)
    }

    // MARK: Values in the store

    /// Reads the budgets, usage and settings that earlier hosts stored. Throws `.corrupt` if one of
    /// these values is damaged.
    package mutating func readState(
        at now: Moment, _ store: any StoreTransaction
    ) throws(StoreFault) {
        let (limits, dayStart) = (scheduler.budget.limits, scheduler.budget.dayStart)
        let budget = try store.value(.dayBudget) {
            DayBudget(bytes: $0, limits: limits, dayStart: dayStart)
        }
        if let budget {
            scheduler.budget = budget
            scheduler.budget.clockWasSet(to: now.wall)
        }
        let usage = try store.value(.usage) { UsageHistogram(bytes: $0) }
        if let usage { scheduler.usage = usage }
        try readSettings(store)
        try readQuarantine(store)
    }

    private mutating func readQuarantine(_ store: any StoreTransaction) throws(StoreFault) {
        quarantine = try store.value(.quarantine) { QuarantineList(bytes: $0) } ?? QuarantineList()
    }

    /// Changes the list of quarantined plugins as it is in the store. Returns the result of the change.
    package mutating func changeQuarantine<Result>(
        _ store: any StoreTransaction, _ change: (inout QuarantineList) -> Result
    ) throws(StoreFault) -> Result {
        try store.lockValue(KeptValue.quarantine.rawValue)
        try readQuarantine(store)
        let result = change(&quarantine)
        try store.setValue(.quarantine, quarantine.bytes)
        return result
    }

    private mutating func readSettings(_ store: any StoreTransaction) throws(StoreFault) {
        settings = try store.value(.settings) { HandlerSettings(bytes: $0) } ?? HandlerSettings()
        areSettingsNew = true
        scheduler.applySettings { settings.setting(of: $0, plugin: $1) }
    }

    private func writeClock(
        at now: Moment, _ store: any StoreTransaction
    ) throws(StoreFault) {
        try store.setValue(.clock, ClockNote(boot: host.identity.boot, moment: now).bytes)
    }

    /// Writes the budget, the usage and the clock to the store.
    package func writeState(
        at now: Moment, _ store: any StoreTransaction
    ) throws(StoreFault) {
        try writeClock(at: now, store)
        try store.setValue(.dayBudget, scheduler.budget.bytes)
        if !scheduler.usage.isEmpty { try store.setValue(.usage, scheduler.usage.bytes) }
    }

    /// Sets the state of a handler, after it was registered, paused, resumed, quarantined or
    /// released.
    package mutating func setState(
        _ state: HandlerState, of identifier: String, _ store: any StoreTransaction
    ) throws(StoreFault) {
        let isNew = isPartial && !scheduler.isRegistered(identifier)
        setState(state, of: identifier)
        guard isNew, scheduler.isRegistered(identifier) else { return }
        take(try store.heads(of: identifier, limit: .max))
        areSettingsNew = true
    }

    /// Notes that a plugin was not loaded, with the reason. A handler that another plugin has registered
    /// stays as it is.
    package mutating func noteRefused(
        _ identifier: String, plugin: String, _ closed: HandlerState.Closed
    ) {
        switch scheduler.handlers[identifier]?.state.closed {
        case .missing, .refused, .quarantinedPlugin: break
        case nil where scheduler.handlers[identifier] == nil: break
        default: return
        }
        setState(HandlerState(closed: closed, plugin: plugin), of: identifier)
    }

    /// Notes that a plugin with a handler was found, and is not loaded yet.
    package mutating func noteDiscovered(_ identifier: String, plugin: String) {
        guard discovered.count < HostReport.limit, discovered[identifier] == nil else { return }
        discovered[identifier] = plugin
        isReportStale = true
    }

    /// Launches nothing from now on, because the host is drained since a date, or launches again.
    package mutating func setDrained(since date: Int64?) {
        guard date != scheduler.drainedSince else { return }
        scheduler.drainedSince = date
        scheduler.reconsider()
        // `curfew why` in another process reads the report.
        hurryReport()
    }

    /// Launches nothing and stops running tasks from now on, because the machine is about to sleep since a date, or
    /// launches again.
    package mutating func setLeaving(since date: Int64?) {
        guard date != scheduler.leavingSince else { return }
        scheduler.leavingSince = date
        scheduler.reconsider()
        hurryReport()
    }

    /// Launches nothing from now on, because other hosts may take this one for dead since a date, or launches again.
    package mutating func setLapsed(since date: Int64?) {
        guard date != scheduler.lapsedSince else { return }
        scheduler.lapsedSince = date
        scheduler.reconsider()
    }

    /// Decides about delayed requests again, after a factor or a threshold was changed by hand, and reports the
    /// change to other processes with the next commit.
    package mutating func reconsider() {
        scheduler.reconsider()
        hurryReport()
    }

    private mutating func hurryReport() {
        isReportStale = true
        nextReport = 0
    }

    /// Writes a report of this host's state for other processes, if something changed and the last
    /// report is not too recent.
    package mutating func writeReport(
        at now: Moment, _ store: any StoreTransaction
    ) throws(StoreFault) {
        guard isReporting, isReportStale, nextReport <= now.span else { return }
        var report = HostReport(host: host.identity, at: now.wall)
        for factor in Factor.allCases where factor.isSettable {
            report.factors[factor] = scheduler.board[factor]
        }
        let registered = scheduler.registered.sorted()
        for identifier in registered.prefix(HostReport.limit) {
            let handler = scheduler.handlers[identifier]
            report.handlers[identifier] = handler?.state
            if handler?.rate.restsUntil(now.span) != nil {
                report.rates[identifier] = handler?.rate
            }
        }
        report.places = scheduler.places
        report.dayLimits = scheduler.budget.limits
        report.drainedSince = scheduler.drainedSince
        report.leavingSince = scheduler.leavingSince
        report.isCut = registered.count > HostReport.limit
        report.discovered = discovered.filter { report.handlers[$0.key] == nil }
        try store.setStanding(report.bytes, of: host)
        isReportStale = false
        nextReport = now.span &+ Self.reportInterval
    }

    /// Sets the state of a handler while no store is in use.
    package mutating func setState(_ state: HandlerState, of identifier: String) {
        if scheduler.handlers[identifier]?.state != state { isReportStale = true }
        scheduler.setState(state, of: identifier)
        scheduler.setSetting(
            settings.setting(of: identifier, plugin: state.plugin), of: identifier)
    }

    /// Changes the setting of a scope. Returns all settings. Returns a fault, and changes nothing,
    /// if the scope cannot have a setting.
    package mutating func set(
        _ setting: HandlerSetting, for scope: HandlerScope, _ store: any StoreTransaction
    ) throws(StoreFault) -> Result<HandlerSettings, HandlerScope.Fault> {
        if let fault = scope.fault { return .failure(fault) }
        try store.lockValue(KeptValue.settings.rawValue)
        // Another host may have changed them since they were read here.
        try readSettings(store)
        var changed = settings
        changed.set(setting, for: scope)
        guard changed.settings.count <= HandlerSettings.limit else {
            return .failure(
                HandlerScope.Fault(
                    message:
                        "\(HandlerSettings.limit) plugins and handlers have settings of their own, and no more may: undo some, or set it for all"
                ))
        }
        settings = changed
        try store.setValue(.settings, settings.bytes)
        areSettingsNew = true
        scheduler.applySettings { settings.setting(of: $0, plugin: $1) }
        return .success(settings)
    }

    /// Returns the factors that would delay a request of that identifier, kind and needs, whether
    /// or not its handler is registered.
    package func why(_ queue: RequestQueue, at now: Moment) -> [FactorReport] {
        scheduler.why(
            queue, setting: settings.setting(of: queue.identifier, plugin: ""), at: now)
    }

    /// Reads the queues again: another process has written to the store, or a transaction failed.
    package mutating func read(_ store: any StoreTransaction) throws(StoreFault) {
        scheduler.forgetHeads()
        let registered = scheduler.registered
        let most = 2 * registered.count + Self.strangers
        let heads = try store.heads(of: nil, limit: most + 1)
        isPartial = heads.count > most
        if isPartial {
            for identifier in registered.sorted() {
                take(try store.heads(of: identifier, limit: .max))
            }
        } else {
            take(heads)
        }
        nextMiss = try store.firstToMiss()?.description.latest
        isCurrent = true
    }

    private mutating func take(_ heads: [(queue: RequestQueue, head: RequestHead)]) {
        for (queue, head) in heads { scheduler.setHead(head, of: queue) }
    }

    /// What the next run is going to ask of the store.
    ///
    /// - Parameter ended: requests whose tasks end in it.
    package func outlook(
        submitting submissions: Int, ending ended: Set<RequestID>, at now: Moment
    ) -> Outlook {
        var outlook = Outlook()
        outlook.submissions = submissions
        outlook.requests = ended
        outlook.date = now.wall
        if isCurrent { outlook.claims = scheduler.wanted(at: now, without: ended) }
        return outlook
    }

    /// Notes that a transaction was not committed, or that this is unknown; the book has been
    /// reverted.
    package mutating func failed(_ fault: StoreFault) {
        scheduler.storeFault = fault.message
        isCurrent = false
        isInDoubt = true
        // A store works again once something can be written to it.
        hurryReport()
    }

    /// Notes that another process has written to the store, which has to be read.
    package mutating func othersWrote() {
        isCurrent = false
        haveOthersWritten = true
    }

    /// Notes that the store works again.
    package mutating func worked() {
        guard scheduler.storeFault != nil else { return }
        scheduler.storeFault = nil
        scheduler.reconsider()
    }

    /// Notes that the machine slept, or its clock was set, between two moments.
    package mutating func clockJumped(from before: Moment, to now: Moment) {
        awakeSince = now.wall
        scheduler.budget.clockWasSet(to: now.wall)
        guard now.wall < before.wall else { return }
        shortening = .some(nil)
        scheduler.recheckDates()
    }

    /// Notes that the machine has another time zone: dates of cron expressions in local time are computed again.
    package mutating func zoneChanged() { rezoning = .some(nil) }

    // MARK: Requests

    package mutating func submit(
        _ description: RequestDescription, payload: [UInt8], marks: Request.Marks = [],
        by requester: Requester? = nil, at now: Moment, _ store: any StoreTransaction
    ) throws(StoreFault) -> Result<Submission, RequestRefusal> {
        let change = try ledger.submit(
            description, payload: payload, marks: marks, by: requester, at: now.wall, store)
        if host.lease > 0, let head = change.arrived?.head, head.notBefore - Self.soon <= now.wall {
            arrivedSoon.insert(head.id)
        }
        let answer = try take(change, store)
        if case .success(.queued) = answer, let latest = description.latest {
            nextMiss = min(nextMiss ?? .max, latest)
        }
        return answer
    }

    package mutating func reconcile(
        _ schedules: [Schedule], set: String, at now: Moment, _ store: any StoreTransaction
    ) throws(StoreFault) -> ScheduleChanges {
        // Where one host uses the store, no other file can be for it.
        try take(
            ledger.reconcile(
                schedules, set: host.lease > 0 ? set : nil, at: now.wall, store), store)
    }

    package mutating func cancel(
        _ id: RequestID, by requester: Requester? = nil, at now: Moment,
        _ store: any StoreTransaction
    ) throws(StoreFault) -> RequestLedger.Cancellation {
        try take(ledger.cancel(id, by: requester, at: now.wall, store), store)
    }

    package mutating func release(
        _ id: RequestID, by requester: Requester? = nil, at now: Moment,
        _ store: any StoreTransaction
    ) throws(StoreFault) -> Bool {
        try take(ledger.release(id, by: requester, at: now.wall, store), store)
    }

    package mutating func retry(
        _ id: RequestID, by requester: Requester? = nil, at now: Moment,
        _ store: any StoreTransaction
    ) throws(StoreFault) -> RequestLedger.Change {
        try take(ledger.retry(id, by: requester, at: now.wall, store), store)
    }

    package mutating func launchNow(
        _ id: RequestID, by requester: Requester? = nil, at now: Moment,
        _ store: any StoreTransaction
    ) throws(StoreFault) -> RequestLedger.Change {
        try take(ledger.launchNow(id, by: requester, at: now.wall, store), store)
    }

    /// Notes what another user has asked for, or was refused.
    package func audit(
        _ detail: String, _ id: RequestID?, at now: Moment, _ store: any StoreTransaction
    ) throws(StoreFault) {
        var request: Request?
        if let id { request = try store.request(id) }
        try store.append(
            JournalEntry(
                .audited, at: now.wall, request: request?.id,
                identifier: request?.description.identifier ?? "", detail: detail))
    }

    package mutating func edit(
        _ id: RequestID, at now: Moment, _ store: any StoreTransaction,
        _ change: (inout RequestDescription) -> Void
    ) throws(StoreFault) -> RequestLedger.Change {
        let answer = try take(ledger.edit(id, at: now.wall, store, change), store)
        if case .changed(let request) = answer, let latest = request.description.latest {
            nextMiss = min(nextMiss ?? .max, latest)
        }
        return answer
    }

    /// Ends the task of a request. Returns nil if the launch was not the running one.
    package mutating func ended(
        _ id: RequestID, launch: UInt64, _ end: AttemptEnd, answered: Bool, at now: Moment,
        _ store: any StoreTransaction
    ) throws(StoreFault) -> Request? {
        let request = try ledger.end(id, launch: launch, end, at: now, store)
        if running[id]?.launch == launch {
            running[id] = nil
            scheduler.ended(id, end.outcome, answered: answered, at: now)
            if let ended = request.value {
                noteRate(of: ended.description.identifier, at: now)
            }
        }
        return try take(request, store)
    }

    /// Returns a request to its queue after its launch was refused, without using an attempt.
    package mutating func launchRefused(
        _ id: RequestID, launch: UInt64, _ why: String, at now: Moment,
        _ store: any StoreTransaction
    ) throws(StoreFault) {
        // The delay keeps a full queue from being tried again and again.
        let end = AttemptEnd(.abandoned, error: why, snooze: 1_000_000_000)
        let ended = try ledger.end(id, launch: launch, end, at: now, store)
        if running.removeValue(forKey: id) != nil { scheduler.withdrawn(id) }
        _ = try take(ended, store)
    }

    /// Takes the queues of a change into account, and returns its result.
    ///
    /// A request that comes after a queue's head does not change the head; in an empty queue it is
    /// the head. If the queues are out of date, the next run reads all of them.
    private mutating func take<Value>(
        _ change: Changed<Value>, _ store: any StoreTransaction
    ) throws(StoreFault) -> Value {
        if let (head, queue) = change.arrived, isCurrent {
            let first = scheduler.heads[queue]
            if first.map({ ($0.notBefore, $0.id) >= (head.notBefore, head.id) }) ?? true {
                scheduler.setHead(head, of: queue)
            }
        }
        for queue in change.queues { scheduler.setHead(try store.head(of: queue), of: queue) }
        return change.value
    }

    // MARK: Decisions

    /// Decides what to do now, and stores the decisions.
    package mutating func decide(
        at now: Moment, _ store: any StoreTransaction
    ) throws(StoreFault) -> [Effect] {
        var effects = decided
        decided.removeAll()
        if !isCurrent {
            try read(store)
            if haveOthersWritten {
                try readSettings(store)
                let before = quarantine
                try readQuarantine(store)
                if quarantine != before { effects.append(.quarantine(quarantine)) }
                try findCancelled(&effects, store)
            }
            if isInDoubt { try takeBack(at: now, store) }
        }
        if areSettingsNew { try cancelRemoved(at: now, store) }
        if !scheduler.board.settle(at: now).isEmpty { scheduler.reconsider() }
        try writeFactors(at: now, store)
        stopLosing(&effects)
        if let next = nextMiss, next < now.wall {
            nextMiss = try take(
                ledger.missOverdue(at: now.wall, limit: Self.turnLimit, store), store)
        }
        if let page = shortening {
            shortening = try take(
                ledger.shorten(after: page, limit: Self.turnLimit, at: now, store), store
            ).map(Optional.some)
        }
        if let page = rezoning {
            rezoning = try take(
                ledger.rezone(after: page, limit: Self.turnLimit, at: now.wall, store), store
            ).map(Optional.some)
        }
        while effects.count < Self.turnLimit, let launch = scheduler.next(at: now) {
            if let effect = try begin(launch, at: now, isSimulated: false, store) {
                effects.append(effect)
            }
        }
        try noteHolds(at: now, store)
        // For `curfew why` in another process: with each launch it would cost a write.
        let isSpent = scheduler.budget.isSpent(at: now.wall)
        if isSpent != isBudgetSpent {
            isBudgetSpent = isSpent
            try store.setValue(.dayBudget, scheduler.budget.bytes)
        }
        return effects
    }

    // MARK: The journal of what holds requests

    /// Writes for what requests wait that have been due for a while, where that has changed.
    private mutating func noteHolds(
        at now: Moment, _ store: any StoreTransaction
    ) throws(StoreFault) {
        // The next launches of this turn need the notes of their queues.
        guard scheduler.isAnyDelayed else {
            if !scheduler.isReady { holds.forget() }
            return
        }
        guard holds.look(at: now) else { return holds.mayChange(at: now) }
        let waiting = scheduler.waiting
        if !scheduler.isReady { holds.keep(waiting) }
        var isEarly = false
        for queue in waiting.count > HoldNotes.limit
            ? Array(waiting.prefix(HoldNotes.limit)) : waiting.sorted()
        {
            guard let head = scheduler.heads[queue], let request = try store.request(head.id) else {
                continue
            }
            let due = max(head.notBefore, request.submittedAt)
            guard Self.isLate(due, at: now.wall) else {
                isEarly = true
                continue
            }
            try noteHold(request, queue, due, at: now, store)
        }
        if isEarly { holds.mayChange(at: now) }
    }

    private mutating func noteHold(
        _ request: Request, _ queue: RequestQueue, _ due: Int64, at now: Moment,
        _ store: any StoreTransaction
    ) throws(StoreFault) {
        let reports = scheduler.why(request, at: now).filter { $0.holds && $0.factor != .date }
        let factors = reports.map(\.factor)
        guard !factors.isEmpty else { return }
        let before = holds.notes[queue]
        var note = before ?? HoldNotes.Note(spans: [], written: request.id)
        let isChanged = factors != note.spans.last?.factors
        if isChanged {
            var since = max(due, awakeSince)
            if let last = note.spans.last {
                // When the last of them began, if that is known.
                let begun = reports.compactMap(\.since).filter { $0 > last.since && $0 <= now.wall }
                since = begun.max() ?? now.wall
            }
            let names = factors.map(\.name).joined(separator: ", ")
            let details = reports.map(\.detail).joined(separator: "; ")
            note.spans.append(
                HoldNotes.Span(factors: factors, detail: "\(names): \(details)", since: since))
        }
        if before == nil || note.written != request.id {
            _ = try write(note.spans, of: request, due, at: now, store)
        } else if isChanged, let span = note.spans.last {
            try store.append(ledger.entry(.held, request, span.since, detail: span.detail))
        }
        note.written = request.id
        holds.set(note, of: queue)
    }

    /// Writes what held a request from its date on. Returns false if nothing did.
    private mutating func write(
        _ spans: [HoldNotes.Span], of request: Request, _ due: Int64, at now: Moment,
        _ store: any StoreTransaction
    ) throws(StoreFault) -> Bool {
        var isWritten = false
        if Self.isLate(due, at: awakeSince) {
            let isHost = Self.isLate(due, at: openedAt)
            try store.append(
                ledger.entry(
                    .held, request, isHost ? max(due, min(lastSeen ?? due, openedAt)) : due,
                    detail: "host: "
                        + (isHost
                            ? "no host used the store" : "the machine slept, or its clock was set"))
            )
            isWritten = true
        }
        let start = isWritten ? awakeSince : due
        for (index, span) in spans.enumerated() {
            let end = index + 1 < spans.count ? spans[index + 1].since : now.wall
            guard end > start else { continue }
            try store.append(
                ledger.entry(.held, request, max(start, span.since), detail: span.detail))
            isWritten = true
        }
        return isWritten
    }

    /// Writes what held a request that is launched late, unless the journal has it.
    private mutating func noteLate(
        _ launch: RequestScheduler.Launch, at now: Moment, _ store: any StoreTransaction
    ) throws(StoreFault) {
        guard Self.isLate(launch.date, at: now.wall) else { return }
        let note = holds.notes[launch.queue]
        guard note?.written != launch.id, let request = try store.request(launch.id) else { return }
        let due = max(launch.date, request.submittedAt)
        guard Self.isLate(due, at: now.wall),
            try !write(note?.spans ?? [], of: request, due, at: now, store)
        else { return }
        try store.append(
            ledger.entry(.held, request, due, detail: "concurrency: other requests went first"))
    }

    private static func isLate(_ date: Int64, at now: Int64) -> Bool {
        now > date && UInt64(bitPattern: now) &- UInt64(bitPattern: date) >= HoldNotes.patience
    }

    /// Continued processing ends when the user removes the handler: an app that was removed from
    /// the app switcher loses its queued requests, as Apple's header of continued processing says.
    private mutating func cancelRemoved(
        at now: Moment, _ store: any StoreTransaction
    ) throws(StoreFault) {
        areSettingsNew = false
        let removed = scheduler.heads.keys.filter { queue in
            let plugin = scheduler.handlers[queue.identifier]?.state.plugin ?? ""
            return queue.kind == .continuedProcessing
                && settings.setting(of: queue.identifier, plugin: plugin).enablement == .removed
        }
        for identifier in Set(removed.map(\.identifier)).sorted() {
            var filter = RequestFilter(states: [.pending], identifier: identifier, limit: 1_000)
            while true {
                let page = try store.requests(filter)
                for request in page where request.description.kind == .continuedProcessing {
                    _ = try take(ledger.cancel(request.id, at: now.wall, store), store)
                }
                guard let last = page.last, page.count == filter.limit else { break }
                filter.after = last.id
            }
        }
    }

    private mutating func findCancelled(
        _ effects: inout [Effect], _ store: any StoreTransaction
    ) throws(StoreFault) {
        for request in try store.cancelled(among: running.keys.sorted()) {
            guard let task = running[request.id], task.launch == request.launches else { continue }
            effects.append(.cancel(request.id, launch: task.launch))
        }
        haveOthersWritten = false
    }

    /// Takes back launches that were committed although the store reported a failure: their tasks
    /// never began.
    private mutating func takeBack(
        at now: Moment, _ store: any StoreTransaction
    ) throws(StoreFault) {
        for request in try store.running(in: host.identity)
        where running[request.id]?.launch != request.launches {
            let end = AttemptEnd(
                .interrupted, error: "the store failed while it was launched; it was not begun")
            _ = try take(
                ledger.end(request.id, launch: request.launches, end, at: now, store), store)
        }
        isInDoubt = false
    }

    /// The number of launches after which any floor has reached its limit: it doubles from a
    /// second.
    private static let recalledLaunches = 64

    /// Reads when earlier hosts launched requests without a date. Otherwise a host that is
    /// restarted again and again would have no floor.
    private mutating func recallLaunches(
        of identifier: String, at now: Moment, _ store: any StoreTransaction
    ) throws(StoreFault) {
        guard scheduler.wantsLaunches(of: identifier) else { return }
        let over = try store.overview(
            RequestFilter(
                states: [.finished, .cancelled, .replaced], identifier: identifier,
                limit: Self.recalledLaunches))
        var dates: [Int64] = []
        for request in over.requests where request.isUndated {
            guard let attempt = try store.attempts(of: request.id, limit: 1).last else { continue }
            dates.append(attempt.startedAt)
        }
        scheduler.recall(undated: dates.sorted(), of: identifier, at: now)
    }

    private mutating func begin(
        _ launch: RequestScheduler.Launch, at now: Moment, isSimulated: Bool,
        _ store: any StoreTransaction
    ) throws(StoreFault) -> Effect? {
        var launch = launch
        let most = scheduler.handlers[launch.queue.identifier]?.state.mostInStore
        let isFull = try most.map { (most) throws(StoreFault) in
            try store.runningCount(of: launch.queue.identifier) >= most
        }
        guard isFull != true, let id = try store.claim(launch.id, of: launch.queue, at: now.wall)
        else {
            // It is read again once the others have written.
            scheduler.setHead(nil, of: launch.queue)
            hasMissed = hasMissed || isFull != true
            return nil
        }
        launch.id = id
        var terms = LaunchTerms(awakeSince: isSimulated ? 0 : awakeSince)
        if !isSimulated { terms.neighbours = scheduler.neighbours }
        if !isSimulated { try recallLaunches(of: launch.queue.identifier, at: now, store) }
        terms.floor = scheduler.floor(of: launch.queue.identifier, at: now)
        terms.isSimulated = isSimulated
        if !isSimulated { try noteLate(launch, at: now, store) }
        let launching = try ledger.launch(
            launch.id, by: host.identity, at: now, terms, store)
        var effect: Effect?
        switch launching {
        case .launched(let request, let attempt, let payload):
            running[launch.id] = Running(launch: attempt.launch, isSimulated: isSimulated)
            arrivedSoon.remove(launch.id)
            scheduler.launched(
                launch, isSuspect: request.crashes > 0,
                isAlone: ledger.isDecisive(request) && !isSimulated,
                isUndated: request.isUndated && !isSimulated, at: now)
            noteRate(of: launch.queue.identifier, at: now)
            effect = .launch(request, attempt, payload: payload, isSimulated: isSimulated)
        case .notBesideSuspect, .alone:
            var isAlone = false
            if case .alone = launching { isAlone = true }
            scheduler.wait(
                launch.queue, try store.head(of: launch.queue), toBeAlone: isAlone)
            return nil
        case .not: break
        }
        // Its queue has another head now, even if it was not launched.
        scheduler.setHead(try store.head(of: launch.queue), of: launch.queue)
        if let head = scheduler.heads[launch.queue], head.id == launch.id,
            head.notBefore <= now.wall
        {
            throw .notWaiting(launch.id)
        }
        return effect
    }

    /// Has the next report say for how long a handler rests, if it does.
    private mutating func noteRate(of identifier: String, at now: Moment) {
        if scheduler.handlers[identifier]?.rate.restsUntil(now.span) != nil {
            isReportStale = true
        }
    }

    /// Records changed factors in the journal.
    private mutating func writeFactors(
        at now: Moment, _ store: any StoreTransaction
    ) throws(StoreFault) {
        for factor in Factor.allCases where factor.isSettable {
            guard let reading = scheduler.board[factor]?.reading,
                known[factor] != reading.state
            else { continue }
            // A factor without a reading has not changed.
            if known[factor] != nil || reading.state == .no {
                try store.append(
                    JournalEntry(
                        .factorChanged, at: now.wall,
                        detail: "\(factor.name): \(reading.state.name), \(reading.detail)"))
            }
            known[factor] = reading.state
            isReportStale = true
        }
    }

    /// Stops tasks that need a condition that was lost.
    private mutating func stopLosing(_ effects: inout [Effect]) {
        for (id, factor) in scheduler.losing() {
            guard let task = running[id], !task.isStopped, !task.isSimulated else { continue }
            running[id]?.isStopped = true
            effects.append(.stop(id, launch: task.launch, factor))
        }
    }

    /// Returns the time of the next run, if nothing happens before.
    package func wake(after now: Moment) -> RequestScheduler.Wake {
        var wake = scheduler.wake(after: now)
        if let nextMiss { wake.wall = min(wake.wall ?? .max, nextMiss + 1) }
        if shortening != nil || rezoning != nil || !isCurrent { wake.span = now.span }
        if let look = holds.next { wake.span = min(wake.span ?? .max, look) }
        if isReporting, isReportStale { wake.span = min(wake.span ?? .max, nextReport) }
        return wake
    }

    // The next three members change nothing. They are `mutating` because a caller in another target
    // would otherwise copy the whole book for each call, which costs 1,500 instructions.

    /// Returns whether a decision or a write is due now.
    package mutating func isDue(at now: Moment) -> Bool {
        let wake = wake(after: now)
        return isReady || wake.wall.map { $0 <= now.wall } ?? false
            || wake.span.map { $0 <= now.span } ?? false
    }

    /// Whether a request may be launched at once.
    package var isReady: Bool { mutating get { scheduler.isReady || !decided.isEmpty } }

    /// Whether a request may depend on the state of the machine.
    package var isAnythingWaiting: Bool {
        mutating get { !running.isEmpty || !scheduler.isEmpty }
    }

    // MARK: Simulation

    /// Launches a pending request in the next run, regardless of all factors. Returns nil if no
    /// request of that identifier is pending.
    package mutating func simulateLaunch(
        _ identifier: String, at now: Moment, _ store: any StoreTransaction
    ) throws(StoreFault) -> RequestID? {
        guard
            let request = try store.firstPending(identifier).flatMap({
                (id) throws(StoreFault) in try store.request(id)
            }),
            let effect = try begin(
                RequestScheduler.Launch(
                    queue: request.queue, id: request.id, date: request.notBefore), at: now,
                isSimulated: true, store)
        else { return nil }
        decided.append(effect)
        return request.id
    }

    /// Returns the simulated task of an identifier, and whether any task of it runs.
    package func simulated(
        _ identifier: String
    ) -> (task: (id: RequestID, launch: UInt64)?, isRunning: Bool) {
        let ours = running.filter { scheduler.running[$0.key]?.identifier == identifier }
        let simulated = ours.first { $0.value.isSimulated }
        return (simulated.map { ($0.key, $0.value.launch) }, !ours.isEmpty)
    }
}
