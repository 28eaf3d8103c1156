// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Scheduling

@Suite("When what failed is tried again")
struct RetryPolicyTests {
    @Test("pauses double up to the longest, and end with the last attempt")
    func doubling() {
        let policy = RetryPolicy(attempts: 6, base: 10, longest: 60, jitter: 0)
        #expect(
            (1...7).map { policy.pause(after: $0, chance: 0.5) } == [10, 20, 40, 60, 60, nil, nil])
        #expect(RetryPolicy.none.pause(after: 1, chance: 0) == nil)
        #expect(policy.pause(after: 0, chance: 0) == nil)
    }

    @Test("chance makes a pause longer, by no more than its share")
    func jitter() {
        let policy = RetryPolicy(attempts: 3, base: 1_000, longest: 10_000, jitter: 0.2)
        #expect(policy.pause(after: 1, chance: 0) == 1_000)
        #expect(policy.pause(after: 1, chance: 0.5) == 1_100)
        #expect(policy.pause(after: 1, chance: 1) == 1_200)
        #expect(policy.pause(after: 2, chance: 7) == 2_400)
    }

    @Test("the largest numbers do not overflow")
    func extremes() {
        let policy = RetryPolicy(attempts: 100, base: .max / 2 + 1, longest: .max, jitter: 1)
        #expect(policy.pause(after: 99, chance: 0) == .max)
        #expect(policy.pause(after: 99, chance: 1) != nil)
    }
}
