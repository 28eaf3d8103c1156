// SPDX-License-Identifier: Apache-2.0
import CSystem
import Glibc
import PluginBridge
import Scheduling
import Synchronization

/// The thread that has a host's requests: the shell around `RequestBook`.
///
/// Whatever came while the last transaction was committed goes into the next one, together with what
/// the book decides: so many callers share one commit. What a transaction decided is done after it.
/// A caller that finds the thread resting takes its turn itself: changing threads twice would cost it
/// more than all the rest but the disk.
final class RequestLoop: @unchecked Sendable {
    // Sendable: the book, the store and what is said to be the turn's are touched with `turning` held;
    // the rest is constant, atomic or locked.

    private struct Inbox {
        var jobs: [RequestJob] = []
        /// The number of the turn that takes them.
        var turn: UInt32 = 1
        var isStopping = false
        /// Nothing is taken in any more.
        var isClosed = false
        /// The store was left, too.
        var isStopped = false
    }

    let engine: TaskEngine
    let log: HostLog
    private let clock: HostClock
    private let phase: HostPhase
    private let threads: HostThreads
    /// Nil once it was left: another host may open it from then on.
    private var store: (any RequestStore)?
    private let configuration: RequestConfiguration
    private var book: RequestBook
    private let inbox = Locked(Inbox())
    private let signal = TurnSignal()
    private let bell: Int32
    private let clockWatch: Int32
    /// Whether others have written into the store; the turn's.
    private var storeWatch: StoreWatch
    private var lastLook: Moment
    private var lastSlept: UInt64
    private var nextSourceRead: UInt64 = 0
    /// What could not be written yet.
    private var owed: [RequestJob] = []
    /// Nothing is tried before this, on the clock of spans, after a failure.
    private var retryAt: UInt64?
    private var retryPause: UInt64 = 0
    /// Since the last commit, a store that works may prune.
    private var nextPrune: UInt64 = 0
    /// The tasks of requests; the turn's.
    var tasks: [RequestTicket: UInt64] = [:]
    /// Those that are cancelled, and their requests not; the turn's.
    var takenBack: Set<RequestTicket> = []
    /// Those whose end was not taken: the store knows of another one; the turn's.
    var fenced: Set<RequestTicket> = []
    /// Those that were launched by a simulation, with the names they have in the log; the turn's.
    var simulated: [RequestTicket: String] = [:]
    /// What was told of factors last; the turn's.
    private var toldFactors: [Factor: FactorState] = [:]
    /// Somebody wants to hear of factors, also while no request waits.
    private let isFactorWatched = Atomic<Bool>(false)
    /// The host before ended without leaving the store.
    private var isCheckWanted = false
    /// The store makes no sense: nothing is written into it any more.
    private let verdict = Locked<StoreFault?>(nil)
    /// Nanoseconds from the last turn until something has to be decided; `.max`: nothing has. The
    /// turn's.
    private var left = UInt64.max
    /// The same as dates and times; the turn's.
    private var wake = RequestScheduler.Wake()
    /// What the thread rests for; the turn's.
    private var restingWake = RequestScheduler.Wake()
    /// What it watches the store by.
    private var restingDescriptor: Int32 = -1
    /// When that is, on the host's clock; for a manual one.
    private let nextLook = Atomic<UInt64>(.max)
    private let process = getpid()
    /// Held by whoever takes a turn.
    private let turning = Locked<Void>(())
    /// The number of that thread, or 0.
    private let turner = Atomic<UInt64>(0)
    /// Until when the thread rests, on the monotonic clock; 0: it does not.
    private let restingUntil = Atomic<UInt64>(0)

    /// As for fetches: what comes more often is nothing that one notices.
    private static let usualFloor: UInt64 = 900_000_000_000
    private static let firstRetry: UInt64 = 500_000_000
    private static let longestRetry: UInt64 = 30_000_000_000
    private static let pruneInterval: UInt64 = 60_000_000_000

