// SPDX-License-Identifier: Apache-2.0
import Curfew
import CurfewB4X
import Runner
import Scheduling
import TestSupport
import Testing

/// The rules of B4X about subs and events, by their number. The test turns the loop.
@Suite("B4X: subs and events", .timeLimit(.minutes(2)))
struct B4XSubTests {
    private let loop: DispatchedHost
    private let main: Target
    private let untaken = Guarded<[String]>([])

    init() throws {
        loop = try DispatchedHost()
        let untaken = untaken
        main = try Target("main", in: loop.host) { event, isPaused in
            untaken.change { $0.append((isPaused ? "paused " : "") + event.selector) }
        }
    }

    private func code(_ body: () throws -> Void) -> Status? {
        #expect(throws: CurfewError.self, performing: body)?.code
    }

    @Test("B4X.1: raising uses the name as it is given, calling a sub lower-cases it")
    func names() throws {
        try loop.noting(main, "CamelCase_Done:")
        try main.raiseEvent("CamelCase_Done:", .bool(true))
        #expect(loop.notes.value == [])
        #expect(untaken.value == ["CamelCase_Done:"])
        try main.raiseEvent("camelcase_done:", .bool(true))
        try main.callSub("CamelCase_Done", .bool(false))
        #expect(loop.notes.value == ["camelcase_done(true)", "camelcase_done(false)"])
        #expect(main.subExists("CAMELCASE_DONE", parameters: 1))
        // As in Turkish it would not: there the small letter of I has no dot.
        try loop.noting(main, "TITLE")
        #expect(main.subExists("title"))
        #expect(!main.subExists("_camelcase_done", parameters: 1))
    }

    @Test("B4X.2: one colon for each parameter; another number of values is an error of the raiser")
    func colons() throws {
        try loop.noting(main, "x_done")
        try loop.noting(main, "x_done:")
        try loop.noting(main, "x_done::")
        try main.raiseEvent("x_done")
        try main.raiseEvent("x_done:", .int32(1))
        try main.raiseEvent("x_done::", .int32(1), .text("a"))
        #expect(loop.notes.value == ["x_done()", "x_done(1)", "x_done(1, \"a\")"])
        #expect(code { try main.raiseEvent("x_done:") } == .invalid)
        #expect(code { try main.raiseUIEvent("x_done", .int32(1)) } == .invalid)
        #expect(code { try main.raiseUIEvent(":") } == .invalid)
        #expect(code { try main.raiseUIEvent(String(repeating: "x", count: 129)) } == .invalid)
        try loop.run()
        #expect(loop.notes.value.count == 3)
        #expect(code { try main.sub("x_done::") { _, _ in } } == .exists)
        #expect(code { try main.sub("x done") { _, _ in } } == .invalid)
    }

    @Test("B4X.4: another number of colons reaches neither who waits nor the sub, and is counted")
    func otherCount() throws {
        try loop.noting(main, "x_done::")
        let (main, loop) = (main, loop)
        try main.resumable {
            try await main.waitFor("x_done::")
            loop.note("resumed")
        }
        try main.raiseUIEvent("x_done")
        try main.raiseUIEvent("x_done:", .bool(true))
        try loop.run()
        #expect(loop.notes.value == [])
        #expect(untaken.value == ["x_done", "x_done:"])
        #expect(main.counts.untaken == 2)
        try main.raiseUIEvent("x_done::", .bool(true), .text(""))
        try loop.run()
        #expect(loop.notes.value == ["resumed"])
    }

    @Test("B4X.6: raiseEvent is synchronous and returns the sub's value, raiseUIEvent is queued")
    func modes() throws {
        let modes = Guarded<[String]>([])
        try main.valueSub("twice:") { _, event in
            modes.change { $0.append("\(event.mode)") }
            guard case .int64(let number) = event.values[0] else { return nil }
            return .int64(2 * number)
        }
        #expect(try main.raiseEvent("twice:", .int64(21)) == .int64(42))
        try main.raiseUIEvent("twice:", .int64(1))
        #expect(modes.value == ["direct"])
        try loop.run()
        #expect(modes.value == ["direct", "queued"])
    }

