// SPDX-License-Identifier: Apache-2.0
import CSystem
import Glibc
import PluginBridge
import Scheduling
import Synchronization

/// The thread that owns a host's requests: the I/O shell around `RequestBook`.
///
/// It runs batches: the jobs of the inbox and the decisions of the book share one transaction.
/// Effects are carried out after the commit. A caller that finds the thread asleep runs the batch
/// itself, because two thread switches would cost more than everything but the disk.
final class RequestLoop: @unchecked Sendable {
    // Sendable: the book, the store and the variables of a batch are used with `running` held; the
    // rest is constant, atomic or locked.

    /// The jobs of the next batch.
    let inbox = RequestInbox()
    let engine: TaskEngine
    let log: HostLog
    /// Nil once closed; then another host may open the store.
    private var store: (any RequestStore)?
    /// The configuration at the start. Thresholds may have changed since: the book has those that are in force.
    let configuration: RequestConfiguration
    /// The sources of the machine's factors, with the thresholds that are in force.
    private let sources: Locked<[any FactorSource]>
    private var book: RequestBook
    private let clockWatch: Int32
    /// Detects writes of other processes. Owned by the batch.
    private var storeWatch: StoreWatch
    private var lastLook: Moment
    private var lastSlept: UInt64
    private var nextSourceRead: UInt64 = 0
    /// Jobs that could not be committed yet.
    private var owed: [RequestJob] = []
    /// The span time before which a failed store is not retried.
    private var retryAt: UInt64?
    private var retryPause: UInt64 = 0
    /// The span time of the next pruning.
    private var nextPrune: UInt64 = 0
    /// The tasks of requests, which the batch changes.
    let tasks = RequestTasks()
    private let leaseGuard: LeaseGuard
    private let counted = Locked(RequestStatistics())
    /// What was counted and is not stored yet. Owned by the batch.
    private var unstored = RollupSums()
    /// When that is stored, on the clock of spans; nil while there is nothing.
    private var nextCounts: UInt64?
    /// Somebody wants to read what was counted.
    private let areCountsWanted = Atomic<Bool>(false)
    /// Nanoseconds for which counts are gathered. A host that is killed has not stored those of its last second, which are
    /// no promise; with each commit they would cost a seventh of the launches in a second.
    private static let countInterval: UInt64 = 1_000_000_000
    /// Tasks that are cancelled while their requests are not. Owned by the batch.
    var takenBack: Set<RequestTicket> = []
    /// Tasks whose end was rejected, because the store has another one. Owned by the batch.
    var fenced: Set<RequestTicket> = []
    /// Tasks launched by a simulation, with their names for the log. Owned by the batch.
    var simulated: [RequestTicket: String] = [:]
    /// Since when nothing is launched, in nanoseconds since 1970 in UTC; 0 while requests are. Not in the
    /// store, so that a store that cannot be written to is no reason to launch.
    private let drained = Atomic<Int64>(0)
    private let leavingSince = Atomic<Int64>(0)
    /// Since when others may take this host for dead; 0 while they do not.
    private let lapsedSince = Atomic<Int64>(0)
    /// Observes the list of quarantined plugins.
    private let quarantineObserver = Callback<QuarantineList>()
    /// The last reported states of factors. Owned by the batch.
    private var reportedFactors: [Factor: FactorState] = [:]
    /// There are subscribers to factors, so the sources are read even while no request waits.
    private let isFactorWatched = Atomic<Bool>(false)
    /// The previous host ended without closing the store.
    private var isCheckWanted = false
    /// The store is corrupt: nothing is written to it any more.
    private let verdict = Locked<StoreFault?>(nil)
    /// Nanoseconds from the last batch to the next decision; `.max` without one. Owned by the batch.
    private var left = UInt64.max
    /// The next decision as dates and times. Owned by the batch.
    private var wake = RequestScheduler.Wake()
    /// The value of `wake` when the thread went to sleep. Owned by the batch.
    private var restingWake = RequestScheduler.Wake()
    /// The store's descriptor that the sleeping thread polls.
    private var restingDescriptor: Int32 = -1
    /// The time of the next decision on the host's clock, for a manual clock.
    private let nextLook = Atomic<UInt64>(.max)
    private let running = Locked<Void>(())
    /// The number of the thread that runs a batch, or 0.
    private let batchThread = Atomic<UInt64>(0)
    /// The changes of schedules that opening the store made.
    private(set) var scheduleChanges: ScheduleChanges?
    /// The store was closed and all jobs are finished.
    let isStopped = Atomic<Bool>(false)
    /// CLOCK_MONOTONIC time until which the thread sleeps; 0 while it is awake.
    private let restingUntil = Atomic<UInt64>(0)

