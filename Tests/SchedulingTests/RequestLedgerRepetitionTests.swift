// SPDX-License-Identifier: Apache-2.0
import Synchronization
import Testing

@testable import Scheduling

@Suite("Requests that are repeated")
struct RequestLedgerRepetitionTests {
    private let desk = RequestDesk()
    private static let minute = 60 * second

    private func every(
        _ catchUp: Repetition.CatchUp = .one, jitter: Int64 = 0, attempts: UInt32 = 1
    ) -> RequestDescription {
        RequestDescription(
            "org.example.a",
            retry: attempts == 1 ? .none : RetryPolicy(attempts: attempts, jitter: 0),
            repetition: Repetition(
                .every(UInt64(Self.minute)), catchUp: catchUp, jitter: UInt64(jitter)))
    }

    @Test("dates are counted from each other, not from the end of the work")
    func interval() throws {
        let start = desk.now
        let id = try desk.add(every())
        for number in 0..<5 {
            #expect(try desk.request(id).notBefore == start + Int64(number) * Self.minute)
            desk.now = try desk.request(id).notBefore + 7 * second
            try desk.launch(id)
            desk.now += 9 * second
            try desk.end(id, AttemptEnd(.succeeded))
        }
        #expect(try desk.request(id).reason == .repetition)
        #expect(try desk.story(id).count { $0 == .repeated } == 5)
    }

    @Test("an attempt that failed is about its date, and the next date has all attempts again")
    func attempts() throws {
        let start = desk.now
        let id = try desk.add(every(attempts: 2))
        try desk.run(id, AttemptEnd(.failed))
        #expect(try desk.request(id).nominal == start)
        desk.now = try desk.request(id).notBefore
        #expect(try desk.run(id, AttemptEnd(.failed)).number == 2)
        #expect(try desk.request(id).nominal == start + Self.minute)
        desk.now = try desk.request(id).notBefore
        #expect(try desk.run(id).number == 1)
    }

    @Test("a cron expression gives the first date as well, in its own time zone")
    func cron() throws {
        struct East: TimeZoneRules {
            func offset(at instant: Int64) -> Int64 { 3_600 }
        }
        let desk = RequestDesk(zone: East())
        desk.now = CivilTime(year: 2026, month: 5, day: 4, hour: 9).seconds * second
        for isLocal in [false, true] {
            let id = try desk.add(
                RequestDescription(
                    "org.example.\(isLocal)", kind: .processing,
                    repetition: Repetition(
                        .cron(try CronSchedule("30 12 * * *"), isLocal: isLocal))))
            let hour = isLocal ? 11 : 12
            func date(_ day: Int) -> Int64 {
                CivilTime(year: 2026, month: 5, day: day, hour: hour, minute: 30).seconds * second
            }
            desk.now = date(4) - second
            #expect(try desk.request(id).notBefore == date(4))
            desk.now = date(4)
            try desk.run(id)
            #expect(try desk.request(id).notBefore == date(5))
            desk.now = date(4) - 4 * 3_600 * second
        }
    }

    @Test("the journal tells a date that is not in its zone, which is lost")
    func lostZone() throws {
        struct World: TimeZoneRules {
            let has: Bool
            func offset(at instant: Int64) -> Int64 { 3_600 }
            func named(_ name: String) -> (any TimeZoneRules)? { has ? UTC() : nil }
        }
        let desk = RequestDesk(zone: World(has: true))
        let id = try desk.add(
            RequestDescription(
                "org.example.a", kind: .processing,
                repetition: Repetition(
                    .cron(try CronSchedule("CRON_TZ=Sea/West 0 0 * * *"), isLocal: true))))
        for has in [true, false] {
            desk.ledger = RequestLedger(zone: World(has: has))
            desk.ledger.boot = desk.host.boot
            desk.now = try desk.request(id).notBefore
            try desk.run(id)
            let told = try desk.entries(id).last { $0.what == .repeated }?.detail
            let lost = "this machine does not have the time zone Sea/West any more, "
            #expect(told == (has ? "" : lost + "so the date is in its own"))
        }
    }

