// SPDX-License-Identifier: Apache-2.0
import Scheduling
import Testing

@Suite("Requests that ran when the process ended", .timeLimit(.minutes(1)))
struct SuspectTests {
    private let store = MemoryStore()
    private let now = Moment(wall: 1_000_000_000_000, span: 1_000_000_000)

    private func book(_ process: Int32) throws -> RequestBook {
        var book = RequestBook(host: HostIdentity(boot: "a", process: process, start: 1))
        try store.write { (transaction) throws(StoreFault) in
            _ = try book.open(at: now, transaction)
        }
        book.setState(HandlerState(places: 8), of: "org.example.tidy")
        book.setState(HandlerState(places: 8), of: "org.example.other")
        return book
    }

    private func submit(_ identifier: String, _ book: inout RequestBook) throws {
        let description = RequestDescription(identifier, kind: .processing, onPending: .add)
        try store.write { (transaction) throws(StoreFault) in
            _ = try book.submit(description, payload: [], at: now, transaction)
        }
    }

    private func launched(_ book: inout RequestBook) throws -> [RequestID] {
        try store.write { (transaction) throws(StoreFault) in
            try book.decide(at: now, transaction).compactMap { effect in
                if case .launch(let request, _, _, _) = effect { request.id } else { nil }
            }
        }
    }

    @Test("are launched one at a time, beside all others, and say why they wait")
    func alone() throws {
        var first = try book(1)
        for identifier in ["org.example.tidy", "org.example.tidy", "org.example.other"] {
            try submit(identifier, &first)
        }
        #expect(try launched(&first).count == 3)

        var second = try book(2)
        #expect(try launched(&second) == [RequestID(rawValue: 1)])
        // Whoever did not run then is in nobody's way, but for those of its own queue.
        let fresh = RequestDescription("org.example.tidy", kind: .processing, priority: .high)
        try store.write { (transaction) throws(StoreFault) in
            var urgent = fresh
            urgent.onPending = .add
            _ = try second.submit(urgent, payload: [], at: now, transaction)
        }
        #expect(try launched(&second) == [RequestID(rawValue: 4)])
        let waiting = try store.read { (transaction) throws(StoreFault) in
            try transaction.request(RequestID(rawValue: 3))
        }
        let report = try #require(
            waiting.flatMap { second.scheduler.why($0, at: now).first { $0.holds } })
        #expect(report.factor == .place)
        #expect(report.change == "the task of request 1 ends")

