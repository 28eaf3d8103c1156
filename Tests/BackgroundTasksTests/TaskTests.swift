// SPDX-License-Identifier: Apache-2.0
import TestSupport
import Testing

@Suite("Apple's rules for tasks")
struct TaskTests {
    private static let refresh = "org.example.app.refresh"
    private static let cleanup = "org.example.app.cleanup"

    private func lines(_ scenario: String) throws -> [String] {
        let run = try App().run(scenario)
        #expect(run.process.succeeded, "\(run.process)")
        return run.said
    }

    @Test(
        "S0.5, S1.15, S1.19, S4.2: the class of a task is that of its request; without a queue it is the system's"
    )
    func kinds() throws {
        #expect(
            try lines("kinds") == [
                "\(Self.refresh): refresh true, processing false, research false, main false",
                "\(Self.cleanup): refresh false, processing true, research false, main false",
                "\(Self.cleanup): refresh false, processing true, research true, main false",
            ])
    }

    @Test("a handler is called on the queue it was registered with")
    func mainQueue() throws {
        #expect(try lines("main-queue") == ["main: true"])
    }

    @Test("S0.8, S1.21, S4.12: a request is not launched before its date")
    func earliest() throws {
        #expect(try lines("earliest") == ["899 s later", "launched", "succeeded"])
    }

    @Test("S0.11, S4.3, S4.14: a handler can submit its next request first")
    func rescheduleFirst() throws {
        #expect(try lines("reschedule-first") == ["first succeeded, then []", "pending 1"])
    }

    @Test("S1.20, S1.25: it can complete first, and submit its next request then")
    func completeFirst() throws {
        #expect(try lines("complete-first") == ["first succeeded", "pending 1"])
    }

    @Test("S1.26: one request is one run")
    func once() throws {
        #expect(try lines("once") == ["launched", "succeeded", "a day later"])
    }

    @Test("S0.39, S1.17: a refresh has 30 s")
    func refreshBudget() throws {
        #expect(
            try lines("refresh-budget") == [
                "launched <BGAppRefreshTask: \(Self.refresh)>", "29 s later", "expired", "expired",
            ])
    }

    @Test("S0.40, S1.18: processing has minutes")
    func processingBudget() throws {
        #expect(
            try lines("processing-budget") == [
                "launched <BGProcessingTask: \(Self.cleanup)>", "599 s later", "expired", "expired",
            ])
    }

    @Test("S0.7, S1.22: a task that requires the network expires when that is lost")
    func networkLost() throws {
        #expect(
            try lines("network-lost") == [
                "launched <BGProcessingTask: \(Self.cleanup)>", "10 s later", "expired", "expired",
            ])
    }

    @Test("processing ends when the user of the machine comes back")
    func userReturns() throws {
        #expect(try lines("user-returns").suffix(2) == ["expired", "expired"])
    }

    @Test(
        "S0.34: without an expiration handler the task is completed in its place, and none is taken afterwards"
    )
    func noHandler() throws {
        #expect(try lines("no-expiration-handler") == ["expired", "kept: false"])
    }

    @Test("the expiration handler is called beside the launch handler, and is cleared then")
    func concurrently() throws {
        #expect(
            try lines("expired-concurrently") == [
                "cleared: true", "still in the handler", "expired",
            ])
    }

    @Test("both handlers are called on the main queue they were registered with, as the main actor")
    func mainActor() throws {
        #expect(try lines("main-actor") == ["launched", "expired, main: true"])
    }

    @Test("a serial queue that is at work calls the expiration handler late, and the grace goes on")
    func queueBlocked() throws {
        let run = try App().run("queue-blocked")
        #expect(run.process.succeeded, "\(run.process)")
        #expect(
            run.said == [
                "its time is up", "expired", "the launch handler returns", "told to stop",
            ])
        #expect(
            run.log.last
                == "\(Self.refresh) was registered with the queue org.example.work, on which its expiration handler is called as well; keep that queue free while a task runs, or register with nil"
        )
    }

    @Test("S1.13: who never completes is ended by the host, and waits longer the next time")
    func neverCompleted() throws {
        #expect(
            try lines("never-completed") == [
                "expired, and on it goes", "expired", "expired", "held back by [\"launch-rate\"]",
            ])
    }

    @Test("a task without references is over, and Apple's line is logged")
    func dropped() throws {
        let run = try App().run("dropped")
        #expect(run.lines.last == "failed")
        #expect(
            run.log == [
                "Task <BGAppRefreshTask: org.example.app.refresh> dealloc'd without completing. This is a programmer error."
            ])
    }

    @Test("S4.10: of two completions the first counts")
    func twoCompletions() throws {
        #expect(try lines("two-completions") == ["kept: false", "succeeded"])
    }

    @Test(
        "S1.27: simulating needs a pending request, uses it up whatever holds it back, and has Apple's lines"
    )
    func simulate() throws {
        let run = try App().run("simulate")
        let task = "<BGAppRefreshTask: \(Self.refresh)>"
        #expect(
            run.log == [
                "Simulating launch for task with identifier \(Self.refresh)",
                "No task request with identifier \(Self.refresh) has been scheduled",
                "Simulating launch for task with identifier \(Self.refresh)",
                "Starting simulated task: \(task)", "Marking simulated task complete: \(task)",
                "Simulating expiration for task with identifier \(Self.refresh)",
                "Task with identifier \(Self.refresh) is not currently being simulated",
            ])
        #expect(
            run.lines == [
                "submitted \(Self.refresh)", "launched", "succeeded", "pending 0",
            ])
    }

    @Test("a simulated task runs once at a time, and its expiration can be simulated")
    func simulateExpiration() throws {
        let run = try App().run("simulate-expiration")
        #expect(run.log.contains("Task with identifier \(Self.cleanup) is already running"))
        #expect(run.lines.suffix(2) == ["expired", "expired"])
    }

    @Test(
        "S1.1, S1.3, S1.4, S1.7, S1.10, S1.29: what holds a refresh back is told, and when it is over the refresh is launched"
    )
    func heldBack() throws {
        #expect(
            try lines("held-back") == [
                "critical battery: [\"battery\"]", "launched",
                "low power mode: [\"low-power-mode\"]", "launched", "heat: [\"thermal\"]",
                "launched", "removed: [\"enablement\"]", "launched",
            ])
    }

    @Test("a task of an app that has begun to launch waits until that is over")
    func launching() throws {
        #expect(try lines("launching") == ["ran while foreground", "succeeded"])
    }

    @Test("a simulated task without an expiration handler goes on, with Apple's line")
    func simulateWithoutHandler() throws {
        let run = try App().run("simulate-no-handler")
        #expect(
            run.log.contains("No expiration handler for task <BGProcessingTask: \(Self.cleanup)>"))
        #expect(run.lines.last == "succeeded")
    }

    @Test("a task whose app is killed is launched again at the next start, and that is counted")
    func killed() throws {
        let app = try App()
        #expect(try app.run("killed").process.ending == .signalled(9))
        #expect(
            try app.run("after-exit").lines == ["launched again, crashes 1", "succeeded"])
    }

    @Test(
        "a task that runs when the app exits is told to stop, and is launched again without blame")
    func exitWhileRunning() throws {
        let app = try App()
        #expect(
            try app.run("exit-while-running").lines.last == "told to stop")
        #expect(
            try app.run("after-exit").lines == ["launched again, crashes 0", "succeeded"])
    }
}
