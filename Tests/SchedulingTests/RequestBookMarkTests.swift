// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Scheduling

@Suite("A book of requests that goes back", .timeLimit(.minutes(1)))
struct RequestBookMarkTests {
    private let store = MemoryStore()
    private let now = Moment(wall: 1_000_000 * second, span: 1_000_000_000)
    private let fault = StoreFault(.io, "the test's store fails")

    private func book() throws -> RequestBook {
        var ledger = RequestLedger()
        ledger.limits.pending[.processing] = 100
        var book = RequestBook(
            host: HostIdentity(boot: "a", process: 1, start: 1), ledger: ledger)
        book.scheduler.budget.limits = DayLimits(launches: 5)
        book.scheduler.rate.spacing = 60_000_000_000
        try store.write { (transaction) throws(StoreFault) in
            _ = try book.open(at: now, transaction)
        }
        for name in ["tidy", "other"] {
            book.setState(HandlerState(places: 8), of: "org.example.\(name)")
        }
        return book
    }

    private func submit(_ name: String, _ book: inout RequestBook) throws -> RequestID {
        let description = RequestDescription(
            "org.example.\(name)", kind: .processing, opportunistic: .calm)
        return try store.write { (transaction) throws(StoreFault) in
            try book.submit(description, payload: [], at: now, transaction)
        }.get().id
    }

    private func launched(_ book: inout RequestBook, at now: Moment) throws -> [RequestID] {
        try store.write { (transaction) throws(StoreFault) in
            try book.decide(at: now, transaction).compactMap { effect in
                if case .launch(let request, _, _, _) = effect { request.id } else { nil }
            }
        }
    }

    /// What anybody can see of a book.
    private func seen(_ book: RequestBook) -> [String] {
        var seen = [
            "\(book.scheduler.budget)", "\(book.settings)", "\(book.running.keys.sorted())",
        ]
        for name in ["tidy", "other", "new"] {
            let queue = RequestQueue(
                identifier: "org.example.\(name)", kind: .processing, opportunistic: .calm)
            seen.append("\(book.scheduler.why(queue, at: now))")
        }
        return seen
    }

    @Test("knows nothing of a transaction that was not committed, and launches what that did")
    func back() throws {
        var book = try book()
        let first = try submit("tidy", &book)
        let before = seen(book)
        let mark = book.mark()
        #expect(throws: fault) {
            try store.write { (transaction) throws(StoreFault) in
                #expect(try book.decide(at: now, transaction).count == 1)
                book.setState(HandlerState(closed: .paused), of: "org.example.other")
                book.setState(HandlerState(places: 1), of: "org.example.new")
                var setting = HandlerSetting()
                setting.enablement = .suspended
                _ = try book.set(setting, for: .identifier("org.example.tidy"), transaction)
                throw fault
            }
        }
        #expect(seen(book) != before)
        book.revert(to: mark)
        #expect(seen(book) == before)
        book.failed(fault)
        book.worked()
        #expect(try launched(&book, at: now) == [first])
    }

    @Test("goes back again and again, and what was committed in between stays")
    func again() throws {
        var book = try book()
        for round in 0..<4 {
            let id = try submit(round % 2 == 0 ? "tidy" : "other", &book)
            let later = Moment(
                wall: now.wall + Int64(round) * 100 * second,
                span: now.span + UInt64(round) * 100_000_000_000)
            let before = seen(book)
            let mark = book.mark()
            #expect(throws: fault) {
                try store.write { (transaction) throws(StoreFault) in
                    _ = try book.decide(at: later, transaction)
                    throw fault
                }
            }
            book.revert(to: mark)
            #expect(seen(book) == before)
            book.failed(fault)
            book.worked()
            _ = book.mark()
            #expect(try launched(&book, at: later) == [id])
        }
        #expect(book.running.count == 4)
    }

    @Test("a rest that began in a transaction that was undone ends in time all the same")
    func rest() throws {
        var book = try book()
        _ = try submit("tidy", &book)
        #expect(try launched(&book, at: now).count == 1)
        let second = try submit("tidy", &book)
        let mark = book.mark()
        #expect(throws: fault) {
            try store.write { (transaction) throws(StoreFault) in
                #expect(try book.decide(at: now, transaction).isEmpty)
                throw fault
            }
        }
        book.revert(to: mark)
        book.failed(fault)
        book.worked()
        #expect(try launched(&book, at: now).isEmpty)
        // The journal says meanwhile for what it waits.
        let look = try #require(book.wake(after: now).span)
        #expect(look == now.span + HoldNotes.patience)
        let wall = now.wall + Int64(HoldNotes.patience)
        #expect(try launched(&book, at: Moment(wall: wall, span: look)).isEmpty)
        let end = try #require(book.wake(after: now).span)
        #expect(end == now.span + 60_000_000_000)
        #expect(try launched(&book, at: Moment(wall: now.wall, span: end)) == [second])
    }
}
