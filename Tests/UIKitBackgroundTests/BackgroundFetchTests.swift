// SPDX-License-Identifier: Apache-2.0
import TestSupport
import Testing

/// Fetches, settings and the machine, as an app sees them, in a process of its own.
@Suite("What a host tells an app")
struct BackgroundFetchTests {
    private static let pending = "pending [\"com.example.life.fetch\"]"

    @Test("S1.11, S1.12: a fetch comes after the least time, again and again, on the main thread")
    func fetch() throws {
        let run = try LifeHarness("fetch")
        #expect(
            run.lines == [
                "pending []", Self.pending, "in 15 min", "keeps what comes sooner true",
                "not sooner", "fetch main", Self.pending,
                "not sooner", "fetch main", Self.pending,
            ], "\(run.process)")
    }

    @Test("S1.11: without an interval there are none, and never ends them")
    func never() throws {
        let run = try LifeHarness("fetch-never")
        #expect(
            run.lines == ["never by default: pending []", Self.pending, "pending []"],
            "\(run.process)")
    }

    @Test("S1.11: without the mode fetch it has no effect, nor beside permitted identifiers")
    func modes() throws {
        for run in [
            try LifeHarness("fetch-modes", modes: ["processing"]),
            try LifeHarness("fetch-modes", permitted: ["com.example.refresh"]),
        ] {
            #expect(run.lines.count == 2, "\(run.process)")
            #expect(
                run.lines.first?.hasPrefix(
                    "log: setMinimumBackgroundFetchInterval has no effect: ") == true)
            #expect(run.lines.last == "pending []")
        }
    }

    @Test("S1.13: not calling the completion handler lowers future wake-ups")
    func dropped() throws {
        let run = try LifeHarness("fetch-dropped")
        #expect(run.lines.first == "rests false")
        #expect(run.lines.last == "rests true", "\(run.process)")
        #expect(run.process.output.contains("was dropped without being called"))
    }

    @Test("S1.13: nor does it help to keep it for longer than there is time")
    func expires() throws {
        let run = try LifeHarness("fetch-expires")
        #expect(run.process.output.contains("performFetch was not called in time"))
        #expect(run.lines.last == "rests true", "\(run.process)")
    }

    @Test("A fetch wakes a suspended app up, which can ask for background time then")
    func wakes() throws {
        let run = try LifeHarness("fetch-wakes")
        #expect(run.lines == ["suspended", "resumed", "answered", "suspended"], "\(run.process)")
    }

    @Test("S1.31: low power mode can be asked for, and its changes are posted")
    func lowPower() throws {
        let run = try LifeHarness("low-power")
        #expect(
            run.lines == [
                "false", "changed true other", "changed false other", "changed true other",
            ],
            "\(run.process)")
    }

    @Test("The heat can be asked for, and its changes are posted once it was")
    func thermal() throws {
        let run = try LifeHarness("thermal")
        #expect(run.lines == ["nominal", "changed serious", "changed nominal"], "\(run.process)")
        let unread = try LifeHarness("thermal-unread")
        #expect(unread.lines == ["serious"], "\(unread.process)")
    }

    @Test("S1.32: the refresh status can be asked for, and its changes are posted")
    func refreshStatus() throws {
        let run = try LifeHarness("refresh-status")
        #expect(
            run.lines == [
                "available", "changed denied main", "changed restricted main",
                "changed available main", "changed denied main",
            ], "\(run.process)")
    }

    @Test("A background activity is called about its dates")
    func scheduler() throws {
        let run = try LifeHarness("scheduler")
        #expect(
            run.lines == ["tolerance 300.0", "called at 600 other", "called at 1200 other"],
            "\(run.process)")
    }

    @Test("One that should be deferred is called at the end of its window, and again if it defers")
    func defers() throws {
        let run = try LifeHarness("scheduler-defers")
        #expect(
            run.lines == ["defer false", "defer true", "held", "called at 700", "called at 760"],
            "\(run.process)")
    }
}