    /// Opens the store, and takes up what the host before left behind.
    init(_ engine: TaskEngine, _ configuration: RequestConfiguration) throws(StoreFault) {
        self.engine = engine
        log = engine.log
        clock = engine.clock
        phase = engine.phase
        threads = engine.threads
        self.configuration = configuration
        let store = try configuration.openStore?() ?? MemoryStore()
        self.store = store
        bell = csys_eventfd()
        clockWatch = csys_clock_watch()
        var scheduler = RequestScheduler(
            policy: configuration.policy, board: FactorBoard(debounce: configuration.patience),
            budget: configuration.dayBudget)
        scheduler.rate = configuration.rate
        scheduler.rate.floor =
            configuration.floor ?? (clock.manual == nil ? Self.usualFloor : 0)
        scheduler.places = max(1, configuration.places)
        scheduler.zone = LocalZone()
        scheduler.usageThreshold = configuration.usageThreshold
        book = RequestBook(
            host: configuration.host,
            ledger: RequestLedger(limits: configuration.limits, zone: LocalZone()),
            scheduler: scheduler)
        storeWatch = StoreWatch(configuration.wakeFile, every: configuration.storeLookInterval)
        storeWatch.willRead(store)
        let now = clock.moment()
        lastLook = now
        lastSlept = clock.slept
        // Whatever throws from here on, `deinit` closes what was opened.
        let counts = try store.write { (transaction) throws(StoreFault) in
            let counts = try book.open(at: now, transaction)
            try book.readState(at: now, transaction)
            return counts
        }
        if !counts.wasClean { isCheckWanted = true }
        if counts.interrupted > 0 {
            log(
                .info, nil, 0,
                "\(counts.interrupted) request\(counts.interrupted == 1 ? "" : "s") ran when the host before ended; \(counts.parked) of them parked, the others are pending again"
            )
        }
    }

    deinit {
        csys_close(bell)
        csys_close(clockWatch)
    }

    /// Starts the thread. False: the system has none.
    func start() -> Bool {
        let raw = Unmanaged.passRetained(self)
        let isStarted = threads.start(
            {
                csys_thread_name("curfew-requests")
                Unmanaged<RequestLoop>.fromOpaque($0!).takeRetainedValue().run()
            }, raw.toOpaque())
        guard isStarted else {
            raw.release()
            return false
        }
        if isCheckWanted { checkStore() }
        return true
    }

    /// Looks the store's file through, on a thread of its own that nobody waits for.
    private func checkStore() {
        guard let check = configuration.checkStore else { return }
        let work = StoreCheck(loop: self, check: check)
        let raw = Unmanaged.passRetained(work)
        let failure = csys_thread_start(
            {
                csys_thread_name("curfew-check")
                Unmanaged<StoreCheck>.fromOpaque($0!).takeRetainedValue().run()
            }, raw.toOpaque(), 0, nil)
        if failure != 0 { raw.release() }
    }

    /// What the check of the store has found.
    func checked(_ problems: [String]) {
        guard let first = problems.first else { return }
        let fault = StoreFault(
            .corrupt,
            "the check after an unclean stop found \(problems.count) faults; the first: \(first); make a copy of the store, and see `curfew db check`"
        )
        verdict.withLock { $0 = fault }
        _ = add(RequestJob(apply: { (_, _, _) throws(StoreFault) in }, finish: { _ in }))
    }

    /// True inside a turn, where nothing may wait for another one.
    private var isInTurn: Bool { turner.load(ordering: .relaxed) == csys_thread_number() }

    // MARK: From other threads

    /// Adds a job. False: the loop has stopped, and the job will not be done.
    func add(_ job: RequestJob) -> Bool {
        guard let (_, isFirst) = put(job) else { return false }
        if isFirst { csys_eventfd_signal(bell) }
        return true
    }

    /// Adds a job and returns once it is done. False: it will not be.
    private func addAndWait(_ job: RequestJob) -> Bool {
        guard let (turn, isFirst) = put(job) else { return false }
        if isFirst, !takeTurn() { csys_eventfd_signal(bell) }
        signal.wait(for: turn)
        return true
    }

