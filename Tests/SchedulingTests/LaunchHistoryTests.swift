// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Scheduling

@Suite("The history of what held a request")
struct LaunchHistoryTests {
    /// A host with its store, whose clocks a test advances.
    private final class Stage {
        let store = MemoryStore()
        var now = Moment(wall: 1_000_000 * second, span: 1_000_000_000_000)
        var book = RequestBook(host: HostIdentity(boot: "a", process: 1, start: 1))
        static let identifier = "org.example.tidy"

        init() throws { try open() }

        func write<Result>(
            _ body: (inout RequestBook, any StoreTransaction) throws(StoreFault) -> Result
        ) throws -> Result {
            try store.write { (transaction) throws(StoreFault) in try body(&book, transaction) }
        }

        /// A host begins to use the store.
        func open() throws {
            book = RequestBook(host: HostIdentity(boot: "a", process: 1, start: now.span))
            book.scheduler.board.debounce = 0
            book.setState(HandlerState(places: 1), of: Self.identifier)
            _ = try write { (book, store) throws(StoreFault) in try book.open(at: now, store) }
        }

        func submit(_ change: (inout RequestDescription) -> Void = { _ in }) throws -> RequestID {
            var description = RequestDescription(Self.identifier, kind: .processing)
            description.onPending = .add
            change(&description)
            return try write { (book, store) throws(StoreFault) in
                try book.submit(description, payload: [], at: now, store)
            }.get().id
        }

        func set(_ factor: Factor, _ state: FactorState, _ detail: String) {
            book.scheduler.board.set(
                factor, FactorReading(state, source: "a test", detail: detail), at: now)
            book.scheduler.reconsider()
        }

        /// Lets seconds pass, with each decision that becomes due. Tasks end at once.
        func pass(_ seconds: Int64, decides: Bool = true) throws {
            let end = now.wall + seconds * second
            repeat {
                if decides {
                    let effects = try write { (book, store) throws(StoreFault) in
                        try book.decide(at: now, store)
                    }
                    for case .launch(let request, let attempt, _, _) in effects {
                        _ = try write { (book, store) throws(StoreFault) in
                            try book.ended(
                                request.id, launch: attempt.launch, AttemptEnd(.succeeded),
                                answered: true, at: now, store)
                        }
                    }
                }
                let wake = book.wake(after: now)
                var next = end
                if let wall = wake.wall { next = min(next, max(wall, now.wall)) }
                if let span = wake.span {
                    next = min(next, now.wall + Int64(span > now.span ? span - now.span : 0))
                }
                if !decides { next = end }
                if decides, book.isReady { next = now.wall }
                now = Moment(wall: next, span: now.span + UInt64(next - now.wall))
            } while now.wall < end || decides && book.isReady
        }

        func history(_ id: RequestID) throws -> LaunchHistory {
            LaunchHistory(
                try store.read { (store) throws(StoreFault) in
                    try store.journal(after: 0, of: id, limit: 10_000)
                })
        }

        /// What one turn was, in seconds since the beginning.
        func text(_ id: RequestID) throws -> [String] {
            func seconds(_ date: Int64) -> Int64 { date / second - 1_000_000 }
            return try history(id).turns.map { turn in
                let holds = turn.holds.map { hold in
                    "\(seconds(hold.since))–\(hold.until.map { "\(seconds($0))" } ?? "") \(hold.factors.joined(separator: "+")) (\(hold.detail))"
                }
                let end =
                    switch turn.end {
                    case .launched(let date): "launched \(seconds(date)), \(turn.outcome ?? "runs")"
                    case .other(let what, let date, _): "\(what.name) \(seconds(date))"
                    case .none: "waits"
                    }
                return ([end] + holds).joined(separator: "; ")
            }
        }
    }

