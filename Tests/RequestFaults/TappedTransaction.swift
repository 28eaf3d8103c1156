// SPDX-License-Identifier: Apache-2.0
import Scheduling

/// The transaction of a tapped store: asks before each call.
final class TappedTransaction: StoreTransaction {
    private let inner: any StoreTransaction
    private let tap: TappedStore.Tap

    init(_ inner: any StoreTransaction, tap: @escaping TappedStore.Tap) {
        self.inner = inner
        self.tap = tap
    }

    func nested<Result>(
        _ body: () throws(StoreFault) -> Result
    ) throws(StoreFault) -> Result {
        try tap(.call("nested"))
        return try inner.nested(body)
    }

    func insert(_ request: Request, payload: [UInt8]) throws(StoreFault) -> RequestID {
        try tap(.call("insert"))
        return try inner.insert(request, payload: payload)
    }

    func request(_ id: RequestID) throws(StoreFault) -> Request? {
        try tap(.call("request"))
        return try inner.request(id)
    }

    func payload(of id: RequestID) throws(StoreFault) -> [UInt8] {
        try tap(.call("payload"))
        return try inner.payload(of: id)
    }

    func update(_ request: Request) throws(StoreFault) {
        try tap(.call("update"))
        try inner.update(request)
    }

    func redescribe(_ request: Request) throws(StoreFault) {
        try tap(.call("redescribe"))
        try inner.redescribe(request)
    }

    func pendingCount(_ scope: PendingScope, atMost limit: Int) throws(StoreFault) -> Int {
        try tap(.call("pendingCount"))
        return try inner.pendingCount(scope, atMost: limit)
    }

    func pending(of identifier: String) throws(StoreFault) -> [Request] {
        try tap(.call("pending"))
        return try inner.pending(of: identifier)
    }

    func firstPending(_ identifier: String) throws(StoreFault) -> RequestID? {
        try tap(.call("firstPending"))
        return try inner.firstPending(identifier)
    }

    func ahead(of request: Request, limit: Int) throws(StoreFault) -> Int {
        try tap(.call("ahead"))
        return try inner.ahead(of: request, limit: limit)
    }

    func find(
        key: String, of identifier: String, owner: UInt32?
    ) throws(StoreFault) -> Request? {
        try tap(.call("find"))
        return try inner.find(key: key, of: identifier, owner: owner)
    }

    func owned(by user: UInt32) throws(StoreFault) -> [Request] {
        try tap(.call("owned"))
        return try inner.owned(by: user)
    }

    func queues(of identifier: String?, limit: Int) throws(StoreFault) -> [RequestQueue] {
        try tap(.call("queues"))
        return try inner.queues(of: identifier, limit: limit)
    }

    func head(of queue: RequestQueue) throws(StoreFault) -> RequestHead? {
        try tap(.call("head"))
        return try inner.head(of: queue)
    }

    func heads(
        of identifier: String?, limit: Int
    ) throws(StoreFault) -> [(queue: RequestQueue, head: RequestHead)] {
        try tap(.call("heads"))
        return try inner.heads(of: identifier, limit: limit)
    }

    func claim(
        _ id: RequestID, of queue: RequestQueue, at date: Int64
    ) throws(StoreFault) -> RequestID? {
        try tap(.call("claim"))
        return try inner.claim(id, of: queue, at: date)
    }

    func cancelled(among ids: [RequestID]) throws(StoreFault) -> [Request] {
        try tap(.call("cancelled"))
        return try inner.cancelled(among: ids)
    }

    func runningCount(of identifier: String) throws(StoreFault) -> Int {
        try tap(.call("runningCount"))
        return try inner.runningCount(of: identifier)
    }

    func running(in host: HostIdentity) throws(StoreFault) -> [Request] {
        try tap(.call("running"))
        return try inner.running(in: host)
    }

    func orphans() throws(StoreFault) -> [Request] {
        try tap(.call("orphans"))
        return try inner.orphans()
    }

    func hosts() throws(StoreFault) -> [HostRecord] {
        try tap(.call("hosts"))
        return try inner.hosts()
    }

    func enter(_ host: HostRecord) throws(StoreFault) -> Int64 {
        try tap(.call("enter"))
        return try inner.enter(host)
    }

    func leave(_ host: HostRecord, at date: Int64) throws(StoreFault) -> Bool {
        try tap(.call("leave"))
        return try inner.leave(host, at: date)
    }

    func setDrained(_ isDrained: Bool, of host: Int64) throws(StoreFault) -> Bool {
        try tap(.call("setDrained"))
        return try inner.setDrained(isDrained, of: host)
    }

    func lastSeen() throws(StoreFault) -> Int64? {
        try tap(.call("lastSeen"))
        return try inner.lastSeen()
    }

    func standing(of host: HostRecord) throws(StoreFault) -> [UInt8]? {
        try tap(.call("standing"))
        return try inner.standing(of: host)
    }

    func setStanding(_ bytes: [UInt8], of host: HostRecord) throws(StoreFault) {
        try tap(.call("setStanding"))
        try inner.setStanding(bytes, of: host)
    }

