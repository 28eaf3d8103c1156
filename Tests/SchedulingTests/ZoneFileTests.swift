// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import Scheduling

@Suite("Time zone files")
struct ZoneFileTests {
    private static let standard: Int32 = 3_600
    private static let summer: Int32 = 7_200

    /// Returns a block of a TZif file, whose types have no designation but "A".
    private static func block(
        version: UInt8, timeSize: Int, transitions: [(at: Int64, type: UInt8)] = [],
        offsets: [Int32] = [0], leapSeconds: Int = 0
    ) -> [UInt8] {
        let counts = [0, 0, leapSeconds, transitions.count, offsets.count, 2]
        var bytes = Array("TZif".utf8) + [version] + [UInt8](repeating: 0, count: 15)
        for count in counts { bytes += bigEndian(Int64(count), size: 4) }
        for transition in transitions { bytes += bigEndian(transition.at, size: timeSize) }
        bytes += transitions.map(\.type)
        for offset in offsets { bytes += bigEndian(Int64(offset), size: 4) + [0, 0] }
        bytes += [65, 0] + [UInt8](repeating: 0, count: leapSeconds * (timeSize + 4))
        return bytes
    }

    private static func bigEndian(_ number: Int64, size: Int) -> [UInt8] {
        (0..<size).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }

    /// Returns a file of version 2, whose first block is empty, as zic(8) writes it by default.
    private static func file(
        transitions: [(at: Int64, type: UInt8)] = [], offsets: [Int32] = [0],
        footer: String = "\n\n"
    ) -> [UInt8] {
        block(version: 50, timeSize: 4)
            + block(version: 50, timeSize: 8, transitions: transitions, offsets: offsets)
            + Array(footer.utf8)
    }

    private static func zone(_ rule: String) throws -> ZoneFile {
        try ZoneFile(file(footer: "\n\(rule)\n"))
    }

    private func utc(
        _ year: Int, _ month: Int, _ day: Int, _ hour: Int = 0, _ minute: Int = 0
    ) -> Int64 {
        CivilTime(year: year, month: month, day: day, hour: hour, minute: minute).seconds
    }

    /// Expects an offset up to the second before an instant, and another from the instant on.
    private func expectChange(
        of zone: ZoneFile, at instant: Int64, from before: Int64, to after: Int64,
        location: SourceLocation = #_sourceLocation
    ) {
        #expect(zone.offset(at: instant - 1) == before, sourceLocation: location)
        #expect(zone.offset(at: instant) == after, sourceLocation: location)
    }

    @Test("each transition starts its type, and type 0 applies before all of them")
    func transitions() throws {
        let zone = try ZoneFile(
            Self.file(
                transitions: [(-5_000_000_000, 1), (0, 2), (1_000, 1)],
                offsets: [3_208, Self.standard, Self.summer]))
        #expect(zone.offset(at: .min) == 3_208)
        expectChange(of: zone, at: -5_000_000_000, from: 3_208, to: 3_600)
        expectChange(of: zone, at: 0, from: 3_600, to: 7_200)
        expectChange(of: zone, at: 1_000, from: 7_200, to: 3_600)
        #expect(zone.offset(at: .max) == 3_600)
    }

    @Test("a file of version 1 has 32-bit transitions and no footer")
    func version1() throws {
        let bytes = Self.block(
            version: 0, timeSize: 4, transitions: [(-1_000, 1), (1_000, 0)],
            offsets: [-Self.standard, -Self.summer])
        let zone = try ZoneFile(bytes + Array("\nUTC0\n".utf8))
        expectChange(of: zone, at: -1_000, from: -3_600, to: -7_200)
        expectChange(of: zone, at: 1_000, from: -7_200, to: -3_600)
        #expect(zone.offset(at: .max) == -3_600)
    }

