// SPDX-License-Identifier: Apache-2.0
import Curfew
import CurfewB4X
import Scheduling
import TestSupport
import Testing

/// The chain of a tutorial for B4i in its resumable form, line by line, and its races. The test
/// turns the loop and moves the clock.
@Suite("The chain of controller, expired and done", .timeLimit(.minutes(2)))
struct SourceChainTests {
    private let loop: DispatchedHost

    init() throws { loop = try DispatchedHost() }

    private static let registered = "registeringbackgroundapprefreshtask_done(true, \"\")"
    private static let scheduled = "schedulingbackgroundapprefreshtask_done(true, \"\")"
    private static let second: UInt64 = 1_000_000_000

    /// A registered module, and nothing noted.
    private func module(
        setsExpirationHandler: Bool = true, work: @escaping @Sendable () async throws -> Void = {}
    ) throws -> RefreshModule {
        let module = try RefreshModule(
            loop, setsExpirationHandler: setsExpirationHandler, work: work)
        _ = try module.registerBackgroundAppRefreshTask()
        try loop.run()
        loop.notes.change { $0 = [] }
        return module
    }

    /// Launches the task, and returns once its handler waits to be completed.
    private func launch(_ module: RefreshModule) throws -> LaunchedTask {
        let task = try loop.host.launch(RefreshModule.identifier)
        try module.entered.pass()
        return task
    }

    /// The worker returns by itself once the task was completed.
    private func end(_ task: LaunchedTask) throws -> Outcome {
        let outcome = try task.waitForResult(within: .seconds(60)).outcome
        try loop.run()
        return outcome
    }

    @Test("S0.23: Register runs the native method, waits for its event, and returns the error")
    func register() throws {
        let module = try RefreshModule(loop)
        let loop = loop
        // Wait For (RegisterBackgroundAppRefreshTask) Complete (RegisteringStatus As String)
        try module.me.resumable {
            let status = try await module.registerBackgroundAppRefreshTask().complete()
            loop.note("status \"\(status)\"")
        }
        #expect(loop.notes.value == [])
        try loop.run()
        #expect(loop.notes.value == [Self.registered, "status \"\""])
    }

    @Test("S0.3, S0.23: a registration that fails returns why, and throws nothing")
    func registerTwice() throws {
        let module = try module()
        let loop = loop
        try module.me.resumable {
            let status = try await module.registerBackgroundAppRefreshTask().complete()
            loop.note(status)
        }
        try loop.run()
        #expect(loop.notes.value.count == 2)
        #expect(loop.notes.value[0].hasPrefix("registeringbackgroundapprefreshtask_done(false, "))
        #expect(loop.notes.value[1].contains("\"com.yourcompany.apprefresh\" is taken"))
    }

    @Test("S0.24: registering at the start, scheduling in the background, both without waiting")
    func lifecycle() throws {
        let module = try RefreshModule(loop)
        try module.me.raiseUIEvent("application_start:", .bool(true))
        try module.me.raiseUIEvent("application_background")
        try loop.run()
        // The registration's event was queued after application_background, which was there.
        #expect(loop.notes.value == ["schedule", Self.registered, Self.scheduled])
    }

    @Test("S0.25: Try and Catch: a wait that fails makes the sub return the error's text")
    func caught() throws {
        let module = try RefreshModule(loop)
        let loop = loop
        let asked = try module.me.resumable {
            do {
                try await module.me.waitFor("RegisteringBackgroundAppRefreshTask_Done::")
                return ""
            } catch {
                return "\(error)"
            }
        }
        let status = Guarded("")
        try module.me.resumable {
            do {
                let text = try await asked.complete()
                status.change { $0 = text }
            } catch {
                loop.note("\(error)")
            }
        }
        try loop.host.shutDown()
        // The outer wait is over too; the inner sub has returned its text all the same.
        #expect(loop.notes.value.allSatisfy { $0.contains("shutting down") })
        #expect(loop.notes.value.count == 1)
    }

