// SPDX-License-Identifier: Apache-2.0
import TestSupport
import Testing

@testable import Scheduling

/// How the schedules of a configuration become requests, and stay so.
@Suite("Schedules")
struct ScheduleTests {
    private static let hour = 3_600 * second

    private func schedule(
        _ name: String, every seconds: Int64 = 3_600, digest: String = "1", isEnabled: Bool = true,
        source: String = "/etc/curfew/curfew.json"
    ) -> Schedule {
        Schedule(
            name: name,
            description: RequestDescription(
                "org.example.\(name)", kind: .processing,
                repetition: Repetition(.every(UInt64(seconds * second)))),
            payload: Array(digest.utf8), isEnabled: isEnabled, digest: digest, source: source)
    }

    private func row(_ name: String, _ desk: RequestDesk) throws -> StoredSchedule {
        try #require(try desk.schedules().first { $0.name == name })
    }

    private func request(_ name: String, _ desk: RequestDesk) throws -> Request {
        try desk.request(try #require(try row(name, desk).request))
    }

    @Test("a new schedule is due one interval later, and what is equal is not touched")
    func added() throws {
        let desk = RequestDesk()
        let begun = desk.now
        var changes = try desk.reconcile([schedule("b"), schedule("a", every: 60)])
        #expect(changes.added == ["a", "b"] && changes.kept == 0)
        let first = try request("a", desk)
        #expect(first.notBefore == begun + 60 * second && first.state == .pending)
        desk.now += 30 * second
        changes = try desk.reconcile([schedule("a", every: 60), schedule("b")])
        #expect(
            changes
                == {
                    var none = ScheduleChanges(); none.kept = 2; return none
                }())
        #expect(try request("a", desk) == first)
    }

    @Test("a configuration changes the schedules of its set, and no other ones")
    func sets() throws {
        let desk = RequestDesk()
        try desk.reconcile([schedule("a").inSet("web")], set: "web")
        try desk.reconcile([schedule("a").inSet("mail")], set: "mail")
        try desk.reconcile([schedule("a")])
        #expect(try desk.schedules().map(\.name) == ["a", "mail/a", "web/a"])
        let kept = try [row("a", desk), row("mail/a", desk)]
        let changes = try desk.reconcile([schedule("b").inSet("web")], set: "web")
        #expect(changes.added == ["web/b"] && changes.removed == ["web/a"])
        #expect(try desk.schedules().map(\.name) == ["a", "mail/a", "web/b"])
        #expect(try [row("a", desk), row("mail/a", desk)] == kept)
        // A store in a directory has one file: where that gets another set, nothing of the old one stays.
        let all = try desk.reconcile([schedule("a").inSet("other")], set: nil)
        #expect(all.removed.sorted() == ["a", "mail/a", "web/b"] && all.added == ["other/a"])
        #expect(Schedule.isStoredName("web/b") && Schedule.isStoredName("b"))
        for wrong in ["", "/", "a/", "/a", "a/b/c", "A", "a b"] {
            #expect(!Schedule.isStoredName(wrong), "\(wrong)")
        }
    }

    @Test("a cron schedule is due at its next date")
    func cron() throws {
        let desk = RequestDesk()
        let description = RequestDescription(
            "org.example.a", kind: .processing,
            repetition: Repetition(.cron(try CronSchedule("0 3 * * *"), isLocal: false)))
        try desk.reconcile([
            Schedule(name: "a", description: description, digest: "1", source: "here")
        ])
        let date = try request("a", desk).notBefore
        #expect(date > desk.now && date % (24 * Self.hour) == 3 * Self.hour)
    }

    @Test("another command at the same interval keeps the next date; another interval begins anew")
    func changed() throws {
        let desk = RequestDesk()
        try desk.reconcile([schedule("a")])
        let first = try request("a", desk)
        desk.now += 1_000 * second
        let changes = try desk.reconcile([schedule("a", digest: "2")])
        #expect(changes.changed == ["a"])
        let next = try request("a", desk)
        #expect(next.id == first.id && next.notBefore == first.notBefore)
        #expect(try desk.payload(first.id) == Array("2".utf8) && next.payloadBytes == 1)
        #expect(try desk.entries(first.id).last?.what == .edited)
        try desk.reconcile([schedule("a", every: 60, digest: "3")])
        #expect(try request("a", desk).notBefore == desk.now + 60 * second)
        // Another handler has another request.
        let other = Schedule(
            name: "a",
            description: RequestDescription(
                "org.example.b", kind: .processing,
                repetition: Repetition(.every(3_600_000_000_000))),
            digest: "4", source: "")
        try desk.reconcile([other])
        #expect(try request("a", desk).id != first.id && desk.state(first.id) == .replaced)
    }