    private static let firstRetry: UInt64 = 500_000_000
    private static let longestRetry: UInt64 = 30_000_000_000
    private static let pruneInterval: UInt64 = 60_000_000_000
    /// How often a transaction is repeated that another host was in the way of.
    private static let conflictTries = 5

    /// Opens the store and takes over the requests that the previous host left.
    init(_ engine: TaskEngine, _ configuration: RequestConfiguration) throws(StoreFault) {
        self.engine = engine
        log = engine.log
        self.configuration = configuration
        leaseGuard = LeaseGuard(engine, tasks, lease: configuration.record?.lease ?? 0)
        let store = try configuration.openStore?() ?? MemoryStore()
        self.store = store
        if let warning = store.warning { log(.warning, nil, 0, warning) }
        clockWatch = csys_clock_watch()
        var scheduler = RequestScheduler(
            policy: configuration.policy, board: FactorBoard(), budget: configuration.dayBudget)
        scheduler.zone = LocalZone()
        book = RequestBook(
            host: configuration.host,
            ledger: RequestLedger(limits: configuration.limits, zone: LocalZone()),
            scheduler: scheduler)
        sources = Locked(configuration.sources)
        Self.setThresholds(
            of: &book, configuration, isManual: engine.clock.manual != nil)
        if let record = configuration.record { book.setHost(record) }
        storeWatch = StoreWatch(
            configuration.wakeFile, configuration.lease, every: configuration.storeLookInterval)
        storeWatch.willRead(store)
        let now = Self.moment(engine, configuration)
        lastLook = now
        lastSlept = engine.clock.slept
        book.isReporting = configuration.wakeFile != nil || configuration.lease != nil
        // If a later call throws, `deinit` closes the descriptors.
        let (counts, changes, counted) = try store.write { (transaction) throws(StoreFault) in
            let counts = try book.open(at: now, transaction, isGone: configuration.isGone)
            try book.readState(at: now, transaction)
            // Before the first decision: what the configuration does not have any more is not launched.
            let changes = try configuration.schedules.map { (schedules) throws(StoreFault) in
                try book.reconcile(
                    schedules, set: configuration.scheduleSet, at: now, transaction)
            }
            return (counts, changes, transaction.newCounts)
        }
        scheduleChanges = changes
        self.counted.withLock { $0.add(counted) }
        if !counts.wasClean { isCheckWanted = true }
        if counts.interrupted > 0 {
            log(
                .info, nil, 0,
                "\(counts.interrupted) request\(counts.interrupted == 1 ? "" : "s") ran when the host before ended; \(counts.parked) of them parked, the others are pending again"
            )
        }
    }

    deinit { csys_close(clockWatch) }

    /// Sets the thresholds of the requests that can be changed while a host runs.
    private static func setThresholds(
        of book: inout RequestBook, _ configuration: RequestConfiguration, isManual: Bool
    ) {
        book.ledger.limits = configuration.limits
        var rate = configuration.rate
        rate.floor = configuration.floor ?? (isManual ? 0 : RequestConfiguration.usualFloor)
        book.scheduler.setRate(rate)
        book.scheduler.places = max(1, configuration.places)
        book.scheduler.board.debounce = configuration.debounceNanoseconds
        book.scheduler.budget.limits = configuration.dayBudget.limits
        book.scheduler.usageThreshold = configuration.usageThreshold
    }

    /// Changes the thresholds of the requests, from a batch.
    func changeThresholds(of book: inout RequestBook, _ configuration: RequestConfiguration) {
        Self.setThresholds(of: &book, configuration, isManual: engine.clock.manual != nil)
        book.reconsider()
    }