    @Test("S0.26, S0.27: the plain form: \"Done.\" or an error text, told to the done sub")
    func plainForm() throws {
        let me = try Target("main", in: loop.host, takesHostEvents: true)
        try loop.noting(me, "BackgroundAppRefreshTask_Done::")
        @Sendable func doBackgroundAppRefreshTask(_ payload: [UInt8]) -> String {
            do {
                if !payload.isEmpty { throw RefreshModule.Failure(description: "No route to host") }
                return "Done."
            } catch {
                return "\(error)"
            }
        }
        try loop.host.register(
            HandlerDescription(
                identifier: RefreshModule.identifier, event: "backgroundapprefreshtask")
        ) { task in
            let result = doBackgroundAppRefreshTask(task.payload)
            if result != "Done." { throw RefreshModule.Failure(description: result) }
        }
        for payload in [[], [1]] as [[UInt8]] {
            _ = try end(try loop.host.launch(RefreshModule.identifier, payload: payload))
        }
        #expect(
            loop.notes.value == [
                "backgroundapprefreshtask_done(true, \"\")",
                "backgroundapprefreshtask_done(false, \"No route to host\")",
            ])
    }

    @Test("S0.28, S0.29, S0.30, S0.37: in time: the controller completes it with True, once")
    func inTime() throws {
        let module = try module()
        let task = try launch(module)
        try loop.run()
        #expect(loop.notes.value == ["schedule", "do"])
        try loop.pass(milliseconds: 9)
        #expect(loop.notes.value == ["schedule", "do"])
        try loop.pass(milliseconds: 1)
        #expect(loop.notes.value.prefix(4) == ["schedule", "do", "did", "controller resumes"])
        #expect(try end(task) == .succeeded)
        #expect(module.tasks.value.map(\.completions.value) == [[true]])
        #expect(loop.notes.value.last == "backgroundapprefreshtask_done(true, \"\")")
        #expect(module.me.counts.untaken == 1, "only the scheduling event, which nobody awaited")
    }

    @Test("S0.30: a do-sub that catches an error posts its done event too")
    func caughtInDo() throws {
        let module = try module { throw RefreshModule.Failure(description: "It broke.") }
        let task = try launch(module)
        try loop.run()
        try loop.pass(milliseconds: 10)
        #expect(try end(task) == .succeeded)
        #expect(
            loop.notes.value == [
                "schedule", "do", "caught It broke.", "controller resumes",
                "backgroundapprefreshtask_done(true, \"\")",
            ])
    }

    @Test("S0.31, S0.37: expired during a pause: the controller completes it with False, once")
    func expired() throws {
        let waiting = Guarded<Target?>(nil)
        let module = try module { try await waiting.value?.waitFor("never") }
        waiting.change { $0 = module.me }
        let task = try launch(module)
        try loop.run()
        try loop.pass(milliseconds: 10)
        _ = loop.clock.advance(by: 30 * Self.second)
        try loop.run()
        #expect(loop.notes.value.prefix(4) == ["schedule", "do", "expired", "controller resumes"])
        #expect(try end(task) == .expired)
        #expect(module.tasks.value.map(\.completions.value) == [[false]])
        #expect(
            loop.notes.value.last
                == "backgroundapprefreshtask_done(false, \"Background task expired.\")")
        waiting.change { $0 = nil }
    }

    @Test("S0.30, S0.31: a do-sub that comes back after the expiration posts no second done event")
    func backAfterExpiration() throws {
        let waiting = Guarded<Target?>(nil)
        let module = try module { try await waiting.value?.waitFor("network_ready") }
        waiting.change { $0 = module.me }
        let task = try launch(module)
        try loop.run()
        try loop.pass(milliseconds: 10)
        _ = loop.clock.advance(by: 30 * Self.second)
        try loop.run()
        let before = module.me.counts
        try module.me.raiseUIEvent("network_ready")
        try loop.run()
        #expect(loop.notes.value.contains("did"))
        #expect(module.me.counts.untaken == before.untaken)
        #expect(try end(task) == .expired)
        #expect(module.tasks.value.map(\.completions.value) == [[false]])
        waiting.change { $0 = nil }
    }

    @Test("S0.32: work that does not stop within the grace is ended by the host")
    func graceOver() throws {
        let module = try module(setsExpirationHandler: false)
        let task = try launch(module)
        // The loop is busy elsewhere all the time.
        _ = loop.clock.advance(by: 30 * Self.second)
        #expect(task.resultIfOver?.outcome == nil)
        _ = loop.clock.advance(by: 5 * Self.second)
        #expect(try end(task) == .expired)
        #expect(!task.state.isAnswered)
        // It comes back: nobody is interested any more.
        try loop.pass(milliseconds: 10)
        #expect(module.tasks.value.map(\.completions.value) == [[true]])
        #expect(task.resultIfOver?.outcome == .expired)
    }

    @Test(
        "S0.33: Done is queued, then it expires: completed with False, once; the second Done is lost"
    )
    func doneThenExpired() throws {
        let module = try module()
        let task = try launch(module)
        try loop.run()
        _ = loop.clock.advance(by: 10_000_000)
        // One step of the loop: the pause ends, and the do-sub queues Done.
        #expect(try loop.host.dispatch(limit: 1) == 1)
        #expect(loop.notes.value == ["schedule", "do", "did"])
        let untaken = module.me.counts.untaken
        _ = loop.clock.advance(by: 30 * Self.second)
        #expect(loop.notes.value == ["schedule", "do", "did", "expired"])
        try loop.run()
        #expect(module.tasks.value.map(\.completions.value) == [[false]])
        #expect(loop.notes.value.filter { $0 == "controller resumes" }.count == 1)
        #expect(module.me.counts.untaken == untaken + 1)
        #expect(try end(task) == .expired)
        #expect(
            loop.notes.value.last
                == "backgroundapprefreshtask_done(false, \"Background task expired.\")")
    }

    @Test("S0.34: expired before there is an expiration handler: the host completes it with False")
    func expiredInTheGap() throws {
        let module = try module(setsExpirationHandler: false)
        let task = try launch(module)
        try loop.run()
        #expect(loop.notes.value == ["schedule", "do"])
        _ = loop.clock.advance(by: 30 * Self.second)
        // Nobody heard of it: the flag is unchanged, no Done was posted.
        #expect(!module.isAppRefreshTaskExpired.value)
        #expect(task.state.reason == .budget)
        _ = loop.clock.advance(by: 5 * Self.second)
        #expect(task.resultIfOver?.outcome == .expired)
        try loop.run()
        #expect(
            loop.notes.value.filter { $0.hasPrefix("backgroundapprefreshtask_done") } == [
                "backgroundapprefreshtask_done(false, \"Background task expired.\")"
            ])
        // What the controller says when it gets there changes nothing.
        #expect(module.tasks.value.map(\.completions.value) == [[true]])
        #expect(try end(task) == .expired)
        #expect(
            loop.notes.value.filter { $0.hasPrefix("backgroundapprefreshtask_done") }.count == 1)
    }

    @Test("S0.35: an exception before a controller waits: the posted Done is lost, the task ends")
    func exceptionWithoutController() throws {
        let me = try Target("main", in: loop.host, takesHostEvents: true)
        try loop.noting(me, "BackgroundAppRefreshTask_Done::")
        try loop.host.register(
            HandlerDescription(
                identifier: RefreshModule.identifier, event: "backgroundapprefreshtask")
        ) { _ in
            // @catch: [self _backgroundapprefreshtask_expired]
            try me.callSubDelayed("BackgroundAppRefreshTask_Done")
            throw RefreshModule.Failure(description: "no controller")
        }
        let task = try loop.host.launch(RefreshModule.identifier)
        #expect(try end(task) == .failed)
        #expect(loop.notes.value == ["backgroundapprefreshtask_done(false, \"no controller\")"])
        #expect(me.counts.untaken == 1)
    }

    @Test("S0.36: two tasks of one type never run at a time, so that one flag is enough")
    func oneAtATime() throws {
        let module = try module()
        let first = try launch(module)
        let second = try loop.host.launch(RefreshModule.identifier)
        try loop.run()
        #expect(module.tasks.value.count == 1)
        #expect(second.state.phase == .queued)
        try loop.pass(milliseconds: 10)
        #expect(try end(first) == .succeeded)
        while module.tasks.value.count < 2 || loop.notes.value.filter({ $0 == "do" }).count < 2 {
            try loop.run()
        }
        try loop.pass(milliseconds: 10)
        #expect(try end(second) == .succeeded)
        #expect(module.tasks.value.map(\.completions.value) == [[true], [true]])
    }
}