    @Test("what a person has edited is as the file has it again when that is read")
    func edited() throws {
        let desk = RequestDesk()
        try desk.reconcile([schedule("a")])
        let first = try request("a", desk)
        try desk.edit(first.id) { $0.repetition = Repetition(.every(60_000_000_000)) }
        #expect(try desk.reconcile([schedule("a")]).changed == ["a"])
        let again = try request("a", desk)
        #expect(again.id == first.id && again.description == first.description)
        #expect(again.notBefore == desk.now + Self.hour)
        try desk.edit(first.id) { $0.earliest = desk.now + 5 * Self.hour }
        #expect(try desk.reconcile([schedule("a")]).changed == ["a"])
        #expect(try request("a", desk).notBefore == desk.now + Self.hour)
        #expect(try desk.reconcile([schedule("a")]).kept == 1)
    }

    @Test("a parked request is pending again once its schedule says something else")
    func parked() throws {
        let desk = RequestDesk()
        try desk.reconcile([schedule("a")])
        let first = try request("a", desk)
        desk.now = first.notBefore
        while try desk.state(first.id) != .parked {
            try #require(try desk.launch(first.id) != nil)
            _ = try desk.crash()
        }
        #expect(try desk.reconcile([schedule("a")]).over.isEmpty)
        #expect(try desk.state(first.id) == .parked)
        try desk.reconcile([schedule("a", digest: "2")])
        #expect(try desk.state(first.id) == .pending && desk.request(first.id).crashes == 0)
    }

    @Test("a schedule that is removed and put back runs again")
    func putBack() throws {
        let desk = RequestDesk()
        try desk.reconcile([schedule("a")])
        let first = try request("a", desk)
        let changes = try desk.reconcile([])
        #expect(changes.removed == ["a"])
        #expect(try desk.schedules().isEmpty)
        #expect(try desk.state(first.id) == .replaced)
        try desk.reconcile([schedule("a")])
        #expect(try request("a", desk).state == .pending)
    }

    @Test(
        "a task that runs while its schedule is changed or removed ends by itself, and comes once",
        arguments: [true, false],
        [AttemptEnd(.succeeded), AttemptEnd(.failed), AttemptEnd(.interrupted)])
    func running(isChanged: Bool, end: AttemptEnd) throws {
        let desk = RequestDesk()
        try desk.reconcile([schedule("a")])
        let first = try request("a", desk)
        desk.now = first.notBefore
        try #require(try desk.launch(first.id) != nil)
        try desk.reconcile(isChanged ? [schedule("a", digest: "2")] : [])
        #expect(try desk.requests(in: [.pending, .running]).map(\.state) == [.running])
        let ended = try desk.end(first.id, end)
        #expect(ended?.state == (isChanged ? .pending : .replaced))
        #expect(try desk.requests(in: [.pending, .running]).count == (isChanged ? 1 : 0))
        guard isChanged else { return }
        #expect(try request("a", desk).id == first.id)
        #expect(try desk.payload(first.id) == Array("2".utf8))
        // The date that ran is not due again, unless the host ended meanwhile.
        let date = end.outcome == .interrupted ? desk.now : first.notBefore + Self.hour
        #expect(ended?.notBefore == date)
    }

    @Test("a request that was cancelled by hand stays so until its schedule says something else")
    func cancelled() throws {
        let desk = RequestDesk()
        try desk.reconcile([schedule("a")])
        let first = try request("a", desk)
        #expect(try desk.cancel(first.id) == .cancelled)
        for _ in 0..<2 {
            let changes = try desk.reconcile([schedule("a")])
            #expect(changes.over == ["a"] && changes.kept == 1)
        }
        #expect(try desk.state(first.id) == .cancelled)
        try desk.reconcile([schedule("a", digest: "2")])
        #expect(try request("a", desk).state == .pending)
    }

    @Test("a restarted schedule has its request again, or gets another where that is not kept")
    func restarted() throws {
        let desk = RequestDesk(
            limits: {
                var limits = RequestLimits()
                limits.historyAge = 1
                return limits
            }())
        try desk.reconcile([schedule("a")])
        let first = try request("a", desk)
        #expect(try desk.restart("b") == .unknown)
        #expect(try desk.restart("a") == .live(first))
        _ = try desk.cancel(first.id)
        guard case .pending(let again) = try desk.restart("a") else {
            Issue.record("it was not restarted")
            return
        }
        #expect(again.id == first.id && again.notBefore == desk.now + Self.hour)
        _ = try desk.cancel(first.id)
        desk.now += 10 * second
        while try desk.prune() {}
        #expect(try !desk.isKept(first.id))
        #expect(try desk.reconcile([schedule("a")]).over == ["a"])
        #expect(try desk.restart("a") == .withConfiguration)
        #expect(try desk.reconcile([schedule("a")]).changed == ["a"])
        #expect(try request("a", desk).state == .pending)
    }

    @Test("a schedule that is off has no request")
    func off() throws {
        let desk = RequestDesk()
        try desk.reconcile([schedule("a")])
        let first = try request("a", desk)
        try desk.reconcile([schedule("a", digest: "off", isEnabled: false)])
        #expect(try row("a", desk).request == nil)
        #expect(try desk.state(first.id) == .replaced)
        #expect(try desk.restart("a") == .off)
        try desk.reconcile([schedule("a")])
        #expect(try request("a", desk).state == .pending)
    }

