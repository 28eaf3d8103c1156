// SPDX-License-Identifier: Apache-2.0
import Runner
public import Scheduling

/// Requests: "launch this handler, not before…, only when…".
///
/// They live in the store of the host's configuration, or in memory. Each call returns once what it
/// did is committed, and waits for that on the calling thread; none may be made from a log function.
/// Dates are nanoseconds since 1970 in UTC. All throw `CurfewError`; besides what they say: `.closing`,
/// and one of the statuses of stores (`.storeFull`, …), with which nothing was done.
extension Host {
    private static func checked<Answer>(
        _ body: () throws(RequestFailure) -> Answer
    ) throws -> Answer {
        do throws(RequestFailure) {
            return try body()
        } catch {
            throw CurfewError(error.status, error.message)
        }
    }

    /// Submits a request. Its handler need not be registered yet. Raises
    /// `scheduling<event>_done(success, error)` where it is.
    ///
    /// Throws `.tooMany` (as many of its kind are pending as may be), `.exists` (its key is another
    /// request's), `.tooLarge` (the payload), `.denied` (not in the list of permitted handlers) or
    /// `.invalid`.
    @discardableResult
    public func submit(
        _ description: RequestDescription, payload: [UInt8] = []
    ) throws -> Submission {
        try Self.checked { () throws(RequestFailure) in
            try runtime.requests.submit(description, payload: payload)
        }
    }

    /// Cancels a request. One whose task runs ends with it: the task is told to stop. Returns false
    /// where it was over before. Throws `.notFound`.
    @discardableResult
    public func cancel(_ request: RequestID) throws -> Bool {
        try Self.checked { () throws(RequestFailure) in try runtime.requests.cancel(request) == .ok
        }
    }

    /// Cancels the pending requests of an identifier, or all there are; running tasks go on. Returns
    /// how many there were.
    @discardableResult
    public func cancelRequests(of identifier: String? = nil) throws -> Int {
        try Self.checked { () throws(RequestFailure) in
            try runtime.requests.cancelPending(identifier)
        }
    }

    /// Lets a request be launched again that was parked because the process ended again and again
    /// while its task ran. Throws `.wrongState` where it is not parked.
    public func lift(_ request: RequestID) throws {
        try Self.checked { () throws(RequestFailure) in try runtime.requests.lift(request) }
    }

    // MARK: Looking

    /// Requests that wait, by their number, at most 100 unless `filter` says otherwise.
    public func requests(_ filter: RequestFilter = RequestFilter()) throws -> [Request] {
        try Self.checked { () throws(RequestFailure) in try runtime.requests.requests(filter) }
    }

    /// One request; nil: there is none, or it is not kept any more.
    public func request(_ id: RequestID) throws -> Request? {
        try Self.checked { () throws(RequestFailure) in try runtime.requests.request(id) }
    }

    /// The last launches of a request, the oldest first.
    public func attempts(of id: RequestID, limit: Int = 100) throws -> [Attempt] {
        try Self.checked { () throws(RequestFailure) in
            try runtime.requests.attempts(of: id, limit: limit)
        }
    }

    /// What happened, after the entry with that number, of one request or of all.
    public func journal(
        after sequence: UInt64 = 0, of id: RequestID? = nil, limit: Int = 1_000
    ) throws -> [JournalEntry] {
        try Self.checked { () throws(RequestFailure) in
            try runtime.requests.journal(after: sequence, of: id, limit: limit)
        }
    }

    /// Why a request is not launched: how every factor stands, those that hold it back first. Empty
    /// where it is history. Throws `.notFound`.
    public func why(_ id: RequestID) throws -> [FactorReport] {
        let reports = try Self.checked { () throws(RequestFailure) in try runtime.requests.why(id) }
        guard let reports else { throw CurfewError(.notFound, "there is no request \(id)") }
        return reports
    }

    /// Why a request of that identifier and kind would not be launched.
    public func why(
        _ identifier: String, kind: TaskKind, needs: RequestNeeds = []
    ) throws -> [FactorReport] {
        try Self.checked { () throws(RequestFailure) in
            try runtime.requests.why(RequestQueue(identifier: identifier, kind: kind, needs: needs))
        }
    }

    /// When a request can be launched at the earliest, given what can be told now; nil where
    /// something holds it back of which nobody can tell when it ends.
    public func earliestLaunch(_ reports: [FactorReport]) -> Int64? {
        RequestScheduler.earliest(reports, at: runtime.requests.moment.wall)
    }

    // MARK: Factors and settings

    /// Sets a factor of the machine by hand, at once, until that is undone with nil. Throws
    /// `.invalid` for a factor that is not the machine's.
    public func set(_ factor: Factor, _ state: FactorState?, detail: String = "set by hand") throws
    {
        try Self.checked { () throws(RequestFailure) in
            try runtime.requests.set(
                factor, state.map { FactorReading($0, source: "embedder", detail: detail) })
        }
    }

    /// A source of the embedder's says how a factor is. A change has to last as long as the
    /// configuration says before it counts.
    public func hear(_ factor: Factor, _ reading: FactorReading) throws {
        try Self.checked { () throws(RequestFailure) in try runtime.requests.hear(factor, reading) }
    }

    /// Sets what people want of launches: of all handlers, a plugin's, or one's. It is kept in the
    /// store. Throws `.invalid` where the scope's name is no identifier, or too many have a setting.
    public func set(_ setting: HandlerSetting, for scope: HandlerScope) throws {
        try Self.checked { () throws(RequestFailure) in
            try runtime.requests.set(setting, for: scope)
        }
    }

    /// The app is being used now: the hours at which it is are learnt from this.
    public func noteUsage() throws {
        try Self.checked { () throws(RequestFailure) in try runtime.requests.noteUsage() }
    }

    /// What is left of the day's budget; nil where there is no limit.
    public func dayBalance() throws -> DayLimits {
        try Self.checked { () throws(RequestFailure) in try runtime.requests.dayBalance() }
    }

    // MARK: Simulating

    /// Launches the pending request of an identifier at once, whatever holds it back, as Apple's
    /// debugger command does. Throws `.notFound` where none is pending, `.already` where its task
    /// runs.
    @discardableResult
    public func simulateLaunch(_ identifier: String) throws -> RequestID {
        try Self.checked { () throws(RequestFailure) in
            try runtime.requests.simulateLaunch(identifier)
        }
    }

    /// Lets the time of a task be over that was launched by `simulateLaunch`. Throws `.notFound`
    /// where none runs.
    public func simulateExpiration(_ identifier: String) throws {
        try Self.checked { () throws(RequestFailure) in
            try runtime.requests.simulateExpiration(identifier)
        }
    }
}