    func lockValue(_ name: String) throws(StoreFault) {
        try tap(.call("lockValue"))
        try inner.lockValue(name)
    }

    func firstToMiss() throws(StoreFault) -> Request? {
        try tap(.call("firstToMiss"))
        return try inner.firstToMiss()
    }

    func running() throws(StoreFault) -> [Request] {
        try tap(.call("running"))
        return try inner.running()
    }

    func requests(_ filter: RequestFilter) throws(StoreFault) -> [Request] {
        try tap(.call("requests"))
        return try inner.requests(filter)
    }

    func overview(
        _ filter: RequestFilter, outcomes: Set<Outcome>
    ) throws(StoreFault) -> RequestOverview {
        try tap(.call("overview"))
        return try inner.overview(filter, outcomes: outcomes)
    }

    func put(_ attempt: Attempt) throws(StoreFault) {
        try tap(.call("put"))
        try inner.put(attempt)
    }

    func end(
        _ launch: UInt64, of request: RequestID, _ end: AttemptEnd, at date: Int64
    ) throws(StoreFault) {
        try tap(.call("end"))
        try inner.end(launch, of: request, end, at: date)
    }

    func removeAttempts(of request: RequestID, before launch: UInt64) throws(StoreFault) {
        try tap(.call("removeAttempts"))
        try inner.removeAttempts(of: request, before: launch)
    }

    func attempt(_ launch: UInt64, of request: RequestID) throws(StoreFault) -> Attempt? {
        try tap(.call("attempt"))
        return try inner.attempt(launch, of: request)
    }

    func attempts(of request: RequestID, limit: Int) throws(StoreFault) -> [Attempt] {
        try tap(.call("attempts"))
        return try inner.attempts(of: request, limit: limit)
    }

    func append(_ entry: JournalEntry) throws(StoreFault) {
        try tap(.call("append"))
        try inner.append(entry)
    }

    func journal(
        after sequence: UInt64, of request: RequestID?, limit: Int
    ) throws(StoreFault) -> [JournalEntry] {
        try tap(.call("journal"))
        return try inner.journal(after: sequence, of: request, limit: limit)
    }

    func lastEntry(of request: RequestID) throws(StoreFault) -> JournalEntry? {
        try tap(.call("lastEntry"))
        return try inner.lastEntry(of: request)
    }

    func liveCounts() throws(StoreFault) -> [LiveCount] {
        try tap(.call("liveCounts"))
        return try inner.liveCounts()
    }

    func lastSequence() throws(StoreFault) -> UInt64 {
        try tap(.call("lastSequence"))
        return try inner.lastSequence()
    }

    func causes(in dates: Range<Int64>, limit: Int) throws(StoreFault) -> [JournalEntry] {
        try tap(.call("causes"))
        return try inner.causes(in: dates, limit: limit)
    }

    func prune(before date: Int64, keeping kept: Int, limit: Int) throws(StoreFault) -> Int {
        try tap(.call("prune"))
        return try inner.prune(before: date, keeping: kept, limit: limit)
    }

    func value(_ name: String) throws(StoreFault) -> [UInt8]? {
        try tap(.call("value"))
        return try inner.value(name)
    }

    func setValue(_ name: String, _ value: [UInt8]?) throws(StoreFault) {
        try tap(.call("setValue"))
        try inner.setValue(name, value)
    }

    func schedules() throws(StoreFault) -> [StoredSchedule] {
        try tap(.call("schedules"))
        return try inner.schedules()
    }

    func schedule(_ name: String) throws(StoreFault) -> StoredSchedule? {
        try tap(.call("schedule"))
        return try inner.schedule(name)
    }

    func setPayload(_ payload: [UInt8], of request: RequestID) throws(StoreFault) {
        try tap(.call("setPayload"))
        try inner.setPayload(payload, of: request)
    }

    func put(_ schedule: StoredSchedule) throws(StoreFault) {
        try tap(.call("putSchedule"))
        try inner.put(schedule)
    }

    func removeSchedule(_ name: String) throws(StoreFault) {
        try tap(.call("removeSchedule"))
        try inner.removeSchedule(name)
    }

    // MARK: Statistics

    var newCounts: RollupSums { inner.newCounts }

    func deferCounts() { inner.deferCounts() }

    func count(_ rollup: Rollup, in key: RollupKey) throws(StoreFault) {
        try tap(.call("count"))
        try inner.count(rollup, in: key)
    }

    func rollups(
        _ span: RollupSpan, of identifier: String?, in dates: Range<Int64>
    ) throws(StoreFault) -> [StoredRollup] {
        try tap(.call("rollups"))
        return try inner.rollups(span, of: identifier, in: dates)
    }

    func foldMinutes(before date: Int64) throws(StoreFault) -> Bool {
        try tap(.call("foldMinutes"))
        return try inner.foldMinutes(before: date)
    }

    func removeHours(before date: Int64) throws(StoreFault) {
        try tap(.call("removeHours"))
        try inner.removeHours(before: date)
    }
}
