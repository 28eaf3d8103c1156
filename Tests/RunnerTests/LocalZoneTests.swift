// SPDX-License-Identifier: Apache-2.0
import Foundation
import Scheduling
import Testing

@testable import Runner

/// The zones of the machine, against Foundation's.
@Suite(
    "Time zones by their names",
    .enabled(if: FileManager.default.fileExists(atPath: "/usr/share/zoneinfo/Europe/Berlin")))
struct LocalZoneTests {
    @Test("each has the offsets that Foundation knows, from 1950 to 2100")
    func offsets() throws {
        for name in [
            "Europe/Berlin", "America/New_York", "Asia/Tokyo", "Asia/Kolkata", "Australia/Sydney",
            "America/Argentina/Buenos_Aires", "Pacific/Apia", "Africa/Casablanca", "Etc/GMT-14",
        ] {
            let zone = try #require(LocalZone().named(name), "\(name)")
            let other = try #require(TimeZone(identifier: name))
            for day in stride(from: -7_000, to: 47_500, by: 9) {
                let instant = Int64(day) * 86_400
                let date = Date(timeIntervalSince1970: TimeInterval(instant))
                #expect(
                    zone.offset(at: instant) == Int64(other.secondsFromGMT(for: date)),
                    "\(name) \(date)")
            }
        }
    }

    @Test(
        "what is no zone, and no name of one, is none",
        arguments: [
            "Europe", "Europe/Atlantis", "../zoneinfo/UTC", "/usr/share/zoneinfo/UTC", "",
            "tzdata.zi",
            "zone.tab", "right/UTC",
        ])
    func none(name: String) {
        #expect(LocalZone().named(name) == nil)
    }
}
