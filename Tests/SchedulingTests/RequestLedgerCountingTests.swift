// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Scheduling

@Suite("What a ledger counts")
struct RequestLedgerCountingTests {
    private let desk = RequestDesk()

    private func sum() throws -> Rollup {
        try desk.rollups().reduce(into: Rollup()) { $0 += $1.rollup }
    }

    @Test("a request is submitted, promised, launched and ended once")
    func once() throws {
        _ = try desk.open()
        let id = try desk.add(RequestDescription("org.example.a"))
        desk.now += 90 * second
        try desk.run(id, AttemptEnd(.failed))
        let sum = try sum()
        #expect([sum.submitted, sum.promised, sum.launched, sum.ended(.failed)] == [1, 1, 1, 1])
        // More than a minute after its date.
        #expect(sum.late == 1 && sum.missed == 0)
    }

    @Test("a date whose launch is interrupted with its host is promised once, and launched twice")
    func interrupted() throws {
        _ = try desk.open()
        let id = try desk.add(RequestDescription("org.example.a"))
        try desk.launch(id)
        desk.now += 3_600 * second
        _ = try desk.crash()
        // Nobody saw when it ended.
        #expect(try desk.attempts(id).map(\.duration) == [nil])
        desk.now += second
        try desk.launch(id)
        desk.now += 2 * second
        try desk.end(id, AttemptEnd(.succeeded, elapsed: UInt64(2 * second), budget: 0))
        let sum = try sum()
        #expect([sum.promised, sum.launched] == [1, 2])
        #expect([sum.ended(.interrupted), sum.ended(.succeeded)] == [1, 1])
        #expect(try desk.attempts(id).map(\.duration) == [nil, UInt64(2 * second)])
    }
}