        try store.write { (transaction) throws(StoreFault) in
            _ = try second.ended(
                RequestID(rawValue: 1), launch: 2, AttemptEnd(.succeeded), answered: true,
                at: now, transaction)
        }
        #expect(try launched(&second).count == 1)
    }

    @Test("that are launched for the last time run alone: who ran beside poisons is not parked")
    func beside() throws {
        let (long, poison) = ("org.example.other", "org.example.tidy")
        var book = try book(1)
        try submit(long, &book)
        try submit(poison, &book)
        #expect(try launched(&book).count == 2)

        // Another poison runs beside it, and the process ends a second time.
        book = try self.book(2)
        #expect(try launched(&book) == [RequestID(rawValue: 1)])
        try submit("org.example.fresh", &book)
        book.setState(HandlerState(), of: "org.example.fresh")
        #expect(try launched(&book) == [RequestID(rawValue: 3)])

        book = try self.book(3)
        book.setState(HandlerState(), of: "org.example.fresh")
        #expect(try launched(&book) == [RequestID(rawValue: 1)])
        try submit("org.example.fresh", &book)
        #expect(try launched(&book) == [])
        for id in [2, 3, 4] as [UInt64] {
            let report = try #require(try held(RequestID(rawValue: id), book))
            #expect(report.factor == .place)
            #expect(report.change == "the task of request 1 ends")
        }
        try end(1, launch: 3, &book)
        // Those that ran with the process, one at a time.
        #expect(try launched(&book) == [RequestID(rawValue: 2)])
        #expect(try state(1) == .finished)
    }

    @Test("that are to run alone wait until nothing runs, and nothing else is launched meanwhile")
    func drain() throws {
        var book = try book(1)
        try submit("org.example.tidy", &book)
        #expect(try launched(&book).count == 1)
        book = try self.book(2)
        #expect(try launched(&book).count == 1)
        book = try self.book(3)
        // It is the third time; what others have begun comes to its end first.
        book.setState(HandlerState(closed: .paused), of: "org.example.tidy")
        try submit("org.example.other", &book)
        #expect(try launched(&book) == [RequestID(rawValue: 2)])
        book.setState(HandlerState(places: 8), of: "org.example.tidy")
        #expect(try launched(&book) == [])
        try submit("org.example.other", &book)
        #expect(try launched(&book) == [])
        #expect(
            try held(RequestID(rawValue: 1), book)?.detail
                == "the process ended 2 times while its task ran: it is launched once no other runs"
        )
        #expect(try held(RequestID(rawValue: 3), book)?.factor == .place)
        // Where something else holds it back as well, nobody waits for it.
        book.setState(HandlerState(closed: .paused), of: "org.example.tidy")
        try end(2, launch: 1, &book)
        #expect(try launched(&book) == [RequestID(rawValue: 3)])
        book.setState(HandlerState(places: 8), of: "org.example.tidy")
        #expect(try launched(&book) == [])
        try end(3, launch: 1, &book)
        #expect(try launched(&book) == [RequestID(rawValue: 1)])
        try submit("org.example.other", &book)
        #expect(try launched(&book) == [])
        try end(1, launch: 3, &book)
        #expect(try launched(&book) == [RequestID(rawValue: 4)])
    }

    @Test("are parked only where they ran alone, however often the process ended")
    func company() throws {
        var book = try book(1)
        for identifier in ["org.example.tidy", "org.example.other"] {
            try submit(identifier, &book)
        }
        for process in 1...6 as ClosedRange<Int32> {
            for id in [1, 2] as [UInt64] {
                // As somebody does who tries them out.
                try store.write { (transaction) throws(StoreFault) in
                    let identifier = id == 1 ? "org.example.tidy" : "org.example.other"
                    _ = try book.simulateLaunch(identifier, at: now, transaction)
                }
            }
            #expect(try launched(&book).count == 2)
            book = try self.book(process + 1)
            #expect(try state(1) == .pending)
        }
        #expect(try launched(&book) == [RequestID(rawValue: 1)])
        book = try self.book(8)
        #expect(try state(1) == .parked)
        #expect(try state(2) == .pending)
    }

    private func held(_ id: RequestID, _ book: RequestBook) throws -> FactorReport? {
        let request = try store.read { (transaction) throws(StoreFault) in
            try transaction.request(id)
        }
        return request.flatMap { book.scheduler.why($0, at: now).first { $0.holds } }
    }

    private func state(_ id: UInt64) throws -> RequestState? {
        try store.read { (transaction) throws(StoreFault) in
            try transaction.request(RequestID(rawValue: id))?.state
        }
    }

    private func end(_ id: UInt64, launch: UInt64, _ book: inout RequestBook) throws {
        try store.write { (transaction) throws(StoreFault) in
            _ = try book.ended(
                RequestID(rawValue: id), launch: launch, AttemptEnd(.succeeded), answered: true,
                at: now, transaction)
        }
    }

    @Test("a launch that was committed though the store said otherwise is taken back")
    func inDoubt() throws {
        var book = try book(1)
        try submit("org.example.tidy", &book)
        let before = book
        #expect(try launched(&book).count == 1)
        book = before
        book.failed(StoreFault(.io, "nobody knows"))
        #expect(try launched(&book) == [])
        book.worked()
        #expect(try launched(&book) == [RequestID(rawValue: 1)])
        let attempts = try store.read { (transaction) throws(StoreFault) in
            try transaction.attempts(of: RequestID(rawValue: 1), limit: 9)
        }
        #expect(attempts.map(\.outcome) == [.interrupted, nil])
        #expect(attempts.map(\.number) == [1, 1])
    }
}
