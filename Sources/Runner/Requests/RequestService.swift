// SPDX-License-Identifier: Apache-2.0
import Glibc
package import PluginBridge
package import Scheduling
import Synchronization

/// The requests of a host: submitting, cancelling, queries and settings.
///
/// Calls become jobs of the loop's inbox: they run in its batches, and return once their batch is
/// committed.
package final class RequestService: @unchecked Sendable {
    // Sendable: the loop is locked, the rest is constant.

    private let engine: TaskEngine
    private let configuration: RequestConfiguration
    private let process = getpid()
    /// Made on first use, or with the host if it has a store.
    private let made = Locked<RequestLoop?>(nil)

    init(_ engine: TaskEngine, _ configuration: RequestConfiguration) {
        self.engine = engine
        self.configuration = configuration
    }

    // MARK: The thread

    /// Returns the loop, which is started on first use.
    func loop() throws(RequestFailure) -> RequestLoop {
        try made.withLock { made throws(RequestFailure) in
            if let made { return made }
            guard engine.phase.isOpen else { throw .other(.closing, HostPhase.closing.message) }
            let new: RequestLoop
            do throws(StoreFault) {
                new = try RequestLoop(engine, configuration)
            } catch {
                throw .store(error)
            }
            // Without it nobody could wake the thread, and each call would wait for it.
            guard new.inbox.descriptor >= 0 else {
                throw .other(
                    .system, "no file descriptor is left; raise the limit of files (ulimit -n)")
            }
            guard new.start() else {
                throw .other(
                    .system, "no thread could be started; raise the limit of processes (ulimit -u)")
            }
            made = new
            for handler in engine.handlers.all { report(handler, to: new) }
            return new
        }
    }

    func openStore() throws(RequestFailure) {
        if configuration.openStore != nil { _ = try loop() }
    }

    private var existing: RequestLoop? { made.withLock { $0 } }

    /// For a manual clock: waits until the thread has handled what is due.
    func settle() {
        if let existing { try? wait(for: RequestJob(apply: nil, finish: { _ in }), in: existing) }
    }

    /// Waits until the thread of the requests has ended a batch, which no caller takes for it: if it is
    /// stuck, this does not return. A store that cannot be used is no reason to wait.
    package func awaitThread() {
        guard let existing else { return }
        let job = RequestJob(apply: nil, finish: { _ in })
        _ = existing.inbox.addAndWait(job, runBatch: { false })
    }

    var nextDeadline: UInt64? { existing?.nextDeadline }

    /// Passes on a change of a handler's availability.
    func stateChanged(_ handler: HandlerRecord) {
        if let existing { report(handler, to: existing) }
    }

    private func report(_ handler: HandlerRecord, to loop: RequestLoop) {
        let identifier = handler.description.identifier
        guard !handler.description.isQueue else { return }
        _ = loop.inbox.add(
            RequestJob(
                apply: { (book, store, _) throws(StoreFault) in
                    try book.setState(handler.state, of: identifier, store)
                }, finish: { _ in }, isOwed: true))
    }

    /// Passes on the handlers of a plugin that was found and is not loaded.
    func discovered(_ manifest: Manifest) {
        guard let existing else { return }
        let (identifiers, plugin) = (manifest.handlers.map(\.identifier), manifest.id)
        _ = existing.inbox.add(
            RequestJob(
                apply: { (book, _, _) throws(StoreFault) in
                    for identifier in identifiers {
                        book.noteDiscovered(identifier, plugin: plugin)
                    }
                }, finish: { _ in }))
    }

    /// Passes on the handlers of a plugin that was not loaded.
    func refused(_ manifest: Manifest, _ closed: HandlerState.Closed) {
        guard let existing else { return }
        let (identifiers, plugin) = (manifest.handlers.map(\.identifier), manifest.id)
        _ = existing.inbox.add(
            RequestJob(
                apply: { (book, _, _) throws(StoreFault) in
                    for identifier in identifiers {
                        book.noteRefused(identifier, plugin: plugin, closed)
                    }
                }, finish: { _ in }))
    }

    // MARK: Quarantine

    /// Whether requests, and the plugins that are not run, are stored.
    var isStored: Bool { configuration.openStore != nil }

    /// Returns the plugins that are not run, as the store has them; none without a store.
    ///
    /// - Parameter changed: called with the new list when another process has changed it, on the
    ///   thread of the requests.
    func quarantine(
        changed: @escaping @Sendable (QuarantineList) -> Void
    ) -> QuarantineList {
        guard let existing else { return QuarantineList() }
        existing.observeQuarantine(changed)
        let list = try? perform { (book, _, _) throws(StoreFault) in book.quarantine }
        return list ?? QuarantineList()
    }

    /// Changes the list of plugins that are not run, soon; `finish` is called once it is written, or
    /// cannot be.
    func changeQuarantine(
        _ change: @escaping @Sendable (inout QuarantineList) -> Void,
        finish: @escaping @Sendable () -> Void
    ) {
        guard let existing else { return finish() }
        _ = existing.inbox.add(
            RequestJob(
                apply: { (book, store, _) throws(StoreFault) in
                    try book.changeQuarantine(store, change)
                }, finish: { _ in finish() }, isOwed: true))
    }

    /// Reads the sources even while no request waits, for subscribers to factors.
    func watchFactors() { (try? loop())?.watchFactors() }

    /// Records the last ends of tasks and closes the store; waits until a CLOCK_MONOTONIC time.
    func stop(until deadline: UInt64) {
        guard let existing else { return }
        existing.inbox.stop()
        _ = engine.phase.wait(until: deadline) {
            existing.isStopped.load(ordering: .sequentiallyConsistent)
        }
    }

    // MARK: Performing

    /// Runs `body` in a transaction and waits for the commit. A caller that finds the loop's thread
    /// asleep runs the batch itself.
    ///
    /// - Parameter submissions: the number of requests that `body` submits.
    private func perform<Answer: Sendable>(
        submitting submissions: Int = 0,
        _ body:
            @escaping @Sendable (
                inout RequestBook, any StoreTransaction, Moment
            ) throws(StoreFault) -> Answer
    ) throws(RequestFailure) -> Answer {
        let answer = RequestAnswer<Answer>()
        try wait(
            for: RequestJob(
                apply: { (book, store, now) throws(StoreFault) in
                    answer.value = try body(&book, store, now)
                }, finish: { answer.fault = $0 }, submissions: submissions), in: try loop())
        return try answer.get()
    }

    /// Adds a job and waits for the end of its batch.
    private func wait(for job: RequestJob, in loop: RequestLoop) throws(RequestFailure) {
        guard !loop.isInBatch, engine.threads.role != .logging else {
            throw .other(
                .wrongThread,
                "a log function and a function that observes requests must not call this: it could wait for itself"
            )
        }
        guard process == getpid() else {
            throw .other(
                .denied,
                "the host was made before fork(2), and its threads are its parent's alone: make one in the child"
            )
        }
        guard loop.inbox.addAndWait(job, runBatch: { loop.runBatchIfAsleep() }) else {
            throw .other(.closing, HostPhase.closing.message)
        }
    }

    // MARK: Submitting

    /// Whether the caller is inside a handler.
    package var isInHandler: Bool { engine.threads.role == .worker }

    /// Submits a request and returns once it is durable.
    /// Raises `scheduling<event>_done` if the handler is registered.
    ///
    /// - Parameter isNext: a handler submits it without saying that it is one of many, so that it
    ///   could be the handler's own next launch: see `Request.isUndated`.
    package func submit(
        _ description: RequestDescription, payload: [UInt8], isNext: Bool = false
    ) throws(RequestFailure) -> Submission {
        do throws(RequestFailure) {
            let submission = try submitQuietly(description, payload, isNext ? .fromHandler : [])
            announce(description.identifier, true, "")
            return submission
        } catch {
            announce(description.identifier, false, error.message)
            throw error
        }
    }

    private func submitQuietly(
        _ description: RequestDescription, _ payload: [UInt8], _ marks: Request.Marks
    ) throws(RequestFailure) -> Submission {
        if let refusal = refusal(description) { throw refusal }
        let answer = try perform(submitting: 1) { (book, store, now) throws(StoreFault) in
            try book.submit(description, payload: payload, marks: marks, at: now, store)
        }
        switch answer {
        case .success(let submission): return submission
        case .failure(let refusal): throw .refused(refusal)
        }
    }

    /// Submits requests in one transaction, and returns before it is committed. Each is accepted or refused
    /// by itself.
    ///
    /// - Parameters:
    ///   - requester: the user to whom they belong; nil for the store's own.
    ///   - runsHere: the calling thread may run the transaction, and blocks for the disk then.
    ///   - then: called once, with the results in the order of the requests, on the thread that has run the
    ///     transaction; it must not wait for anything.
    package func submit(
        _ drafts: [RequestDraft], by requester: Requester? = nil, runsHere: Bool,
        then: @escaping @Sendable ([Result<Submission, RequestFailure>]) -> Void
    ) {
        let refusals = drafts.map { refusal($0.description) }
        let loop: RequestLoop
        do throws(RequestFailure) {
            loop = try self.loop()
        } catch {
            return then(drafts.map { _ in .failure(error) })
        }
        let answer = RequestAnswer<[Result<Submission, RequestFailure>]>()
        let job = RequestJob(
            apply: { (book, store, now) throws(StoreFault) in
                var results: [Result<Submission, RequestFailure>] = []
                for (draft, refusal) in zip(drafts, refusals) {
                    if let refusal {
                        results.append(.failure(refusal))
                        continue
                    }
                    let answer = try book.submit(
                        draft.description, payload: draft.payload, by: requester, at: now, store)
                    results.append(answer.mapError { .refused($0) })
                }
                answer.value = results
            },
            finish: { [self] fault in
                let results =
                    fault.map { fault in drafts.map { _ in .failure(.store(fault)) } }
                    ?? answer.value ?? []
                for (draft, result) in zip(drafts, results) {
                    switch result {
                    case .success: announce(draft.description.identifier, true, "")
                    case .failure(let failure):
                        announce(draft.description.identifier, false, failure.message)
                    }
                }
                then(results)
            }, submissions: drafts.count)
        let isAdded = loop.inbox.add(job) { runsHere && loop.runBatchIfAsleep() }
        if !isAdded {
            then(drafts.map { _ in .failure(.other(.closing, HostPhase.closing.message)) })
        }
    }

    /// Why a request is not taken, before the store is asked.
    private func refusal(_ description: RequestDescription) -> RequestFailure? {
        do throws(BridgeError) {
            try engine.claims.checkPermitted(
                HandlerDescription(identifier: description.identifier, kind: description.kind))
        } catch {
            return .other(error.status, error.message)
        }
        return engine.phase.isOpen ? nil : .other(.closing, HostPhase.closing.message)
    }

    private func announce(_ identifier: String, _ success: Bool, _ error: String) {
        guard let handler = engine.handlers.find(identifier) else { return }
        _ = engine.events.raiseIfWanted(
            handler.scheduling, task: 0, [.bool(success), .text(error)])
    }

    // MARK: Schedules

    /// The changes of schedules that opening the store made; nil if the configuration has none.
    package var scheduleChanges: ScheduleChanges? { existing?.scheduleChanges }

    /// Makes the schedules of the store those of a configuration, in one transaction.
    ///
    /// - Parameter thresholds: a configuration whose thresholds and sources count from now on; of the rest nothing does.
    ///   They stay as they are if the schedules cannot be brought into the store.
    package func reconcile(
        _ schedules: [Schedule], set: String, thresholds: RequestConfiguration? = nil
    ) throws(RequestFailure) -> ScheduleChanges {
        let loop = try loop()
        let changes = try perform { (book, store, now) throws(StoreFault) in
            if let thresholds { loop.changeThresholds(of: &book, thresholds) }
            return try book.reconcile(schedules, set: set, at: now, store)
        }
        if let thresholds { loop.changeSources(thresholds.sources) }
        return changes
    }

    // MARK: Cancelling

    /// Cancels a request; a running one is cancelled once its task has stopped.
    /// Returns `ok`, or `already` if it was over.
    package func cancel(
        _ id: RequestID, by requester: Requester? = nil
    ) throws(RequestFailure) -> Status {
        let answer = try perform { (book, store, now) throws(StoreFault) in
            try book.cancel(id, by: requester, at: now, store)
        }
        switch answer {
        case .cancelled: return .ok
        case .running(let launch):
            cancelTask(of: id, launch: launch)
            return .ok
        case .over: return .already
        case .unknown: throw .other(.notFound, "there is no request \(id)")
        }
    }

    private func cancelTask(of id: RequestID, launch: UInt64) {
        guard let loop = existing else { return }
        let task = try? perform { [loop] (_, _, _) throws(StoreFault) in
            loop.tasks[RequestTicket(request: id, launch: launch)]
        }
        if let task { _ = engine.cancel(task) }
    }

    /// Changes requests in one transaction. Returns in their order why one was not changed; nil for one that was.
    package func change(
        _ ids: [RequestID], _ action: RequestAction, by requester: Requester?
    ) throws(RequestFailure) -> [RequestFailure?] {
        let changes = try perform { (book, store, now) throws(StoreFault) in
            var changes: [(failure: RequestFailure?, launch: UInt64?)] = []
            for id in ids {
                changes.append(
                    try Self.change(id, action, by: requester, at: now, store, &book))
            }
            return changes
        }
        for (id, change) in zip(ids, changes) {
            if let launch = change.launch { cancelTask(of: id, launch: launch) }
        }
        return changes.map(\.failure)
    }

    /// Returns why a request was not changed, and the launch of its task that is to be stopped.
    private static func change(
        _ id: RequestID, _ action: RequestAction, by requester: Requester?, at now: Moment,
        _ store: any StoreTransaction, _ book: inout RequestBook
    ) throws(StoreFault) -> (failure: RequestFailure?, launch: UInt64?) {
        switch action {
        case .cancel:
            switch try book.cancel(id, by: requester, at: now, store) {
            case .cancelled: (nil, nil)
            case .running(let launch): (nil, launch)
            case .over: (.other(.already, "request \(id) is over"), nil)
            case .unknown: (.other(.notFound, "there is no request \(id)"), nil)
            }
        case .release:
            try book.release(id, by: requester, at: now, store) ? (nil, nil) : (notParked(id), nil)
        case .retry:
            (failure(try book.retry(id, by: requester, at: now, store), of: id, notOver), nil)
        case .launch:
            (
                failure(try book.launchNow(id, by: requester, at: now, store), of: id, notPending),
                nil
            )
        }
    }

    /// Cancels the pending requests of an identifier, or of all. Running tasks continue.
    /// Returns how many requests were cancelled.
    package func cancelPending(_ identifier: String?) throws(RequestFailure) -> Int {
        var count = 0
        var filter = RequestFilter(
            states: [.pending, .parked], identifier: identifier, limit: 1_000)
        while true {
            let page = try perform {
                [filter] (book, store, now) throws(StoreFault) in
                let pending = try store.requests(filter)
                for request in pending { _ = try book.cancel(request.id, at: now, store) }
                return (count: pending.count, last: pending.last?.id)
            }
            count += page.count
            if page.count < filter.limit { return count }
            // Skips the requests that are cancelled now.
            filter.after = page.last
        }
    }

    /// Releases a parked request, one whose task ended with the process too often.
    package func release(
        _ id: RequestID, by requester: Requester? = nil
    ) throws(RequestFailure) {
        let isReleased = try perform { (book, store, now) throws(StoreFault) in
            try book.release(id, by: requester, at: now, store)
        }
        if !isReleased { throw Self.notParked(id) }
    }

    private static func notParked(_ id: RequestID) -> RequestFailure {
        .other(.wrongState, "request \(id) is not parked, or there is none")
    }

    // MARK: Changing

    /// Notes in the journal what another user has asked for, or was refused.
    package func audit(_ detail: String, _ id: RequestID?) throws(RequestFailure) {
        try perform { (book, store, now) throws(StoreFault) in
            try book.audit(detail, id, at: now, store)
        }
    }

    /// Makes a request that is over pending again. Returns it as it is now.
    @discardableResult
    package func retry(
        _ id: RequestID, by requester: Requester? = nil
    ) throws(RequestFailure) -> Request {
        try change(id, Self.notOver) { (book, store, now) throws(StoreFault) in
            try book.retry(id, by: requester, at: now, store)
        }
    }

    /// Makes a pending request due now. Returns it as it is now.
    @discardableResult
    package func launchNow(
        _ id: RequestID, by requester: Requester? = nil
    ) throws(RequestFailure) -> Request {
        try change(id, Self.notPending) { (book, store, now) throws(StoreFault) in
            try book.launchNow(id, by: requester, at: now, store)
        }
    }

    /// Changes the description of a pending request. Returns it as it is now.
    @discardableResult
    package func edit(
        _ id: RequestID, _ edits: @escaping @Sendable (inout RequestDescription) -> Void
    ) throws(RequestFailure) -> Request {
        try change(id, "edited: it is not pending") { (book, store, now) throws(StoreFault) in
            try book.edit(id, at: now, store, edits)
        }
    }

    private func change(
        _ id: RequestID, _ refusal: String,
        _ body:
            @escaping @Sendable (
                inout RequestBook, any StoreTransaction, Moment
            ) throws(StoreFault) -> RequestLedger.Change
    ) throws(RequestFailure) -> Request {
        let change = try perform(body)
        if case .changed(let request) = change { return request }
        throw Self.failure(change, of: id, refusal)!
    }

    private static let notOver = "retried: it is not over"
    private static let notPending = "launched: it is not pending"

    /// Why a request was not changed; nil if it was.
    private static func failure(
        _ change: RequestLedger.Change, of id: RequestID, _ refusal: String
    ) -> RequestFailure? {
        switch change {
        case .changed: nil
        case .wrongState: .other(.wrongState, "request \(id) cannot be \(refusal)")
        case .refused(let refusal): .refused(refusal)
        case .unknown:
            .other(.notFound, "there is no request \(id), or it is not kept any more")
        }
    }

    /// Stores what was counted in the last second, so that readers of the store see it.
    package func storeCounts() throws(RequestFailure) {
        let loop = try loop()
        loop.wantCounts()
        try perform { (_, _, _) throws(StoreFault) in }
    }

    /// What was counted since the host was made.
    package var statistics: RequestStatistics { existing?.statistics ?? RequestStatistics() }

    // MARK: Looking

    package func requests(_ filter: RequestFilter) throws(RequestFailure) -> [Request] {
        try perform { (_, store, _) throws(StoreFault) in
            try store.requests(filter)
        }
    }

    /// Returns the payload of a request, or nil for an unknown one.
    package func payload(of id: RequestID) throws(RequestFailure) -> [UInt8]? {
        try perform { (_, store, _) throws(StoreFault) in
            try store.request(id) == nil ? nil : store.payload(of: id)
        }
    }

    /// Returns the hosts that use the store, ordered by number, this one among them.
    package func hosts() throws(RequestFailure) -> [StoreHost] {
        try perform { (book, store, _) throws(StoreFault) in
            try StoreHost.all(store, own: book.host.id)
        }
    }

    package func request(_ id: RequestID) throws(RequestFailure) -> Request? {
        try perform { (_, store, _) throws(StoreFault) in try store.request(id) }
    }

    package func attempts(of id: RequestID, limit: Int) throws(RequestFailure) -> [Attempt] {
        try perform { (_, store, _) throws(StoreFault) in
            try store.attempts(of: id, limit: limit)
        }
    }

    package func attempt(
        _ launch: UInt64, of id: RequestID
    ) throws(RequestFailure) -> Attempt? {
        try perform { (_, store, _) throws(StoreFault) in try store.attempt(launch, of: id) }
    }

    package func journal(
        after sequence: UInt64, of id: RequestID?, limit: Int
    ) throws(RequestFailure) -> [JournalEntry] {
        let entries = try perform { (_, store, _) throws(StoreFault) in
            try store.journal(after: sequence, of: id, limit: limit)
        }
        // The journal of one request always has gaps in its numbers.
        return id == nil ? JournalEntry.tellingGap(entries, after: sequence) : entries
    }

    /// Maximum size of a request's payload in bytes.
    package var payloadLimit: Int { configuration.limits.payloadBytes }

    /// The current time for dates and reports.
    package var moment: Moment { RequestLoop.moment(engine, configuration) }

    /// Returns the state of every factor for a request, or nil for an unknown one.
    package func why(_ id: RequestID) throws(RequestFailure) -> [FactorReport]? {
        try perform { (book, store, now) throws(StoreFault) in
            try store.request(id).map { book.scheduler.why($0, at: now) }
        }
    }

    /// Returns the state of every factor for a new request of a queue.
    package func why(_ queue: RequestQueue) throws(RequestFailure) -> [FactorReport] {
        try perform { (book, _, now) throws(StoreFault) in
            book.why(queue, at: now)
        }
    }

    // MARK: Draining

    /// Launches nothing once it returns, or launches again; running tasks go on. It works whether or not the
    /// store does. The next host of the store launches.
    package func setDrained(_ isDrained: Bool) throws(RequestFailure) {
        let loop = try loop()
        guard loop.setDrained(since: isDrained ? moment.wall : nil) else { return }
        // The next batch begins with it.
        try wait(
            for: RequestJob(
                apply: { (book, store, _) throws(StoreFault) in
                    try book.storeDrain(isDrained, store)
                }, finish: { _ in }), in: loop)
        loop.noteDrain(isDrained)
    }

    /// Since when nothing is launched, in nanoseconds since 1970 in UTC; nil if requests are.
    package var drainedSince: Int64? { existing?.drainedSince }

    // MARK: The machine

    /// Launches nothing and stops the tasks of requests once it returns, because the machine is about to sleep or to
    /// be shut down; or launches again. Stopped requests wait for their next launch.
    package func setLeaving(_ isLeaving: Bool) throws(RequestFailure) {
        let loop = try loop()
        loop.setLeaving(since: isLeaving ? moment.wall : nil)
        try wait(for: RequestJob(apply: { (_, _, _) in }, finish: { _ in }), in: loop)
    }

    /// Computes the dates of cron expressions again if the machine has another time zone than before.
    package func zoneChanged() { existing?.zoneChanged() }

    /// Reads the sources of factors again soon, because one of them has changed.
    package func sourcesChanged() { existing?.sourcesChanged() }

    /// Returns the tasks of requests that are not over, ordered by request. It works whether or not the store does.
    package func tasks() throws(RequestFailure) -> [RequestTask] {
        let loop = try loop()
        let found = Locked<[RequestTicket: UInt64]>([:])
        try wait(
            for: RequestJob(
                apply: { (_, _, _) in },
                finish: { [loop] _ in
                    let tasks = loop.tasks.all
                    found.withLock { $0 = tasks }
                }), in: loop)
        let tasks = found.withLock { $0 }
        let (wall, clock) = (moment.wall, engine.clock.now())
        return tasks.compactMap { ticket, task in
            guard let state = engine.query(task), state.outcome == nil else { return nil }
            // One may have begun since the clock was read.
            let ran = clock > state.startedAt ? clock - state.startedAt : 0
            let begun = state.startedAt == 0 ? nil : wall - Int64(clamping: ran)
            let end = begun?.addingReportingOverflow(Int64(clamping: state.budget))
            return RequestTask(
                request: ticket.request, launch: ticket.launch, state: state, startedAt: begun,
                deadline: end.map { $0.overflow ? .max : $0.partialValue })
        }.sorted { $0.request < $1.request }
    }

    // MARK: Setting

    /// Returns the state of each factor of the machine that a source knows.
    package func factors() throws(RequestFailure) -> [(factor: Factor, entry: FactorBoard.Entry)] {
        let loop = try loop()
        return try perform { [loop] (book, _, now) throws(StoreFault) in
            loop.readSources(&book, now)
            return Factor.allCases.compactMap { factor in
                book.scheduler.board[factor].map { (factor, $0) }
            }
        }
    }

    /// Returns the current state of a factor of the machine, or nil if it was never reported.
    package func factor(_ factor: Factor) throws(RequestFailure) -> FactorBoard.Entry? {
        guard factor.isSettable else {
            throw .other(.invalid, "the factor \(factor.name) is not the machine's")
        }
        let loop = try loop()
        return try perform { [loop] (book, _, now) throws(StoreFault) in
            loop.readSources(&book, now)
            return book.scheduler.board[factor]
        }
    }

    /// Sets a factor of the machine manually; nil returns it to the sources.
    ///
    /// - Parameter span: nanoseconds for which it is overridden; nil: until it is ended.
    package func set(
        _ factor: Factor, _ reading: FactorReading?, for span: UInt64? = nil
    ) throws(RequestFailure) {
        guard factor.isSettable else {
            throw .other(.invalid, "the factor \(factor.name) is not the machine's")
        }
        try perform { (book, _, now) throws(StoreFault) in
            book.scheduler.board.set(factor, reading, for: span, at: now)
            book.reconsider()
        }
    }

    /// Reports a factor from a source of the embedder; a change has to last before it counts.
    package func observe(_ factor: Factor, _ reading: FactorReading) throws(RequestFailure) {
        guard factor.isSettable else {
            throw .other(.invalid, "the factor \(factor.name) is not the machine's")
        }
        try perform { (book, _, now) throws(StoreFault) in
            book.scheduler.board.observe(factor, reading, at: now)
            book.scheduler.reconsider()
        }
    }

    /// Sets a user's preferences for launches. Throws `invalid` for an invalid identifier.
    package func set(
        _ setting: HandlerSetting, for scope: HandlerScope
    ) throws(RequestFailure) {
        let answer = try perform { (book, store, _) throws(StoreFault) in
            try book.set(setting, for: scope, store)
        }
        if case .failure(let fault) = answer {
            throw .other(.invalid, "\(fault.message); nothing was set")
        }
    }

    /// Returns the settings of launches that people made.
    package func settings() throws(RequestFailure) -> HandlerSettings {
        try perform { (book, _, _) throws(StoreFault) in book.settings }
    }

    /// Records that the app of the handlers is in use now.
    package func noteUsage() throws(RequestFailure) {
        try perform { (book, _, now) throws(StoreFault) in
            book.scheduler.usage.note(at: now.wall, in: LocalZone())
        }
    }

    package func dayBalance() throws(RequestFailure) -> DayLimits {
        try perform { (book, _, now) throws(StoreFault) in
            book.scheduler.budget.balance(at: now.wall)
        }
    }

    // MARK: Simulating

    /// Launches the pending request of an identifier at once, whatever it waits for.
    /// The log lines are those of Apple's debugger command.
    package func simulateLaunch(_ identifier: String) throws(RequestFailure) -> RequestID {
        engine.log(.info, nil, 0, "Simulating launch for task with identifier \(identifier)")
        let answer = try perform {
            (book, store, now) throws(StoreFault) -> Result<RequestID, RequestFailure> in
            if let id = try book.simulateLaunch(identifier, at: now, store) { return .success(id) }
            return .failure(
                book.simulated(identifier).isRunning
                    ? .other(.already, "Task with identifier \(identifier) is already running")
                    : .other(
                        .notFound,
                        "No task request with identifier \(identifier) has been scheduled"))
        }
        if case .failure(let failure) = answer { engine.log(.warning, nil, 0, failure.message) }
        return try answer.get()
    }

    package func simulateExpiration(_ identifier: String) throws(RequestFailure) {
        engine.log(.info, nil, 0, "Simulating expiration for task with identifier \(identifier)")
        let loop = try loop()
        let task = try perform { [loop] (book, _, _) throws(StoreFault) -> UInt64? in
            book.simulated(identifier).task.flatMap {
                loop.tasks[RequestTicket(request: $0.id, launch: $0.launch)]
            }
        }
        guard let task else {
            let text = "Task with identifier \(identifier) is not currently being simulated"
            engine.log(.warning, nil, 0, text)
            throw .other(.notFound, text)
        }
        // A task that is about to begin can be stopped only once it has begun.
        var status = Status.wrongState
        _ = engine.phase.wait(until: EventLoop.deadline(after: 1_000_000_000)) {
            status = engine.stop(task, .budget)
            return status != .wrongState
        }
        if status != .ok { throw .other(status, status.description) }
    }
}

extension HandlerRecord {
    /// The handler's state as the scheduler needs it.
    var state: HandlerState {
        var closed = self.closed
        if isQuarantined {
            closed = closed ?? .quarantined("")
        } else if isPaused {
            closed = .paused
        }
        return HandlerState(
            closed: closed, places: Int(description.maxConcurrency),
            inStore: description.maxInStore, needs: description.needs, plugin: plugin,
            build: build)
    }
}
