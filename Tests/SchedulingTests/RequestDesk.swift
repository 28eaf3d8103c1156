// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Scheduling

/// A second, in nanoseconds.
let second: Int64 = 1_000_000_000

/// A ledger with a store in memory, a clock that a test advances, and a host.
final class RequestDesk {
    var ledger: RequestLedger
    var now: Int64 = 1_000_000 * second
    /// How far the clock of dates was set, in all.
    private var set: Int64 = 0
    /// Now on both clocks.
    var moment: Moment { Moment(wall: now, span: UInt64(now - set)) }
    /// Since when somebody looks at dates.
    var awakeSince: Int64
    var host = HostIdentity(boot: "first", process: 1, start: 1)
    private let store = MemoryStore()
    /// The request that was submitted last, as the book gets it.
    private(set) var arrived: (head: RequestHead, queue: RequestQueue)?

    init(
        limits: RequestLimits = RequestLimits(), zone: any TimeZoneRules = UTC()
    ) {
        ledger = RequestLedger(limits: limits, zone: zone)
        ledger.boot = host.boot
        awakeSince = now
    }

    private func change<Result>(
        _ body: (inout RequestLedger, any StoreTransaction) throws(StoreFault) -> Result
    ) throws -> Result {
        try store.write { store throws(StoreFault) in try body(&ledger, store) }
    }

    private func look<Result>(
        _ body: (any StoreTransaction) throws(StoreFault) -> Result
    ) throws -> Result { try store.read(body) }

    // MARK: What is done

    /// Somebody sets the clock of dates: no time passes.
    func setClock(by change: Int64) {
        now += change
        set += change
    }

    func submit(
        _ description: RequestDescription, payload: [UInt8] = []
    ) throws -> Result<Submission, RequestRefusal> {
        try change { ledger, store throws(StoreFault) in
            let change = try ledger.submit(description, payload: payload, at: now, store)
            arrived = change.arrived
            return change.value
        }
    }

    /// Submits what must be taken in.
    func add(_ description: RequestDescription, payload: [UInt8] = []) throws -> RequestID {
        try submit(description, payload: payload).get().id
    }

    func cancel(_ id: RequestID) throws -> RequestLedger.Cancellation {
        try change { ledger, store throws(StoreFault) in try ledger.cancel(id, at: now, store).value
        }
    }

    func release(_ id: RequestID) throws -> Bool {
        try change { ledger, store throws(StoreFault) in
            try ledger.release(id, at: now, store).value
        }
    }

    func retry(_ id: RequestID) throws -> RequestLedger.Change {
        try change { ledger, store throws(StoreFault) in
            try ledger.retry(id, at: now, store).value
        }
    }

    func launchNow(_ id: RequestID) throws -> RequestLedger.Change {
        try change { ledger, store throws(StoreFault) in
            try ledger.launchNow(id, at: now, store).value
        }
    }

    @discardableResult
    func reconcile(_ schedules: [Schedule], set: String? = "") throws -> ScheduleChanges {
        try change { ledger, store throws(StoreFault) in
            try ledger.reconcile(schedules, set: set, at: now, store).value
        }
    }

    func restart(_ name: String) throws -> RequestLedger.ScheduleRestart {
        try change { ledger, store throws(StoreFault) in
            try ledger.restart(name, at: now, store).value
        }
    }

    func payload(_ id: RequestID) throws -> [UInt8] {
        try look { store throws(StoreFault) in try store.payload(of: id) }
    }

    func schedules() throws -> [StoredSchedule] {
        try look { store throws(StoreFault) in try store.schedules() }
    }

    /// Requests in these states, by number.
    func requests(in states: Set<RequestState>) throws -> [Request] {
        try look { store throws(StoreFault) in
            try store.requests(RequestFilter(states: states, limit: 100_000))
        }
    }