    /// Reads the factors from these sources from now on.
    func changeSources(_ new: [any FactorSource]) {
        sources.withLock { $0 = new }
        sourcesChanged()
    }

    private var hasSources: Bool { sources.withLock { !$0.isEmpty } }

    func start() -> Bool {
        if let lease = configuration.lease {
            lease.begin(book.host)
            let isKept = engine.threads.start { [self] in
                csys_thread_name("curfew-lease")
                lease.keep { [weak self] in self?.heard($0) }
            }
            guard isKept else { return false }
        }
        let isStarted = engine.threads.start { [self] in
            csys_thread_name("curfew-requests")
            run()
        }
        if !isStarted { configuration.lease?.end() }
        if isStarted, isCheckWanted { checkStore() }
        return isStarted
    }

    /// Checks the store's file on a detached thread, concurrently with the host that uses it.
    private func checkStore() {
        guard let check = configuration.checkStore else { return }
        HostThreads.startDetached { [weak self] in
            csys_thread_name("curfew-check")
            do throws(StoreFault) {
                let problems = try check()
                self?.checked(problems)
            } catch {
                // Any other error will occur in the next transaction as well.
                if error.kind == .corrupt { self?.checked([error.message]) }
            }
        }
    }

    private func checked(_ problems: [String]) {
        guard let first = problems.first else { return }
        let fault = StoreFault(
            .corrupt,
            "the check after an unclean stop found \(problems.count) faults; the first: \(first); make a copy of the store, and see `curfew db check`"
        )
        verdict.withLock { $0 = fault }
        transact()
    }

    /// The current time for dates, by the clock of the store if hosts of several machines use it.
    var moment: Moment { Self.moment(engine, configuration) }

    static func moment(_ engine: TaskEngine, _ configuration: RequestConfiguration) -> Moment {
        var moment = engine.clock.moment()
        if engine.clock.manual == nil, let offset = configuration.wallOffset {
            moment.wall += offset()
        }
        return moment
    }

    // MARK: From other threads

    /// Takes in what the lease has found out.
    private func heard(_ news: HostLeaseNews) {
        switch news {
        case .dead(let host):
            _ = inbox.add(
                RequestJob(
                    apply: { [self] (book, store, now) throws(StoreFault) in
                        let counts = try book.takeOver(host, at: now, store)
                        guard counts.interrupted > 0 else { return }
                        log(
                            .warning, nil, 0,
                            "the host with process number \(host.identity.process) on \(host.machine) was silent for too long, and is taken for dead; \(counts.interrupted) of its requests are pending again, \(counts.parked) are parked"
                        )
                    }, finish: { _ in }))
        // A host that leaves has no lease any more.
        case .lapsing(let end): if engine.phase.isOpen { leaseGuard.begin(until: end) }
        case .lapsed:
            guard engine.phase.isOpen else { return }
            lapsedSince.store(max(1, moment.wall), ordering: .releasing)
            log(
                .error, nil, 0,
                "the server of the store was not reached for too long: other hosts will soon take this one for dead, so that nothing is launched"
            )
            inbox.wake()
        case .lost:
            guard engine.phase.isOpen else { return }
            lapsedSince.store(0, ordering: .releasing)
            transact()
        case .refused: if engine.phase.isOpen { transact() }
        case .renewed:
            leaseGuard.renew()
            if lapsedSince.exchange(0, ordering: .acquiringAndReleasing) != 0 {
                log(.info, nil, 0, "the server of the store answers again")
            }
            inbox.wake()
        case .drained(let isDrained):
            guard setDrained(since: isDrained ? moment.wall : nil) else { return }
            noteDrain(isDrained)
            transact()
        }
    }

    /// Has a transaction made, which finds out how this host stands: else there would be none before something is due.
    private func transact() {
        _ = inbox.add(RequestJob(apply: { (_, _, _) in }, finish: { _ in }))
    }

    /// Whether the calling thread runs a batch, where it must not wait for another one.
    var isInBatch: Bool { batchThread.load(ordering: .relaxed) == csys_thread_number() }