    @Test("has each factor with its span, from the date on, and sums them up")
    func factors() throws {
        let stage = try Stage()
        stage.set(.externalPower, .no, "on battery")
        stage.set(.network, .no, "no route")
        let id = try stage.submit { description in
            description.needs = [.externalPower, .network]
            description.earliest = stage.now.wall + 100 * second
        }
        try stage.pass(3_700)
        #expect(
            try stage.text(id) == ["waits; 100– external-power+network (on battery; no route)"])
        stage.set(.network, .yes, "a route")
        try stage.pass(300)
        stage.set(.externalPower, .yes, "plugged in")
        try stage.pass(60)
        #expect(
            try stage.text(id) == [
                "launched 4000, succeeded; 100–3710 external-power+network (on battery; no route); 3710–4000 external-power (on battery)"
            ])
        let sums = LaunchHistory.sums(of: try stage.history(id).turns, at: stage.now.wall)
        #expect(sums.map(\.factor) == ["external-power", "network"])
        #expect(sums.map(\.length) == [3_900_000_000_000, 3_610_000_000_000])
    }

    @Test("has nothing of what lasts for a moment, and writes nothing while nothing changes")
    func moments() throws {
        let stage = try Stage()
        stage.set(.network, .no, "no route")
        let id = try stage.submit { $0.needs = .network }
        try stage.pass(9)
        stage.set(.network, .yes, "a route")
        try stage.pass(5)
        #expect(try stage.text(id) == ["launched 9, succeeded"])
        stage.set(.network, .no, "no route")
        let other = try stage.submit { $0.needs = .network }
        try stage.pass(100_000)
        // Nobody has to be awake for it.
        #expect(stage.book.wake(after: stage.now) == RequestScheduler.Wake())
        stage.book.scheduler.reconsider()
        try stage.pass(100_000)
        #expect(try stage.text(other) == ["waits; 14– network (no route)"])
    }

    @Test("says that no host was there, or that the machine slept, before what held it then")
    func absence() throws {
        let stage = try Stage()
        let id = try stage.submit { $0.earliest = stage.now.wall + 100 * second }
        let held = try stage.submit { description in
            description.needs = .network
            description.earliest = stage.now.wall + 200 * second
        }
        try stage.pass(3_600, decides: false)
        try stage.open()
        stage.set(.network, .no, "no route")
        try stage.pass(60)
        #expect(
            try stage.text(id) == [
                "launched 3600, succeeded; 100–3600 host (no host used the store)"
            ])
        #expect(
            try stage.text(held) == [
                "waits; 200–3600 host (no host used the store); 3600– network (no route)"
            ])
        stage.set(.network, .yes, "a route")
        try stage.pass(40)
        let slept = try stage.submit { $0.earliest = stage.now.wall + 100 * second }
        let before = stage.now
        try stage.pass(3_600, decides: false)
        stage.book.clockJumped(from: before, to: stage.now)
        try stage.pass(1)
        #expect(
            try stage.text(slept) == [
                "launched 7300, succeeded; 3800–7300 host (the machine slept, or its clock was set)"
            ])
        // A date that was over when it was submitted is no fault of the host.
        let late = try stage.submit { $0.earliest = second }
        try stage.pass(1)
        #expect(try stage.text(late) == ["launched 7301, succeeded"])
    }

    @Test("is that of each request of a queue, not of its first alone")
    func queue() throws {
        let stage = try Stage()
        stage.set(.network, .no, "no route")
        let ids: [RequestID] = try [Int64(0), 50, 100, 195, 4_000].map { (seconds: Int64) in
            try stage.submit { description in
                description.needs = .network
                description.earliest = stage.now.wall + seconds * second
            }
        }
        try stage.pass(120)
        stage.book.setState(HandlerState(closed: .paused, places: 1), of: Stage.identifier)
        try stage.pass(80)
        stage.set(.network, .yes, "a route")
        stage.book.setState(HandlerState(places: 1), of: Stage.identifier)
        try stage.pass(10)
        #expect(try stage.text(ids[0]).first?.hasPrefix("launched 200, succeeded; 0–") == true)
        let later = try stage.history(ids[1]).turns
        #expect(later.map { $0.holds.map(\.factors) } == [[["network"], ["network", "handler"]]])
        #expect(later.first?.due == stage.now.wall - 160 * 1_000_000_000)
        let third = try stage.history(ids[2]).turns
        #expect(third.map { $0.holds.count } == [2] && third.first?.lateness == 100_000_000_000)
        #expect(try stage.text(ids[3]) == ["launched 200, succeeded"])
        #expect(try stage.history(ids[4]).turns.isEmpty)
    }

    @Test("of a request that another host had noted goes on, and no span ends before it begins")
    func nextHost() throws {
        let stage = try Stage()
        stage.set(.network, .no, "no route")
        let id = try stage.submit { $0.needs = .network }
        try stage.pass(60)
        try stage.pass(1_000, decides: false)
        try stage.open()
        stage.set(.network, .no, "no route")
        try stage.pass(60)
        stage.set(.network, .yes, "a route")
        try stage.pass(10)
        let turns = try stage.history(id).turns
        #expect(turns.count == 1 && turns[0].lateness == 1_120_000_000_000)
        for (hold, next) in zip(turns[0].holds, turns[0].holds.dropFirst()) {
            #expect(hold.until == next.since && hold.since <= next.since)
        }
        #expect(turns[0].holds.map(\.factors) == [["host"], ["network"]])
    }

    @Test("has the dates that passed while its own task ran with that launch")
    func overrun() {
        let history = LaunchHistory([
            JournalEntry(.launched, at: 1), JournalEntry(.ended, at: 20, detail: "succeeded"),
            JournalEntry(.datesSkipped, at: 20, detail: "4 dates passed"),
            JournalEntry(.repeated, at: 20), JournalEntry(.launched, at: 20),
        ])
        #expect(history.turns.count == 2 && history.turns[0].skipped == "4 dates passed")
        #expect(history.turns[1].skipped == nil)
    }

    @Test("of a request that was cancelled ends with that, and each launch of a repetition is one")
    func others() throws {
        let stage = try Stage()
        stage.set(.network, .no, "no route")
        let id = try stage.submit { $0.needs = .network }
        try stage.pass(60)
        _ = try stage.write { (book, store) throws(StoreFault) in
            try book.cancel(id, at: stage.now, store)
        }
        #expect(try stage.text(id) == ["cancelled 60; 0–60 network (no route)"])
        let repeated = try stage.submit { description in
            description.needs = .network
            description.repetition = Repetition(.every(UInt64(100 * second)))
        }
        stage.set(.network, .yes, "a route")
        try stage.pass(150)
        stage.set(.network, .no, "no route")
        try stage.pass(100)
        stage.set(.network, .yes, "a route")
        try stage.pass(10)
        #expect(
            try stage.text(repeated) == [
                "launched 60, succeeded", "launched 160, succeeded",
                "launched 310, succeeded; 260–310 network (no route)",
            ])
    }

    @Test("reads any journal: details without a colon, and entries in an odd order")
    func strange() {
        var entries = [
            JournalEntry(.ended, at: 1, detail: "succeeded"), JournalEntry(.held, at: 9),
            JournalEntry(.held, at: 5, detail: "network"), JournalEntry(.launched, at: 3),
        ]
        entries.append(JournalEntry(.held, at: .max, detail: ":"))
        let history = LaunchHistory(entries)
        #expect(history.turns.map(\.holds.count) == [0, 1])
        #expect(LaunchHistory.sums(of: history.turns, at: .min).allSatisfy { $0.length == 0 })
        #expect(history.turns[0].lateness == 0)
    }
}