    @Test("the first block of a later version is skipped", arguments: [UInt8(50), 51, 52, 53])
    func versions(version: UInt8) throws {
        let first = Self.block(
            version: version, timeSize: 4, transitions: [(5, 7), (3, 9)], offsets: [999_999],
            leapSeconds: 3)
        let second = Self.block(version: version, timeSize: 8)
        let zone = try ZoneFile(first + second + Array("\n<-03>3\nWhat follows is ignored.".utf8))
        #expect(zone.offset(at: 0) == -10_800)
    }

    @Test("the rule applies after the last transition")
    func ruleAfterTransitions() throws {
        let zone = try ZoneFile(
            Self.file(
                transitions: [(utc(2026, 7, 1), 0)], offsets: [5_400, Self.summer],
                footer: "\nCET-1CEST,M3.5.0,M10.5.0/3\n"))
        #expect(zone.offset(at: utc(2020, 1, 1)) == 5_400)
        expectChange(of: zone, at: utc(2026, 7, 1) + 1, from: 5_400, to: 7_200)
        expectChange(of: zone, at: utc(2026, 10, 25, 1), from: 7_200, to: 3_600)
    }

    @Test(
        "an offset without daylight saving time is read with its sign, minutes and seconds",
        arguments: [
            ("<-03>3", Int64(-10_800)), ("<+0545>-5:45", 20_700), ("UTC0", 0), ("JST-9", 32_400),
            ("ABC+1:02:03", -3_723), ("ABC24:59:59", -89_999), ("ABC-24:59:59", 89_999),
        ])
    func fixedOffset(text: String, offset: Int64) throws {
        let zone = try Self.zone(text)
        #expect(zone.offset(at: 0) == offset)
        #expect(zone.offset(at: .max) == offset)
    }

    @Test(
        "each kind of rule changes at its instants",
        arguments: [
            ("CET-1CEST,M3.5.0,M10.5.0/3", [2026, 3, 29, 1, 0], [2026, 10, 25, 1, 0]),
            ("EST5EDT,M3.2.0,M11.1.0", [2026, 3, 8, 7, 0], [2026, 11, 1, 6, 0]),
            ("EST5EDT4,M3.2.0/02:00:00,M11.1.0/+2", [2400, 3, 12, 7, 0], [2400, 11, 5, 6, 0]),
            // Hours after and before the day.
            ("IST-2IDT,M3.4.4/26,M10.5.0", [2026, 3, 27, 0, 0], [2026, 10, 24, 23, 0]),
            ("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", [2026, 3, 29, 1, 0], [2026, 10, 25, 1, 0]),
            ("ABC0DEF,M6.1.1/167,M9.1.1/-167", [2026, 6, 7, 23, 0], [2026, 8, 31, 0, 0]),
            // 1 March and 1 October, in a leap year too.
            ("ABC0DEF,J60,J274", [2028, 3, 1, 2, 0], [2028, 10, 1, 1, 0]),
            ("ABC0DEF,59,273", [2027, 3, 1, 2, 0], [2027, 10, 1, 1, 0]),
            ("ABC0DEF,59,273", [2028, 2, 29, 2, 0], [2028, 9, 30, 1, 0]),
        ])
    func rules(text: String, start: [Int], end: [Int]) throws {
        let zone = try Self.zone(text)
        let (start, end) = (
            utc(start[0], start[1], start[2], start[3], start[4]),
            utc(end[0], end[1], end[2], end[3], end[4])
        )
        let (standard, summer) = (zone.offset(at: start - 1), zone.offset(at: end - 1))
        #expect(summer == standard + 3_600)
        expectChange(of: zone, at: start, from: standard, to: summer)
        expectChange(of: zone, at: end, from: summer, to: standard)
        // The calendar, and the offset with it, repeats itself after 400 years.
        let cycle: Int64 = 146_097 * 86_400
        for cycles in [-1_000_000, -1, 1, 1_000_000] as [Int64] {
            expectChange(of: zone, at: start + cycles * cycle, from: standard, to: summer)
        }
    }

