// SPDX-License-Identifier: Apache-2.0
import CSystem
package import PluginBridge
package import Scheduling
import Synchronization

/// The requests of a host: submitting, cancelling, looking at them, and the settings that decide about
/// them. All calls go through the thread that has them (`RequestLoop`).
package final class RequestService: @unchecked Sendable {
    // Sendable: the loop is locked, the rest is constant.

    private let engine: TaskEngine
    private let clock: HostClock
    private let log: HostLog
    private let configuration: RequestConfiguration
    /// Made when it is first needed, or with the host where it has a store.
    private let made = Locked<RequestLoop?>(nil)

    init(_ engine: TaskEngine, _ configuration: RequestConfiguration) {
        self.engine = engine
        clock = engine.clock
        log = engine.log
        self.configuration = configuration
    }

    // MARK: The thread

    /// The thread of requests, made when it is first needed.
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
            guard new.start() else {
                throw .other(
                    .system, "no thread could be started; raise the limit of processes (ulimit -u)")
            }
            made = new
            for handler in engine.handlers.all { tell(new, handler) }
            return new
        }
    }

    /// Opens the store now, where the host has one.
    func openStore() throws(RequestFailure) {
        if configuration.openStore != nil { _ = try loop() }
    }

    private var existing: RequestLoop? { made.withLock { $0 } }

    /// For a manual clock: returns once the thread has looked at what is due.
    func settle() { existing?.settle() }

    /// For a manual clock: when something of requests comes due, on its own time.
    var nextDeadline: UInt64? { existing?.nextDeadline }

    /// A handler can be launched from now on, or not, or in another number.
    func stateChanged(_ handler: HandlerRecord) {
        if let existing { tell(existing, handler) }
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

    /// Subscribers to factors appear: the sources are read also while no request waits.
    func watchFactors() { (try? loop())?.watchFactors() }

    /// Records the last ends of tasks, and leaves the store. Returns once that is done, at most until a
    /// CLOCK_MONOTONIC time.
    func stop(until deadline: UInt64) {
        guard let existing else { return }
        existing.stop()
        _ = engine.phase.wait(until: deadline) { existing.isStopped }
    }

    // MARK: Submitting

    /// Submits a request and returns once it is durable. Raises `scheduling<event>_done` where the
    /// handler is registered.
    package func submit(
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
            try engine.claims.checkPermitted(
                HandlerDescription(identifier: description.identifier, kind: description.kind))
        } catch {
            throw .other(error.status, error.message)
        }
        guard engine.phase.isOpen else { throw .other(.closing, HostPhase.closing.message) }
        let answer = try loop().perform { (book, store, now) throws(StoreFault) in
            try book.submit(description, payload: payload, at: now, store)
        }
        switch answer {
        case .success(let submission): return submission
        case .failure(let refusal): throw .refused(refusal)
        }
    }

    private func announce(_ identifier: String, _ success: Bool, _ error: String) {
        guard let handler = engine.handlers.find(identifier) else { return }
        _ = engine.events.raiseIfWanted(
            handler.scheduling, task: 0, [.bool(success), .text(error)])
    }

    // MARK: Cancelling

    /// Cancels a request; one whose task runs is cancelled once the task has stopped. Returns what it
    /// was: `ok`, or `already` where it was over before.
    package func cancel(_ id: RequestID) throws(RequestFailure) -> Status {
        let answer = try loop().perform { (book, store, now) throws(StoreFault) in
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
        guard let loop = existing else { return }
        let task = try? loop.perform { [loop] (_, _, _) throws(StoreFault) in
            loop.tasks[RequestTicket(request: id, launch: launch)]
        }
        if let task { _ = engine.cancel(task) }
    }

    /// Cancels the pending requests of an identifier, or all of them. Running tasks go on. Returns how
    /// many there were.
    package func cancelPending(_ identifier: String?) throws(RequestFailure) -> Int {
        var count = 0
        var filter = RequestFilter(
            states: [.pending, .parked], identifier: identifier, limit: 1_000)
        while true {
            let page = try loop().perform {
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
    package func lift(_ id: RequestID) throws(RequestFailure) {
        let isLifted = try loop().perform { (book, store, now) throws(StoreFault) in
            try book.lift(id, at: now, store)
        }
        guard isLifted else {
            throw .other(.wrongState, "request \(id) is not parked, or there is none")
        }
    }

    // MARK: Looking

    package func requests(_ filter: RequestFilter) throws(RequestFailure) -> [Request] {
        try loop().perform { (_, store, _) throws(StoreFault) in
            try store.requests(filter)
        }
    }

    /// What a request was submitted with; nil: there is none.
    package func payload(of id: RequestID) throws(RequestFailure) -> [UInt8]? {
        try loop().perform { (_, store, _) throws(StoreFault) in
            try store.request(id) == nil ? nil : store.payload(of: id)
        }
    }

    package func request(_ id: RequestID) throws(RequestFailure) -> Request? {
        try loop().perform { (_, store, _) throws(StoreFault) in try store.request(id) }
    }

    package func attempts(of id: RequestID, limit: Int) throws(RequestFailure) -> [Attempt] {
        try loop().perform { (_, store, _) throws(StoreFault) in
            try store.attempts(of: id, limit: limit)
        }
    }

    package func journal(
        after sequence: UInt64, of id: RequestID?, limit: Int
    ) throws(RequestFailure) -> [JournalEntry] {
        let entries = try loop().perform { (_, store, _) throws(StoreFault) in
            try store.journal(after: sequence, of: id, limit: limit)
        }
        // Of one request's, numbers are missing always.
        return id == nil ? JournalEntry.tellingGap(entries, after: sequence) : entries
    }

    /// Bytes that a request's payload may have.
    package var payloadLimit: Int { configuration.limits.payloadBytes }

    /// The moment that dates and reports are about.
    package var moment: Moment { clock.moment() }

    /// How every factor stands for a request. Nil: there is none.
    package func why(_ id: RequestID) throws(RequestFailure) -> [FactorReport]? {
        try loop().perform { (book, store, now) throws(StoreFault) in
            try store.request(id).map { book.scheduler.why($0, at: now) }
        }
    }

    /// How every factor stands for whatever would be submitted.
    package func why(_ queue: RequestQueue) throws(RequestFailure) -> [FactorReport] {
        try loop().perform { (book, _, now) throws(StoreFault) in
            book.why(queue, at: now)
        }
    }

    // MARK: Setting

    /// How a factor of the machine is now; nil: nobody has said anything yet.
    package func factor(_ factor: Factor) throws(RequestFailure) -> FactorBoard.Standing? {
        guard factor.isSettable else {
            throw .other(.invalid, "the factor \(factor.name) is not the machine's")
        }
        return try loop().factor(factor)
    }

    /// Sets a factor of the machine by hand, or with nil leaves it to the sources again.
    package func set(_ factor: Factor, _ reading: FactorReading?) throws(RequestFailure) {
        guard factor.isSettable else {
            throw .other(.invalid, "the factor \(factor.name) is not the machine's")
        }
        try loop().perform { (book, _, now) throws(StoreFault) in
            book.scheduler.board.set(factor, reading, at: now)
            book.scheduler.reconsider()
        }
    }

    /// A source of the embedder's says how a factor is; a change has to last before it counts.
    package func hear(_ factor: Factor, _ reading: FactorReading) throws(RequestFailure) {
        guard factor.isSettable else {
            throw .other(.invalid, "the factor \(factor.name) is not the machine's")
        }
        try loop().perform { (book, _, now) throws(StoreFault) in
            book.scheduler.board.observe(factor, reading, at: now)
            book.scheduler.reconsider()
        }
    }

    /// Sets what people want of launches. Throws `invalid` for a scope whose name is no identifier.
    package func set(
        _ setting: HandlerSetting, for scope: HandlerScope
    ) throws(RequestFailure) {
        let answer = try loop().perform { (book, store, _) throws(StoreFault) in
            try book.set(setting, for: scope, store)
        }
        if case .failure(let fault) = answer {
            throw .other(.invalid, "\(fault.message); nothing was set")
        }
    }

    /// The app of the handlers is used now.
    package func noteUsage() throws(RequestFailure) {
        try loop().perform { (book, _, now) throws(StoreFault) in
            book.scheduler.usage.note(at: now.wall, in: LocalZone())
        }
    }

    /// The rest of the day's budget.
    package func dayBalance() throws(RequestFailure) -> DayLimits {
        try loop().perform { (book, _, now) throws(StoreFault) in
            book.scheduler.budget.balance(at: now.wall)
        }
    }

    // MARK: Simulating

    /// Launches the pending request of an identifier at once, whatever holds it back, with log lines
    /// as Apple's debugger command has them.
    package func simulateLaunch(_ identifier: String) throws(RequestFailure) -> RequestID {
        log(.info, nil, 0, "Simulating launch for task with identifier \(identifier)")
        let loop = try loop()
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
    package func simulateExpiration(_ identifier: String) throws(RequestFailure) {
        log(.info, nil, 0, "Simulating expiration for task with identifier \(identifier)")
        let loop = try loop()
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
        // It may be about to begin: then it has to be told once it has.
        let until = EventLoop.deadline(after: 1_000_000_000)
        var status = engine.stop(task, .budget)
        while status == .wrongState, csys_monotonic_ns() < until {
            csys_yield()
            status = engine.stop(task, .budget)
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
