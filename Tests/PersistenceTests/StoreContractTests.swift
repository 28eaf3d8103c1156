// SPDX-License-Identifier: Apache-2.0
import Persistence
import TestSupport
import Testing

@testable import Scheduling

@Suite("What every store does: requests")
struct StoreContractTests {
    @Test("a request comes back as it was put in", arguments: TestedStore.allCases)
    func roundTrip(_ kind: TestedStore) throws {
        let store = try kind.make()
        var generator = SeededGenerator(seed: 4)
        let requests = try store.insert(
            [sample()] + (0..<200).map { _ in Request.random(&generator) })
        try store.reopen()
        try store.read { store throws in
            for request in requests {
                #expect(try store.request(request.id) == request)
            }
            #expect(try store.request(RequestID(rawValue: 0)) == nil)
            #expect(try store.request(RequestID(rawValue: 999)) == nil)
            #expect(try store.request(RequestID(rawValue: .max)) == nil)
        }
    }

    /// A store may send what all of them have in common once.
    @Test(
        "requests of one transaction come back as they were put in, whatever they have in common",
        arguments: TestedStore.allCases)
    func alike(_ kind: TestedStore) throws {
        let store = try kind.make()
        var generator = SeededGenerator(seed: 14)
        for turn in 0..<60 {
            let (first, second) = (Request.random(&generator), Request.random(&generator))
            let parts: [(inout Request) -> Void] = [
                { $0.description.key = second.description.key },
                { $0.description.latest = second.description.latest },
                { $0.description.retry = second.description.retry },
                { $0.description.repetition = second.description.repetition },
                { $0.description.priority = second.description.priority },
                { $0.owner = second.owner },
                { $0.notBefore = second.notBefore },
                { $0.state = second.state },
                { $0.payloadBytes = second.payloadBytes },
                { $0.submittedAt = second.submittedAt },
            ]
            let differing = parts.filter { _ in Bool.random(using: &generator) }
            var requests = (0..<Int.random(in: 1...5, using: &generator)).map { _ in
                var request = first
                for change in differing where Bool.random(using: &generator) { change(&request) }
                return request
            }
            requests = try store.insert(requests)
            let payload: [UInt8] = turn % 2 == 0 ? [] : [1, 2]
            try store.write { store throws in
                for index in requests.indices {
                    if Bool.random(using: &generator) { requests[index].attempts += 1 }
                    if index % 2 == turn % 2 { requests[index].description.key = "k\(turn)" }
                    requests[index].payloadBytes = payload.count
                    try store.setPayload(payload, of: requests[index].id)
                    try store.redescribe(requests[index])
                }
            }
            try store.read { store throws in
                for request in requests {
                    #expect(try store.request(request.id) == request, "turn \(turn)")
                    #expect(try store.payload(of: request.id) == payload, "turn \(turn)")
                }
            }
        }
    }