    private func put(_ job: RequestJob) -> (turn: UInt32, isFirst: Bool)? {
        inbox.withLock { inbox in
            guard !inbox.isClosed else { return nil }
            inbox.jobs.append(job)
            return (inbox.turn, inbox.jobs.count == 1)
        }
    }

    /// Takes the thread's turn where that rests and this thread is nobody's: not the host's, not a
    /// handler's. False: it was not to be had.
    private func takeTurn() -> Bool {
        guard restingUntil.load(ordering: .acquiring) > 0, phase.isOpen,
            threads.role == .other
        else { return false }
        return turning.withLockIfFree { _ in
            inTurn { turn(takeJobs()) }
            // The thread may have lain down for longer than holds now. Nanoseconds from now on would
            // differ by the time that has gone into computing them.
            if left == 0 || wake.isBefore(restingWake)
                || storeWatch.descriptor != restingDescriptor
            {
                csys_eventfd_signal(bell)
            }
            return true
        } ?? false
    }

    /// What has come since the last turn.
    private struct Intake {
        let jobs: [RequestJob]
        let turn: UInt32
        let isStopping: Bool
    }

    private func takeJobs() -> Intake {
        inbox.withLock { inbox in
            let intake = Intake(
                jobs: inbox.jobs, turn: inbox.turn, isStopping: inbox.isStopping)
            if !inbox.jobs.isEmpty {
                inbox.jobs = []
                inbox.turn &+= 1
            }
            return intake
        }
    }

    private func turn(_ intake: Intake) {
        turn(intake.jobs)
        if !intake.jobs.isEmpty { signal.end(intake.turn) }
    }

    /// Does something in a transaction and waits until it is committed.
    func perform<Answer: Sendable>(
        _ body:
            @escaping @Sendable (
                inout RequestBook, any StoreTransaction, Moment
            ) throws(StoreFault) -> Answer
    ) throws(RequestFailure) -> Answer {
        guard !isInTurn, threads.role != .logging else {
            throw .other(
                .wrongThread,
                "not from the log function, nor from what requests are told of: it may wait for itself"
            )
        }
        guard process == getpid() else {
            throw .other(
                .denied,
                "the host was made before fork(2), and its threads are its parent's alone: make one in the child"
            )
        }
        let answer = RequestAnswer<Answer>()
        let isDone = addAndWait(
            RequestJob(
                apply: { (book, store, now) throws(StoreFault) in
                    answer.value = try body(&book, store, now)
                }, finish: { answer.fault = $0 }))
        guard isDone else { throw .other(.closing, HostPhase.closing.message) }
        return try answer.get()
    }

    /// Takes part in the last turns, leaves the store, and ends the thread.
    func stop() {
        inbox.withLock { $0.isStopping = true }
        csys_eventfd_signal(bell)
    }

    /// The store was left, and everybody was told what became of what they gave.
    var isStopped: Bool { inbox.withLock { $0.isStopped } }

    /// For a manual clock: returns once a turn that began after the call is over.
    func settle() { _ = try? perform { (_, _, _) throws(StoreFault) in } }

    /// For a manual clock: when something of requests comes due.
    var nextDeadline: UInt64? {
        let next = nextLook.load(ordering: .acquiring)
        return next == .max ? nil : next
    }

    // MARK: On the thread

    private func run() {
        while true {
            // First: whoever rings after this is heard by the sleep below.
            csys_eventfd_drain(bell)
            var until: UInt64 = 0
            var watched: Int32 = -1
            let isOver = turning.withLock { _ in
                inTurn {
                    let intake = takeJobs()
                    turn(intake)
                    // Nobody rings any more: what has come with the last ring may have brought more.
                    if intake.isStopping { return intake.jobs.isEmpty && finish() }
                    until = min(untilRested(), storeWatch.nextLook)
                    watched = storeWatch.descriptor
                    restingDescriptor = watched
                    restingWake = wake
                    restingUntil.store(until, ordering: .releasing)
                    return false
                }
            }
            if isOver { return }
            // Who takes a turn meanwhile may watch another file, and rings then.
            if until > 0 { rest(until, watched) }
            restingUntil.store(0, ordering: .releasing)
        }
    }

