// SPDX-License-Identifier: Apache-2.0
import Persistence
import Scheduling
import TestSupport
import Testing

@Suite("Two stores that do the same")
struct StoreModelTests {
    @Test("whatever is done, the store on disk answers as the one in memory", arguments: 0..<24)
    func onDisk(_ seed: UInt64) throws {
        let sqlite = try TestedStore.sqlite.make()
        try compare(sqlite, seed)
        let directory = try #require(sqlite.directory)
        #expect(try SQLiteStore.integrityCheck(directory: directory.path("store")) == [])
    }

    @Test(
        "whatever is done, the store on a server answers as the one in memory",
        .enabled(if: PostgresServer.programs != nil, "PostgreSQL is not installed"),
        arguments: 0..<8)
    func onServer(_ seed: UInt64) throws {
        try compare(try TestedStore.postgres.make(), seed, keepsNumbers: false)
    }

    /// - Parameter keepsNumbers: whether numbers of requests that were taken back are given again.
    private func compare(_ other: OpenStore, _ seed: UInt64, keepsNumbers: Bool = true) throws {
        var generator = SeededGenerator(seed: seed)
        let memory = try TestedStore.memory.make()
        for _ in 0..<40 {
            var operations = (0..<Int.random(in: 1...12, using: &generator)).map { _ in
                StoreOperation.random(&generator)
            }
            let fails = Int.random(in: 0...5, using: &generator) == 0
            if !keepsNumbers {
                operations = operations.compactMap { $0.withoutLostNumbers(isLost: fails) }
            }
            for store in [memory, other] {
                do {
                    try store.write { store throws in
                        for operation in operations { try operation.run(in: store) }
                        if fails { throw sudden }
                    }
                } catch let fault as StoreFault {
                    try #require(fault == sudden)
                }
            }
            // Numbers that were drawn ahead would be lost.
            if Int.random(in: 0...9, using: &generator) == 0, keepsNumbers { try other.reopen() }
            let difference = StoreAnswers.difference(
                try StoreAnswers(memory), try StoreAnswers(other))
            try #require(difference == nil, "after \(operations)")
        }
    }
}

/// Something that is done in a transaction.
indirect enum StoreOperation {
    case insert(Request, payload: [UInt8])
    case update(UInt64, Request)
    case put(Attempt)
    case end(UInt64, of: UInt64, AttemptEnd)
    case append(JournalEntry)
    case prune(before: Int64, keeping: Int, limit: Int)
    case set(String, [UInt8]?)
    case count(String, at: Int64)
    case fold(before: Int64)
    case nested([StoreOperation], fails: Bool)

    static func random(_ generator: inout SeededGenerator) -> StoreOperation {
        let id = UInt64.random(in: 1...60, using: &generator)
        let date = Int64.random(in: 0...30, using: &generator)
        switch Int.random(in: 0...17, using: &generator) {
        case 0...3:
            return .insert(
                .random(&generator),
                payload: Array(repeating: 7, count: .random(in: 0...9, using: &generator)))
        case 4...7: return .update(id, .random(&generator))
        case 8, 9:
            var attempt = Attempt(
                request: RequestID(rawValue: id), launch: .random(in: 0...4, using: &generator),
                number: 2, host: OpenStore.host, startedAt: date)
            attempt.outcome = .allCases.randomElement(using: &generator)
            return .put(attempt)
        case 10, 11:
            return .append(
                JournalEntry(
                    .allCases.randomElement(using: &generator)!, at: date,
                    request: Bool.random(using: &generator) ? nil : RequestID(rawValue: id)))
        case 12:
            return .prune(
                before: .random(in: 0...10, using: &generator),
                keeping: .random(in: 0...20, using: &generator),
                limit: .random(in: 0...5, using: &generator))
        case 13:
            return .set("v\(id % 3)", Bool.random(using: &generator) ? nil : [UInt8(id)])
        case 14:
            return .end(
                .random(in: 0...4, using: &generator), of: id,
                AttemptEnd(.failed, reason: Bool.random(using: &generator) ? nil : .budget))
        case 15:
            return .count(
                ["a", "b", ""].randomElement(using: &generator)!,
                at: .random(in: 0...200, using: &generator) * RollupSpan.minute.length)
        case 16:
            return .fold(before: .random(in: 0...4, using: &generator) * RollupSpan.hour.length)
        default:
            return .nested(
                (0...3).map { _ in random(&generator) }, fails: .random(using: &generator))
        }
    }

    /// Nil for an insertion that is taken back, and what is left of a part with some.
    func withoutLostNumbers(isLost: Bool) -> StoreOperation? {
        switch self {
        case .insert: isLost ? nil : self
        case .nested(let operations, let fails):
            .nested(
                operations.compactMap { $0.withoutLostNumbers(isLost: isLost || fails) },
                fails: fails)
        default: self
        }
    }

    func run(in store: any StoreTransaction) throws(StoreFault) {
        switch self {
        case .insert(let request, let payload): _ = try store.insert(request, payload: payload)
        case .update(let id, let state):
            guard var request = try store.request(RequestID(rawValue: id)) else { return }
            request.state = state.state
            request.notBefore = state.notBefore
            request.launches = state.launches
            request.changedAt = state.changedAt
            request.outcome = state.outcome
            try store.update(request)
        // A store on a server sends it after what is inserted later in the transaction.
        case .put(let attempt):
            if try store.request(attempt.request) != nil { try store.put(attempt) }
        case .end(let launch, let id, let end):
            try store.end(launch, of: RequestID(rawValue: id), end, at: 31)
        case .append(let entry): try store.append(entry)
        case .prune(let date, let kept, let limit):
            _ = try store.prune(before: date, keeping: kept, limit: limit)
        case .set(let name, let value): try store.setValue(name, value)
        case .count(let name, let minute):
            try store.count(.launch(after: 1), in: RollupKey(.minute, name, at: minute))
        case .fold(let date): _ = try store.foldMinutes(before: date)
        case .nested(let operations, let fails):
            do {
                try store.nested { () throws(StoreFault) in
                    for operation in operations { try operation.run(in: store) }
                    if fails { throw sudden }
                }
            } catch {
                guard error == sudden else { throw error }
            }
        }
    }
}

