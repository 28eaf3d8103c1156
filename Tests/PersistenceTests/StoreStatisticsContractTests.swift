// SPDX-License-Identifier: Apache-2.0
import Persistence
import Scheduling
import TestSupport
import Testing

@Suite("What every store does: statistics and lists")
struct StoreStatisticsContractTests {
    private static let hour = RollupSpan.hour.length
    private static let minute = RollupSpan.minute.length

    @Test(
        "counts that are deferred are stored by the transaction that counts them again",
        arguments: TestedStore.allCases)
    func deferred(_ kind: TestedStore) throws {
        let store = try kind.make()
        let key = RollupKey(.minute, "org.a", at: Self.hour)
        let counts = try store.write { store throws in
            store.deferCounts()
            try store.count(.submission, in: key)
            return store.newCounts.byKey
        }
        #expect(counts == [key: .submission])
        #expect(try store.read { try $0.rollups(.minute, of: nil, in: 0..<Int64.max) } == [])
        try store.write { store throws in
            for (key, rollup) in counts { try store.count(rollup, in: key) }
            #expect(store.newCounts.byKey == counts)
        }
        try store.reopen()
        #expect(
            try store.read { try $0.rollups(.minute, of: nil, in: 0..<Int64.max) }
                == [StoredRollup("org.a", at: Self.hour, .submission)])
    }

    @Test(
        "minutes that are folded count once, also where counts are deferred",
        arguments: TestedStore.allCases, [false, true])
    func folding(_ kind: TestedStore, isDeferred: Bool) throws {
        let store = try kind.make()
        let minutes = [1, 59, 60, 61].map { Self.hour + Int64($0) * Self.minute }
        try store.write { store throws in
            for at in minutes {
                try store.count(.submission, in: RollupKey(.minute, "org.a", at: at))
            }
        }
        let new = try store.write { store throws in
            if isDeferred { store.deferCounts() }
            #expect(try store.foldMinutes(before: 2 * Self.hour + Self.minute))
            return store.newCounts
        }
        // They were counted when they happened.
        #expect(new.isEmpty)
        try store.reopen()
        try store.read { store throws in
            var both = Rollup.submission
            both += .submission
            #expect(
                try store.rollups(.hour, of: nil, in: 0..<Int64.max) == [
                    StoredRollup("org.a", at: Self.hour, both),
                    StoredRollup("org.a", at: 2 * Self.hour, .submission),
                ])
            #expect(
                try store.rollups(.minute, of: nil, in: 0..<Int64.max)
                    == [StoredRollup("org.a", at: minutes[3], .submission)])
        }
        try store.write { store throws in
            #expect(try !store.foldMinutes(before: 2 * Self.hour + Self.minute))
        }
    }

    @Test(
        "lists by a text, and their pages, are those of the definition",
        arguments: TestedStore.allCases)
    func lists(_ kind: TestedStore) throws {
        var generator = SeededGenerator(seed: 26)
        let store = try kind.make()
        var requests = (0..<200).map { _ in Request.random(&generator) }
        // What SQL takes for more than a text.
        for (index, key) in ["%", "_", "a%b", "\\", "\\%", "'", "K1", "é", "e\u{301}", "k1k1"]
            .enumerated()
        {
            requests[index] = sample("org.key", at: 5, notBefore: Int64(index)) {
                $0.description.key = key
            }
        }
        requests = try store.insert(requests)
        let texts = ["%", "_", "\\", "'", "k1", "K1", "é", "e", ".b", "org", "b.c", "a%b", "none"]
        for text in texts {
            for states in [[], [RequestState.pending], [.finished, .missed]] as [Set<RequestState>]
            {
                for outcomes in [[], [Outcome.failed]] as [Set<Outcome>] {
                    for (skipped, limit) in [(0, 7), (3, 5), (500, 5), (0, 0), (0, Int.max)] {
                        var filter = RequestFilter(states: states, limit: limit)
                        (filter.text, filter.skipped) = (text, skipped)
                        let wanted = RequestOverview(requests, filter, outcomes)
                        let found = try store.read { try $0.overview(filter, outcomes: outcomes) }
                        #expect(found.count == wanted.count, "\(filter) \(outcomes)")
                        #expect(
                            found.requests.map(\.id) == wanted.requests.map(\.id),
                            "\(filter) \(outcomes)")
                    }
                }
            }
        }
    }

    @Test("a list by a text with a NUL finds what has it", arguments: TestedStore.allCases)
    func nul(_ kind: TestedStore) throws {
        let store = try kind.make()
        try store.insert(["k1", "k2"].map { key in sample { $0.description.key = key } })
        for text in ["k\u{0}1", "k1\u{0}", "\u{0}"] {
            var filter = RequestFilter()
            filter.text = text
            let found = try store.read { try $0.overview(filter, outcomes: []) }
            #expect(found.count == 0, "\(text.debugDescription)")
        }
    }

    @Test("requests that are not over are counted by state", arguments: TestedStore.allCases)
    func liveCounts(_ kind: TestedStore) throws {
        var generator = SeededGenerator(seed: 27)
        let store = try kind.make()
        let requests = try store.insert((0..<150).map { _ in Request.random(&generator) })
        var wanted: [[String]: Int] = [:]
        for request in requests where [.pending, .running, .parked].contains(request.state) {
            wanted[[request.description.identifier, "\(request.state)"], default: 0] += 1
        }
        let counts = try store.read { try $0.liveCounts() }
        let found = counts.map { ([$0.identifier, "\($0.state)"], $0.count) }
        #expect(Dictionary(found, uniquingKeysWith: +) == wanted)
        #expect(found.count == wanted.count)
    }

    @Test(
        "what explains a miss is found by its date, in order", arguments: TestedStore.allCases)
    func causes(_ kind: TestedStore) throws {
        let store = try kind.make()
        let kinds = JournalEntry.What.allCases.filter { $0 != .gap }
        try store.write { store throws in
            for (index, what) in kinds.enumerated() {
                // The later the entry, the earlier its date.
                try store.append(JournalEntry(what, at: Int64(1_000 - index)))
            }
        }
        let (all, last) = try store.read { store throws in
            (try store.journal(after: 0, of: nil, limit: 1_000), try store.lastSequence())
        }
        #expect(last == all.last?.sequence)
        let wanted = all.filter { JournalEntry.What.causes.contains($0.what) }
            .sorted { $0.at < $1.at }
        #expect(wanted.count == JournalEntry.What.causes.count)
        for (dates, limit) in [
            (0..<Int64.max, 100), (0..<Int64.max, 2), (984..<990, 100), (5..<5, 9),
        ] {
            let found = try store.read { try $0.causes(in: dates, limit: limit) }
            #expect(found == Array(wanted.filter { dates.contains($0.at) }.prefix(limit)))
        }
    }
}
