// SPDX-License-Identifier: Apache-2.0
import Curfew
import Runner
import Scheduling
import TestSupport
import Testing

@Suite("A launched task", .timeLimit(.minutes(5)))
struct LaunchedTaskTests {
    private let second: UInt64 = 1_000_000_000
    private let clock = ManualClock()
    private let host: Host

    init() throws { host = try Host.forTests(clock: clock) }

    @Test("A handler that returns makes its task succeed, with an empty error text")
    func succeeds() async throws {
        let info = try host.register(.tidy) { _ in }
        let task = try host.launch("org.example.tidy")
        #expect(await task.result.outcome == .succeeded)
        #expect(task.resultIfOver?.outcome == .succeeded)
        #expect(task.state.phase == .over)
        #expect(task.resultIfOver?.error == "")
        #expect(task.resultIfOver?.answer == nil)
        #expect(task.resultIfOver?.bytes == [])
        #expect(info.ended(.succeeded) == 1)
    }

    @Test("S0.19: A handler that throws makes its task fail with the error's description")
    func fails() async throws {
        struct DiskFull: Error, CustomStringConvertible { let description = "the disk is full ✗" }
        try host.register(.tidy) { _ in throw DiskFull() }
        let task = try host.launch("org.example.tidy")
        #expect(await task.result.outcome == .failed)
        #expect(task.resultIfOver?.error == "the disk is full ✗")
        #expect(task.resultIfOver?.answer == "the disk is full ✗")
    }

    @Test("The handler sees the payload, the attempt and what is left of the budget")
    func seesItsLaunch() async throws {
        let seen = Guarded<(payload: [UInt8], attempt: UInt32, remaining: Duration)?>(nil)
        try host.register(.tidy) { task in
            seen.change { $0 = (task.payload, task.attempt, task.remaining) }
        }
        let bytes: [UInt8] = [0, 1, 255]
        let task = try host.launch(
            "org.example.tidy", payload: bytes, budget: .seconds(7), grace: .seconds(2), attempt: 3)
        #expect(await task.result.outcome == .succeeded)
        #expect(seen.value?.payload == bytes)
        #expect(seen.value?.attempt == 3)
        // The clock stands still.
        #expect(seen.value?.remaining == .seconds(7))
        #expect(task.state.budget == 7 * second)
        #expect(task.state.grace == 2 * second)
        #expect(task.state.attempt == 3)
    }

    @Test("Without a payload the handler sees none, and the first attempt")
    func seesAPlainLaunch() async throws {
        let seen = Guarded<(payload: [UInt8], attempt: UInt32)?>(nil)
        try host.register(.tidy) { task in seen.change { $0 = (task.payload, task.attempt) } }
        #expect(await (try host.launch("org.example.tidy")).result.outcome == .succeeded)
        #expect(seen.value?.payload.isEmpty == true)
        #expect(seen.value?.attempt == 1)
    }

