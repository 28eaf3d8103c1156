// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Scheduling

@Suite("Cron expressions where clocks are changed")
struct CronZoneTests {
    /// They change by an hour, half an hour, two hours and a day; at night, at midnight, and for
    /// Ramadan.
    private static let zones = [
        "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/Havana",
        "Africa/Casablanca", "Asia/Beirut", "Antarctica/Troll", "Pacific/Apia",
    ]

    @Test("4,200 chains in eight zones are those that Python's zoneinfo has")
    func reference() throws {
        let chains = try CronReference.chains(Self.zones, each: 525, seed: 4_711)
        #expect(chains.count == 4_200)
        var differing: [String] = []
        for chain in chains {
            let schedule = try CronSchedule(chain.text)
            var (instant, found) = (chain.start, [Int64]())
            while let next = schedule.next(after: instant, in: chain.zone), next <= chain.end {
                found.append(next)
                instant = next
            }
            if found != chain.dates {
                let first = zip(found, chain.dates).first { $0 != $1 }
                differing.append(
                    "\(chain.zone.name) '\(chain.text)' after \(chain.start): \(found.count) dates, not \(chain.dates.count); \(first.map { "\($0.0), not \($0.1)" } ?? "the last ones")"
                )
            }
        }
        #expect(differing.isEmpty, "\(differing.count): \(differing.prefix(5))")
    }
}
