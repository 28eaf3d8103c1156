// SPDX-License-Identifier: Apache-2.0
import TestSupport
import Testing

@testable import Scheduling

@Suite("What a book of requests knows of its queues", .timeLimit(.minutes(1)))
struct RequestBookHeadTests {
    @Test("is what the store has, in whatever order requests come and go", arguments: 0..<16)
    func heads(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let store = MemoryStore()
        let now = Moment(wall: 1_000_000 * second, span: 1_000_000_000)
        var ledger = RequestLedger()
        ledger.limits.pending[.processing] = 1_000
        var book = RequestBook(
            host: HostIdentity(boot: "a", process: 1, start: 1), ledger: ledger)
        book.setState(HandlerState(places: 2), of: "org.example.a")
        try store.write { (transaction) throws(StoreFault) in
            _ = try book.open(at: now, transaction)
        }
        for _ in 0..<60 {
            let description = RequestDescription(
                "org.example.\(["a", "b"].randomElement(using: &generator)!)", kind: .processing,
                earliest: Bool.random(using: &generator)
                    ? now.wall + .random(in: -3...3, using: &generator) * second : nil,
                onPending: .allCases.randomElement(using: &generator)!)
            let id = RequestID(rawValue: .random(in: 1...60, using: &generator))
            let act = Int.random(in: 0...4, using: &generator)
            try store.write { (transaction) throws(StoreFault) in
                switch act {
                case 0: _ = try book.cancel(id, at: now, transaction)
                case 1: _ = try book.decide(at: now, transaction)
                default:
                    _ = try book.submit(description, payload: [], at: now, transaction)
                }
                let queues = try transaction.queues(of: nil, limit: .max)
                #expect(Set(book.scheduler.heads.keys) == Set(queues))
                for queue in queues {
                    #expect(
                        try book.scheduler.heads[queue] == transaction.head(of: queue))
                }
            }
        }
    }

    @Test("a wake is before another one if it is on one of the clocks")
    func wakes() {
        typealias Wake = RequestScheduler.Wake
        #expect(Wake(wall: 3).isBefore(Wake(wall: 4)))
        #expect(Wake(wall: 3).isBefore(Wake()))
        #expect(Wake(wall: 4, span: 7).isBefore(Wake(wall: 3, span: 8)))
        #expect(!Wake(wall: 3, span: 7).isBefore(Wake(wall: 3, span: 7)))
        #expect(!Wake().isBefore(Wake(wall: 3)))
    }
}
