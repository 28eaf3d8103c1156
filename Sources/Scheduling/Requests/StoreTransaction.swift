// SPDX-License-Identifier: Apache-2.0

/// The operations inside a transaction of a store. It is valid during the call that passes it.
///
/// It makes no decisions: `RequestLedger` does. Results have the order that is documented. Texts
/// are compared by their bytes. Its inputs come from the ledger: valid descriptions, and dates
/// after 1970.
package protocol StoreTransaction: AnyObject {
    /// Performs `body` entirely, or, if it throws, not at all; the rest of the transaction stays.
    func nested<Result>(
        _ body: () throws(StoreFault) -> Result
    ) throws(StoreFault) -> Result

    // MARK: Requests

    /// Stores a new request, ignoring its id, and returns its new id.
    func insert(_ request: Request, payload: [UInt8]) throws(StoreFault) -> RequestID
    /// Returns a request; nil if there is none, or if it is no longer kept.
    func request(_ id: RequestID) throws(StoreFault) -> Request?
    /// Returns the payload of a request; empty if there is none.
    func payload(of id: RequestID) throws(StoreFault) -> [UInt8]
    /// Stores an existing request. Its description is unchanged.
    func update(_ request: Request) throws(StoreFault)
    /// Stores an existing request, with another description of the same identifier and kind.
    func redescribe(_ request: Request) throws(StoreFault)

    /// Returns the number of pending requests, at most `limit`, without reading each of them. Inside a series
    /// of submissions the effort does not grow with the number. Where many hosts share the store and the limit is
    /// 1,000 or more, what others have submitted may be counted a second late.
    func pendingCount(_ scope: PendingScope, atMost limit: Int) throws(StoreFault) -> Int
    /// Returns all pending requests of an identifier, ordered by id.
    func pending(of identifier: String) throws(StoreFault) -> [Request]
    /// Returns the first request of an identifier's first queue; nil if none is pending.
    func firstPending(_ identifier: String) throws(StoreFault) -> RequestID?
    /// Returns the number of pending requests of the same queue before a request, at most `limit`.
    func ahead(of request: Request, limit: Int) throws(StoreFault) -> Int
    /// Returns the newest request of an identifier with that key, among those of an owner; nil: the store's own.
    func find(
        key: String, of identifier: String, owner: UInt32?
    ) throws(StoreFault) -> Request?
    /// Returns all requests of an owner, ordered by id.
    func owned(by user: UInt32) throws(StoreFault) -> [Request]

    /// Returns how many requests that are not over there are of each identifier in each state, in no order. Each is
    /// counted.
    func liveCounts() throws(StoreFault) -> [LiveCount]
    /// Returns the first queues with pending requests, in order: of an identifier, or of all. The
    /// effort grows with the number of returned queues, not with the number of requests.
    func queues(of identifier: String?, limit: Int) throws(StoreFault) -> [RequestQueue]
    /// Returns the first request of a queue; nil if it is empty.
    func head(of queue: RequestQueue) throws(StoreFault) -> RequestHead?
    /// Returns the first queues with pending requests, in order, with the first request of each: of an identifier, or
    /// of all.
    func heads(
        of identifier: String?, limit: Int
    ) throws(StoreFault) -> [(queue: RequestQueue, head: RequestHead)]
    /// Returns those of some requests that were cancelled while they ran, in order.
    func cancelled(among ids: [RequestID]) throws(StoreFault) -> [Request]
    /// Returns the request of a queue that is to be launched at a date, and keeps it from other hosts until the
    /// end of the transaction; nil if others have taken all that are due.
    ///
    /// - Parameter id: the first request of the queue, as far as the host knows.
    func claim(
        _ id: RequestID, of queue: RequestQueue, at date: Int64
    ) throws(StoreFault) -> RequestID?
    /// Returns the pending, never launched request with the earliest latest date; of several the
    /// oldest.
    func firstToMiss() throws(StoreFault) -> Request?
    /// Returns the running requests, ordered by id.
    func running() throws(StoreFault) -> [Request]
    /// Returns the number of requests of an identifier that run in all hosts of the store, and keeps other hosts from
    /// launching one until the end of the transaction. Where one host at a time uses it, that host knows; then it is 0.
    func runningCount(of identifier: String) throws(StoreFault) -> Int
    /// Returns the requests that run in a host, ordered by id.
    func running(in host: HostIdentity) throws(StoreFault) -> [Request]
    /// Returns the running requests whose host has left, or was never there, ordered by id.
    func orphans() throws(StoreFault) -> [Request]
    /// Returns the requests, ordered by id.
    func requests(_ filter: RequestFilter) throws(StoreFault) -> [Request]
    /// Returns matching requests in the order for people, after those that the filter skips; `after` is ignored. Of
    /// finished requests, only those with one of the outcomes match; with none given, all do.
    func overview(
        _ filter: RequestFilter, outcomes: Set<Outcome>
    ) throws(StoreFault) -> RequestOverview

    // MARK: History

    /// Stores an attempt of an existing request, in place of an earlier record of the same launch.
    func put(_ attempt: Attempt) throws(StoreFault)
    /// Stores the end of an attempt, if the attempt is still stored.
    func end(
        _ launch: UInt64, of request: RequestID, _ end: AttemptEnd, at date: Int64
    ) throws(StoreFault)
    /// Removes the attempts of a request with smaller numbers than `launch`.
    func removeAttempts(of request: RequestID, before launch: UInt64) throws(StoreFault)
    /// Returns a launch of a request; nil if there is none, or if it is no longer kept.
    func attempt(_ launch: UInt64, of request: RequestID) throws(StoreFault) -> Attempt?
    /// Returns the last `limit` attempts, ordered by launch.
    func attempts(of request: RequestID, limit: Int) throws(StoreFault) -> [Attempt]

    /// Appends a journal entry, which gets its number no later than it is read.
    func append(_ entry: JournalEntry) throws(StoreFault)
    /// Returns the entries with a larger number than `sequence`, in order, of one request or of
    /// all.
    func journal(
        after sequence: UInt64, of request: RequestID?, limit: Int
    ) throws(StoreFault) -> [JournalEntry]
    /// Returns the last entry of a request; nil without one.
    func lastEntry(of request: RequestID) throws(StoreFault) -> JournalEntry?
    /// Returns the number of the newest entry; 0 if there was none.
    func lastSequence() throws(StoreFault) -> UInt64
    /// Returns the entries of the kinds `JournalEntry.What.causes` within a range of dates, in order.
    func causes(in dates: Range<Int64>, limit: Int) throws(StoreFault) -> [JournalEntry]

    /// Removes at most `limit` requests from the history that changed before `date`, or exceed
    /// `kept` (the oldest changes first), with their payloads and attempts. Also removes up to ten
    /// times `limit` entries from the beginning of the journal that are older than `date`, or
    /// exceed ten times `kept`, up to the first entry that is not older. Returns the number of
    /// removed requests, or a tenth of that of removed entries if this is more: if it is `limit`, more may
    /// be left.
    func prune(before date: Int64, keeping kept: Int, limit: Int) throws(StoreFault) -> Int

    /// Replaces the payload of a request.
    func setPayload(_ payload: [UInt8], of request: RequestID) throws(StoreFault)

    // MARK: Hosts

    /// Returns the hosts that use the store and have not left it, ordered by their numbers. Where one host at a
    /// time may use it, an earlier one that is there still was killed.
    func hosts() throws(StoreFault) -> [HostRecord]
    /// Adds a host, ignoring its number, and returns its new one.
    func enter(_ host: HostRecord) throws(StoreFault) -> Int64
    /// Notes that a host has left at a date, or is dead. Returns false if that was noted before, or the host has
    /// beaten since `host` was read.
    func leave(_ host: HostRecord, at date: Int64) throws(StoreFault) -> Bool
    /// Has a host launch nothing more, or launch again, as soon as it looks. Returns false if it has left the store, or
    /// one host at a time may use it.
    func setDrained(_ isDrained: Bool, of host: Int64) throws(StoreFault) -> Bool
    /// Returns the last date on which a host was there for certain; nil if there was none.
    func lastSeen() throws(StoreFault) -> Int64?
    /// Returns what a host says of itself; nil if it has said nothing.
    func standing(of host: HostRecord) throws(StoreFault) -> [UInt8]?
    /// Stores what a host says of itself, in place of what it said before.
    func setStanding(_ bytes: [UInt8], of host: HostRecord) throws(StoreFault)

    // MARK: Statistics

    /// What this transaction has counted so far.
    var newCounts: RollupSums { get }
    /// What is counted from now on is not stored with the commit: the caller counts `newCounts` in a later transaction.
    /// One call for many transactions is cheaper than one for each.
    func deferCounts()
    /// Adds to a roll-up. It is stored with the commit, unless that is deferred.
    func count(_ rollup: Rollup, in key: RollupKey) throws(StoreFault)
    /// Returns the roll-ups of spans that begin in a range of dates, ordered by date and identifier: of an identifier, or
    /// of each.
    func rollups(
        _ span: RollupSpan, of identifier: String?, in dates: Range<Int64>
    ) throws(StoreFault) -> [StoredRollup]
    /// Adds the minutes that begin before a date to their hours, and removes them. Returns whether there were any.
    func foldMinutes(before date: Int64) throws(StoreFault) -> Bool
    /// Removes hours that begin before a date.
    func removeHours(before date: Int64) throws(StoreFault)

    // MARK: Schedules

    /// Returns the schedules, ordered by name.
    func schedules() throws(StoreFault) -> [StoredSchedule]
    /// Returns a schedule; nil if there is none of that name.
    func schedule(_ name: String) throws(StoreFault) -> StoredSchedule?
    /// Stores a schedule, in place of that of the same name.
    func put(_ schedule: StoredSchedule) throws(StoreFault)
    /// Removes a schedule; its request stays.
    func removeSchedule(_ name: String) throws(StoreFault)

    // MARK: Values

    /// Keeps other transactions from changing a value until the end of this one. Call before a value is read that is
    /// stored again with a change.
    func lockValue(_ name: String) throws(StoreFault)
    /// Returns the value that was stored under a name; nil if there is none.
    func value(_ name: String) throws(StoreFault) -> [UInt8]?
    /// Stores a value under a name, in place of the previous one; nil removes it.
    func setValue(_ name: String, _ value: [UInt8]?) throws(StoreFault)
}

