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
        book.setStanding(HandlerStanding(places: 8), of: "org.example.tidy")
        book.setStanding(HandlerStanding(places: 8), of: "org.example.other")
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
            try book.turn(at: now, transaction).compactMap { effect in
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
