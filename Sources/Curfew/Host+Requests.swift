// SPDX-License-Identifier: Apache-2.0
import Runner
import Scheduling

/// Requests: "launch this handler, not before…, only when…".
///
/// They live in the store of the host's configuration, or in memory. Each call returns once it is
/// committed, and blocks the calling thread until then; the `async` forms block none. No call may be
/// made from a log function. Besides the codes that they name, calls throw `.closing` and the codes of
/// stores (`.storeFull`, …), with which nothing was done.
extension Host {
    private func checked<Answer>(
        _ body: (HostRuntime) throws(RequestFailure) -> Answer
    ) throws(CurfewError) -> Answer {
        do throws(RequestFailure) {
            return try body(runtime)
        } catch {
            throw CurfewError(error)
        }
    }

    /// Makes a call on the host's thread for calls, and waits without blocking this one.
    private func onCallThread<Answer: Sendable>(
        _ body: @escaping @Sendable (Host) throws(CurfewError) -> Answer
    ) async throws(CurfewError) -> Answer {
        try await calls.result { () -> Result<Answer, CurfewError> in
            do throws(CurfewError) {
                return .success(try body(self))
            } catch {
                return .failure(error)
            }
        }
    }

    /// Submits a request. Its handler need not be registered yet; where it is,
    /// `scheduling<event>_done(success, error)` is raised.
    ///
    /// Throws `.tooMany` (as many of its kind are pending as may be), `.exists` (its key is another
    /// request's), `.tooLarge` (the payload), `.denied` (not in the list of permitted handlers) or
    /// `.invalid`.
    @discardableResult
    public func submit(
        _ description: RequestDescription, payload: [UInt8] = []
    ) throws(CurfewError) -> Submission {
        try checked { (runtime) throws(RequestFailure) in
            try runtime.requests.submit(description, payload: payload)
        }
    }

    /// Submits a request without blocking the thread.
    @discardableResult
    public func submit(
        _ description: RequestDescription, payload: [UInt8] = []
    ) async throws(CurfewError) -> Submission {
        try await onCallThread { (host) throws(CurfewError) in
            try host.submit(description, payload: payload)
        }
    }

    /// Cancels a request. Where its task runs, the task is told to stop. Returns false for a request
    /// that was over before. Throws `.notFound`.
    @discardableResult
    public func cancel(_ request: RequestID) throws(CurfewError) -> Bool {
        try checked { (runtime) throws(RequestFailure) in
            try runtime.requests.cancel(request) == .ok
        }
    }

    /// Cancels the pending requests of an identifier, or all; running tasks go on. Returns their
    /// number.
    @discardableResult
    public func cancelRequests(of identifier: String? = nil) throws(CurfewError) -> Int {
        try checked { (runtime) throws(RequestFailure) in
            try runtime.requests.cancelPending(identifier)
        }
    }

    /// Releases a request that was parked because the process ended again and again while its task
    /// ran: it may be launched again. Throws `.wrongState` where it is not parked.
    public func release(_ request: RequestID) throws(CurfewError) {
        try checked { (runtime) throws(RequestFailure) in try runtime.requests.lift(request) }
    }

    // MARK: Looking

    /// Returns requests that wait, by their number.
    ///
    /// - Parameters:
    ///   - states: the states they are in; none for all that are not over.
    ///   - identifier: the handler they are for; nil for all.
    ///   - last: the number that the list before ended with.
    ///   - limit: the largest number of requests.
    public func requests(
        in states: Set<RequestState> = [], of identifier: String? = nil,
        after last: RequestID? = nil, limit: Int = 100
    ) throws(CurfewError) -> [Request] {
        let filter = RequestFilter(
            states: states, identifier: identifier, after: last, limit: limit)
        return try checked { (runtime) throws(RequestFailure) in
            try runtime.requests.requests(filter)
        }
    }

    /// Returns one request; nil where there is none, or it is not kept any more.
    public func request(_ id: RequestID) throws(CurfewError) -> Request? {
        try checked { (runtime) throws(RequestFailure) in try runtime.requests.request(id) }
    }

    /// Returns the last launches of a request, the oldest first.
    public func attempts(of id: RequestID, limit: Int = 100) throws(CurfewError) -> [Attempt] {
        try checked { (runtime) throws(RequestFailure) in
            try runtime.requests.attempts(of: id, limit: limit)
        }
    }