    /// Runs a batch on the calling thread if the loop's thread sleeps and the caller has no role.
    /// Returns false when that is not possible.
    func runBatchIfAsleep() -> Bool {
        guard restingUntil.load(ordering: .acquiring) > 0, engine.phase.isOpen,
            engine.threads.role == .other
        else { return false }
        return running.withLockIfFree { _ in
            inBatch { run(inbox.take()) }
            // The thread may sleep too long now. Wake times are compared, because spans from now
            // would differ by the time spent computing them.
            if left == 0 || wake.isBefore(restingWake)
                || storeWatch.descriptor != restingDescriptor
                || storeWatch.nextLook < restingUntil.load(ordering: .relaxed)
            {
                inbox.wake()
            }
            return true
        } ?? false
    }

    var nextDeadline: UInt64? {
        let next = nextLook.load(ordering: .acquiring)
        return next == .max ? nil : next
    }

    /// Has a function called with the list of quarantined plugins when another process has changed it.
    func observeQuarantine(_ observer: @escaping @Sendable (QuarantineList) -> Void) {
        quarantineObserver.set(observer)
    }

    func quarantineChanged(_ list: QuarantineList) {
        quarantineObserver(list)
    }

    // MARK: On the thread

    private func run() {
        while true {
            // Drained first, so that a later signal wakes the sleep below.
            csys_eventfd_drain(inbox.descriptor)
            var until: UInt64 = 0
            var watched: Int32 = -1
            let isOver = running.withLock { _ in
                inBatch {
                    let batch = inbox.take()
                    run(batch)
                    // There are no more signals, and the last jobs may have added others.
                    if batch.isStopping { return batch.jobs.isEmpty && finish() }
                    until = min(untilRested(), storeWatch.nextLook)
                    watched = storeWatch.descriptor
                    restingDescriptor = watched
                    restingWake = wake
                    restingUntil.store(until, ordering: .releasing)
                    return false
                }
            }
            if isOver { return }
            // A thread that runs a batch meanwhile may change the watched file, and signals then.
            if until > 0 { rest(until, watched) }
            restingUntil.store(0, ordering: .releasing)
        }
    }

    private func inBatch<T>(_ body: () -> T) -> T {
        batchThread.store(csys_thread_number(), ordering: .relaxed)
        defer { batchThread.store(0, ordering: .relaxed) }
        return body()
    }

    private func run(_ batch: RequestInbox.Batch) {
        run(batch.jobs)
        inbox.end(batch)
    }

    /// Closes the store after the last batch. Returns false when jobs have arrived meanwhile.
    private func finish() -> Bool {
        guard inbox.close() else { return false }
        let now = moment
        var failure: StoreFault?
        do {
            try store?.write { (transaction) throws(StoreFault) in
                if let fault = verdict.withLock({ $0 }) { throw fault }
                for job in owed { try job.apply?(&book, transaction, now) }
                try self.store(unstored, in: transaction)
                try book.writeState(at: now, transaction)
                try book.ledger.leave(book.host, at: now, transaction)
            }
        } catch {
            failure = error
            log(
                .warning, nil, 0,
                "the store could not be left in order, and the next host will find requests running: \(error.message)"
            )
        }
        configuration.lease?.end()
        store = nil
        let last = owed
        owed = []
        for job in last { job.finish(failure) }
        isStopped.store(true, ordering: .sequentiallyConsistent)
        engine.phase.progressed()
        return true
    }

