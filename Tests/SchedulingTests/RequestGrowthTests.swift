// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Scheduling

@Suite("Memory of requests that come and go", .timeLimit(.minutes(1)))
struct RequestGrowthTests {
    private let now = Moment(wall: 1_000_000 * second, span: 1_000_000_000)
    private let queue = RequestQueue(
        identifier: "org.example.tidy", kind: .processing, needs: [], priority: .normal)

    @Test("a queue whose first request is always another one keeps a few dates")
    func dates() {
        var scheduler = RequestScheduler()
        let stays = RequestHead(id: RequestID(rawValue: 1), notBefore: now.wall + 900 * second)
        for number in 2..<10_000 as Range<UInt64> {
            scheduler.setHead(stays, of: queue)
            scheduler.setHead(
                RequestHead(
                    id: RequestID(rawValue: number), notBefore: now.wall + 800 * second),
                of: queue)
        }
        scheduler.setHead(stays, of: queue)
        #expect(scheduler.entries < 200)
        scheduler.setState(HandlerState(places: 1), of: queue.identifier)
        #expect(scheduler.next(at: now) == nil)
        let later = Moment(wall: now.wall + 900 * second, span: now.span)
        #expect(scheduler.next(at: later)?.id == stays.id)
    }

    @Test("a handler that rests is waited for once, however often it is looked at")
    func rests() {
        var scheduler = RequestScheduler()
        scheduler.rate.spacing = 3_600_000_000_000
        let queue = RequestQueue(
            identifier: queue.identifier, kind: .processing, opportunistic: .calm)
        scheduler.setState(HandlerState(places: 2), of: queue.identifier)
        let head = { (number: UInt64) in
            RequestHead(id: RequestID(rawValue: number), notBefore: now.wall)
        }
        scheduler.setHead(head(1), of: queue)
        let launch = scheduler.next(at: now)
        #expect(launch != nil)
        if let launch { scheduler.launched(launch, at: now) }
        scheduler.setHead(head(2), of: queue)
        for _ in 0..<1_000 {
            #expect(scheduler.next(at: now) == nil)
            scheduler.reconsider()
        }
        #expect(scheduler.entries < 10)
        let end = scheduler.wake(after: now).span
        #expect(end == now.span + 3_600_000_000_000)
        let later = Moment(wall: now.wall, span: end ?? 0)
        #expect(scheduler.next(at: later)?.id == RequestID(rawValue: 2))
    }

    @Test("a change that has to last for ever is never due")
    func debounce() {
        var board = FactorBoard(debounce: .max)
        board.observe(.network, FactorReading(.yes, source: "test", detail: ""), at: now)
        board.observe(.network, FactorReading(.no, source: "test", detail: ""), at: now)
        #expect(board.next == .max)
        #expect(board.settle(at: now) == [])
        #expect(board.state(.network) == .yes)
    }

    @Test("a store in memory forgets the dates of requests that were put off, and their queues")
    func memory() {
        let contents = MemoryContents()
        var request = Request(
            RequestDescription("org.example.tidy", latest: now.wall + 900 * second),
            payloadBytes: 0, at: now.wall, notBefore: now.wall)
        let first = contents.insert(request, payload: [])
        request.notBefore += 800 * second
        request.id = contents.insert(request, payload: [])
        for _ in 0..<10_000 {
            request.notBefore -= 1
            contents.update(request)
            contents.forgetChanges()
        }
        #expect(contents.entryCount < 400)
        #expect(contents.head(of: request.queue)?.id == first)
        #expect(contents.firstToMiss()?.id == first)
        for number in 0..<1_000 {
            var other = request
            other.description.identifier = "org.example.n\(number)"
            other.id = contents.insert(other, payload: [])
            other.state = .finished
            contents.update(other)
            _ = contents.prune(before: .max, keeping: 0, limit: 9)
            contents.forgetChanges()
        }
        #expect(contents.entryCount < 800)
        #expect(contents.queues(of: nil, limit: .max).count == 1)
    }

    @Test("of a request that is repeated for ever the last attempts are kept")
    func attempts() throws {
        var limits = RequestLimits()
        limits.attemptCount = 5
        let desk = RequestDesk(limits: limits)
        let id = try desk.add(
            RequestDescription(
                "org.example.tidy", repetition: Repetition(.every(UInt64(second)))))
        for _ in 0..<40 {
            #expect(try desk.launch(id) != nil)
            try desk.end(id, AttemptEnd(.succeeded))
            desk.now += second
        }
        #expect(try desk.attempts(id).map(\.launch) == [36, 37, 38, 39, 40])
    }

    @Test("queues without handlers are not known where they are many, until they have one")
    func strangers() throws {
        let store = MemoryStore()
        func opened() throws -> RequestBook {
            var book = RequestBook(host: HostIdentity(boot: "b", process: 1, start: 1))
            book.setState(HandlerState(places: 2), of: "org.example.first")
            _ = try store.write { store throws(StoreFault) in try book.open(at: now, store) }
            return book
        }
        func add(_ identifier: String) throws {
            _ = try store.write { store throws(StoreFault) in
                try store.insert(
                    Request(
                        RequestDescription(identifier), payloadBytes: 0, at: now.wall,
                        notBefore: now.wall), payload: [])
            }
        }
        func launched(_ book: inout RequestBook) throws -> [String] {
            try store.write { store throws(StoreFault) in try book.decide(at: now, store) }
                .compactMap {
                    if case .launch(let request, _, _, _) = $0 {
                        request.description.identifier
                    } else {
                        nil
                    }
                }
        }
        for identifier in ["first", "later"] { try add("org.example.\(identifier)") }
        #expect(try opened().scheduler.heads.count == 2)
        for number in 0..<1_000 { try add("org.stranger.n\(number)") }

        var book = try opened()
        #expect(book.scheduler.heads.count == 1)
        #expect(try launched(&book) == ["org.example.first"])
        try store.write { store throws(StoreFault) in
            try book.setState(HandlerState(), of: "org.example.later", store)
            // Neither the one that is gone nor one that was known.
            try book.setState(.missing, of: "org.stranger.n3", store)
            try book.setState(HandlerState(places: 3), of: "org.example.first", store)
        }
        #expect(try launched(&book) == ["org.example.later"])
        #expect(book.scheduler.heads.isEmpty)

        // Others write: what is known is read anew.
        try add("org.example.later")
        try add("org.stranger.n1000")
        book.othersWrote()
        #expect(try launched(&book) == [])
        #expect(book.scheduler.heads.keys.map(\.identifier) == ["org.example.later"])
    }
}
