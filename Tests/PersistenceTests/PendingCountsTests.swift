// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Persistence
@testable import Scheduling

@Suite("The numbers of pending requests that are known without counting")
struct PendingCountsTests {
    private static let second: UInt64 = 1_000_000_000
    private let all = PendingScope.all

    private func counts(
        _ number: Int, atMost limit: Int, _ scope: PendingScope = .all
    ) -> PendingCounts {
        var counts = PendingCounts()
        counts.set(number, in: scope, atMost: limit, counted: 0..<1)
        return counts
    }

    @Test("one that was counted in the transaction is exact, also for a smaller limit")
    func own() {
        let counts = counts(9, atMost: 10)
        #expect(counts.number(in: all, atMost: 10) == 9)
        #expect(counts.number(in: all, atMost: 3) == 9)
        #expect(counts.number(in: all, atMost: 1_000_000) == 9)
        #expect(counts.number(in: .owner(1), atMost: 10) == nil)
        // There may be more than were counted.
        let full = self.counts(10, atMost: 10)
        #expect(full.number(in: all, atMost: 10) == 10)
        #expect(full.number(in: all, atMost: 11) == nil)
    }

    @Test("one of a transaction before is enough for a second, far from a limit that is not small")
    func late() {
        var counts = counts(800, atMost: 1_000)
        counts.begin(at: Self.second)
        #expect(counts.number(in: all, atMost: 1_000) == nil)
        #expect(counts.number(in: all, atMost: 1_100) == 800)
        var small = self.counts(1, atMost: 999)
        small.begin(at: Self.second)
        #expect(small.number(in: all, atMost: 999) == nil)
        // A large limit is not exact, and what takes long is done seldom.
        var large = PendingCounts()
        large.set(20_000, in: all, atMost: 20_000, counted: 0..<Self.second / 10)
        large.begin(at: 10 * Self.second)
        #expect(large.number(in: all, atMost: 20_000) == 20_000)
        large.begin(at: 11 * Self.second)
        #expect(large.number(in: all, atMost: 20_000) == nil)
        counts.begin(at: Self.second + 1)
        #expect(counts.number(in: all, atMost: 1_100) == nil)
    }

    @Test("requests that come and go count in each scope that they belong to")
    func changes() {
        var counts = PendingCounts()
        for scope: PendingScope in [
            .all, .kind(.processing), .identifier("org.example.a"), .identifier("org.example.b"),
            .owner(7),
        ] {
            counts.set(5, in: scope, atMost: 6, counted: 0..<1)
        }
        var request = sample("org.example.a", notBefore: 1) { $0.owner = 7 }
        let kind = request.description.kind
        counts.change(from: nil, to: request)
        #expect(counts.number(in: all, atMost: 6) == 6)
        #expect(counts.number(in: .identifier("org.example.a"), atMost: 6) == 6)
        #expect(counts.number(in: .identifier("org.example.b"), atMost: 6) == 5)
        #expect(counts.number(in: .owner(7), atMost: 6) == 6)
        #expect(
            counts.number(in: .kind(.processing), atMost: 6) == (kind == .processing ? 6 : 5))
        request.state = .running
        counts.change(from: .running, to: request)
        // Of six at least nobody knows whether there are more.
        counts.change(from: .pending, to: request)
        #expect(counts.number(in: all, atMost: 6) == 6)
        counts.change(
            from: .pending, to: sample("org.example.b", notBefore: 1) { $0.state = .running })
        #expect(counts.number(in: .identifier("org.example.b"), atMost: 6) == 4)
    }
}
