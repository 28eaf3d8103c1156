// SPDX-License-Identifier: Apache-2.0
package import Runner
import Scheduling

/// Requests: launch a handler after a date, under conditions.
///
/// Requests are kept in the store of the host's configuration, or in memory. Each method returns
/// once its transaction is committed, and blocks the calling thread until then; the `async` methods
/// block no thread. Do not call them from a log function. Besides the errors that they list, they
/// throw `.closing` and the statuses of stores (`.storeFull`, …), after which nothing was changed.
extension Host {
    @discardableResult
    private func checked<Answer>(
        _ body: (HostRuntime) throws(RequestFailure) -> Answer
    ) throws(CurfewError) -> Answer {
        do throws(RequestFailure) {
            return try body(runtime)
        } catch {
            throw CurfewError(error)
        }
    }

    /// Makes a call on the host's thread for blocking calls, and awaits its result.
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

    /// Submits a request. Its handler need not be registered yet; if it is, the host raises
    /// `scheduling<event>_done(success, error)`.
    ///
    /// Throws `.tooMany` (a limit of pending requests), `.exists` (a different
    /// request has its key), `.tooLarge` (the payload), `.denied` (not in the list of permitted
    /// handlers) or `.invalid`.
    @discardableResult
    public func submit(
        _ description: RequestDescription, payload: [UInt8] = []
    ) throws(CurfewError) -> Submission {
        try submit(description, payload, isInHandler: runtime.requests.isInHandler)
    }

    private func submit(
        _ description: RequestDescription, _ payload: [UInt8], isInHandler: Bool
    ) throws(CurfewError) -> Submission {
        try checked { (runtime) throws(RequestFailure) in
            try runtime.requests.submit(description, payload: payload, isNext: isInHandler)
        }
    }

    /// Submits a request without blocking the thread.
    @discardableResult
    public func submit(
        _ description: RequestDescription, payload: [UInt8] = []
    ) async throws(CurfewError) -> Submission {
        let isInHandler = runtime.requests.isInHandler
        return try await onCallThread { (host) throws(CurfewError) in
            try host.submit(description, payload, isInHandler: isInHandler)
        }
    }

    /// Submits requests in one transaction, and returns before it is committed: see
    /// `RequestService.submit(_:runsHere:then:)`.
    package func submit(
        _ drafts: [RequestDraft], by requester: Requester?, runsHere: Bool,
        then: @escaping @Sendable ([Result<Submission, RequestFailure>]) -> Void
    ) { runtime.requests.submit(drafts, by: requester, runsHere: runsHere, then: then) }

    // The next four functions do and throw what those without a requester do. The journal names the requester.

    /// Cancels a request; see `cancel(_:)`.
    package func cancel(_ request: RequestID, by requester: Requester?) throws(CurfewError) {
        try checked { (runtime) throws(RequestFailure) in
            _ = try runtime.requests.cancel(request, by: requester)
        }
    }

    package func release(_ request: RequestID, by requester: Requester?) throws(CurfewError) {
        try checked { (runtime) throws(RequestFailure) in
            try runtime.requests.release(request, by: requester)
        }
    }

    package func retry(_ request: RequestID, by requester: Requester?) throws(CurfewError) {
        try checked { (runtime) throws(RequestFailure) in
            try runtime.requests.retry(request, by: requester)
        }
    }

    package func launchNow(_ request: RequestID, by requester: Requester?) throws(CurfewError) {
        try checked { (runtime) throws(RequestFailure) in
            try runtime.requests.launchNow(request, by: requester)
        }
    }

    /// Changes requests in one transaction: see `RequestService.change(_:_:by:)`. Returns in their order why one was not
    /// changed; nil for one that was.
    package func change(
        _ requests: [RequestID], _ action: RequestAction, by requester: Requester?
    ) throws(CurfewError) -> [CurfewError?] {
        try checked { (runtime) throws(RequestFailure) in
            try runtime.requests.change(requests, action, by: requester)
        }.map { $0.map { CurfewError($0) } }
    }