/// Everything that a store can be asked.
struct StoreAnswers: Equatable {
    var requests: [Request] = []
    var payloads: [[UInt8]] = []
    var counts: [Int] = []
    var pending: [[Request]] = []
    var firstPending: [RequestID?] = []
    var ahead: [Int] = []
    var found: [Request?] = []
    var queues: [RequestQueue] = []
    var heads: [RequestHead?] = []
    var firstToMiss: Request?
    var running: [Request] = []
    var parked: [Request] = []
    var attempts: [[Attempt]] = []
    var journal: [JournalEntry] = []
    var journals: [[JournalEntry]] = []
    var values: [[UInt8]?] = []
    var rollups: [StoredRollup] = []

    /// The first answer that is not the same; nil: there is none.
    static func difference(_ a: StoreAnswers, _ b: StoreAnswers) -> String? {
        if a == b { return nil }
        for (a, b) in zip(Mirror(reflecting: a).children, Mirror(reflecting: b).children) {
            let (one, other) = ("\(a.value)", "\(b.value)")
            if one != other { return "\(a.label ?? ""): \(one) and \(other)" }
        }
        return "something that has no text"
    }

    init(_ store: OpenStore) throws {
        self = try store.read { try StoreAnswers($0) }
    }

    private init(_ store: any StoreTransaction) throws(StoreFault) {
        requests = try store.requests(RequestFilter(limit: .max))
        for span in RollupSpan.allCases {
            rollups += try store.rollups(span, of: nil, in: 0..<Int64.max)
            rollups += try store.rollups(span, of: "b", in: RollupSpan.hour.length..<Int64.max)
        }
        for kind in TaskKind.allCases { counts.append(try store.pendingCount(.kind(kind))) }
        for identifier in ["org.a", "org.b", "org.b-c", "org.b.c", "org"] {
            pending.append(try store.pending(of: identifier))
            firstPending.append(try store.firstPending(identifier))
            for owner in [nil, UInt32(1_001)] {
                for key in 0...20 {
                    found.append(try store.find(key: "k\(key)", of: identifier, owner: owner))
                }
            }
        }
        for owner in [UInt32(1_001), .max, 5] {
            pending.append(try store.owned(by: owner))
            counts.append(try store.pendingCount(.owner(owner)))
        }
        queues = try store.queues(of: nil, limit: .max)
        for queue in queues { heads.append(try store.head(of: queue)) }
        firstToMiss = try store.firstToMiss()
        running = try store.running()
        parked = try store.requests(
            RequestFilter(states: [.parked, .missed], identifier: "org.b", limit: 4))
        for request in requests { ahead.append(try store.ahead(of: request, limit: 3)) }
        for id in requests.map(\.id) {
            payloads.append(try store.payload(of: id))
            attempts.append(try store.attempts(of: id, limit: 3))
            journals.append(try store.journal(after: 4, of: id, limit: 5))
            journals.append(try store.lastEntry(of: id).map { [$0] } ?? [])
        }
        journal = try store.journal(after: 0, of: nil, limit: .max)
        for name in ["v0", "v1", "v2"] { values.append(try store.value(name)) }
    }
}
