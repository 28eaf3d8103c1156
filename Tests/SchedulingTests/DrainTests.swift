// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Scheduling

@Suite("A host that is drained")
struct DrainTests {
    private let now = Moment(wall: 1_000_000 * second, span: 1_000_000_000)
    private let queue = RequestQueue(
        identifier: "org.example.tidy", kind: .processing, needs: [], priority: .normal)

    private func head(_ number: UInt64) -> RequestHead {
        RequestHead(id: RequestID(rawValue: number), notBefore: now.wall)
    }

    @Test("launches nothing until it ends, and says so as its only reason")
    func held() {
        var book = RequestBook(host: HostIdentity(boot: "", process: 0, start: 0))
        book.setState(HandlerState(places: 1), of: queue.identifier)
        book.setDrained(since: 5)
        book.scheduler.setHead(head(1), of: queue)
        #expect(book.scheduler.next(at: now) == nil)
        let holding = book.scheduler.why(queue, at: now).filter(\.holds)
        #expect(holding.map(\.factor) == [.host] && holding.first?.since == 5)
        // What a failed transaction undoes is not the drain.
        book.setDrained(since: 5)
        let mark = book.mark()
        book.revert(to: mark)
        #expect(book.scheduler.drainedSince == 5)
        book.setDrained(since: nil)
        #expect(book.scheduler.why(queue, at: now).allSatisfy { !$0.holds })
        book.scheduler.setHead(nil, of: queue)
        book.scheduler.setHead(head(1), of: queue)
        #expect(book.scheduler.next(at: now)?.id == RequestID(rawValue: 1))
    }

    @Test("its end makes what is due ready at once")
    func ready() {
        var book = RequestBook(host: HostIdentity(boot: "", process: 0, start: 0))
        book.setState(HandlerState(places: 1), of: queue.identifier)
        book.scheduler.setHead(head(1), of: queue)
        book.setDrained(since: 5)
        #expect(book.scheduler.next(at: now) == nil)
        book.setDrained(since: nil)
        #expect(book.scheduler.next(at: now)?.id == RequestID(rawValue: 1))
    }
}
