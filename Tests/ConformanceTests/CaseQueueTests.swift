// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Conformance

@Suite("Cases beside each other")
struct CaseQueueTests {
    private static func made(_ name: String, needs: [String] = []) -> ConformanceCase {
        ConformanceCase(name, level: 1, needs: needs) { _ in }
    }

    /// A queue that an expectation can change.
    private final class Queue {
        private var queue: CaseQueue

        init(_ cases: [ConformanceCase], _ width: Int) { queue = CaseQueue(cases, width: width) }

        var isOver: Bool { queue.isOver }
        func next() -> Int? { queue.next() }
        func end(_ index: Int, _ status: CaseStatus) -> Bool { queue.end(index, status) }
    }

    private static func queue(_ cases: ConformanceCase..., width: Int = 2) -> Queue {
        Queue(cases, width)
    }

    @Test("as many as fit begin, in their order")
    func width() {
        let queue = Self.queue(Self.made("a"), Self.made("b"), Self.made("c"))
        #expect([queue.next(), queue.next(), queue.next()] == [0, 1, nil])
        #expect(queue.end(1, .pass))
        #expect([queue.next(), queue.next()] == [2, nil])
        #expect(queue.end(0, .skip))
        #expect(queue.next() == nil && !queue.isOver)
        #expect(queue.end(2, .pass))
        #expect(queue.next() == nil && queue.isOver)
    }

    @Test("a case waits for those that it needs, and another goes ahead")
    func needs() {
        let queue = Self.queue(
            Self.made("a"), Self.made("b", needs: ["a"]), Self.made("c"),
            Self.made("d", needs: ["elsewhere"]))
        #expect([queue.next(), queue.next(), queue.next()] == [0, 2, nil])
        #expect(queue.end(2, .pass))
        #expect(queue.next() == 3)
        #expect(queue.end(0, .fail) == false)
        // Now that one has to be run again, none begins beside it.
        #expect(queue.next() == nil)
        #expect(queue.end(3, .pass))
        #expect([queue.next(), queue.next()] == [0, nil])
        #expect(queue.end(0, .fail))
        #expect(queue.next() == 1)
        #expect(queue.end(1, .skip) && queue.isOver)
    }

    @Test("all wait for the cases that tell how long the examples take")
    func pace() {
        let queue = Self.queue(
            Self.made("a"), Self.made("one-task-done"), Self.made("b"), Self.made("c"))
        #expect([queue.next(), queue.next(), queue.next()] == [0, 1, nil])
        #expect(queue.end(0, .pass) && queue.next() == nil)
        #expect(queue.end(1, .pass))
        #expect([queue.next(), queue.next()] == [2, 3])
    }

    @Test(
        "what another case may have caused is run again alone",
        arguments: [
            (CaseStatus.pass, true), (.skip, true), (.crash, true), (.timeout, true),
            (.fail, false), (.leak, false), (.warn, false),
        ])
    func again(status: CaseStatus, counts: Bool) {
        let beside = Self.queue(Self.made("a"), Self.made("b"))
        #expect([beside.next(), beside.next()] == [0, 1])
        #expect(beside.end(0, status) == counts)
        // The other one ran beside it as well, though it goes on alone.
        #expect(beside.end(1, status) == counts)
        let alone = Self.queue(Self.made("a"), Self.made("b"), width: 1)
        #expect([alone.next(), alone.next()] == [0, nil])
        #expect(alone.end(0, status) && alone.next() == 1)
    }
}