    /// Stores what was counted in the last second: see `RequestService.storeCounts()`.
    package func storeCounts() throws(CurfewError) {
        try checked { (runtime) throws(RequestFailure) in try runtime.requests.storeCounts() }
    }

    /// What was counted of requests since the host was made.
    package var requestStatistics: RequestStatistics { runtime.requests.statistics }

    /// Whether the configuration has a plugin disabled.
    package func isDisabled(_ plugin: String) -> Bool {
        runtime.plugins.isDisabled(plugin)
    }

    /// Notes in the journal what another user has asked for, or was refused.
    package func audit(_ detail: String, _ request: RequestID?) throws(CurfewError) {
        try checked { (runtime) throws(RequestFailure) in
            try runtime.requests.audit(detail, request)
        }
    }

    /// Waits until the thread that launches requests has answered. Does not return if it is stuck.
    package func awaitRequestThread() { runtime.requests.awaitThread() }

    /// Launches nothing once it returns, or launches again: see `RequestService.setDrained(_:)`.
    package func setDrained(_ isDrained: Bool) throws(CurfewError) {
        try checked { (runtime) throws(RequestFailure) in
            try runtime.requests.setDrained(isDrained)
        }
    }

    /// Since when nothing is launched, in nanoseconds since 1970 in UTC; nil if requests are.
    package var drainedSince: Int64? { runtime.requests.drainedSince }

    /// Launches nothing and stops the tasks of requests, or launches again: see `RequestService.setLeaving(_:)`.
    package func setLeaving(_ isLeaving: Bool) throws(CurfewError) {
        try checked { (runtime) throws(RequestFailure) in
            try runtime.requests.setLeaving(isLeaving)
        }
    }

    /// Reads the sources of factors again soon, because one of them has changed.
    package func sourcesChanged() { runtime.requests.sourcesChanged() }

    /// Computes dates again, because the machine may have another time zone.
    package func zoneChanged() { runtime.requests.zoneChanged() }

    /// Returns the tasks of requests that are not over, ordered by request.
    package func requestTasks() throws(CurfewError) -> [RequestTask] {
        try checked { (runtime) throws(RequestFailure) in try runtime.requests.tasks() }
    }

    /// Returns the state of each factor of the machine that a source knows.
    package func factors() throws(CurfewError) -> [(factor: Factor, entry: FactorBoard.Entry)] {
        try checked { (runtime) throws(RequestFailure) in try runtime.requests.factors() }
    }

    /// The changes that `RequestConfiguration.schedules` made in the store; nil if it is nil.
    package var scheduleChanges: ScheduleChanges? { runtime.requests.scheduleChanges }

    /// Makes the schedules of the store those of a configuration, in one transaction.
    ///
    /// - Parameter thresholds: a configuration whose thresholds and sources count from now on. They stay as they are if
    ///   this throws.
    package func reconcile(
        _ schedules: [Schedule], set: String = "", thresholds: RequestConfiguration? = nil
    ) throws(CurfewError) -> ScheduleChanges {
        try checked { (runtime) throws(RequestFailure) in
            try runtime.requests.reconcile(schedules, set: set, thresholds: thresholds)
        }
    }

    /// Cancels a request, and stops its task if it runs. Returns false if the request was over.
    /// Throws `.notFound`.
    @discardableResult
    public func cancel(_ request: RequestID) throws(CurfewError) -> Bool {
        try checked { (runtime) throws(RequestFailure) in
            try runtime.requests.cancel(request) == .ok
        }
    }

    /// Cancels the pending requests of an identifier, or all; running tasks continue. Returns their
    /// number.
    @discardableResult
    public func cancelRequests(of identifier: String? = nil) throws(CurfewError) -> Int {
        try checked { (runtime) throws(RequestFailure) in
            try runtime.requests.cancelPending(identifier)
        }
    }

