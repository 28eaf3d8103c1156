// SPDX-License-Identifier: Apache-2.0
import CSystem
public import PluginBridge
public import Scheduling
import Synchronization

/// Requests: from the embedder's calls to the thread that has them.
extension HostRuntime {
    /// The thread of requests; made when it is first needed, or with the host where it has a store.
    func requestLoop() throws(RequestFailure) -> RequestLoop {
        let made = requests.withLock { loop -> Result<RequestLoop, RequestFailure> in
            if let loop { return .success(loop) }
            guard isOpen else { return .failure(.other(.closing, HostRuntime.closing.message)) }
            do throws(StoreFault) {
                let new = try RequestLoop(host: self, configuration.requests)
                guard new.start() else {
                    return .failure(
                        .other(
                            .system,
                            "no thread could be started; raise the limit of processes (ulimit -u)"))
                }
                loop = new
                for handler in handlers { tell(new, handler) }
                return .success(new)
            } catch {
                return .failure(.store(error))
            }
        }
        let loop = try made.get()
        return loop
    }

    private var existingLoop: RequestLoop? { requests.withLock { $0 } }

    /// For a manual clock.
    func settleRequests() { existingLoop?.settle() }

    /// For a manual clock: on its own time.
    var nextRequestDeadline: UInt64? { existingLoop?.nextDeadline }

    /// A handler can be launched from now on, or not, or in another number.
    func standingChanged(_ handler: HandlerRecord) {
        guard let loop = existingLoop else { return }
        tell(loop, handler)
    }

    private func tell(_ loop: RequestLoop, _ handler: HandlerRecord) {
        let identifier = handler.description.identifier
        guard !handler.description.isQueue else { return }
        _ = loop.add(
            RequestJob(
                apply: { (book, store, _) throws(StoreFault) in
                    try book.setStanding(handler.standing, of: identifier, store)
                }, finish: { _ in }, isOwed: true))
    }

    // MARK: Ending

    /// A task that is a launch of a request is over once that is written down, to which the thread of
    /// requests sees. False: it is none, and is over now.
    func isOfRequest(
        _ task: TaskReference, _ handler: HandlerCellPointer, _ claimed: TaskStateMachine,
        armed: Bool
    ) -> Bool {
        let slot = tasks.slot(task)
        // Constant for the life of the host.
        nonisolated(unsafe) let cell = handler
        guard let record = tasks.existingRecord(of: slot), let request = record.request,
            let outcome = claimed.outcome, let loop = existingLoop
        else { return false }
        let snooze = request.snooze.load(ordering: .acquiring)
        let error = record.error.map { String(cString: $0) } ?? outcome.doneText ?? ""
        let started = slot.pointee.startedAt.load(ordering: .acquiring)
        let ran = claimed.isEntered && started > 0 ? clock.now() &- started : 0
        let willBeWritten = loop.taskEnded(
            request.ticket,
            AttemptEnd(
                outcome, reason: claimed.reason, error: outcome == .succeeded ? "" : error,
                snooze: snooze == 0 ? nil : snooze - 1),
            isAnswered: claimed.isAnswered || claimed.reason == nil,
            cost: DayAmounts(
                launches: 0, wall: ran, cpu: record.cpu.load(ordering: .acquiring)),
            deferred: { request.isEndWaiting.store(true, ordering: .releasing) }
        ) { [self] isWritten in
            if isWritten {
                publishNow(task, cell, claimed, armed: armed)
            } else {
                publishUnwritten(task, cell, armed: armed)
            }
        }
        if !willBeWritten { publishUnwritten(task, handler, armed: armed) }
        return true
    }

    /// The end of a request's task is not in its store, from which the request is launched again:
    /// everybody is told that this launch was interrupted.
    private func publishUnwritten(
        _ task: TaskReference, _ handler: HandlerCellPointer, armed: Bool
    ) {
        let (_, state) = mustStep(task) { $0.interruptUnwritten() }
        publishNow(task, handler, state, armed: armed)
    }

    /// The task is over, and its end is not written down yet.
    func isEndWaiting(_ task: TaskReference) -> Bool {
        tasks.existingRecord(of: tasks.slot(task))?.request?.isEndWaiting
            .load(ordering: .acquiring) == true
    }

    // MARK: Submitting

    /// Submits a request and returns once it is durable. Raises `scheduling<event>_done` where the
    /// handler is registered.
    public func submit(
        _ description: RequestDescription, payload: [UInt8]
    ) throws(RequestFailure) -> Submission {
        do throws(RequestFailure) {
            let submission = try submitQuietly(description, payload)
            announce(description.identifier, true, "")
            return submission
        } catch {
            announce(description.identifier, false, error.message)
            throw error
        }
    }