    @Test("a zone that the expression names counts, and one that is not there is refused")
    func namedZone() throws {
        struct East: TimeZoneRules {
            func offset(at instant: Int64) -> Int64 { 3_600 }
            func named(_ name: String) -> (any TimeZoneRules)? {
                name == "Sea/West" ? West() : nil
            }
        }
        struct West: TimeZoneRules {
            func offset(at instant: Int64) -> Int64 { -7_200 }
        }
        let desk = RequestDesk(zone: East())
        desk.now = CivilTime(year: 2026, month: 5, day: 4, hour: 9).seconds * second
        func nightly(_ zone: String) throws -> RequestDescription {
            let schedule = try CronSchedule("CRON_TZ=\(zone) 30 12 * * *")
            #expect(schedule.zone == zone && schedule.expression == "30 12 * * *")
            return RequestDescription(
                "org.example.a", kind: .processing,
                repetition: Repetition(.cron(schedule, isLocal: true)))
        }
        let id = try desk.add(try nightly("Sea/West"))
        #expect(
            try desk.request(id).notBefore
                == CivilTime(year: 2026, month: 5, day: 4, hour: 14, minute: 30).seconds * second)
        let refusal = try desk.submit(try nightly("Sea/East"))
        #expect(refusal == .failure(.invalid("there is no time zone `Sea/East` on this machine")))
        for name in ["", "/etc/passwd", "../x", "a b", "ö", String(repeating: "a", count: 65)] {
            #expect(throws: CronFault.self) { try CronSchedule("CRON_TZ=\(name) 0 0 * * *") }
        }
    }

    @Test("an earliest beginning is the first date")
    func earliest() throws {
        var description = every()
        description.earliest = desk.now + 5
        let id = try desk.add(description)
        desk.now += 5
        try desk.run(id)
        #expect(try desk.request(id).notBefore == desk.now + Self.minute)
    }

    @Test("with skip, dates that passed without a host are left out")
    func skipping() throws {
        let start = desk.now
        let id = try desk.add(every(.skip))
        desk.now = start + 10 * Self.minute + 2 * Self.minute + 30 * second
        desk.awakeSince = desk.now
        // The last date is half a minute old: not missed yet.
        #expect(try desk.launch(id) != nil)
        try desk.end(id, AttemptEnd(.succeeded))
        #expect(try desk.request(id).notBefore == start + 13 * Self.minute)
        #expect(
            try desk.entries(id).filter { $0.what == .datesSkipped }.map(\.detail)
                == ["12 dates passed and are left out"])

        // With an hour between dates, half an hour is too old.
        var description = every(.skip)
        description.identifier = "org.example.hourly"
        description.kind = .processing
        description.repetition?.rule = .every(UInt64(60 * Self.minute))
        let hourly = try desk.add(description)
        let first = desk.now
        desk.now += 150 * Self.minute
        desk.awakeSince = desk.now
        #expect(try desk.launch(hourly) == nil)
        #expect(try desk.request(hourly).notBefore == first + 180 * Self.minute)
        #expect(try desk.request(hourly).launches == 0)
    }

    @Test("a host that was awake launches a date that was held back, however old")
    func heldBack() throws {
        var description = every(.skip)
        description.repetition?.rule = .every(UInt64(60 * Self.minute))
        let id = try desk.add(description)
        desk.now += 50 * Self.minute
        #expect(try desk.launch(id) != nil)
    }

    @Test("one launch stands for all dates that passed")
    func catchingUpOnce() throws {
        let start = desk.now
        let id = try desk.add(every(.one))
        desk.now = start + 10 * Self.minute + second
        desk.awakeSince = desk.now
        try desk.run(id)
        #expect(try desk.request(id).notBefore == start + 11 * Self.minute)
        // Dates that pass while its task runs.
        desk.now = start + 11 * Self.minute
        try desk.launch(id)
        desk.now += 3 * Self.minute + second
        try desk.end(id, AttemptEnd(.succeeded))
        #expect(try desk.request(id).notBefore == start + 14 * Self.minute)
        #expect(
            try desk.entries(id).filter { $0.what == .datesSkipped }.map(\.detail) == [
                "10 dates passed and are left out", "2 dates passed and are left out",
            ])
    }

    @Test("each date that passed is launched with all, up to a limit")
    func catchingUpAll() throws {
        let start = desk.now
        let id = try desk.add(every(.all))
        desk.now = start + 3 * Self.minute
        desk.awakeSince = desk.now
        for number in 1...4 {
            try desk.run(id)
            #expect(try desk.request(id).notBefore == start + Int64(number) * Self.minute)
        }
        #expect(try !desk.story(id).contains(.datesSkipped))
        let passed = Int64(Repetition.catchUpLimit) + 20
        desk.now = try desk.request(id).notBefore + passed * Self.minute
        try desk.launch(id)
        // Of more, one launch stands for all.
        #expect(try desk.request(id).nominal == desk.now)
        #expect(
            try desk.entries(id).last { $0.what == .datesSkipped }?.detail
                == "more than 1000 dates passed and are left out")
    }

    @Test("a year of minutes that passed is not walked through")
    func longAway() throws {
        struct Counting: TimeZoneRules {
            static let asked = Atomic<Int>(0)
            func offset(at instant: Int64) -> Int64 {
                Self.asked.wrappingAdd(1, ordering: .relaxed)
                return 0
            }
        }
        let year: Int64 = 31_536_000_000_000_000
        let minutes = Repetition(.cron(try CronSchedule("* * * * *"), isLocal: true))
        let start = Self.minute * 29_000_000
        let (last, passed) = minutes.last(
            from: start, upTo: start + year + 30_000_000_000, in: Counting())
        #expect(last == start + year)
        #expect(passed == Repetition.catchUpLimit + 1)
        #expect(Counting.asked.load(ordering: .relaxed) < 20_000)
        let yearly = Repetition(.cron(try CronSchedule("0 0 1 1 *"), isLocal: false))
        let first = CivilTime(year: 2026, month: 1, day: 1).seconds * 1_000_000_000
        #expect(yearly.last(from: first, upTo: first + 3 * year, in: UTC()).passed == 2)
    }

    @Test("jitter moves each date by less than it says, the same each time, and does not add up")
    func jitter() throws {
        func dates() throws -> [Int64] {
            let desk = RequestDesk()
            let start = desk.now
            let id = try desk.add(every(jitter: 30 * second))
            return try (0..<20).map { number in
                let date = try desk.request(id).notBefore
                desk.now = date
                try desk.run(id)
                return date - start - Int64(number) * Self.minute
            }
        }
        let first = try dates()
        #expect(first.allSatisfy { (0..<30 * second).contains($0) })
        #expect(Set(first).count == 20)
        #expect(try dates() == first)
    }

    @Test("a clock that was set back does not hold back what was counted from the later time")
    func setBack() throws {
        desk.ledger.limits.pending[.processing] = 100
        let earlier = desk.now - 10 * 24 * 60 * Self.minute
        func add(_ name: String, _ change: (inout RequestDescription) -> Void) throws -> RequestID {
            var description = RequestDescription("org.example.\(name)", kind: .processing)
            change(&description)
            return try desk.add(description)
        }
        let given = try add("given") { $0.earliest = desk.now + 5 }
        let plain = try add("plain") { _ in }
        let failed = try add("failed") { $0.retry = RetryPolicy(attempts: 2, jitter: 0) }
        try desk.run(failed, AttemptEnd(.failed))
        let snoozed = try add("snoozed") { _ in }
        try desk.run(snoozed, AttemptEnd(.failed, snooze: UInt64(second)))
        let repeated = try add("repeated") { $0.repetition = every(jitter: second).repetition }
        try desk.run(repeated)
        let fresh = try add("fresh") { $0.repetition = every(jitter: second).repetition }
        let cron = try add("cron") {
            $0.repetition = Repetition(.cron(try! CronSchedule("0 0 * * *"), isLocal: false))
        }
        let parked = try add("parked") { _ in }
        for _ in 0..<3 {
            try desk.launch(parked)
            _ = try desk.crash()
        }
        #expect(try desk.release(parked))

        desk.setClock(by: earlier - desk.now)
        try desk.shorten()
        #expect(try desk.request(given).notBefore > earlier + 9 * 24 * 60 * Self.minute)
        #expect(try desk.request(snoozed).notBefore == earlier + second)
        #expect(try desk.request(plain).notBefore == earlier)
        #expect(try desk.request(parked).notBefore == earlier)
        #expect(
            try desk.request(failed).notBefore
                == earlier + Int64(desk.request(failed).description.retry.base))
        #expect(try desk.request(repeated).nominal == earlier + Self.minute)
        let delay = try desk.request(repeated).notBefore - earlier - Self.minute
        #expect((0..<second).contains(delay))
        #expect(try desk.request(fresh).nominal == earlier)
        #expect(try (0..<second).contains(desk.request(fresh).notBefore - earlier))
        let midnight = CivilTime(seconds: try desk.request(cron).notBefore / second)
        #expect((midnight.hour, midnight.minute) == (0, 0))
        #expect(try desk.request(cron).notBefore - earlier <= 24 * 60 * Self.minute)
        // A second look changes nothing.
        let all = try [plain, failed, repeated, fresh, cron].map { try desk.request($0) }
        try desk.shorten()
        #expect(try all.map { try desk.request($0.id) } == all)
    }
}