    /// Returns the journal after the entry with that number, of one request or of all.
    public func journal(
        after sequence: UInt64 = 0, of id: RequestID? = nil, limit: Int = 1_000
    ) throws(CurfewError) -> [JournalEntry] {
        try checked { (runtime) throws(RequestFailure) in
            try runtime.requests.journal(after: sequence, of: id, limit: limit)
        }
    }

    /// Explains why a request is not launched: how every factor stands, those that hold it back
    /// first. Empty for a request that is over. Throws `.notFound`.
    public func why(_ id: RequestID) throws(CurfewError) -> [FactorReport] {
        let reports = try checked { (runtime) throws(RequestFailure) in try runtime.requests.why(id)
        }
        guard let reports else { throw CurfewError(.notFound, "there is no request \(id)") }
        return reports
    }

    /// Explains why a request is not launched, without blocking the thread.
    public func why(_ id: RequestID) async throws(CurfewError) -> [FactorReport] {
        try await onCallThread { (host) throws(CurfewError) in try host.why(id) }
    }

    /// Explains why a request of that identifier and kind would not be launched.
    public func why(
        _ identifier: String, kind: TaskKind, needs: RequestNeeds = []
    ) throws(CurfewError) -> [FactorReport] {
        try checked { (runtime) throws(RequestFailure) in
            try runtime.requests.why(RequestQueue(identifier: identifier, kind: kind, needs: needs))
        }
    }

    /// Explains why a request of that identifier and kind would not be launched, without blocking
    /// the thread.
    public func why(
        _ identifier: String, kind: TaskKind, needs: RequestNeeds = []
    ) async throws(CurfewError) -> [FactorReport] {
        try await onCallThread { (host) throws(CurfewError) in
            try host.why(identifier, kind: kind, needs: needs)
        }
    }

    /// Returns the earliest date of a launch that can be told now from the reports of `why`; nil where
    /// a factor holds it back whose change has no known date.
    public func earliestLaunch(_ reports: [FactorReport]) -> Instant? {
        RequestScheduler.earliest(reports, at: runtime.requests.moment.wall)
            .map(Instant.init(nanosecondsSince1970:))
    }

    // MARK: Factors and settings

    /// Overrides a factor of the machine, at once, until it is overridden with nil. Throws `.invalid`
    /// for a factor that is not the machine's.
    public func override(
        _ factor: Factor, with state: FactorState?, detail: String = "set by hand"
    ) throws(CurfewError) {
        try checked { (runtime) throws(RequestFailure) in
            try runtime.requests.set(
                factor, state.map { FactorReading($0, source: "embedder", detail: detail) })
        }
    }

    /// Reports the state of a factor of the machine, as the embedder's own source of it. A change has
    /// to last as long as `RequestConfiguration.debounce` says before it counts.
    public func report(
        _ state: FactorState, of factor: Factor, source: String, detail: String
    ) throws(CurfewError) {
        try checked { (runtime) throws(RequestFailure) in
            try runtime.requests.hear(factor, FactorReading(state, source: source, detail: detail))
        }
    }

    /// Sets what people want of launches: of all handlers, a plugin's, or one's. It is kept in the
    /// store. Throws `.invalid` where the scope's name is no identifier, or too many have a setting.
    public func set(_ setting: HandlerSetting, for scope: HandlerScope) throws(CurfewError) {
        try checked { (runtime) throws(RequestFailure) in
            try runtime.requests.set(setting, for: scope)
        }
    }

    /// Notes that the app is being used now: the hours at which it is are learnt from this.
    public func noteUsage() throws(CurfewError) {
        try checked { (runtime) throws(RequestFailure) in try runtime.requests.noteUsage() }
    }

    /// Returns what is left of the day's budget; nil where there is no limit.
    public func dayBalance() throws(CurfewError) -> DayLimits {
        try checked { (runtime) throws(RequestFailure) in try runtime.requests.dayBalance() }
    }

    // MARK: Simulating

    /// Launches the pending request of an identifier at once, in spite of all factors, as Apple's
    /// debugger command does. Throws `.notFound` where none is pending, `.already` where its task
    /// runs.
    @discardableResult
    public func simulateLaunch(_ identifier: String) throws(CurfewError) -> RequestID {
        try checked { (runtime) throws(RequestFailure) in
            try runtime.requests.simulateLaunch(identifier)
        }
    }

    /// Ends the time of a task that was launched by `simulateLaunch`. Throws `.notFound` where none
    /// runs.
    public func simulateExpiration(_ identifier: String) throws(CurfewError) {
        try checked { (runtime) throws(RequestFailure) in
            try runtime.requests.simulateExpiration(identifier)
        }
    }
}