    /// Releases a request that was parked because the process ended repeatedly while its task ran.
    /// It may be launched again. Throws `.wrongState` if it is not parked.
    public func release(_ request: RequestID) throws(CurfewError) {
        try checked { (runtime) throws(RequestFailure) in try runtime.requests.release(request) }
    }

    /// Makes a request that is over pending again: it may be launched at once, with all its
    /// attempts, and keeps its number, payload and history. Throws `.wrongState` if it is not over,
    /// `.tooMany` or `.notFound`.
    public func retry(_ request: RequestID) throws(CurfewError) {
        try checked { (runtime) throws(RequestFailure) in try runtime.requests.retry(request) }
    }

    /// Makes a pending request due now, whatever its date. Its needs and all other factors still
    /// hold; a repeated request keeps its next date. Throws `.wrongState` if it is not pending, or
    /// `.notFound`.
    public func launchNow(_ request: RequestID) throws(CurfewError) {
        try checked { (runtime) throws(RequestFailure) in try runtime.requests.launchNow(request) }
    }

    /// Changes a pending request. A new earliest date or repetition sets the date of its next
    /// launch. The identifier, the kind and `onPending` stay as they are.
    ///
    /// Throws `.wrongState` if it is not pending, `.exists` if another request has the key,
    /// `.invalid` or `.notFound`.
    public func edit(
        _ request: RequestID, _ changes: @escaping @Sendable (inout RequestDescription) -> Void
    ) throws(CurfewError) {
        try checked { (runtime) throws(RequestFailure) in
            try runtime.requests.edit(request, changes)
        }
    }

    // MARK: Queries

    /// Returns requests, ordered by number.
    ///
    /// - Parameters:
    ///   - states: their states; empty for all requests that are not over.
    ///   - identifier: the identifier of their handler; nil for all.
    ///   - last: the number at which the previous list ended.
    ///   - limit: the maximum number of requests.
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

    /// Returns a request; nil if it does not exist or is no longer kept.
    public func request(_ id: RequestID) throws(CurfewError) -> Request? {
        try checked { (runtime) throws(RequestFailure) in try runtime.requests.request(id) }
    }

    /// Returns the last launches of a request, oldest first.
    public func attempts(of id: RequestID, limit: Int = 100) throws(CurfewError) -> [Attempt] {
        try checked { (runtime) throws(RequestFailure) in
            try runtime.requests.attempts(of: id, limit: limit)
        }
    }

    /// Returns the journal entries with a larger number, of one request or of all.
    public func journal(
        after sequence: UInt64 = 0, of id: RequestID? = nil, limit: Int = 1_000
    ) throws(CurfewError) -> [JournalEntry] {
        try checked { (runtime) throws(RequestFailure) in
            try runtime.requests.journal(after: sequence, of: id, limit: limit)
        }
    }

    /// Returns why a request is not launched: the state of every factor, with those that delay it
    /// first. Empty for a request that is over. Throws `.notFound`.
    public func why(_ id: RequestID) throws(CurfewError) -> [FactorReport] {
        let reports = try checked { (runtime) throws(RequestFailure) in try runtime.requests.why(id)
        }
        guard let reports else { throw CurfewError(.notFound, "there is no request \(id)") }
        return reports
    }

    /// Returns why a request is not launched, without blocking the thread.
    public func why(_ id: RequestID) async throws(CurfewError) -> [FactorReport] {
        try await onCallThread { (host) throws(CurfewError) in try host.why(id) }
    }

    /// Returns why a request of that identifier and kind would not be launched.
    public func why(
        _ identifier: String, kind: TaskKind, needs: RequestNeeds = [],
        opportunistic: RequestWish = .no
    ) throws(CurfewError) -> [FactorReport] {
        try checked { (runtime) throws(RequestFailure) in
            try runtime.requests.why(
                RequestQueue(
                    identifier: identifier, kind: kind, needs: needs, opportunistic: opportunistic))
        }
    }