    @Test("B4X.6: raiseEvent on another thread than the loop's is refused, raiseUIEvent is not")
    func otherThread() async throws {
        let host = try Host.forTests()
        let target = try Target("main", in: host)
        let thread = Guarded<[Bool]>([])
        try target.sub("x") { target, _ in
            thread.change { $0.append(target.host.runtime.loop.isLoopThread) }
        }
        let error = #expect(throws: CurfewError.self) { try target.raiseEvent("x") }
        #expect(error?.code == .wrongThread)
        #expect(throws: CurfewError.self) { try target.callSub("x") }
        try target.raiseUIEvent("x")
        #expect(await eventually { thread.value == [true] })
    }

    @Test("B4X.6: raiseUIEvent is refused where too many events wait, and counted as lost")
    func full() throws {
        let loop = try DispatchedHost { $0.eventLimit = 2 }
        let target = try Target("main", in: loop.host)
        try loop.noting(target, "x")
        try target.raiseUIEvent("x")
        try target.raiseUIEvent("x")
        #expect(code { try target.raiseUIEvent("x") } == .busy)
        #expect(loop.host.counts.eventsLost == 1)
        try loop.run()
        #expect(loop.notes.value == ["x()", "x()"])
        try target.raiseUIEvent("x")
    }

    @Test(
        "B4X.7: what is raised queued before the wait is met by it, what is raised at once is lost")
    func runMethodThenWaitFor() throws {
        let (main, loop) = (main, loop)
        try main.resumable {
            try main.raiseUIEvent("registered_done:", .bool(true))
            let event = try await main.waitFor("registered_done:")
            loop.note("queued \(event.transcript)")
            try main.raiseEvent("registered_done:", .bool(false))
            try await main.waitFor("registered_done:")
            loop.note("direct")
        }
        try loop.run()
        #expect(loop.notes.value == ["queued registered_done(true)"])
        #expect(untaken.value == ["registered_done:"])
    }

    @Test("B4X.8: queued events come in their order, also those of several targets of one loop")
    func order() throws {
        let other = try Target("other", in: loop.host)
        for target in [main, other] { try loop.noting(target, "x:") }
        for number in 0..<6 {
            try (number % 2 == 0 ? main : other).raiseUIEvent("x:", .int32(Int32(number)))
        }
        try loop.run()
        #expect(loop.notes.value == (0..<6).map { "x(\($0))" })
    }

    @Test("B4X.8: no sub begins inside another, though that one turns the loop while it waits")
    func oneAtATime() throws {
        let loop = loop
        let entered = Gate()
        try loop.host.register(.tidy) { _ in try entered.pass() }
        try loop.noting(main, "second")
        try main.sub("first") { target, _ in
            loop.note("first begins")
            try target.raiseUIEvent("second")
            let task = try target.host.launch("org.example.tidy")
            entered.open()
            #expect(try task.waitForResult().outcome == .succeeded)
            loop.note("first ends")
        }
        try main.raiseUIEvent("first")
        try loop.run()
        #expect(loop.notes.value == ["first begins", "first ends", "second()"])
    }

    @Test("B4X.9: who waits takes the event before the sub, which is not called")
    func waitersFirst() throws {
        let (main, loop) = (main, loop)
        try main.valueSub("x:") { _, _ in
            loop.note("sub")
            return .bool(true)
        }
        try main.resumable { loop.note("waited \(try await main.waitFor("x:").transcript)") }
        #expect(try main.raiseEvent("x:", .int32(1)) == nil)
        #expect(loop.notes.value == ["waited x(1)"])
    }

    @Test("B4X.9: what follows a wait runs before any other event of the queue")
    func nothingBetween() throws {
        let (main, loop) = (main, loop)
        try loop.noting(main, "y")
        try main.resumable {
            try await main.waitFor("x")
            loop.note("after x")
        }
        try main.raiseUIEvent("x")
        try main.raiseUIEvent("y")
        try loop.run()
        #expect(loop.notes.value == ["after x", "y()"])
    }

    @Test("B4X.10: where nobody waits the sub is called")
    func thenSub() throws {
        try loop.noting(main, "x")
        try main.raiseUIEvent("x")
        try loop.run()
        #expect(loop.notes.value == ["x()"])
        #expect(main.counts.called == 1)
    }

