// SPDX-License-Identifier: Apache-2.0

/// The operations inside a transaction of a store. It is valid during the call that passes it.
///
/// Nothing here decides: that is `RequestLedger`'s. Where an order is named, it is the result's. Texts
/// are compared by their bytes. What is put in is what the ledger would put in: a description without
/// a fault, and dates after 1970.
package protocol StoreTransaction: AnyObject {
    /// Performs `body` entirely, or, if it throws, not at all; the rest of the transaction stays.
    func nested<Result>(
        _ body: () throws(StoreFault) -> Result
    ) throws(StoreFault) -> Result

    // MARK: Requests

    /// Takes a request in, whatever its id says, and returns the id it has now.
    func insert(_ request: Request, payload: [UInt8]) throws(StoreFault) -> RequestID
    /// Returns a request; nil if there is none, or if it is no longer kept.
    func request(_ id: RequestID) throws(StoreFault) -> Request?
    /// Empty where there is none.
    func payload(of id: RequestID) throws(StoreFault) -> [UInt8]
    /// Stores an existing request. Its description is unchanged.
    func update(_ request: Request) throws(StoreFault)

    /// Pending requests of a kind. Does not look at each of them.
    func pendingCount(_ kind: TaskKind) throws(StoreFault) -> Int
    /// The pending ones of an identifier, by id: all of them.
    func pending(of identifier: String) throws(StoreFault) -> [Request]
    /// A pending one of an identifier: the first of its first queue. Nil: none is pending.
    func firstPending(_ identifier: String) throws(StoreFault) -> RequestID?
    /// Returns the number of pending requests of the same queue before a request, at most `limit`.
    func ahead(of request: Request, limit: Int) throws(StoreFault) -> Int
    /// The newest of an identifier with that key.
    func find(key: String, of identifier: String) throws(StoreFault) -> Request?

    /// The first queues with pending requests, in their order: of an identifier, or of all. The effort
    /// grows with those that are returned, not with the requests.
    func queues(of identifier: String?, limit: Int) throws(StoreFault) -> [RequestQueue]
    /// The first of a queue; nil: it is empty.
    func head(of queue: RequestQueue) throws(StoreFault) -> RequestHead?
    /// Returns the pending, never launched request with the earliest latest date; of several the
    /// oldest.
    func firstToMiss() throws(StoreFault) -> Request?
    /// Returns the running requests, ordered by id.
    func running() throws(StoreFault) -> [Request]
    /// Returns the requests, ordered by id.
    func requests(_ filter: RequestFilter) throws(StoreFault) -> [Request]
    /// The first of those that fit, in the order in which people want to see them; `after` says
    /// nothing.
    func overview(_ filter: RequestFilter) throws(StoreFault) -> RequestOverview

    // MARK: History

    /// Stores an attempt of an existing request, in place of an earlier record of the same launch.
    func put(_ attempt: Attempt) throws(StoreFault)
    /// Writes down how an attempt ended, if it is known at all.
    func end(
        _ launch: UInt64, of request: RequestID, _ end: AttemptEnd, at date: Int64
    ) throws(StoreFault)
    /// Forgets the attempts of a request with smaller numbers than `launch`.
    func removeAttempts(of request: RequestID, before launch: UInt64) throws(StoreFault)
    /// Returns a launch of a request; nil if there is none, or if it is no longer kept.
    func attempt(_ launch: UInt64, of request: RequestID) throws(StoreFault) -> Attempt?
    /// The last `limit` ones, by launch.
    func attempts(of request: RequestID, limit: Int) throws(StoreFault) -> [Attempt]

    /// Returns the number it has now.
    @discardableResult
    func append(_ entry: JournalEntry) throws(StoreFault) -> UInt64
    /// Entries with a larger number than `sequence`, by number, of one request or of all.
    func journal(
        after sequence: UInt64, of request: RequestID?, limit: Int
    ) throws(StoreFault) -> [JournalEntry]

    /// Removes at most `limit` requests that are history and changed before `date`, or are more than
    /// `kept` (the oldest changes first), with their payloads and attempts; and of the journal, from
    /// its beginning up to the first entry that is not older, what is older or more than ten times
    /// `kept`, at most ten times `limit` entries. Returns how many requests went.
    func prune(before date: Int64, keeping kept: Int, limit: Int) throws(StoreFault) -> Int

    // MARK: Everything else

    /// Returns the value that was stored under a name; nil if there is none.
    func value(_ name: String) throws(StoreFault) -> [UInt8]?
    /// Puts a value in place of what was there; nil removes it.
    func setValue(_ name: String, _ value: [UInt8]?) throws(StoreFault)
}