    private func run(_ jobs: [RequestJob]) {
        guard let store else { fatalError("a store of requests was used after it was left") }
        if storeWatch.hasNews(store) {
            book.othersWrote()
            // It can be read, so that it is tried again at once.
            if configuration.lease != nil, storeWatch.hasAnswer { retryAt = nil }
        }
        let now = moment
        lookAtClock(now)
        if book.isAnythingWaiting || isFactorWatched.load(ordering: .acquiring) {
            readSources(&book, now)
        }
        let areCountsDue = areCountsDue(now)
        let isDue = (book.isDue(at: now) || areCountsDue) && mayDecide(now)
        guard
            isDue || (!owed.isEmpty && mayDecide(now)) || jobs.contains(where: { $0.apply != nil })
        else {
            reportFactors()
            lookAhead()
            for job in jobs { job.finish(nil) }
            return
        }
        let late = owed
        book.setDrained(since: drainedSince)
        book.setLeaving(since: leaving)
        book.setLapsed(since: lapsed)
        let effects: [RequestBook.Effect]
        do {
            effects = try commit(
                late + jobs, to: store, at: now,
                // A clock that a test sets passes no second by itself.
                storesCounts: areCountsDue || engine.clock.manual != nil)
        } catch {
            failed(error, jobs, now)
            return
        }
        if !late.isEmpty { owed.removeAll() }
        retryAt = nil
        retryPause = 0
        if book.scheduler.storeFault != nil {
            log(
                .info, nil, 0,
                "the store works again"
                    + (drainedSince == nil ? "; requests are launched again" : ""))
        }
        book.worked()
        if let lease = configuration.lease {
            lease.begin(book.host)
            // What is not due soon others find by themselves, and ends of tasks are no news to them.
            let isChanged = jobs.contains {
                $0.apply != nil && !$0.isOwed && $0.submissions == 0
            }
            if book.takeArrived() || isChanged { lease.wakeOthers() }
            if book.takeMissed() { storeWatch.missed() }
        }
        for effect in effects { perform(effect) }
        reportFactors()
        lookAhead()
        for job in late + jobs { job.finish(nil) }
    }

    /// Runs jobs and decides, in one transaction. Returns what is to be done after it.
    ///
    /// Another host may have changed what this one was about to change: then all of it is done again.
    private func commit(
        _ jobs: [RequestJob], to store: any RequestStore, at now: Moment, storesCounts: Bool
    ) throws(StoreFault) -> [RequestBook.Effect] {
        let isOpen = engine.phase.isOpen
        var tries = 0
        while true {
            var effects: [RequestBook.Effect] = []
            // A failed transaction is undone in the book as well.
            let before = book.mark()
            var outlook = Outlook()
            if store.usesOutlook {
                outlook = book.outlook(
                    submitting: jobs.reduce(0) { $0 + $1.submissions },
                    ending: Set(jobs.compactMap(\.ended)), at: now)
            }
            let begun = csys_monotonic_ns()
            do throws(StoreFault) {
                let counted = try store.write(expecting: outlook) {
                    (transaction) throws(StoreFault) in
                    if let fault = verdict.withLock({ $0 }) { throw fault }
                    if !storesCounts { transaction.deferCounts() }
                    if book.isOut {
                        _ = try book.open(at: now, transaction, isGone: configuration.isGone)
                    }
                    for job in jobs { try job.apply?(&book, transaction, now) }
                    if isOpen { effects = try book.decide(at: now, transaction) }
                    try book.writeReport(at: now, transaction)
                    if nextPrune <= now.span {
                        try book.writeState(at: now, transaction)
                        if try !book.ledger.prune(at: now.wall, transaction) {
                            nextPrune = now.span &+ Self.pruneInterval
                        }
                    }
                    let counted = transaction.newCounts
                    if storesCounts { try self.store(unstored, in: transaction) }
                    return counted
                }
                if storesCounts {
                    unstored.add(counted)
                    self.counted.withLock { $0.add(unstored) }
                    unstored.removeAll()
                    nextCounts = nil
                } else if !counted.isEmpty {
                    unstored.add(counted)
                    nextCounts = nextCounts ?? now.span &+ Self.countInterval
                }
                self.counted.withLock { $0.committed(in: csys_monotonic_ns() &- begun) }
                return effects
            } catch {
                book.revert(to: before)
                guard error.kind == .busy || error.kind == .fenced, configuration.lease != nil,
                    tries < Self.conflictTries
                else { throw error }
                tries += 1
                book.othersWrote()
                if error.kind == .fenced {
                    leaveOff()
                    continue
                }
                usleep(UInt32.random(in: 1_000...10_000) * UInt32(tries))
            }
        }
    }

    /// Whether what was counted is to be stored now.
    private func areCountsDue(_ now: Moment) -> Bool {
        areCountsWanted.exchange(false, ordering: .acquiringAndReleasing)
            || nextCounts.map { $0 <= now.span } ?? false
    }

    private func store(
        _ counts: RollupSums, in transaction: any StoreTransaction
    ) throws(StoreFault) {
        for (key, rollup) in counts.byKey { try transaction.count(rollup, in: key) }
    }