    @Test("daylight saving time in the south, or set back for it, lasts over the new year")
    func southernSummer() throws {
        let sydney = try Self.zone("AEST-10AEDT,M10.1.0,M4.1.0/3")
        expectChange(of: sydney, at: utc(2026, 10, 3, 16), from: 36_000, to: 39_600)
        expectChange(of: sydney, at: utc(2027, 1, 1), from: 39_600, to: 39_600)
        expectChange(of: sydney, at: utc(2027, 4, 3, 16), from: 39_600, to: 36_000)
        // In Ireland, the law's standard time is that of summer.
        let dublin = try Self.zone("IST-1GMT0,M10.5.0,M3.5.0/1")
        expectChange(of: dublin, at: utc(2026, 10, 25, 1), from: 3_600, to: 0)
        expectChange(of: dublin, at: utc(2027, 1, 1), from: 0, to: 0)
        expectChange(of: dublin, at: utc(2027, 3, 28, 1), from: 0, to: 3_600)
    }

    @Test("changes near the new year count in the right year")
    func turnOfTheYear() throws {
        // Starts a week before the year whose rule it is: at 01:00 on 25 December 2026.
        let early = try Self.zone("ABC0DEF,J1/-167,J100")
        expectChange(of: early, at: utc(2026, 12, 25, 1), from: 0, to: 3_600)
        // Ends a week after the year whose rule it is: at 23:00 on 6 January 2027.
        let late = try Self.zone("ABC0DEF,J200,J365/167")
        expectChange(of: late, at: utc(2027, 1, 6, 22), from: 3_600, to: 0)
        // A whole year (RFC 9636, 3.3.1): each period ends when the next one starts.
        let always = try Self.zone("XXX3EDT4,0/0,J365/23")
        for year in 2024...2030 {
            expectChange(of: always, at: utc(year, 1, 1, 3), from: -14_400, to: -14_400)
            expectChange(of: always, at: utc(year, 7, 1), from: -14_400, to: -14_400)
        }
    }

    @Test("the first and the last instants have an offset, whatever the rule")
    func extremes() throws {
        let rules = [
            "CET-1CEST,M3.5.0,M10.5.0/3", "ABC24:59:59DEF-24:59:59,0/-167,365/167",
            "ABC-24:59:59DEF,J365/167:59:59,J1/-167:59:59", "ABC0DEF,J1,J1", "ABC0DEF,0,0/3",
        ]
        for rule in rules {
            let zone = try Self.zone(rule)
            for instant in [.min, .min + 1, -1 << 59, -1, 0, .max - 1, .max] as [Int64] {
                #expect((-89_999...93_599).contains(zone.offset(at: instant)), "\(rule)")
            }
        }
        let zone = try ZoneFile(
            Self.file(transitions: [(.min, 0), (.max, 1)], offsets: [60, 120]))
        #expect(zone.offset(at: .min) == 60)
        expectChange(of: zone, at: .max, from: 60, to: 120)
    }

