// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Scheduling

@Suite("How much earlier a deadline thread asks to be woken")
struct WakeLeadTests {
    private static func lead(after late: [UInt64]) -> WakeLead {
        var lead = WakeLead()
        for late in late { lead.woke(at: 1_000_000 + late, asked: 1_000_000) }
        return lead
    }

    @Test("nothing was seen yet: at the time itself, and never before time began")
    func beginning() {
        #expect(WakeLead().before(7) == 7)
        let lead = Self.lead(after: [40_000, 40_000])
        #expect(lead.nanoseconds > 0)
        #expect(lead.before(lead.nanoseconds - 1) == 0)
        #expect(lead.before(1_000_000) == 1_000_000 - lead.nanoseconds)
    }

    @Test("where it is always as late, the lead comes to be that, from below and from above")
    func steady() {
        let few = [UInt64](repeating: 5_000, count: 100)
        #expect(Self.lead(after: few).nanoseconds == 5_000)
        let fewer = Self.lead(after: few + [UInt64](repeating: 1_000, count: 200)).nanoseconds
        #expect((1_000...1_015).contains(fewer))
    }

    @Test("it rests where one in three is later", arguments: [3, 11] as [UInt64])
    func quantile(seed: UInt64) {
        var lead = WakeLead()
        var (number, later) = (seed, 0)
        for round in 0..<12_000 {
            number = number &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let late = (number >> 33) % 10_000
            if round >= 2_000, late > lead.nanoseconds { later += 1 }
            lead.woke(at: 1_000_000 + late, asked: 1_000_000)
        }
        // Uniform from 0 to 10 µs: a quarter of what is missing a step up, a sixteenth down, are in
        // balance at a third.
        #expect((2_500...4_000).contains(later), "\(later) of 10,000")
    }

    @Test("a processor that was away for a second counts as the longest lead")
    func stall() {
        let lead = Self.lead(after: [UInt64](repeating: 1_000_000_000, count: 100))
        #expect(lead.nanoseconds == WakeLead.longest)
        var once = WakeLead()
        once.woke(at: 1_000_000_000, asked: 0)
        #expect(once.nanoseconds == WakeLead.longest / 4)
    }

    @Test("woken before the time that was asked for is not late")
    func early() {
        var lead = Self.lead(after: [16_000, 16_000])
        let before = lead.nanoseconds
        lead.woke(at: 10, asked: 20)
        #expect(lead.nanoseconds == before - before / 16)
    }
}