    /// The next batch stores what was counted. Any thread may call.
    func wantCounts() { areCountsWanted.store(true, ordering: .releasing) }

    /// The counts as they were last stored, at most a second ago. Any thread may ask.
    var statistics: RequestStatistics { counted.withLock { $0 } }

    /// Since when nothing is launched, in nanoseconds since 1970 in UTC; nil if requests are. Any thread may ask.
    var drainedSince: Int64? {
        let date = drained.load(ordering: .acquiring)
        return date == 0 ? nil : date
    }

    /// Sets since when nothing is launched, from the next batch on; nil launches again. Returns false if that changes
    /// nothing. Any thread may call.
    func setDrained(since date: Int64?) -> Bool {
        guard let date else { return drained.exchange(0, ordering: .acquiringAndReleasing) != 0 }
        return drained.compareExchange(
            expected: 0, desired: date, ordering: .acquiringAndReleasing
        ).exchanged
    }

    func noteDrain(_ isDrained: Bool) {
        log(
            .info, nil, 0,
            isDrained
                ? "the host is drained: nothing is launched, and what runs ends by itself"
                : "the host is not drained any more: requests are launched again")
    }

    /// Since when the machine is about to sleep or to be shut down; nil if it stays.
    private var leaving: Int64? {
        let date = leavingSince.load(ordering: .acquiring)
        return date == 0 ? nil : date
    }

    private var lapsed: Int64? {
        let date = lapsedSince.load(ordering: .acquiring)
        return date == 0 ? nil : date
    }

    /// Sets since when the machine is about to sleep or to be shut down, from the next batch on. Any thread may call.
    func setLeaving(since date: Int64?) {
        leavingSince.store(date ?? 0, ordering: .releasing)
    }

    private func mayDecide(_ now: Moment) -> Bool { retryAt.map { $0 <= now.span } ?? true }

    private func failed(_ fault: StoreFault, _ jobs: [RequestJob], _ now: Moment) {
        if book.scheduler.storeFault == nil {
            log(
                .error, nil, 0,
                "the store: \(fault.message); nothing is launched until it works again, and what was acknowledged is kept"
            )
        }
        // A corrupt store does not recover by itself.
        if fault.kind == .corrupt { verdict.withLock { $0 = $0 ?? fault } }
        book.failed(fault)
        storeWatch.forget()
        retryPause = min(max(retryPause &* 2, Self.firstRetry), Self.longestRetry)
        retryAt = now.span &+ retryPause
        lookAhead()
        for job in jobs {
            if job.isOwed {
                owed.append(job)
                job.deferred?()
            } else {
                job.finish(fault)
            }
        }
    }

    /// Others have taken over what runs here: it is told to stop, and this host enters the store anew.
    private func leaveOff() {
        log(
            .warning, nil, 0,
            "other hosts have taken this one for dead; what it ran is theirs, and it enters the store as a new one"
        )
        counted.withLock { $0.lostLeases += 1 }
        leaseGuard.stop(book.fenced())
    }

    /// Detects a changed clock or a suspended machine by the difference between the two clocks.
    private func lookAtClock(_ now: Moment) {
        csys_clock_watch_rearm(clockWatch)
        let passed = Int64(clamping: now.span &- lastLook.span)
        let slept = engine.clock.slept
        let shift = now.wall &- lastLook.wall &- passed
        if shift < -1_000_000_000 || shift > 1_000_000_000 {
            log(
                .info, nil, 0,
                "the clock was set \(shift < 0 ? "back" : "forward") by \(abs(shift / 1_000_000_000)) s; dates are computed again"
            )
            book.clockJumped(from: lastLook, to: now)
        } else if slept > lastSlept &+ 1_000_000_000 {
            book.clockJumped(from: lastLook, to: now)
        }
        lastLook = now
        lastSlept = slept
    }

    /// Reads the sources if the last read is `sourceInterval` ago.
    func readSources(_ book: inout RequestBook, _ now: Moment) {
        let sources = sources.withLock { $0 }
        guard !sources.isEmpty, nextSourceRead <= now.span else { return }
        nextSourceRead = now.span &+ configuration.sourceInterval
        var readings: [Factor: FactorReading] = [:]
        // The later source counts.
        for source in sources { readings.merge(source.read()) { $1 } }
        var isChanged = false
        for (factor, reading) in readings {
            let before = book.scheduler.board.state(factor)
            book.scheduler.board.observe(factor, reading, at: now)
            if book.scheduler.board.state(factor) != before { isChanged = true }
        }
        if isChanged { book.scheduler.reconsider() }
    }