    @Test(
        "a footer that is no complete TZ string is refused",
        arguments: [
            "CET", "CE-1", "-1", "<+01-1", "<ü01>-1", "CET-25", "CET-1:60", "CET-1:", "CET-1 ",
            "CET-1CEST", "CET-1CEST-2", "CET-1CEST,", "CET-1CEST,M3.5.0", "CET-1CEST,M3.5.0,",
            "CET-1CEST,M0.5.0,M10.5.0", "CET-1CEST,M13.5.0,M10.5.0", "CET-1CEST,M3.6.0,M10.5.0",
            "CET-1CEST,M3.0.0,M10.5.0", "CET-1CEST,M3.5.7,M10.5.0", "CET-1CEST,M3.5,M10.5.0",
            "CET-1CEST,J0,J366", "CET-1CEST,0,366", "CET-1CEST,0/168,1", "CET-1CEST,0/,1",
            "CET-1CEST,0,0001", "CET-1CEST,0,99999999999999999999", "CET-1CEST,0,1,", ":Zone",
            "CET_-1",
        ])
    func footerFaults(text: String) {
        #expect(throws: ZoneFileFault("has a footer that is no complete TZ string")) {
            try Self.zone(text)
        }
    }

    @Test("a damaged file is refused, with what is wrong with it")
    func faults() {
        var huge = Self.block(version: 0, timeSize: 4)
        huge.replaceSubrange(20..<44, with: [UInt8](repeating: 255, count: 24))
        let leaping = Self.block(version: 50, timeSize: 8, leapSeconds: 1)
        let good = Self.file()
        let faulty: [([UInt8], String)] = [
            ([], "is no TZif file"),
            (Array("TZif".utf8), "ends within a header"),
            (good.dropLast(3) + [], "ends within its data"),
            (Array(good[..<54]), "is no TZif file"),
            (Array(good[..<60]), "ends within a header"),
            (huge, "ends within its data"),
            (Self.block(version: 49, timeSize: 4), "has an unknown version"),
            (Self.block(version: 0, timeSize: 4, offsets: []), "has no type of local time"),
            (Self.block(version: 0, timeSize: 4, leapSeconds: 1), "counts leap seconds"),
            (Self.block(version: 50, timeSize: 4) + leaping, "counts leap seconds"),
            (Self.file(transitions: [(2, 0), (1, 0)]), "has transitions out of order"),
            (Self.file(transitions: [(1, 0), (1, 0)]), "has transitions out of order"),
            (
                Self.file(transitions: [(1, 1)]),
                "has a transition to a missing type of local time"
            ),
            (Self.file(offsets: [-90_000]), "has an offset out of range"),
            (Self.file(offsets: [93_600]), "has an offset out of range"),
            (Self.file(footer: ""), "has no footer between newlines"),
            (Self.file(footer: "\n"), "has no footer between newlines"),
            (Self.file(footer: "UTC0\n"), "has no footer between newlines"),
            (Self.file(footer: "\nUTC0"), "has no footer between newlines"),
        ]
        for (bytes, message) in faulty {
            #expect(throws: ZoneFileFault(message)) { try ZoneFile(bytes) }
        }
    }

    @Test("a file that is cut off anywhere, or has any byte changed, does not end the process")
    func damage() throws {
        let good = Self.file(
            transitions: [(0, 1), (1_000, 0)], offsets: [Self.standard, Self.summer],
            footer: "\nCET-1CEST,M3.5.0,M10.5.0/3\n")
        for count in good.indices {
            #expect(throws: ZoneFileFault.self) { try ZoneFile(Array(good[..<count])) }
            for byte in [0, 1, 49, 57, 127, 128, 255] as [UInt8] {
                var bytes = good
                bytes[count] = byte
                guard let zone = try? ZoneFile(bytes) else { continue }
                for instant in [.min, 0, 4_000_000_000, .max] as [Int64] {
                    #expect((-89_999...93_599).contains(zone.offset(at: instant)))
                }
            }
        }
    }

    private static let berlin = "/usr/share/zoneinfo/Europe/Berlin"

    @Test(
        "the file of Berlin has its changes",
        .enabled(if: FileManager.default.fileExists(atPath: berlin), "wants tzdata"))
    func installedFile() throws {
        let bytes = try Data(contentsOf: URL(fileURLWithPath: Self.berlin))
        let zone = try ZoneFile([UInt8](bytes))
        #expect(zone.offset(at: .min) == 3_208)  // local mean time
        expectChange(of: zone, at: utc(1980, 4, 6, 1), from: 3_600, to: 7_200)
        expectChange(of: zone, at: utc(2026, 3, 29, 1), from: 3_600, to: 7_200)
        expectChange(of: zone, at: utc(2026, 10, 25, 1), from: 7_200, to: 3_600)
    }
}