extension StoreTransaction {
    package func heads(
        of identifier: String?, limit: Int
    ) throws(StoreFault) -> [(queue: RequestQueue, head: RequestHead)] {
        var heads: [(queue: RequestQueue, head: RequestHead)] = []
        for queue in try queues(of: identifier, limit: limit) {
            if let head = try head(of: queue) { heads.append((queue, head)) }
        }
        return heads
    }

    package func cancelled(among ids: [RequestID]) throws(StoreFault) -> [Request] {
        var cancelled: [Request] = []
        for id in ids.sorted() {
            guard let request = try request(id), request.marks.contains(.cancelled) else {
                continue
            }
            cancelled.append(request)
        }
        return cancelled
    }

    /// A store that one process at a time writes to needs no more.
    package func lockValue(_ name: String) {}

    /// Returns the first matching requests of an owner in the order for people; `after` is ignored.
    package func overview(
        _ filter: RequestFilter, outcomes: Set<Outcome>, ownedBy user: UInt32
    ) throws(StoreFault) -> RequestOverview {
        RequestOverview(try owned(by: user), filter, outcomes)
    }

    /// Returns the first matching requests in the order for people; `after` is ignored.
    package func overview(_ filter: RequestFilter) throws(StoreFault) -> RequestOverview {
        try overview(filter, outcomes: [])
    }
}
