// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Scheduling

@Suite("Counts of what became of requests")
struct RollupTests {
    private static let second: UInt64 = 1_000_000_000
    private static let hour = RollupSpan.hour.length

    @Test("values fall into the class of the least bound that is not smaller")
    func classes() {
        for (delay, place) in [
            (0, 0), (1_000_000, 0), (1_000_001, 1), (5 * Self.second, 7), (3_600 * Self.second, 13),
            (3_601 * Self.second, 14), (UInt64.max, 14),
        ] {
            let rollup = Rollup.launch(after: delay)
            #expect(rollup.launched == 1)
            #expect(rollup.counts(.delay).firstIndex(of: 1) == place, "\(delay)")
            #expect(rollup.counts(.delay).reduce(0, +) == 1)
        }
        #expect(Rollup.launch(after: 5 * Self.second).sum(.delay) == 5)
    }

    @Test(
        "an end counts its outcome, its time, and the part of its budget that it used",
        arguments: [
            (1, 4, nil, 0), (2, 4, nil, 1), (4, 4, nil, 4), (5, 4, nil, 4),
            (4, 4, StopReason.budget, 5), (1, 4, .budget, 5), (4, 4, .shutdown, 4),
        ] as [(UInt64, UInt64, StopReason?, Int)])
    func ends(_ elapsed: UInt64, _ budget: UInt64, _ reason: StopReason?, _ place: Int) {
        let end = AttemptEnd(
            reason == nil ? .succeeded : .expired, reason: reason, elapsed: elapsed * Self.second,
            budget: budget * Self.second)
        let rollup = Rollup(end)
        #expect(rollup.ended(end.outcome) == 1)
        #expect(Outcome.allCases.map(rollup.ended).reduce(0, +) == 1)
        #expect(rollup.counts(.duration).reduce(0, +) == 1)
        #expect(rollup.sum(.duration) == Double(elapsed))
        #expect(rollup.counts(.budget).firstIndex(of: 1) == place)
    }

    @Test("what was interrupted or cancelled, and what did not run, says nothing of budgets")
    func withoutBudget() {
        for outcome: Outcome in [.interrupted, .cancelled] {
            let rollup = Rollup(AttemptEnd(outcome, elapsed: 1, budget: 2))
            #expect(rollup.counts(.budget).allSatisfy { $0 == 0 })
            #expect(rollup.counts(.duration).reduce(0, +) == 1)
        }
        let rollup = Rollup(AttemptEnd(.abandoned, budget: 2, isAnswered: false))
        #expect(rollup.counts(.duration).allSatisfy { $0 == 0 })
        #expect(rollup.unanswered == 1)
    }

    @Test("sums are those of each number, and stop at the largest")
    func sums() throws {
        var sum = Rollup.launch(after: 1)
        sum += .missed(3)
        sum += .kept(isLate: true)
        sum += .submission
        #expect(sum.launched == 1 && sum.missed == 3 && sum.promised == 4 && sum.late == 1)
        #expect(sum.submitted == 1)
        var most = try #require(Rollup([.max]))
        most += .submission
        #expect(most.submitted == .max)
    }

    @Test("sums by key are those of each key, however many there are", arguments: [1, 8, 9, 100])
    func sumsByKey(_ count: Int) {
        var (sums, wanted) = (RollupSums(), [RollupKey: Rollup]())
        for number in 0..<300 {
            let key = RollupKey(.minute, "org.\(number * 7 % count)", at: 60)
            sums.add(.missed(number), to: key)
            wanted[key, default: Rollup()] += .missed(number)
        }
        #expect(sums.byKey == wanted)
        var twice = sums
        twice.add(sums)
        #expect(twice.byKey == wanted.mapValues { $0 + $0 })
        sums.removeAll()
        #expect(sums.isEmpty && sums.byKey.isEmpty && !twice.isEmpty)
    }

    @Test("a quantile is within its class, and never more than the sum allows")
    func quantile() {
        let bounds = [0.25, 0.5, 1]
        let even = Histogram(bounds, counts: [50, 50, 0, 0], sum: 25)
        #expect(even.quantile(0.5) == 0.25 && even.quantile(0.75) == 0.375)
        // A hundred that used next to nothing.
        let small = Histogram(bounds, counts: [100, 0, 0, 0], sum: 0.01)
        #expect(small.quantile(0.95).map { $0 < 0.003 } == true)
        #expect(Histogram(bounds, counts: [0, 0, 0, 0], sum: 0).quantile(0.95) == nil)
        #expect(Histogram(bounds, counts: [0, 0, 0, 9], sum: 90).quantile(0.95) == 1)
        #expect(Histogram(bounds, counts: [4, 0, 0, 0], sum: 1).quantile(1) == 0.25)
    }

    @Test("its bytes are short, and come back")
    func bytes() throws {
        #expect(Rollup().bytes == [])
        #expect(Rollup(bytes: []) == Rollup())
        var rollup = Rollup(AttemptEnd(.failed, elapsed: 90 * Self.second, budget: Self.second))
        rollup += try #require(Rollup([Int64.max, 1, 128, 0, 127]))
        #expect(Rollup(bytes: rollup.bytes) == rollup)
        #expect(Rollup.submission.bytes == [1])
        for bytes: [UInt8] in [
            [128], [1, 128], Array(repeating: 255, count: 9), Array(repeating: 255, count: 10),
            Array(repeating: 0, count: Rollup.count + 1),
        ] {
            #expect(Rollup(bytes: bytes) == nil, "\(bytes)")
        }
        #expect(Rollup([-1]) == nil)
        #expect(Rollup.count == 52)
    }

    @Test("what happened counts for its minute, or its hour where minutes are not kept any more")
    func keys() {
        let now = 1_000 * Self.hour + 40 * RollupSpan.minute.length
        #expect(RollupKey("a", at: now, now: now) == RollupKey(.minute, "a", at: now))
        #expect(
            RollupKey("a", at: now + 1, now: now) == RollupKey(.minute, "a", at: now))
        let kept = 997 * Self.hour
        #expect(RollupKey("a", at: kept, now: now) == RollupKey(.minute, "a", at: kept))
        #expect(
            RollupKey("a", at: kept - 1, now: now) == RollupKey(.hour, "a", at: 996 * Self.hour))
        #expect(RollupKey("a", at: now - 91 * 24 * Self.hour, now: now) == nil)
    }
}