    private func inTurn<T>(_ body: () -> T) -> T {
        turner.store(csys_thread_number(), ordering: .relaxed)
        defer { turner.store(0, ordering: .relaxed) }
        return body()
    }

    /// The last turn is over: the store is left in order. False: something has come meanwhile.
    private func finish() -> Bool {
        let isLast = inbox.withLock { inbox -> Bool in
            guard inbox.jobs.isEmpty else { return false }
            inbox.isClosed = true
            return true
        }
        guard isLast else { return false }
        let now = clock.moment()
        var failure: StoreFault?
        do {
            try store?.write { (transaction) throws(StoreFault) in
                if let fault = verdict.withLock({ $0 }) { throw fault }
                for job in owed { try job.apply(&book, transaction, now) }
                try book.writeState(at: now, transaction)
                try book.ledger.leave(by: book.host, at: now.wall, transaction)
            }
        } catch {
            failure = error
            log(
                .warning, nil, 0,
                "the store could not be left in order, and the next host will find requests running: \(error.message)"
            )
        }
        store = nil
        let last = owed
        owed = []
        for job in last { job.finish(failure) }
        inbox.withLock { $0.isStopped = true }
        phase.progressed()
        return true
    }

    private func turn(_ jobs: [RequestJob]) {
        guard let store else { fatalError("a store of requests was used after it was left") }
        if storeWatch.hasNews(store) { book.othersWrote() }
        let now = clock.moment()
        lookAtClock(now)
        if book.isAnythingWaiting || isFactorWatched.load(ordering: .acquiring) {
            readSources(&book, now)
        }
        let isDue = book.isDue(at: now) && mayDecide(now)
        guard !jobs.isEmpty || isDue || (!owed.isEmpty && mayDecide(now)) else {
            tellFactors()
            lookAhead()
            return
        }
        let late = owed
        let isOpen = phase.isOpen
        var effects: [RequestBook.Effect] = []
        // What a transaction has told the book is forgotten with it.
        let before = book.mark()
        do {
            try store.write { (transaction) throws(StoreFault) in
                if let fault = verdict.withLock({ $0 }) { throw fault }
                for job in late + jobs { try job.apply(&book, transaction, now) }
                if isOpen { effects = try book.turn(at: now, transaction) }
                if nextPrune <= now.span {
                    try book.writeState(at: now, transaction)
                    if try !book.ledger.prune(at: now.wall, transaction) {
                        nextPrune = now.span &+ Self.pruneInterval
                    }
                }
            }
        } catch {
            book.revert(to: before)
            failed(error, jobs, now)
            return
        }
        if !late.isEmpty { owed.removeAll() }
        retryAt = nil
        retryPause = 0
        if book.scheduler.storeFault != nil {
            log(.info, nil, 0, "the store works again; requests are launched again")
        }
        book.worked()
        for effect in effects { perform(effect) }
        tellFactors()
        lookAhead()
        for job in late + jobs { job.finish(nil) }
    }

    private func mayDecide(_ now: Moment) -> Bool { retryAt.map { $0 <= now.span } ?? true }