    /// Returns why a request of that identifier and kind would not be launched, without blocking
    /// the thread.
    public func why(
        _ identifier: String, kind: TaskKind, needs: RequestNeeds = [],
        opportunistic: RequestWish = .no
    ) async throws(CurfewError) -> [FactorReport] {
        try await onCallThread { (host) throws(CurfewError) in
            try host.why(identifier, kind: kind, needs: needs, opportunistic: opportunistic)
        }
    }

    /// Returns the earliest launch date according to the reports of `why`; nil if a factor that
    /// delays it has no known date of change.
    public func earliestLaunch(_ reports: [FactorReport]) -> Instant? {
        RequestScheduler.earliest(reports, at: runtime.requests.moment.wall)
            .map(Instant.init(nanosecondsSince1970:))
    }

    // MARK: Factors and settings

    /// Overrides a factor of the machine at once, until it is overridden with nil. Throws
    /// `.invalid` if the factor is not the machine's.
    public func override(
        _ factor: Factor, with state: FactorState?, detail: String = "set by hand"
    ) throws(CurfewError) {
        try checked { (runtime) throws(RequestFailure) in
            try runtime.requests.set(
                factor, state.map { FactorReading($0, source: "embedder", detail: detail) })
        }
    }

    /// Overrides a factor of the machine as a person wants it, or with nil returns it to its sources.
    ///
    /// - Parameter span: nanoseconds for which it is overridden; nil: until it is ended.
    package func setFactor(
        _ factor: Factor, _ reading: FactorReading?, for span: UInt64?
    ) throws(CurfewError) {
        try checked { (runtime) throws(RequestFailure) in
            try runtime.requests.set(factor, reading, for: span)
        }
    }

    /// Reports the state of a factor of the machine, with the embedder as its source. A change
    /// counts once it has lasted for `RequestConfiguration.debounce`.
    public func report(
        _ state: FactorState, of factor: Factor, source: String, detail: String
    ) throws(CurfewError) {
        try checked { (runtime) throws(RequestFailure) in
            try runtime.requests.observe(
                factor, FactorReading(state, source: source, detail: detail))
        }
    }

    /// Stores a person's setting about launches of all handlers, of a plugin, or of one handler.
    /// Throws `.invalid` if the scope's name is no identifier, or too many scopes have a setting.
    public func set(
        refresh: RefreshSetting, enablement: HandlerEnablement, for scope: HandlerScope
    ) throws(CurfewError) {
        try checked { (runtime) throws(RequestFailure) in
            try runtime.requests.set(
                HandlerSetting(refresh: refresh, enablement: enablement), for: scope)
        }
    }

    /// Returns the settings of launches that people made.
    package func settings() throws(CurfewError) -> HandlerSettings {
        try checked { (runtime) throws(RequestFailure) in try runtime.requests.settings() }
    }

    /// Notes that the app is being used now; the host learns the usual hours of use from this.
    public func noteUsage() throws(CurfewError) {
        try checked { (runtime) throws(RequestFailure) in try runtime.requests.noteUsage() }
    }

    /// Returns the rest of the day's budget; nil members are unlimited.
    public func dayBalance() throws(CurfewError) -> DayLimits {
        try checked { (runtime) throws(RequestFailure) in try runtime.requests.dayBalance() }
    }

    // MARK: Simulation

    /// Launches the pending request of an identifier at once and ignores all factors, as Apple's
    /// debugger command does. Throws `.notFound` if none is pending, `.already` if its task runs.
    @discardableResult
    public func simulateLaunch(_ identifier: String) throws(CurfewError) -> RequestID {
        try checked { (runtime) throws(RequestFailure) in
            try runtime.requests.simulateLaunch(identifier)
        }
    }

    /// Expires a task that `simulateLaunch` launched. Throws `.notFound` if none runs.
    public func simulateExpiration(_ identifier: String) throws(CurfewError) {
        try checked { (runtime) throws(RequestFailure) in
            try runtime.requests.simulateExpiration(identifier)
        }
    }
}
