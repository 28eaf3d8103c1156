// SPDX-License-Identifier: Apache-2.0
import TestSupport
import Testing

/// ProcessInfo's activities, in a process of its own.
@Suite("Expiring activities")
struct ExpiringActivityTests {
    @Test(
        "S3.3, S3.4: without an app the block is called with false, and works",
        arguments: [true, false])
    func works(hasApp: Bool) throws {
        let run = try LifeHarness("activity-works", hasApp ? [] : ["--without-app"])
        #expect(run.lines == ["before", "works false other"], "\(run.process)")
    }

    @Test(
        "S3.5, S3.6, S3.7: still at work, the block is called a second time, at the same time, with true"
    )
    func cancelled() throws {
        let run = try LifeHarness("activity-cancelled", ["--without-app"])
        #expect(
            run.lines == ["not yet", "cancelled while it works: true", "stopped"], "\(run.process)")
    }

    @Test(
        "S3.8: when the block returns, its activity is over; one that waits keeps the app running")
    func waits() throws {
        let run = try LifeHarness("activity-waits")
        #expect(
            Set(run.lines.prefix(2)) == ["returns false", "not suspended"]
                || run.lines.first == "returns false", "\(run.process)")
        #expect(run.lines.contains("not suspended"))
        #expect(run.lines.suffix(2) == ["waited", "suspended"], "\(run.process)")
    }

    @Test("S3.9: a suspended app gets true alone")
    func refused() throws {
        let run = try LifeHarness("activity-refused", ["--without-app"])
        #expect(run.lines == ["before false", "suspended", "after true"], "\(run.process)")
    }

    @Test("S3.10: the reason is for the log, and is not empty")
    func unnamed() throws {
        let run = try LifeHarness("activity-unnamed")
        #expect(run.process.succeeded)
        #expect(run.lines.count == 1)
        #expect(run.lines.first?.contains("reason must not be empty") == true, "\(run.process)")
    }

    @Test("Activities and tasks share the one time")
    func shared() throws {
        let run = try LifeHarness("activity-and-task")
        #expect(
            Set(run.lines.prefix(2)) == ["activity expires", "task expires main background"],
            "\(run.process)")
    }
}