    @Test(
        "a request with another description is found by that alone", arguments: TestedStore.allCases
    )
    func redescribing(_ kind: TestedStore) throws {
        let store = try kind.make()
        let latest: Int64 = 7_000_000_000
        var request = try store.insert(
            sample {
                $0.description.key = "old"
                $0.description.latest = latest
            })
        let queue = request.queue
        try store.write { store throws in
            request.description.key = "new"
            request.description.latest = nil
            request.description.priority = .high
            try store.redescribe(request)
        }
        try store.reopen()
        try store.read { store throws in
            #expect(try store.request(request.id) == request)
            #expect(
                try store.find(key: "old", of: request.description.identifier, owner: nil) == nil)
            #expect(
                try store.find(key: "new", of: request.description.identifier, owner: nil)
                    == request)
            #expect(try store.head(of: queue) == nil)
            #expect(try store.head(of: request.queue)?.id == request.id)
            #expect(try store.firstToMiss() == nil)
            #expect(try store.pendingCount(.kind(request.description.kind)) == 1)
        }
    }

    @Test("ids are 1, 2, 3, …", arguments: TestedStore.allCases)
    func ids(_ kind: TestedStore) throws {
        let store = try kind.make()
        let strange = sample { $0.id = RequestID(rawValue: 77) }
        #expect(try store.insert([sample(), strange, sample()]).map(\.id.rawValue) == [1, 2, 3])
    }

    @Test("payloads of no byte and of a mebibyte come back", arguments: TestedStore.allCases)
    func payloads(_ kind: TestedStore) throws {
        let store = try kind.make()
        let big = (0..<1 << 20).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        let none = try store.insert(sample()).id
        let some = try store.insert(sample(), payload: [0, 255, 0]).id
        let much = try store.insert(sample(), payload: big).id
        try store.reopen()
        try store.read { store throws in
            #expect(try store.payload(of: none) == [])
            #expect(try store.payload(of: some) == [0, 255, 0])
            #expect(try store.payload(of: much) == big)
            #expect(try store.payload(of: RequestID(rawValue: 9)) == [])
        }
    }

    @Test("any text comes back, and is found by its bytes", arguments: TestedStore.allCases)
    func texts(_ kind: TestedStore) throws {
        let store = try kind.make()
        let texts = [
            "'; DROP TABLE request; --", "\"`]", "a\u{1}b", "a\u{1}c", "🧹🏳️‍🌈", "e\u{301}", "\u{e9}",
            "?1",
            "%_", String(repeating: "ü", count: 10_000), "A", "a", " a ", "",
        ]
        let requests = try store.insert(texts.map { text in sample { $0.description.key = text } })
        try store.write { store throws in
            for text in texts {
                try store.append(
                    JournalEntry(.submitted, at: 1, identifier: text, detail: text))
                try store.setValue("v\(Array(text.utf8))", Array(text.utf8))
            }
        }
        try store.reopen()
        try store.read { store throws in
            let entries = try store.journal(after: 0, of: nil, limit: 100)
            for (index, text) in texts.enumerated() {
                let found = try store.find(key: text, of: "org.example.tidy", owner: nil)
                #expect(found?.id == requests[index].id)
                #expect(found?.description.key.map { Array($0.utf8) } == Array(text.utf8))
                #expect(Array(entries[index].detail.utf8) == Array(text.utf8))
                #expect(Array(entries[index].identifier.utf8) == Array(text.utf8))
                #expect(try store.value("v\(Array(text.utf8))") == Array(text.utf8))
            }
        }
    }

    @Test(
        "an update changes what may change, of a request that is there",
        arguments: TestedStore.allCases)
    func update(_ kind: TestedStore) throws {
        let store = try kind.make()
        var request = try store.insert(sample(), payload: [1])
        var generator = SeededGenerator(seed: 8)
        for _ in 0..<50 {
            request.randomize(&generator)
            try store.write { store in try store.update(request) }
            #expect(
                try store.read { store throws in
                    try store.request(request.id)
                } == request)
        }
        try store.write { store throws in
            try store.update(sample { $0.id = RequestID(rawValue: 50) })
            #expect(try store.request(RequestID(rawValue: 50)) == nil)
            #expect(try store.payload(of: RequestID(rawValue: 1)) == [1])
        }
    }

    @Test("a write that throws has done nothing", arguments: TestedStore.allCases)
    func atomicity(_ kind: TestedStore) throws {
        let store = try kind.make()
        let first = try store.insert(sample { $0.description.key = "k" }, payload: [1])
        #expect(throws: sudden) {
            try store.write { store throws in
                _ = try store.insert(sample { $0.description.key = "k" }, payload: [2])
                try store.update(
                    sample {
                        $0.id = first.id
                        $0.state = .cancelled
                    })
                try store.put(
                    Attempt(
                        request: first.id, launch: 1, number: 1, host: OpenStore.host, startedAt: 5)
                )
                try store.append(JournalEntry(.submitted, at: 1))
                try store.setValue("name", [1])
                #expect(
                    try store.find(key: "k", of: "org.example.tidy", owner: nil)?.id.rawValue == 2)
                throw sudden
            }
        }
        try store.read { store throws in
            #expect(try store.request(first.id) == first)
            #expect(try store.request(RequestID(rawValue: 2)) == nil)
            #expect(try store.find(key: "k", of: "org.example.tidy", owner: nil) == first)
            #expect(try store.pendingCount(.kind(.appRefresh)) == 1)
            #expect(try store.pending(of: "org.example.tidy") == [first])
            #expect(try store.attempts(of: first.id, limit: 9) == [])
            #expect(try store.journal(after: 0, of: nil, limit: 9) == [])
            #expect(try store.value("name") == nil)
            #expect(try store.head(of: first.queue)?.id == first.id)
        }
        // What was given back is given again, since nobody has seen it, but for where others draw numbers, too.
        #expect(try store.insert(sample()).id.rawValue == (kind == .postgres ? 3 : 2))
    }

    @Test("a nested part that throws takes only itself back", arguments: TestedStore.allCases)
    func nesting(_ kind: TestedStore) throws {
        let store = try kind.make()
        try store.write { store throws in
            try store.setValue("outside", [1])
            try store.part { () throws in
                try store.setValue("inside", [2])
                #expect(throws: sudden) {
                    try store.part { () throws in
                        try store.setValue("outside", [3])
                        try store.append(JournalEntry(.submitted, at: 1))
                        _ = try store.insert(sample(), payload: [])
                        throw sudden
                    }
                }
                try store.append(JournalEntry(.cancelled, at: 1))
                #expect(try store.journal(after: 0, of: nil, limit: 9).map(\.sequence) == [1])
            }
        }
        try store.read { store throws in
            #expect(try store.value("outside") == [1])
            #expect(try store.value("inside") == [2])
            #expect(try store.journal(after: 0, of: nil, limit: 9).map(\.what) == [.cancelled])
            #expect(try store.requests(RequestFilter()) == [])
        }
    }

    @Test("pending requests are counted by kind", arguments: TestedStore.allCases)
    func counts(_ kind: TestedStore) throws {
        let store = try kind.make()
        func counts() throws -> [Int] {
            try TaskKind.allCases.map { kind in
                try store.read { store in try store.pendingCount(.kind(kind)) }
            }
        }
        var request = try store.insert(sample { $0.description.kind = .processing })
        try store.insert(sample())
        try store.insert(sample { $0.state = .finished })
        #expect(try counts() == [1, 1, 0, 0])
        for state in RequestState.allCases + [.running, .parked, .missed, .pending] {
            request.state = state
            try store.write { store in try store.update(request) }
            #expect(try counts() == [1, state == .pending ? 1 : 0, 0, 0])
        }
    }

    @Test("those of an identifier that are pending, by id", arguments: TestedStore.allCases)
    func pending(_ kind: TestedStore) throws {
        let store = try kind.make()
        try store.insert(sample("org.example.other"))
        for state in RequestState.allCases { try store.insert(sample { $0.state = state }) }
        try store.insert(sample(notBefore: 3))
        try store.insert(sample { $0.state = .running })
        try store.insert(sample("org.example.other") { $0.state = .running })
        try store.read { store throws in
            let pending = try store.pending(of: "org.example.tidy")
            #expect(pending.map(\.id.rawValue) == [2, 9])
            #expect(try store.pending(of: "org.example") == [])
            #expect(try store.running().map(\.id.rawValue) == [3, 10, 11])
        }
    }

    @Test("one that is pending is the first of the first queue", arguments: TestedStore.allCases)
    func firstPending(_ kind: TestedStore) throws {
        let store = try kind.make()
        try store.insert(sample { $0.state = .running })
        #expect(try store.read { try $0.firstPending("org.example.tidy") } == nil)
        try store.insert([
            sample(notBefore: 1) { $0.description.kind = .processing },
            sample(notBefore: 7), sample(notBefore: 5), sample(notBefore: 5),
            sample("org.example.other", notBefore: 1),
        ])
        try store.read { store throws in
            #expect(try store.firstPending("org.example.tidy")?.rawValue == 4)
            #expect(try store.firstPending("org.example") == nil)
        }
    }

    @Test(
        "those before one in its queue are counted up to a limit", arguments: TestedStore.allCases)
    func ahead(_ kind: TestedStore) throws {
        let store = try kind.make()
        let requests = try store.insert([
            sample(notBefore: 5), sample(notBefore: 3), sample(notBefore: 5), sample(notBefore: 9),
            sample(notBefore: 1) { $0.description.priority = .high },
            sample(notBefore: 1) { $0.state = .parked },
        ])
        try store.read { store throws in
            #expect(
                try requests.prefix(5).map { try store.ahead(of: $0, limit: 9) } == [1, 0, 2, 3, 0])
            #expect(try store.ahead(of: requests[3], limit: 2) == 2)
            #expect(try store.ahead(of: requests[3], limit: -1) == 0)
        }
    }

    @Test("payloads of any length are kept", arguments: TestedStore.allCases)
    func payloadLengths(_ kind: TestedStore) throws {
        let store = try kind.make()
        let lengths = [0, 1, 1_023, 1_024, 1_025, 2_048, 2_049, 100_000]
        let ids = try lengths.map { length in
            try store.insert(
                sample { $0.payloadBytes = length }, payload: .init(repeating: 7, count: length)
            ).id
        }
        try store.write { store throws in
            guard var request = try store.request(ids[3]) else { return }
            request.state = .finished
            try store.update(request)
        }
        try store.reopen()
        #expect(
            try store.read { store throws in try ids.map { try store.payload(of: $0).count } }
                == lengths)
    }

    @Test(
        "requests belong to whom they say, with keys of their own", arguments: TestedStore.allCases)
    func owners(_ kind: TestedStore) throws {
        let store = try kind.make()
        let users: [UInt32?] = [1_001, nil, 1_002, 1_001, .max]
        var made: [Request] = []
        for user in users {
            made.append(
                try store.insert(
                    sample {
                        $0.description.key = "k"
                        $0.owner = user
                    }))
        }
        try store.write { store throws in
            made[0].state = .cancelled
            made[0].changedAt = 5
            try store.update(made[0])
        }
        try store.reopen()
        try store.read { store throws in
            #expect(try store.owned(by: 1_001) == [made[0], made[3]])
            #expect(try store.owned(by: .max) == [made[4]] && store.owned(by: 7) == [])
            #expect(try store.pendingCount(.owner(1_001)) == 1)
            #expect(try store.pendingCount(.owner(7)) == 0)
            for (user, request) in [(UInt32?(1_001), made[3]), (nil, made[1]), (1_002, made[2])] {
                #expect(
                    try store.find(key: "k", of: "org.example.tidy", owner: user) == request)
            }
            #expect(try store.find(key: "k", of: "org.example.tidy", owner: 7) == nil)
            let overview = try store.overview(
                RequestFilter(limit: 1), outcomes: [], ownedBy: 1_001)
            #expect(overview.requests == [made[3]] && overview.count == 2)
            let over = try store.overview(
                RequestFilter(states: [.cancelled]), outcomes: [], ownedBy: 1_001)
            #expect(over.requests == [made[0]])
        }
    }

    @Test("of several with a key the newest is found", arguments: TestedStore.allCases)
    func keys(_ kind: TestedStore) throws {
        let store = try kind.make()
        let keyed = sample { $0.description.key = "k" }
        let old = try store.insert(keyed)
        var new = try store.insert(keyed)
        try store.insert(sample("org.example.other") { $0.description.key = "k" })
        func find() throws -> Request? {
            try store.read { store throws in
                try store.find(key: "k", of: "org.example.tidy", owner: nil)
            }
        }
        #expect(try find() == new)
        new.state = .cancelled
        new.changedAt = 5
        try store.write { store in try store.update(new) }
        #expect(try find() == new)
        try store.write { store throws in
            _ = try store.prune(before: 6, keeping: 9, limit: 9)
        }
        #expect(try find() == old)
    }

    @Test(
        "queues are those with pending requests, in order; a head is the first by date and id",
        arguments: TestedStore.allCases)
    func queues(_ kind: TestedStore) throws {
        let store = try kind.make()
        var expected: [RequestQueue: [Request]] = [:]
        var generator = SeededGenerator(seed: 15)
        var requests: [Request] = []
        for identifier in ["org.b", "org.a", "org.a.b", "org.a-b", "Org.z"] {
            for kind in TaskKind.allCases {
                for needs in 0...3 {
                    for priority in RequestPriority.allCases {
                        for _ in 0..<Int.random(in: 0...3, using: &generator) {
                            requests.append(
                                sample(identifier, notBefore: .random(in: 0...2, using: &generator))
                                {
                                    $0.description.kind = kind
                                    $0.description.needs = RequestNeeds(rawValue: UInt8(needs))
                                    $0.description.priority = priority
                                    if Bool.random(using: &generator) { $0.state = .finished }
                                })
                        }
                    }
                }
            }
        }
        requests.shuffle(using: &generator)
        requests = try store.insert(requests)
        for request in requests where request.state == .pending {
            expected[request.queue, default: []].append(request)
        }
        try store.read { store throws in
            #expect(try store.queues(of: nil, limit: .max) == expected.keys.sorted())
            #expect(
                try store.queues(of: nil, limit: 5) == Array(expected.keys.sorted().prefix(5)))
            #expect(try store.queues(of: nil, limit: 0) == [])
            for identifier in Set(expected.keys.map(\.identifier)) + ["org", "org.example.zz"] {
                let queues = expected.keys.filter { $0.identifier == identifier }.sorted()
                #expect(try store.queues(of: identifier, limit: .max) == queues)
                #expect(
                    try store.queues(of: identifier, limit: 2) == Array(queues.prefix(2)))
            }
            for (queue, requests) in expected {
                let first = requests.min { ($0.notBefore, $0.id) < ($1.notBefore, $1.id) }!
                #expect(
                    try store.head(of: queue)
                        == RequestHead(id: first.id, notBefore: first.notBefore))
            }
            #expect(try store.head(of: RequestQueue(identifier: "org", kind: .processing)) == nil)
        }
    }

    @Test(
        "the first to be missed waits, was never launched, and has the first latest beginning",
        arguments: TestedStore.allCases)
    func missing(_ kind: TestedStore) throws {
        let store = try kind.make()
        func latest(_ date: Int64, launches: UInt64 = 0, _ state: RequestState = .pending)
            -> Request
        {
            sample {
                $0.description.latest = date
                $0.launches = launches
                $0.state = state
            }
        }
        func first() throws -> UInt64? {
            try store.read { store in try store.firstToMiss()?.id.rawValue }
        }
        try store.insert([sample(), latest(3, .running), latest(4, launches: 1)])
        #expect(try first() == nil)
        let inserted = try store.insert([latest(9), latest(8), latest(8), latest(7, .missed)])
        #expect(try first() == 5)
        var second = inserted[1]
        second.state = .running
        second.launches = 1
        try store.write { store in try store.update(second) }
        #expect(try first() == 6)
        // Launched once, it is not missed, though it waits again.
        second.state = .pending
        try store.write { store in try store.update(second) }
        #expect(try first() == 6)
    }

    @Test(
        "a list has the states and the identifier that were asked for, in pages",
        arguments: TestedStore.allCases)
    func lists(_ kind: TestedStore) throws {
        let store = try kind.make()
        let all = try store.insert(
            (0..<40).map { index in
                sample(index % 3 == 0 ? "org.a" : "org.b") {
                    $0.state = RequestState.allCases[index % 7]
                }
            })
        func list(_ filter: RequestFilter) throws -> [Request] {
            try store.read { store in try store.requests(filter) }
        }
        #expect(try list(RequestFilter()) == all)
        #expect(try list(RequestFilter(limit: 3)) == Array(all.prefix(3)))
        #expect(try list(RequestFilter(limit: 0)) == [])
        #expect(try list(RequestFilter(limit: -5)) == [])
        #expect(
            try list(RequestFilter(after: RequestID(rawValue: 38))).map(\.id.rawValue) == [39, 40])
        for states: Set<RequestState> in [[.pending], [.running, .missed], [.parked]] {
            #expect(
                try list(RequestFilter(states: states, identifier: "org.a"))
                    == all.filter {
                        states.contains($0.state) && $0.description.identifier == "org.a"
                    })
        }
    }

    @Test(
        "a list finds few among many, many among more, and goes on where it ended",
        arguments: TestedStore.allCases)
    func sparseLists(_ kind: TestedStore) throws {
        let store = try kind.make()
        // More than are looked for one by one, of which the last is far behind the first.
        let all = try store.insert(
            (0..<19_000).map { index in
                sample(index % 1_700 == 1_699 ? "org.few" : "org.many") {
                    if index % 900 == 899 { $0.state = .parked }
                    if index % 1_300 == 1_299 { $0.state = .finished }
                    if index % 6_000 == 5_999 { $0.state = .running }
                    $0.notBefore = Int64(index * 7_919 % 500)
                    $0.changedAt = Int64(index * 7_907 % 300)
                }
            })
        let wanted: [(Set<RequestState>, String?)] = [
            ([], "org.few"), ([.pending], "org.few"), ([.parked], nil), ([.running], nil),
            ([.finished], nil), ([.finished, .parked], "org.many"), ([.pending], "org.many"),
            ([.pending, .parked, .finished], nil), ([.missed], nil), ([], "org.none"),
        ]
        for (states, identifier) in wanted {
            let expected = all.filter {
                (states.isEmpty || states.contains($0.state))
                    && (identifier ?? $0.description.identifier) == $0.description.identifier
            }
            for limit in [1, 50, .max] {
                var filter = RequestFilter(states: states, identifier: identifier, limit: limit)
                var found: [Request] = []
                for _ in 0..<3 {
                    let page = try store.read { store in try store.requests(filter) }
                    #expect(page.count <= limit)
                    found += page
                    guard page.count == limit else { break }
                    filter.after = page.last?.id
                }
                #expect(found == Array(expected.prefix(limit == .max ? .max : 3 * limit)))
            }
            let overview = try store.read { store in
                try store.overview(
                    RequestFilter(states: states, identifier: identifier, limit: 40))
            }
            #expect(overview.count == expected.count)
            #expect(
                overview.requests
                    == Array(expected.sorted(by: RequestOverview.goesBefore).prefix(40)))
        }
    }
}
