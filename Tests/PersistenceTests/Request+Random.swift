// SPDX-License-Identifier: Apache-2.0
import Scheduling
import TestSupport

extension Request {
    /// Any request that a ledger could put in: few identifiers and dates, so that many are equal.
    static func random(_ generator: inout SeededGenerator) -> Request {
        var description = RequestDescription(
            ["org.a", "org.b", "org.b-c", "org.b.c"].randomElement(using: &generator)!,
            kind: .allCases.randomElement(using: &generator)!,
            needs: RequestNeeds(rawValue: .random(in: 0...3, using: &generator)),
            priority: .allCases.randomElement(using: &generator)!,
            onPending: .allCases.randomElement(using: &generator)!)
        description.opportunistic = .allCases.randomElement(using: &generator)!
        if Bool.random(using: &generator) {
            description.atMost = .random(in: 1...3, using: &generator)
        }
        if Bool.random(using: &generator) {
            description.key = "k\(Int.random(in: 0...20, using: &generator))"
        }
        if Bool.random(using: &generator) {
            description.earliest = .random(in: RequestDescription.dateRange, using: &generator)
            description.latest = .random(in: 0...30, using: &generator)
        }
        if Bool.random(using: &generator) {
            description.retry = RetryPolicy(
                attempts: .random(in: 1...100, using: &generator),
                base: .random(in: 0 ... .max, using: &generator),
                longest: .random(in: 0 ... .max, using: &generator),
                jitter: .random(in: 0...1, using: &generator))
        }
        if Bool.random(using: &generator) {
            description.repetition = Repetition(
                rule(&generator), catchUp: .allCases.randomElement(using: &generator)!,
                jitter: .random(in: 0...Repetition.intervalRange.upperBound, using: &generator))
        }
        var request = Request(
            description, payloadBytes: .random(in: 0...1 << 20, using: &generator),
            at: .random(in: 0...30, using: &generator), notBefore: 0)
        request.owner = [nil, nil, 1_001, .max].randomElement(using: &generator)!
        request.randomize(&generator)
        return request
    }

    private static func rule(_ generator: inout SeededGenerator) -> Repetition.Rule {
        Bool.random(using: &generator)
            ? .every(.random(in: Repetition.intervalRange, using: &generator))
            : .cron(
                try! CronSchedule(
                    ["@daily", "*/5 2-4 * jan mon", "  0 0 29 2 *"]
                        .randomElement(using: &generator)!),
                isLocal: .random(using: &generator))
    }

    /// Gives it another state.
    mutating func randomize(_ generator: inout SeededGenerator) {
        state =
            Bool.random(using: &generator)
            ? .pending : .allCases.randomElement(using: &generator)!
        marks = Marks(rawValue: .random(in: 0...3, using: &generator))
        notBefore = .random(in: 0...30, using: &generator)
        reason = .allCases.randomElement(using: &generator)!
        nominal = .random(in: RequestDescription.dateRange, using: &generator)
        attempts = .random(in: 0...UInt32(Int32.max), using: &generator)
        launches = Bool.random(using: &generator) ? 0 : .random(in: 0...9, using: &generator)
        crashes = .random(in: 0...9, using: &generator)
        outcome = Bool.random(using: &generator) ? nil : .allCases.randomElement(using: &generator)
        changedAt = .random(in: 0...30, using: &generator)
        pause =
            Bool.random(using: &generator)
            ? nil
            : Pause(
                boot: ["", "b"].randomElement(using: &generator)!,
                begun: .random(in: 0 ... .max, using: &generator),
                length: .random(in: 0 ... .max, using: &generator))
    }
}