    /// Reads the machine's time zone again. Any thread may call.
    func zoneChanged() {
        LocalZone.readAgain()
        log(.info, nil, 0, "the machine's time zone may have changed; dates are computed again")
        _ = inbox.add(
            RequestJob(
                apply: { (book, _, _) throws(StoreFault) in book.zoneChanged() },
                finish: { _ in }))
    }

    /// Reads the sources again, because one of them knows something else than before: now if a request or a subscriber
    /// depends on them, else when one does.
    func sourcesChanged() {
        _ = inbox.add(
            RequestJob(
                apply: { [self] (book, _, now) throws(StoreFault) in
                    nextSourceRead = 0
                    guard book.isAnythingWaiting || isFactorWatched.load(ordering: .acquiring)
                    else { return }
                    readSources(&book, now)
                }, finish: { _ in }))
    }

    /// Reads the sources and reports changes from now on, even while no request waits.
    func watchFactors() {
        guard !isFactorWatched.exchange(true, ordering: .acquiringAndReleasing) else { return }
        _ = inbox.add(
            RequestJob(
                apply: { [self] (book, _, now) throws(StoreFault) in
                    readSources(&book, now)
                    reportedFactors = factors(book)
                }, finish: { _ in }))
    }

    private func factors(_ book: RequestBook) -> [Factor: FactorState] {
        Dictionary(
            uniqueKeysWithValues: Factor.allCases.filter(\.isSettable).map {
                ($0, book.scheduler.board.state($0))
            })
    }

    /// Raises an event for each changed factor if there are subscribers.
    private func reportFactors() {
        guard isFactorWatched.load(ordering: .acquiring) else { return }
        let now = factors(book)
        for (factor, state) in now.sorted(by: { $0.key.rawValue < $1.key.rawValue })
        where reportedFactors[factor] != state {
            _ = engine.events.raise(
                engine.directory.factor, [.text(factor.name), .int32(Int32(state.rawValue))],
                task: 0)
        }
        reportedFactors = now
    }

    private func nextWake(_ now: Moment) -> RequestScheduler.Wake {
        var wake = book.wake(after: now)
        if book.isReady { wake.span = now.span }
        if let retryAt {
            // A failed store is retried after a pause, and nothing is decided before.
            wake = RequestScheduler.Wake(wall: nil, span: retryAt)
        } else if hasSources,
            book.isAnythingWaiting || isFactorWatched.load(ordering: .acquiring)
        {
            wake.span = min(wake.span ?? .max, nextSourceRead)
        }
        if retryAt == nil, let nextCounts { wake.span = min(wake.span ?? .max, nextCounts) }
        return wake
    }

    private static func left(until wake: RequestScheduler.Wake, _ now: Moment) -> UInt64 {
        var left = UInt64.max
        // A date after the last that a clock can show never comes.
        if let wall = wake.wall, wall <= Moment.dates.upperBound {
            left = wall > now.wall ? UInt64(wall - now.wall) : 0
        }
        if let span = wake.span { left = min(left, span > now.span ? span - now.span : 0) }
        return left
    }

    private func lookAhead() {
        let now = moment
        wake = nextWake(now)
        left = Self.left(until: wake, now)
        let time = engine.clock.now()
        nextLook.store(time + min(left, .max - time), ordering: .releasing)
    }

    /// Returns the CLOCK_MONOTONIC time of the next work, or 0 if it is due now.
    private func untilRested() -> UInt64 {
        guard engine.phase.isOpen else { return .max }
        if left == 0 { return 0 }
        // A manual clock signals the thread when it is advanced.
        return engine.clock.manual != nil ? .max : EventLoop.deadline(after: left)
    }

    private func rest(_ until: UInt64, _ watched: Int32) {
        let descriptors = [inbox.descriptor, clockWatch, watched]
        csys_wait_any_readable(descriptors, Int32(descriptors.count), until)
    }
}