    @Test("A result reaches the launcher, and later completions are refused")
    func hasAResult() async throws {
        let second = Guarded<Bool?>(nil)
        let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0) }
        try host.register(.tidy) { task in
            guard task.complete(result: bytes) else { throw CancellationError() }
            second.change { $0 = task.complete(result: [1]) }
        }
        let task = try host.launch("org.example.tidy")
        #expect(await task.result.outcome == .succeeded)
        #expect(task.resultIfOver?.bytes == bytes)
        #expect(await eventually { second.value != nil })
        #expect(second.value == false)
        #expect(task.resultIfOver?.bytes == bytes)
    }

    @Test("Progress is in the state and raised as an event")
    func reportsProgress() async throws {
        try host.register(.tidy) { $0.report(0.25, "a quarter") }
        let progress = try host.expect("tidy_progress::")
        let task = try host.launch("org.example.tidy")
        #expect(await task.result.outcome == .succeeded)
        let event = try await progress.event(within: .seconds(60))
        #expect(event.values == [.double(0.25), .text("a quarter")])
        #expect(event.task == task.id)
        #expect(task.state.progress == 0.25)
    }

    @Test("A task that runs and is cancelled is told so, and ends as cancelled")
    func isCancelledWhileRunning() async throws {
        let gate = Gate()
        let entered = Gate()
        let reasons = Guarded<[StopReason]>([])
        try host.register(
            .tidy,
            expired: { _, reason in
                reasons.change { $0.append(reason) }
                gate.open()
            }
        ) { task in
            entered.open()
            try gate.pass()
            if task.isExpired { throw CancellationError() }
        }
        let task = try host.launch("org.example.tidy")
        try entered.pass()
        #expect(task.state.phase == .running)
        #expect(task.cancel())
        #expect(!task.cancel())
        #expect(await task.result.outcome == .cancelled)
        #expect(task.resultIfOver?.error == "Background task cancelled.")
        #expect(task.resultIfOver?.answer == "CancellationError()")
        #expect(reasons.value == [.cancelled])
        #expect(task.state.reason == .cancelled)
        #expect(task.state.isAnswered)
    }

    @Test("A task that waits and is cancelled is never entered")
    func isCancelledWhileQueued() async throws {
        let entered = Guarded(0)
        try host.register(.tidy) { _ in entered.change { $0 += 1 } }
        try host.pause("org.example.tidy")
        let task = try host.launch("org.example.tidy")
        let next = try host.launch("org.example.tidy")
        #expect(task.state.phase == .queued)
        #expect(task.cancel())
        #expect(await task.result.outcome == .cancelled)
        try host.resume("org.example.tidy")
        #expect(await next.result.outcome == .succeeded)
        #expect(entered.value == 1)
        #expect(task.state.startedAt == 0)
        #expect(task.state.isReturned)
    }

    @Test("A task that is held back lets others pass, and runs once it is let go")
    func isPausedAndResumed() async throws {
        let order = Guarded<[UInt64]>([])
        try host.register(.tidy) { task in order.change { $0.append(task.id) } }
        try host.pause()
        let first = try host.launch("org.example.tidy")
        let second = try host.launch("org.example.tidy")
        #expect(first.pause())
        #expect(first.state.phase == .held)
        try host.resume()
        #expect(await second.result.outcome == .succeeded)
        #expect(first.resultIfOver?.outcome == nil)
        #expect(first.resume())
        #expect(await first.result.outcome == .succeeded)
        #expect(order.value == [second.id, first.id])
        #expect(!first.pause())
        #expect(!first.resume())
    }

    @Test("A held task can be cancelled")
    func isCancelledWhileHeld() async throws {
        try host.register(.tidy) { _ in }
        try host.pause()
        let task = try host.launch("org.example.tidy")
        #expect(task.pause())
        #expect(task.cancel())
        #expect(await task.result.outcome == .cancelled)
        #expect(!task.resume())
    }

    @Test("A task whose budget is over is told once, and expires whatever it answers")
    func expires() async throws {
        let gate = Gate()
        let entered = Gate()
        let reasons = Guarded<[StopReason]>([])
        try host.register(
            .tidy,
            expired: { _, reason in
                reasons.change { $0.append(reason) }
                gate.open()
            }
        ) { task in
            entered.open()
            try gate.pass()
        }
        let task = try host.launch("org.example.tidy", budget: .seconds(3))
        try entered.pass()
        #expect(clock.advance(by: 3 * second - 1) == .ok)
        #expect(task.resultIfOver?.outcome == nil)
        #expect(reasons.value.isEmpty)
        #expect(clock.advance(by: 1) == .ok)
        #expect(await task.result.outcome == .expired)
        #expect(reasons.value == [.budget])
        #expect(task.resultIfOver?.error == "Background task expired.")
        #expect(task.state.isAnswered)
        #expect(task.resultIfOver?.answer == nil)
    }

    @Test("A task that does not answer expires at the end of its grace, and its answer is late")
    func expiresUnanswered() async throws {
        let gate = Gate()
        let entered = Gate()
        let accepted = Guarded<Bool?>(nil)
        try host.register(.tidy) { task in
            entered.open()
            try gate.pass()
            accepted.change { $0 = task.complete(result: [1]) }
        }
        let task = try host.launch("org.example.tidy", budget: .seconds(3), grace: .seconds(2))
        try entered.pass()
        #expect(clock.advance(by: 5 * second - 1) == .ok)
        #expect(task.state.phase == .stopping)
        #expect(clock.advance(by: 1) == .ok)
        #expect(await task.result.outcome == .expired)
        #expect(!task.state.isAnswered)
        gate.open()
        #expect(await eventually { accepted.value != nil })
        #expect(accepted.value == false)
        #expect(task.resultIfOver?.bytes == [])
    }

    @Test(
        "A task told to stop by the embedder expires with the reason",
        arguments: [
            StopReason.host, .condition,
        ])
    func isStopped(reason: StopReason) async throws {
        let gate = Gate()
        let entered = Gate()
        try host.register(.tidy, expired: { _, _ in gate.open() }) { _ in
            entered.open()
            try gate.pass()
        }
        try host.pause()
        let task = try host.launch("org.example.tidy")
        #expect(!task.stop(reason), "it has not started")
        try host.resume()
        try entered.pass()
        #expect(task.stop(reason))
        #expect(!task.stop(reason))
        #expect(await task.result.outcome == .expired)
        #expect(task.state.reason == reason)
    }

    @Test(
        "Only the embedder's reasons can be given to stop",
        arguments: [
            StopReason.budget, .cancelled, .shutdown, .lease,
        ])
    func isNotStopped(reason: StopReason) async throws {
        let gate = Gate()
        let entered = Gate()
        try host.register(.tidy) { _ in
            entered.open()
            try gate.pass()
        }
        let task = try host.launch("org.example.tidy")
        try entered.pass()
        #expect(!task.stop(reason))
        gate.open()
        #expect(await task.result.outcome == .succeeded)
    }

    @Test("A thread can wait for a task, at most as long as it says")
    func isWaitedForOnAThread() throws {
        let gate = Gate()
        try host.register(.tidy) { _ in try gate.pass() }
        let task = try host.launch("org.example.tidy")
        let error = #expect(throws: CurfewError.self) {
            try task.waitForResult(within: .milliseconds(1))
        }
        #expect(error?.code == .timedOut)
        gate.open()
        #expect(try task.waitForResult().outcome == .succeeded)
        #expect(try task.waitForResult(within: .zero).outcome == .succeeded)
    }

    @Test("A worker must not wait for a task")
    func isNotWaitedForOnAWorker() async throws {
        let code = Guarded<Status?>(nil)
        let other = HandlerDescription(identifier: "org.example.other")
        try host.register(other) { _ in }
        let waited = try host.launch("org.example.other")
        try host.register(.tidy) { _ in
            do { try waited.waitForResult() } catch let error as CurfewError {
                code.change { $0 = error.code }
            }
        }
        #expect(await (try host.launch("org.example.tidy")).result.outcome == .succeeded)
        #expect(code.value == .wrongThread)
    }

    @Test("Many tasks and many who wait: everybody gets the outcome")
    func manyWait() async throws {
        let gate = Gate()
        var tidy = HandlerDescription.tidy
        tidy.maxConcurrency = 4
        try host.register(tidy) { task in
            try gate.pass()
            if task.payload == [1] { throw CancellationError() }
        }
        let tasks = try (0..<100).map {
            try host.launch("org.example.tidy", payload: [UInt8($0 % 2)])
        }
        gate.open()
        await withTaskGroup(of: Bool.self) { group in
            for (index, task) in tasks.enumerated() {
                for _ in 0..<3 {
                    group.addTask {
                        await task.result.outcome == (index % 2 == 0 ? .succeeded : .failed)
                    }
                }
            }
            for await right in group { #expect(right) }
        }
        #expect(Set(tasks.map(\.id)).count == 100)
    }

    @Test("A launch is refused with the reason, and nothing is launched")
    func isRefused() async throws {
        func code(_ body: () throws -> Void) -> Status? {
            let error = #expect(throws: CurfewError.self, performing: body)
            #expect(error?.message.isEmpty == false)
            return error?.code
        }
        let small = try Host.forTests {
            $0.queueLimit = 2
            $0.payloadLimit = 8
        }
        let info = try small.register(.tidy) { _ in }
        #expect(code { try small.launch("org.example.none") } == .notFound)
        #expect(
            code { try small.launch("org.example.tidy", payload: [UInt8](repeating: 0, count: 9)) }
                == .tooLarge)
        #expect(
            code { try small.launch("org.example.tidy", budget: .seconds(86_401)) } == .invalid)
        try small.pause("org.example.tidy")
        let first = try small.launch("org.example.tidy")
        let second = try small.launch("org.example.tidy", payload: [1, 2, 3, 4, 5, 6, 7, 8])
        #expect(info.queued == 2)
        #expect(code { try small.launch("org.example.tidy") } == .busy)
        try small.resume()
        #expect(await first.result.outcome == .succeeded)
        #expect(await second.result.outcome == .succeeded)
        try small.shutDown()
        #expect(code { try small.launch("org.example.tidy") } == .closing)
    }

    @Test("A budget must be longer than nothing, and a grace of nothing is one")
    func hasABudget() async throws {
        let gate = Gate()
        let entered = Gate()
        try host.register(.tidy) { _ in
            entered.open()
            try gate.pass()
        }
        for budget in [Duration.zero, .seconds(-1)] {
            let error = #expect(throws: CurfewError.self) {
                try host.launch("org.example.tidy", budget: budget)
            }
            #expect(error?.code == .invalid)
        }
        #expect(throws: CurfewError.self) {
            try host.launch("org.example.tidy", grace: .seconds(-1))
        }
        let task = try host.launch("org.example.tidy", budget: .seconds(1), grace: .zero)
        try entered.pass()
        #expect(clock.advance(by: second + 1) == .ok)
        #expect(await task.result.outcome == .expired)
        gate.open()
    }
}