    @discardableResult
    func edit(
        _ id: RequestID, _ edits: (inout RequestDescription) -> Void
    ) throws -> RequestLedger.Change {
        try change { ledger, store throws(StoreFault) in
            try ledger.edit(id, at: now, store, edits).value
        }
    }

    /// Nil: it was not launched.
    @discardableResult
    func launch(_ id: RequestID) throws -> Attempt? {
        let launching = try change { ledger, store throws(StoreFault) in
            try ledger.launch(
                id, by: host, at: moment, LaunchTerms(awakeSince: awakeSince), store)
        }
        guard case .launched(let request, let attempt, let payload) = launching else { return nil }
        #expect(try self.request(id) == request)
        #expect(try look { store throws(StoreFault) in try store.payload(of: id) } == payload)
        return attempt
    }

    /// Ends the launch that runs, or another one.
    @discardableResult
    func end(_ id: RequestID, _ end: AttemptEnd, launch: UInt64? = nil) throws -> Request? {
        let running = try request(id).launches
        return try change { ledger, store throws(StoreFault) in
            try ledger.end(id, launch: launch ?? running, end, at: moment, store).value
        }
    }

    /// Launches a request that must be, and ends it.
    @discardableResult
    func run(_ id: RequestID, _ end: AttemptEnd = AttemptEnd(.succeeded)) throws -> Attempt {
        let attempt = try #require(try launch(id))
        #expect(try self.end(id, end) != nil)
        return attempt
    }

    /// The process of the host ends without a word, and another one follows.
    func crash(
        boot: String? = nil
    ) throws -> (interrupted: Int, parked: Int, wasClean: Bool) {
        host.process += 1
        if let boot {
            host.boot = boot
            ledger.boot = boot
        }
        return try open()
    }

    func open() throws -> (interrupted: Int, parked: Int, wasClean: Bool) {
        try change { ledger, store throws(StoreFault) in
            let entered = try ledger.enter(
                HostRecord(identity: host, since: 0), at: moment, store
            ) { _ in true }
            return (
                entered.takenOver.interrupted, entered.takenOver.parked, entered.wasClean
            )
        }
    }

    func leave() throws {
        try change { ledger, store throws(StoreFault) in
            try ledger.leave(HostRecord(identity: host, since: 0), at: moment, store)
        }
    }

    func missOverdue(limit: Int = 10) throws -> Int64? {
        try change { ledger, store throws(StoreFault) in
            try ledger.missOverdue(at: now, limit: limit, store).value
        }
    }

    /// In pages of two.
    func shorten() throws {
        var id: RequestID?
        repeat {
            id = try change { ledger, store throws(StoreFault) in
                try ledger.shorten(after: id, limit: 2, at: moment, store).value
            }
        } while id != nil
    }

    func prune() throws -> Bool {
        try change { ledger, store throws(StoreFault) in try ledger.prune(at: now, store) }
    }

    // MARK: What is there

    /// Minutes, of each identifier.
    func rollups() throws -> [StoredRollup] {
        try look { store throws(StoreFault) in
            try store.rollups(.minute, of: nil, in: 0..<Int64.max)
        }
    }

    func request(_ id: RequestID) throws -> Request {
        try #require(try look { store throws(StoreFault) in try store.request(id) })
    }

    func isKept(_ id: RequestID) throws -> Bool {
        try look { store throws(StoreFault) in try store.request(id) } != nil
    }

    func state(_ id: RequestID) throws -> RequestState { try request(id).state }

    func attempts(_ id: RequestID) throws -> [Attempt] {
        try look { store throws(StoreFault) in try store.attempts(of: id, limit: 100) }
    }

    /// What happened to a request, or to all.
    func story(_ id: RequestID? = nil) throws -> [JournalEntry.What] {
        try entries(id).map(\.what)
    }

    func entries(_ id: RequestID? = nil) throws -> [JournalEntry] {
        try look { store throws(StoreFault) in
            try store.journal(after: 0, of: id, limit: 1_000)
        }
    }
}
