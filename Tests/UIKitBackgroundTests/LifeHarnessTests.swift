// SPDX-License-Identifier: Apache-2.0
import TestSupport
import Testing

/// An app's life and its tasks, in a process of its own.
@Suite("An app in the background")
struct LifeHarnessTests {
    @Test("S1.24: the delegate hears of the background, and all of its life in Apple's order")
    func life() throws {
        let run = try LifeHarness("life", ["--loud"])
        #expect(
            run.lines == [
                "willFinishLaunching inactive main",
                "didFinishLaunching inactive main", "note didFinishLaunching main",
                "didBecomeActive active main", "note didBecomeActive main",
                "willResignActive active main", "note willResignActive main",
                "didEnterBackground background main", "note didEnterBackground main",
                "note didSuspend main", "note didResume main",
                "willEnterForeground background main", "note willEnterForeground main",
                "didBecomeActive active main", "note didBecomeActive main",
            ], "\(run.process)")
        #expect(run.process.succeeded)
    }

    @Test("SIGTERM ends an app in order")
    func terminated() throws {
        let run = try LifeHarness("terminated", ["--loud"])
        #expect(run.lines.suffix(2) == ["willTerminate active main", "note willTerminate main"])
        #expect(run.process.succeeded, "\(run.process)")
    }

    /// What is always printed so, or the first words where the rest is long.
    private func expect(
        _ scenario: String, _ options: [String] = [], prints lines: [String],
        ends: ChildProcess.Ending = .exited(0)
    ) throws {
        let run = try LifeHarness(scenario, options)
        #expect(run.process.ending == ends, "\(run.process)")
        // The log comes from the thread on which something happens, all else from the main thread.
        for isLog in [true, false] {
            let got = run.lines.filter { $0.hasPrefix("log:") == isLog }
            let wanted = lines.filter { $0.hasPrefix("log:") == isLog }
            #expect(got.count == wanted.count, "\(run.process)")
            for (line, wanted) in zip(got, wanted) {
                #expect(line.hasPrefix(wanted), "\(run.process)")
            }
        }
    }

    @Test("S2.11: all assertions share one expiry")
    func oneExpiry() throws {
        try expect(
            "one-expiry",
            prints: [
                "30.0 s", "20.0 s", "0.5 s", "first expires main background",
                "second expires main background", "suspended", "0.0 s", "third is invalid",
            ])
    }

    @Test("S2.3: in the foreground begin and end have no effect")
    func seen() throws {
        try expect("seen", prints: ["unlimited", "unlimited active"])
    }

    @Test("S2.4: an app without an assertion is suspended in the background")
    func nothing() throws {
        try expect("nothing", prints: ["suspended", "asked", "resumed"])
    }

    @Test(
        "S2.12, S2.10: of a batch each item has its task, and the last one's end suspends the app")
    func batch() throws {
        try expect("batch", prints: ["3 identifiers", "ended", "ended", "suspended", "ended"])
    }

    @Test("S2.2: who ends in time is not told to, and ending twice changes nothing")
    func endsInTime() throws {
        try expect("ends-in-time", prints: ["suspended", "log: Can't endBackgroundTask: no"])
    }

    @Test("S2.5: who outlives the time is told, and what is not ended then is named")
    func neverEnds() throws {
        try expect(
            "never-ends",
            prints: [
                "stubborn expires main background", "expired",
                "log: Background task 1 (stubborn) was not ended",
                "log: Background task 2 (without a name) was not ended", "suspended",
            ])
        let run = try LifeHarness("never-ends")
        #expect(run.process.output.contains("would be killed on a phone (0x8badf00d)"))
    }

    @Test("An embedder can have the process stopped instead")
    func stopped() throws {
        let run = try LifeHarness("never-ends", ["--stop"])
        #expect(run.process.ending == .signalled(6), "\(run.process)")
        #expect(run.process.errorOutput.contains("0x8badf00d"))
    }

    @Test("S2.13: a task begins at any time on any thread, and lies dormant until the background")
    func anywhere() throws {
        try expect(
            "anywhere",
            prints: [
                "30.0 s", "on another thread expires main", "in the delegate expires main",
                "suspended",
            ])
    }

    @Test("S2.14: expiry and completion may race on one identifier")
    func race() throws {
        let run = try LifeHarness("race")
        #expect(run.process.succeeded)
        #expect(run.lines.last == "200 rounds, none left: 0", "\(run.process)")
        #expect(!run.process.output.contains("log:"), "\(run.process)")
        #expect(run.lines.count { $0 == "suspended" } == 200)
    }

    @Test("There are a thousand tasks at most")
    func tooMany() throws {
        try expect("too-many", prints: ["log: one more: 1000 background tasks are open", "true"])
    }

    @Test("A request for time after the end gets none")
    func asksLate() throws {
        try expect(
            "asks-late",
            prints: [
                "asks again is invalid", "log: Background task 1 (asks in its handler) was not",
                "suspended", "asks when suspended is invalid", "resumed", "true",
            ])
    }

    @Test("S2.8: an identifier that is overwritten is never ended, and is named")
    func overwritten() throws {
        try expect(
            "overwritten",
            prints: [
                "log: Background task 1 (sync) was not ended", "suspended",
            ])
    }

    @Test("S2.1, S2.7, S2.9: a synchronization goes on in the background, and ends its task once")
    func photoSync() throws {
        try expect(
            "photo-sync", prints: ["supported true", "synchronized in background", "suspended"])
    }

    @Test(
        "S3.1, S3.2: work on a queue leaves the main thread free, and is told when its time is over"
    )
    func longTask() throws {
        try expect("long-task", prints: ["main is free", "expires main", "suspended", "worked"])
    }
}