    @Test("a schedule that moves to another file stays as it is")
    func moved() throws {
        let desk = RequestDesk()
        try desk.reconcile([schedule("a")])
        let first = try request("a", desk)
        let changes = try desk.reconcile([schedule("a", source: "/etc/curfew/conf.d/a.json")])
        #expect(changes.kept == 1)
        #expect(try row("a", desk).source == "/etc/curfew/conf.d/a.json")
        #expect(try request("a", desk) == first)
    }

    @Test("limits of pending requests are not for schedules")
    func limits() throws {
        var limits = RequestLimits()
        limits.pending[.processing] = 1
        limits.pendingInAll = 2
        let desk = RequestDesk(limits: limits)
        let changes = try desk.reconcile((0..<20).map { schedule("s\($0)") })
        #expect(changes.added.count == 20)
    }

    @Test("names are short, and of small letters, digits and -")
    func names() {
        for name in ["a", "0", "a-b", String(repeating: "a", count: 64)] {
            #expect(Schedule.isName(name), "\(name)")
        }
        for name in ["", "-a", "A", "a_b", "a b", "ä", String(repeating: "a", count: 65), "a\n"] {
            #expect(!Schedule.isName(name), "\(name)")
        }
    }

    /// Files, runs, cancellations, prunes and crashes in any order.
    @Test("after any changes the store has what the file says", arguments: 0..<8)
    func model(_ seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed) + 1)
        var limits = RequestLimits()
        limits.historyAge = UInt64(Self.hour)
        let desk = RequestDesk(limits: limits)
        var file: [String: Schedule] = [:]
        /// Cancelled by hand since their schedule was changed.
        var cancelled: Set<String> = []
        for _ in 0..<1_500 {
            switch UInt.random(in: 0..<10, using: &random) {
            case 0...3:
                let name = "s\(UInt.random(in: 0..<6, using: &random))"
                if UInt.random(in: 0..<4, using: &random) == 0 {
                    file[name] = nil
                } else {
                    let (every, body) = (
                        [60, 3_600].randomElement(using: &random)!,
                        UInt.random(in: 0..<2, using: &random)
                    )
                    let isEnabled = UInt.random(in: 0..<5, using: &random) > 0
                    file[name] = schedule(
                        name, every: Int64(every), digest: "\(every) \(body) \(isEnabled)",
                        isEnabled: isEnabled)
                }
            case 4:
                for request in try desk.requests(in: [.pending]) where request.notBefore <= desk.now
                {
                    try desk.launch(request.id)
                }
            case 5:
                let ends = [AttemptEnd(.succeeded), AttemptEnd(.failed), AttemptEnd(.expired)]
                for request in try desk.requests(in: [.running]) {
                    try desk.end(request.id, ends.randomElement(using: &random)!)
                }
            case 6:
                guard let row = try desk.schedules().randomElement(using: &random),
                    let id = row.request, try desk.isKept(id)
                else { continue }
                switch try desk.cancel(id) {
                case .cancelled, .running: cancelled.insert(row.name)
                case .over, .unknown: break
                }
            case 7: desk.now += Int64.random(in: 1...7_200, using: &random) * second
            case 8: while try desk.prune() {}
            default: _ = try desk.crash()
            }
            guard UInt.random(in: 0..<3, using: &random) == 0 else { continue }
            let before = try desk.schedules()
            let pending = try desk.requests(in: [.pending])
            try desk.reconcile(Array(file.values))
            try check(desk, file, &cancelled, before, pending)
        }
    }

    private func check(
        _ desk: RequestDesk, _ file: [String: Schedule], _ cancelled: inout Set<String>,
        _ before: [StoredSchedule], _ pending: [Request]
    ) throws {
        let rows = try desk.schedules()
        #expect(rows.map(\.name) == file.keys.sorted())
        var owned: Set<RequestID> = []
        for row in rows {
            let schedule = try #require(file[row.name])
            #expect(row.digest == schedule.digest)
            let old = before.first { $0.name == row.name }
            if let old, old.digest == row.digest {
                // What is equal is not touched.
                #expect(old.request == row.request)
                if let request = pending.first(where: { $0.id == row.request }) {
                    #expect(try desk.request(request.id) == request)
                }
            } else {
                cancelled.remove(row.name)
            }
            #expect((row.request != nil) == schedule.isEnabled)
            guard let id = row.request else { continue }
            #expect(owned.insert(id).inserted)
            if !cancelled.contains(row.name) {
                #expect(try desk.request(id).state.isLive, "\(row.name)")
                #expect(try !desk.request(id).marks.contains(.superseded))
            }
        }
        cancelled.formIntersection(file.keys)
        // Nothing else is pending, and what runs besides ends with its task.
        for request in try desk.requests(in: [.pending, .parked]) {
            #expect(owned.contains(request.id))
        }
        for request in try desk.requests(in: [.running]) where !owned.contains(request.id) {
            #expect(request.marks.contains(.superseded))
        }
    }
}
