// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

@Suite(
    "A clock on the wall that is set", .timeLimit(.minutes(5)),
    .enabled(if: Surrounding.fakeTime != nil, Surrounding.noFakeTime))
struct ClockTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// Sets the clock of a harness, which looks at it with the next request.
    private func set(_ time: String, _ harness: RunningHarness, _ key: String) throws {
        try directory.write(time, to: "time")
        harness.order("submit quick \(key)")
        try harness.waitForEnd(of: key)
    }

    private func runs(_ harness: RunningHarness, _ key: String) -> Int {
        harness.records.count { $0.kind == "run" && $0[0] == key }
    }

    /// A host whose clock begins at a time.
    private func serve(from time: String) throws -> (StoreTrial, RunningHarness) {
        let trial = try StoreTrial()
        try directory.write(time, to: "time")
        let harness = try trial.start(
            "serve", wrapper: Surrounding.clockWrapper,
            environment: Surrounding.clock(in: directory.path("time")))
        try harness.wait(for: "ready")
        return (trial, harness)
    }

    /// Seconds from now to the date of a request.
    private func wait(_ harness: RunningHarness, _ key: String) throws -> Int {
        harness.order("state \(key)")
        let state = try harness.wait(for: "state")
        #expect(state[1] == "pending")
        return (Int(state[4]) ?? 0) - (Int(state[5]) ?? 0)
    }

    @Test("a year forward and two back launches once what is due, and puts nothing off for long")
    func year() throws {
        let (trial, harness) = try serve(from: "+0")
        defer { FakeClock.forgetEnded() }
        harness.order("submit hourly y.0.0.hourly")
        try harness.wait(for: "did")
        harness.order("submit later y.0.1.later")
        try harness.wait(for: "did")
        try set("+1y", harness, "y.1.0.quick")
        try harness.waitForEnd(of: "y.0.0.hourly")
        try harness.waitForEnd(of: "y.0.1.later")
        try set("+1y", harness, "y.1.1.quick")
        #expect(runs(harness, "y.0.0.hourly") == 1)
        #expect(runs(harness, "y.0.1.later") == 1)
        #expect(try (0...3_600).contains(wait(harness, "y.0.0.hourly")))

        try set("-1y", harness, "y.2.0.quick")
        try set("-1y", harness, "y.2.1.quick")
        #expect(runs(harness, "y.0.0.hourly") == 1)
        #expect(try (0...3_600).contains(wait(harness, "y.0.0.hourly")))
        let lines = harness.records.filter { $0.kind == "log" }.map { $0[1] }
        #expect(lines.contains { $0.hasPrefix("the clock was set forward") })
        #expect(lines.contains { $0.hasPrefix("the clock was set back") })
        harness.order("cancel y.0.0.hourly")
        harness.order("stop")
        #expect(trial.finish(harness) == .exited(0))
    }

    @Test("over a night without that hour launches once, and has the next night's date")
    func summerTime() throws {
        // The night from the 28th to the 29th has no 2:30 in Berlin.
        let (trial, harness) = try serve(from: "@2026-03-28 12:00:00")
        defer { FakeClock.forgetEnded() }
        harness.order("submit nightly n.0.0.nightly")
        try harness.wait(for: "did")
        try set("@2026-03-29 12:00:00", harness, "n.1.0.quick")
        try set("@2026-03-29 12:00:01", harness, "n.1.1.quick")
        let first = runs(harness, "n.0.0.nightly")
        #expect(first <= 1)
        #expect(try (14 * 3_600...15 * 3_600).contains(wait(harness, "n.0.0.nightly")))
        try set("@2026-03-30 12:00:00", harness, "n.2.0.quick")
        try set("@2026-03-30 12:00:01", harness, "n.2.1.quick")
        try harness.waitForEnd(of: "n.0.0.nightly")
        #expect(runs(harness, "n.0.0.nightly") == first + 1)
        harness.order("cancel n.0.0.nightly")
        harness.order("stop")
        #expect(trial.finish(harness) == .exited(0))
    }
}

@Suite("A machine whose clocks of spans begin anew", .timeLimit(.minutes(5)))
struct SpanClockTests {
    private static let wrapper = [
        "unshare", "--map-root-user", "--time", "--boottime", "864000", "--monotonic", "864000",
    ]
    private static let isThere =
        (try? ChildProcess.run(wrapper[0], Array(wrapper.dropFirst()) + ["true"]))?.succeeded
        ?? false

    /// As after its start, and with the next host ten days later on those clocks.
    @Test(
        "has its requests launched as before",
        .enabled(if: isThere, "unshare --time is refused: run the tests as root"))
    func anew() throws {
        let trial = try StoreTrial()
        try trial.run("drain", ["--name", "b", "--count", "16", "--crash", "handler-entered:4"])
        let later = try trial.start("drain", wrapper: Self.wrapper)
        #expect(trial.finish(later) == .exited(0))
        let faults = try trial.faults()
        #expect(faults == [], "\(faults)")
    }
}