    @Test(
        "B4X.11: an event without a sub is ignored, at a module and at an instance",
        arguments: [
            TargetKind.module, .classInstance,
        ])
    func noSub(kind: TargetKind) throws {
        let target = try Target("a", in: loop.host, kind: kind)
        #expect(try target.raiseEvent("x") == nil)
        try target.raiseUIEvent("x")
        try loop.run()
        #expect(target.counts.untaken == 2)
        #expect(target.counts.failed == 0)
        #expect(loop.log.value == [])
    }

    @Test("B4X.12: calling a sub that an instance lacks is an error that names it, at a module not")
    func missingSub() throws {
        #expect(try main.callSub("Missing", .bool(true)) == nil)
        try main.callSubDelayed("Missing", .bool(true))
        try loop.run()
        #expect(loop.log.value == [])
        let instance = try Target("page", in: loop.host, kind: .classInstance)
        let error = #expect(throws: CurfewError.self) {
            try instance.callSub("Missing", .bool(true))
        }
        #expect(error?.code == .notFound)
        #expect(error?.message.hasPrefix("Sub missing: was not found.") == true)
        try instance.callSubDelayed("Missing", .bool(true))
        try loop.run()
        #expect(loop.log.value.count == 1)
        #expect(loop.log.value.first?.contains("Sub missing: was not found.") == true)
        #expect(instance.counts.failed == 1)
    }

    @Test("B4X.13: a wait takes one event; the next equal one goes to the sub again")
    func oneShot() throws {
        let (main, loop) = (main, loop)
        try loop.noting(main, "x")
        try main.resumable {
            try await main.waitFor("x")
            loop.note("waited")
        }
        for _ in 0..<3 { try main.raiseUIEvent("x") }
        try loop.run()
        #expect(loop.notes.value == ["waited", "x()", "x()"])
    }

    @Test(
        "B4X.16: a second _Done after the wait took one: ignored at a module, an error at an instance"
    )
    func secondDone() throws {
        let page = try Target("page", in: loop.host, kind: .classInstance)
        for target in [main, page] {
            let loop = loop
            try target.resumable {
                try await target.waitFor("task_done")
                loop.note("\(target.name) done")
            }
            try target.callSubDelayed("Task_Done")
            try target.callSubDelayed("Task_Done")
        }
        try loop.run()
        #expect(loop.notes.value == ["main done", "page done"])
        #expect(untaken.value == ["task_done"])
        #expect(loop.log.value.count == 1)
        #expect(loop.log.value.first?.contains("target \"page\"") == true)
        #expect(loop.log.value.first?.contains("Sub task_done was not found.") == true)
        #expect(page.counts.failed == 1)
    }

    @Test("B4X.17: an event of another target does not resume who waits here")
    func otherTarget() throws {
        let (main, loop) = (main, loop)
        let other = try Target("other", in: loop.host)
        try main.resumable {
            try await main.waitFor("x")
            loop.note("resumed")
        }
        try other.raiseUIEvent("x")
        try loop.run()
        #expect(loop.notes.value == [])
        #expect(other.counts.untaken == 1)
        try main.raiseUIEvent("x")
        try loop.run()
        #expect(loop.notes.value == ["resumed"])
    }

    @Test("B4X.18: the sender is set while the sub runs, and not afterwards, nor after a pause")
    func sender() throws {
        let (main, loop) = (main, loop)
        @Sendable func name(_ sender: EventSender?) -> String {
            guard case .task(let id) = sender else { return "none" }
            return "\(id)"
        }
        try main.sub("inner") { target, _ in loop.note("inner \(name(target.sender))") }
        try main.sub("x") { target, event in
            loop.note("x \(name(target.sender)) \(name(event.sender))")
            try target.raiseEvent("inner")
            try target.raiseEvent("inner", from: .task(8))
            loop.note("x \(name(target.sender))")
        }
        try main.resumableSub("y") { target, event in
            loop.note("y \(name(target.sender))")
            let event = try await target.waitFor("z")
            loop.note("z \(name(target.sender)) \(name(event.sender))")
        }
        try main.raiseUIEvent("x", from: .task(7))
        try main.raiseUIEvent("y", from: .task(9))
        try main.raiseUIEvent("z", from: .task(10))
        try loop.run()
        #expect(
            loop.notes.value == [
                "x 7 7", "inner none", "inner 8", "x 7", "y 9", "z none 10",
            ])
        #expect(main.sender == nil)
    }

    @Test("B4X.19: CallSubDelayed runs after the current code, and can resume a wait")
    func callSubDelayed() throws {
        let (main, loop) = (main, loop)
        try main.sub("begin") { target, _ in
            try target.callSubDelayed("Task_Done")
            loop.note("begin ends")
        }
        try main.resumable {
            try main.callSub("Begin")
            try await main.waitFor("Task_Done")
            loop.note("done")
        }
        try loop.run()
        #expect(loop.notes.value == ["begin ends", "done"])
        try loop.noting(main, "two::")
        try main.callSubDelayed("Two", .int32(1), .int32(2))
        #expect(
            code { try main.callSubDelayed("Two", .int32(1), .int32(2), .int32(3)) } == .invalid)
        #expect(code { try main.callSubDelayed("two::") } == .invalid)
        try loop.run()
        #expect(loop.notes.value.last == "two(1, 2)")
    }

    @Test("B4X.25: a paused target drops events, each counted and told as ignored")
    func paused() throws {
        let (main, loop) = (main, loop)
        try loop.noting(main, "x")
        try main.resumable {
            try await main.waitFor("y")
            loop.note("resumed")
        }
        main.pause()
        #expect(main.isPaused)
        try main.raiseUIEvent("x")
        try main.raiseEvent("y")
        try loop.run()
        #expect(loop.notes.value == [])
        #expect(untaken.value == ["paused y", "paused x"])
        #expect(main.counts.paused == 2)
        #expect(loop.log.value.filter { $0.contains("ignoring event: x") }.count == 1)
        main.resume()
        try main.raiseUIEvent("x")
        try main.raiseUIEvent("y")
        try loop.run()
        #expect(loop.notes.value == ["x()", "resumed"])
    }

    private struct Broken: Error, CustomStringConvertible { let description = "It broke." }

    @Test("B4X.26: an error out of a sub goes to application_error, with its text and place")
    func applicationError() throws {
        try main.sub("broken") { _, _ in throw Broken() }
        try loop.noting(main, "application_error::")
        try main.raiseUIEvent("broken")
        #expect(try main.raiseEvent("broken") == nil)
        try loop.run()
        #expect(
            loop.notes.value
                == Array(repeating: "application_error(\"It broke.\", \"broken\")", count: 2))
        #expect(loop.log.value == [])
        #expect(main.counts.failed == 0)
    }

    @Test(
        "B4X.26: without application_error, or when it returns true or fails, the error is logged")
    func unhandledError() throws {
        let instance = try Target("page", in: loop.host, kind: .classInstance)
        let third = try Target("third", in: loop.host)
        for target in [main, instance, third] {
            try target.sub("broken") { _, _ in throw Broken() }
            try target.raiseUIEvent("broken")
        }
        try instance.valueSub("application_error::") { _, _ in .bool(true) }
        try third.sub("application_error::") { _, _ in throw Broken() }
        try loop.run()
        let errors = loop.log.value.filter { $0.contains("an error came out of broken: It broke.") }
        #expect(errors.count == 3)
        #expect([main, instance, third].map(\.counts.failed) == [1, 1, 1])
        // The loop goes on.
        try loop.noting(main, "x")
        try main.raiseUIEvent("x")
        try loop.run()
        #expect(loop.notes.value == ["x()"])
    }

    @Test("B4X.26: an error out of a sub that a sub has called goes to the caller")
    func nestedError() throws {
        let loop = loop
        try main.sub("broken") { _, _ in throw Broken() }
        try main.sub("outer") { target, _ in
            #expect(throws: Broken.self) { try target.callSub("Broken") }
            #expect(throws: Broken.self) { try target.raiseEvent("broken") }
            loop.note("caught")
        }
        try loop.noting(main, "application_error::")
        try main.raiseUIEvent("outer")
        try loop.run()
        #expect(loop.notes.value == ["caught"])
    }

    @Test("B4X.26: an error out of a resumable sub that nobody waits for is not lost")
    func resumableError() throws {
        try loop.noting(main, "application_error::")
        try main.resumable { throw Broken() }
        try loop.run()
        #expect(loop.notes.value == ["application_error(\"It broke.\", \"a resumable sub\")"])
    }

    @Test("B4X.28: what nobody takes is told with its name, values, sender and mode, and counted")
    func unmatched() throws {
        let told = Guarded<[TargetEvent]>([])
        let target = try Target("main", in: loop.host) { event, _ in
            told.change { $0.append(event) }
        }
        try target.raiseUIEvent("nobody:", .text("a"), from: .task(5))
        try target.raiseEvent("nobody")
        try loop.run()
        #expect(told.value.map(\.transcript) == ["nobody()", "nobody(\"a\")"])
        #expect(told.value.map(\.name) == ["nobody", "nobody"])
        #expect(told.value.map(\.mode) == [.direct, .queued])
        #expect(told.value.map { $0.sender?.task } == [nil, 5])
        #expect(
            target.counts
                == {
                    var counts = TargetCounts(); counts.untaken = 2; return counts
                }())
    }

    @Test("A closed target, and one of a host that was shut down, is told by every call")
    func closed() throws {
        try loop.noting(main, "x")
        let other = try Target("other", in: loop.host)
        try main.raiseUIEvent("x")
        main.close()
        #expect(code { try main.raiseUIEvent("x") } == .closing)
        #expect(code { try main.sub("y") { _, _ in } } == .closing)
        #expect(code { try main.resumable {} } == .closing)
        try loop.run()
        #expect(loop.notes.value == [])
        try loop.host.shutDown()
        #expect(code { try other.raiseUIEvent("x") } == .closing)
        #expect(code { _ = try Target("late", in: loop.host) } == .closing)
        #expect(code { _ = try Target("", in: loop.host) } == .closing)
    }

    @Test("A dropped target goes though its subs use it, and so does its host")
    func dropped() throws {
        weak var weakTarget: Target?
        weak var weakHost: Host?
        do {
            let host = try Host.forTests()
            let target = try Target("main", in: host, takesHostEvents: true)
            try target.sub("x") { target, _ in try target.raiseEvent("y") }
            try target.raiseUIEvent("x")
            (weakTarget, weakHost) = (target, host)
        }
        #expect(weakTarget == nil)
        #expect(weakHost == nil)
    }

    @Test("A target that takes the host's events has them as its own, with the task as sender")
    func hostEvents() throws {
        let (clock, seen) = (loop.clock, Guarded<[String]>([]))
        let target = try Target("main", in: loop.host, takesHostEvents: true)
        try loop.host.register(.tidy) { _ in }
        let tasks = Guarded<[UInt64]>([])
        try target.sub("tidy_done::") { target, event in
            seen.change { $0.append(event.transcript) }
            tasks.change { $0.append(target.sender?.task ?? 0) }
        }
        let first = try loop.host.launch("org.example.tidy")
        #expect(try first.waitForResult().outcome == .succeeded)
        try loop.run()
        #expect(seen.value == ["tidy_done(true, \"\")"])
        // One who waits for another task leaves this one to the sub.
        try loop.host.pause()
        let second = try loop.host.launch("org.example.tidy")
        let third = try loop.host.launch("org.example.tidy")
        let loop = loop
        try target.resumable {
            let event = try await target.waitFor("tidy_done::", from: .task(third.id))
            loop.note("\(event.sender?.task ?? 0)")
        }
        try loop.host.resume()
        #expect(try second.waitForResult().outcome == .succeeded)
        #expect(try third.waitForResult().outcome == .succeeded)
        try loop.run()
        #expect(tasks.value == [first.id, second.id])
        #expect(loop.notes.value == ["\(third.id)"])
        // Nobody wants it here any more: it is the host's again.
        let plain = try Target("plain", in: loop.host)
        try loop.noting(plain, "tidy_done::")
        #expect(try loop.host.launch("org.example.tidy").waitForResult().outcome == .succeeded)
        try loop.run()
        #expect(loop.notes.value.count == 1)
        withExtendedLifetime(clock) {}
    }
}