    private func failed(_ fault: StoreFault, _ jobs: [RequestJob], _ now: Moment) {
        if book.scheduler.storeFault == nil {
            log(
                .error, nil, 0,
                "the store: \(fault.message); nothing is launched until it works again, and what was acknowledged is kept"
            )
        }
        // What makes no sense does not come to make sense by itself.
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

    /// A clock that was set, or a machine that slept, is noticed by the two clocks' difference.
    private func lookAtClock(_ now: Moment) {
        csys_clock_watch_rearm(clockWatch)
        let passed = Int64(clamping: now.span &- lastLook.span)
        let slept = clock.slept
        let shift = now.wall &- lastLook.wall &- passed
        if shift < -1_000_000_000 || shift > 1_000_000_000 {
            log(
                .info, nil, 0,
                "the clock was set \(shift < 0 ? "back" : "forward") by \(abs(shift / 1_000_000_000)) s; dates are looked at again"
            )
            book.clockJumped(from: lastLook, to: now)
        } else if slept > lastSlept &+ 1_000_000_000 {
            book.clockJumped(from: lastLook, to: now)
        }
        lastLook = now
        lastSlept = slept
    }

    /// Asks the sources, if that is a while ago.
    private func readSources(_ book: inout RequestBook, _ now: Moment) {
        guard !configuration.sources.isEmpty, nextSourceRead <= now.span else { return }
        nextSourceRead = now.span &+ configuration.sourceInterval
        var isChanged = false
        for source in configuration.sources {
            for (factor, reading) in source.read() {
                let before = book.scheduler.board.state(factor)
                book.scheduler.board.observe(factor, reading, at: now)
                if book.scheduler.board.state(factor) != before { isChanged = true }
            }
        }
        if isChanged { book.scheduler.reconsider() }
    }

    /// How a factor of the machine is; the sources are asked, if that is a while ago.
    func factor(_ factor: Factor) throws(RequestFailure) -> FactorBoard.Standing? {
        try perform { [self] (book, _, now) throws(StoreFault) in
            readSources(&book, now)
            return book.scheduler.board[factor]
        }
    }

    /// From now on the sources are asked also while no request waits, and changes are told.
    func watchFactors() {
        guard !isFactorWatched.exchange(true, ordering: .acquiringAndReleasing) else { return }
        _ = add(
            RequestJob(
                apply: { [self] (book, _, now) throws(StoreFault) in
                    readSources(&book, now)
                    toldFactors = factors(book)
                }, finish: { _ in }))
    }

    private func factors(_ book: RequestBook) -> [Factor: FactorState] {
        Dictionary(
            uniqueKeysWithValues: Factor.allCases.filter(\.isSettable).map {
                ($0, book.scheduler.board.state($0))
            })
    }

    /// Raises an event for each factor that has changed, where somebody wants to hear of them.
    private func tellFactors() {
        guard isFactorWatched.load(ordering: .acquiring) else { return }
        let now = factors(book)
        for (factor, state) in now.sorted(by: { $0.key < $1.key })
        where toldFactors[factor] != state {
            _ = engine.events.raise(
                engine.directory.factor, [.text(factor.name), .int32(Int32(state.rawValue))],
                task: 0)
        }
        toldFactors = now
    }

    /// When something has to be decided.
    private func nextWake(_ now: Moment) -> RequestScheduler.Wake {
        var wake = book.wake(after: now)
        if book.isReady { wake.span = now.span }
        if let retryAt {
            // A store that fails is asked again after a pause, and nothing is decided before.
            wake = RequestScheduler.Wake(wall: nil, span: retryAt)
        } else if !configuration.sources.isEmpty,
            book.isAnythingWaiting || isFactorWatched.load(ordering: .acquiring)
        {
            wake.span = min(wake.span ?? .max, nextSourceRead)
        }
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
        let now = clock.moment()
        wake = nextWake(now)
        left = Self.left(until: wake, now)
        nextLook.store(Self.sum(clock.now(), left), ordering: .releasing)
    }

    /// Until when nothing has to be done, on the monotonic clock; 0: something has to be at once.
    private func untilRested() -> UInt64 {
        guard phase.isOpen else { return .max }
        if left == 0 { return 0 }
        // Whoever advances a manual clock rings.
        return clock.manual != nil ? .max : Self.sum(csys_monotonic_ns(), left)
    }

    /// Or never.
    private static func sum(_ time: UInt64, _ span: UInt64) -> UInt64 {
        let (sum, overflow) = time.addingReportingOverflow(span)
        return overflow ? .max : sum
    }

    private func rest(_ until: UInt64, _ watched: Int32) {
        let descriptors = [bell, clockWatch, watched]
        csys_wait_any_readable(descriptors, Int32(descriptors.count), until)
    }
}