    private func submitQuietly(
        _ description: RequestDescription, _ payload: [UInt8]
    ) throws(RequestFailure) -> Submission {
        do throws(BridgeError) {
            try checkPermitted(
                HandlerDescription(identifier: description.identifier, kind: description.kind))
        } catch {
            throw .other(error.status, error.message)
        }
        guard isOpen else { throw .other(.closing, HostRuntime.closing.message) }
        let answer = try requestLoop().perform { (book, store, now) throws(StoreFault) in
            try book.submit(description, payload: payload, at: now, store)
        }
        switch answer {
        case .success(let submission): return submission
        case .failure(let refusal): throw .refused(refusal)
        }
    }

    private func announce(_ identifier: String, _ success: Bool, _ error: String) {
        guard let handler = handler(identifier) else { return }
        _ = events.raiseIfWanted(handler.scheduling, task: 0, [.bool(success), .text(error)])
    }

    // MARK: Cancelling

    /// Cancels a request; one whose task runs is cancelled once the task has stopped. Returns what it
    /// was: `ok`, or `already` where it was over before.
    public func cancel(_ id: RequestID) throws(RequestFailure) -> Status {
        let answer = try requestLoop().perform { (book, store, now) throws(StoreFault) in
            try book.cancel(id, at: now, store)
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
        guard let loop = existingLoop else { return }
        let task = try? loop.perform { [loop] (_, _, _) throws(StoreFault) in
            loop.tasks[RequestTicket(request: id, launch: launch)]
        }
        if let task { _ = cancel(task) }
    }

    /// Cancels the pending requests of an identifier, or all of them. Running tasks go on. Returns how
    /// many there were.
    public func cancelPending(_ identifier: String?) throws(RequestFailure) -> Int {
        var count = 0
        var filter = RequestFilter(
            states: [.pending, .parked], identifier: identifier, limit: 1_000)
        while true {
            let page = try requestLoop().perform {
                [filter] (book, store, now) throws(StoreFault) in
                let pending = try store.requests(filter)
                for request in pending { _ = try book.cancel(request.id, at: now, store) }
                return (count: pending.count, last: pending.last?.id)
            }
            count += page.count
            if page.count < filter.limit { return count }
            // Not past all those again that are cancelled now.
            filter.after = page.last
        }
    }

    /// Lets a request be launched again that took the process down too often.
    public func lift(_ id: RequestID) throws(RequestFailure) {
        let isLifted = try requestLoop().perform { (book, store, now) throws(StoreFault) in
            try book.lift(id, at: now, store)
        }
        guard isLifted else {
            throw .other(.wrongState, "request \(id) is not parked, or there is none")
        }
    }

    // MARK: Looking

    public func requests(_ filter: RequestFilter) throws(RequestFailure) -> [Request] {
        try requestLoop().perform { (_, store, _) throws(StoreFault) in
            try store.requests(filter)
        }
    }

    /// What a request was submitted with; nil: there is none.
    public func payload(of id: RequestID) throws(RequestFailure) -> [UInt8]? {
        try requestLoop().perform { (_, store, _) throws(StoreFault) in
            try store.request(id) == nil ? nil : store.payload(of: id)
        }
    }

    public func request(_ id: RequestID) throws(RequestFailure) -> Request? {
        try requestLoop().perform { (_, store, _) throws(StoreFault) in try store.request(id) }
    }

    public func attempts(of id: RequestID, limit: Int) throws(RequestFailure) -> [Attempt] {
        try requestLoop().perform { (_, store, _) throws(StoreFault) in
            try store.attempts(of: id, limit: limit)
        }
    }

    public func journal(
        after sequence: UInt64, of id: RequestID?, limit: Int
    ) throws(RequestFailure) -> [JournalEntry] {
        let entries = try requestLoop().perform { (_, store, _) throws(StoreFault) in
            try store.journal(after: sequence, of: id, limit: limit)
        }
        // Of one request's, numbers are missing always.
        return id == nil ? JournalEntry.tellingGap(entries, after: sequence) : entries
    }

    /// Bytes that a request's payload may have.
    public var requestPayloadLimit: Int { configuration.requests.limits.payloadBytes }

    /// The moment that dates and reports are about.
    public var moment: Moment { clock.moment() }

    /// How every factor stands for a request. Nil: there is none.
    public func why(_ id: RequestID) throws(RequestFailure) -> [FactorReport]? {
        try requestLoop().perform { (book, store, now) throws(StoreFault) in
            try store.request(id).map { book.scheduler.why($0, at: now) }
        }
    }

    /// How every factor stands for whatever would be submitted.
    public func why(_ queue: RequestQueue) throws(RequestFailure) -> [FactorReport] {
        try requestLoop().perform { (book, _, now) throws(StoreFault) in
            book.why(queue, at: now)
        }
    }

    // MARK: Setting

    /// The event that tells of factors.
    static let factorSelector = EventSelector(name: "curfew_factor", arity: 2)

    /// How a factor of the machine is now; nil: nobody has said anything yet.
    public func factor(_ factor: Factor) throws(RequestFailure) -> FactorBoard.Standing? {
        guard factor.isSettable else {
            throw .other(.invalid, "the factor \(factor.name) is not the machine's")
        }
        return try requestLoop().factor(factor)
    }

    /// Sets a factor of the machine by hand, or with nil leaves it to the sources again.
    public func set(_ factor: Factor, _ reading: FactorReading?) throws(RequestFailure) {
        guard factor.isSettable else {
            throw .other(.invalid, "the factor \(factor.name) is not the machine's")
        }
        try requestLoop().perform { (book, _, now) throws(StoreFault) in
            book.scheduler.board.set(factor, reading, at: now)
            book.scheduler.reconsider()
        }
    }

    /// A source of the embedder's says how a factor is; a change has to last before it counts.
    public func hear(_ factor: Factor, _ reading: FactorReading) throws(RequestFailure) {
        guard factor.isSettable else {
            throw .other(.invalid, "the factor \(factor.name) is not the machine's")
        }
        try requestLoop().perform { (book, _, now) throws(StoreFault) in
            book.scheduler.board.hear(factor, reading, at: now)
            book.scheduler.reconsider()
        }
    }

    /// Sets what people want of launches. Throws `invalid` for a scope whose name is no identifier.
    public func set(
        _ setting: HandlerSetting, for scope: HandlerScope
    ) throws(RequestFailure) {
        let answer = try requestLoop().perform { (book, store, _) throws(StoreFault) in
            try book.set(setting, for: scope, store)
        }
        if case .failure(let fault) = answer {
            throw .other(.invalid, "\(fault.message); nothing was set")
        }
    }

    /// The app of the handlers is used now.
    public func noteUsage() throws(RequestFailure) {
        try requestLoop().perform { (book, _, now) throws(StoreFault) in
            book.scheduler.usage.note(at: now.wall, in: LocalZone())
        }
    }

    /// What is left of the day's budget.
    public func dayBalance() throws(RequestFailure) -> DayLimits {
        try requestLoop().perform { (book, _, now) throws(StoreFault) in
            book.scheduler.budget.balance(at: now.wall)
        }
    }

    // MARK: Simulating

    /// Launches the pending request of an identifier at once, whatever holds it back, with log lines
    /// as Apple's debugger command has them.
    public func simulateLaunch(_ identifier: String) throws(RequestFailure) -> RequestID {
        log(.info, nil, 0, "Simulating launch for task with identifier \(identifier)")
        let loop = try requestLoop()
        let answer = try loop.perform {
            (book, store, now) throws(StoreFault) -> Result<RequestID, RequestFailure> in
            if let id = try book.simulateLaunch(identifier, at: now, store) { return .success(id) }
            return .failure(
                book.simulated(identifier).isRunning
                    ? .other(.already, "Task with identifier \(identifier) is already running")
                    : .other(
                        .notFound,
                        "No task request with identifier \(identifier) has been scheduled"))
        }
        if case .failure(let failure) = answer { log(.warning, nil, 0, failure.message) }
        return try answer.get()
    }

    /// Lets the time of a simulated task be over.
    public func simulateExpiration(_ identifier: String) throws(RequestFailure) {
        log(.info, nil, 0, "Simulating expiration for task with identifier \(identifier)")
        let loop = try requestLoop()
        let task = try loop.perform { [loop] (book, _, _) throws(StoreFault) -> UInt64? in
            book.simulated(identifier).task.flatMap {
                loop.tasks[RequestTicket(request: $0.id, launch: $0.launch)]
            }
        }
        guard let task else {
            let text = "Task with identifier \(identifier) is not currently being simulated"
            log(.warning, nil, 0, text)
            throw .other(.notFound, text)
        }
        // It may be about to begin.
        let until = HostRuntime.realDeadline(1_000_000_000)
        var status = stop(task, .budget)
        while status == .wrongState, csys_monotonic_ns() < until {
            pauseBriefly()
            status = stop(task, .budget)
        }
        if status != .ok { throw .other(status, status.description) }
    }
}

extension HandlerRecord {
    /// What the scheduler is told.
    var standing: HandlerStanding {
        var closed: HandlerStanding.Closed?
        if isQuarantined {
            closed = .quarantined(quarantineReason ?? "")
        } else if isPaused {
            closed = .paused
        }
        return HandlerStanding(
            closed: closed, places: Int(description.maxConcurrency), needs: description.needs,
            plugin: plugin)
    }
}
