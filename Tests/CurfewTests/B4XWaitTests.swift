// SPDX-License-Identifier: Apache-2.0
import Curfew
import CurfewB4X
import Runner
import TestSupport
import Testing

/// The rules of B4X about waiting, sleeping and resumable subs, by their number. The test turns the
/// loop and moves the clock.
@Suite("B4X: Wait For, Sleep and ResumableSub", .timeLimit(.minutes(2)))
struct B4XWaitTests {
    private let loop: DispatchedHost
    private let main: Target

    init() throws {
        loop = try DispatchedHost()
        main = try Target("main", in: loop.host)
    }

    /// Waits in a resumable sub, and notes how that ended.
    private func wait(
        _ name: String, for selector: String = "x", from sender: SenderFilter? = nil,
        within limit: Duration? = nil
    ) throws {
        let (main, loop) = (main, loop)
        try main.resumable {
            do {
                let event = try await main.waitFor(selector, from: sender, within: limit)
                loop.note("\(name) \(event.transcript)")
            } catch let error as CurfewError {
                loop.note("\(name) \(error.code.constant ?? "")")
            } catch {
                loop.note("\(name) \(error)")
            }
        }
    }

    private final class Button: Sendable {}

    @Test("B4X.3: a wait is keyed with its colons, a completion as complete:")
    func keys() throws {
        let (main, loop) = (main, loop)
        try wait("none", for: "Page_Resize")
        try wait("two", for: "Page_Resize::")
        try main.raiseUIEvent("page_resize::", .int32(1), .int32(2))
        try loop.run()
        #expect(loop.notes.value == ["two page_resize(1, 2)"])
        let sub = try main.resumable {
            try await main.sleep(milliseconds: 0)
            return "v"
        }
        try wait("completion", for: "complete:", from: .resumable(sub.number))
        try loop.run()
        #expect(loop.notes.value.last == "completion complete(\"v\")")
    }

    @Test("B4X.14: waited again, the new instance replaces the old, which is told and not resumed")
    func replaced() throws {
        try wait("old")
        try wait("new")
        #expect(loop.notes.value == [])
        try loop.run()
        #expect(loop.notes.value == ["old CancellationError()"])
        try main.raiseUIEvent("x")
        try main.raiseUIEvent("x")
        try loop.run()
        #expect(loop.notes.value == ["old CancellationError()", "new x()"])
    }

    @Test("B4X.14: other filters and other colons stand side by side")
    func notReplaced() throws {
        let (one, two) = (Button(), Button())
        try wait("any")
        try wait("one", from: .object(one))
        try wait("two", from: .object(two))
        try wait("colon", for: "x:")
        try loop.run()
        #expect(loop.notes.value == [])
        try main.raiseUIEvent("x", from: .object(two))
        try main.raiseUIEvent("x", from: .object(two))
        try main.raiseUIEvent("x", from: .object(one))
        try loop.run()
        #expect(loop.notes.value == ["two x()", "any x()", "one x()"])
    }

    @Test("B4X.15: who waits for one sender comes first; others are left to who waits for any")
    func filters() throws {
        let (one, two) = (Button(), Button())
        try wait("any")
        try wait("one", from: .object(one))
        try main.raiseUIEvent("x", from: .object(one))
        try loop.run()
        #expect(loop.notes.value == ["one x()"])
        try wait("one again", from: .object(one))
        try main.raiseUIEvent("x", from: .object(two))
        try loop.run()
        #expect(loop.notes.value == ["one x()", "any x()"])
        try main.raiseUIEvent("x")
        try loop.run()
        #expect(loop.notes.value.count == 2)
        #expect(main.counts.untaken == 1)
    }

    @Test("B4X.15: any sender, and none, resumes who waits for any")
    func unfiltered() throws {
        try wait("first")
        try main.raiseUIEvent("x")
        try loop.run()
        try wait("second")
        try main.raiseUIEvent("x", from: .task(3))
        try loop.run()
        #expect(loop.notes.value == ["first x()", "second x()"])
    }

    @Test(
        "B4X.15: a sender is held weakly; who waits for one that is gone is told at the next wait")
    func weakFilter() throws {
        weak var weakButton: Button?
        try {
            let button = Button()
            weakButton = button
            try wait("button", from: .object(button))
        }()
        #expect(weakButton == nil)
        try loop.run()
        #expect(loop.notes.value == [])
        try wait("any")
        try loop.run()
        #expect(loop.notes.value == ["button CURFEW_STALE"])
    }

    @Test("B4X.15: an object at the address of one that is gone is another sender")
    func reusedAddress() throws {
        try { try wait("button", from: .object(Button())) }()
        for _ in 0..<64 { try main.raiseUIEvent("x", from: .object(Button())) }
        try loop.run()
        #expect(loop.notes.value == ["button CURFEW_STALE"])
        #expect(main.counts.untaken == 64)
    }

    @Test("B4X.20: Sleep resumes on the loop after its time, never before")
    func sleep() throws {
        let (main, loop) = (main, loop)
        try main.resumable {
            try await main.sleep(milliseconds: 10)
            loop.note("\(loop.clock.now / 1_000_000) \(loop.host.runtime.loop.isLoopThread)")
        }
        try loop.run()
        _ = loop.clock.advance(by: 9_999_999)
        try loop.run()
        #expect(loop.notes.value == [])
        _ = loop.clock.advance(by: 1)
        #expect(loop.notes.value == [])
        try loop.run()
        #expect(loop.notes.value == ["1010 true"])
    }

    @Test("B4X.20: other events run meanwhile; Sleep(0) is the next turn")
    func sleepZero() throws {
        let (main, loop) = (main, loop)
        try loop.noting(main, "x:")
        try main.resumable {
            try main.raiseUIEvent("x:", .int32(1))
            try await main.sleep(milliseconds: 0)
            loop.note("slept")
            try main.raiseUIEvent("x:", .int32(2))
        }
        #expect(loop.notes.value == [])
        try loop.run()
        #expect(loop.notes.value == ["x(1)", "slept", "x(2)"])
    }

    @Test("B4X.20: sleepers wake in the order of their time, and of one time in theirs")
    func sleepers() throws {
        let (main, loop) = (main, loop)
        for (number, time) in [30, 10, 20, 10, 10].enumerated() {
            try main.resumable {
                try await main.sleep(milliseconds: time)
                loop.note("\(number)")
            }
        }
        try loop.pass(milliseconds: 100)
        #expect(loop.notes.value == ["1", "3", "4", "2", "0"])
    }

    @Test("B4X.20: on the host's own thread too, in real time")
    func realSleep() async throws {
        let host = try Host.forTests()
        let target = try Target("main", in: host)
        let begin = ContinuousClock.now
        let sub = try target.resumable {
            try await target.sleep(milliseconds: 3)
            return host.runtime.loop.isLoopThread
        }
        #expect(try await sub.complete(within: .seconds(60)))
        #expect(ContinuousClock.now - begin >= .milliseconds(3))
    }

    @Test(
        "B4X.21: each call is an instance with locals of its own; the caller goes on at the pause")
    func instances() throws {
        let loop = loop
        try main.resumableSub("count:") { target, event in
            var steps = 0
            for _ in 0..<2 {
                steps += 1
                loop.note("\(event.transcript) \(steps)")
                try await target.sleep(milliseconds: 1)
            }
        }
        try main.sub("caller") { target, _ in
            try target.callSub("Count", .text("a"))
            loop.note("between")
            try target.callSub("Count", .text("b"))
            loop.note("after")
        }
        try main.raiseEvent("caller")
        #expect(
            loop.notes.value == ["count(\"a\") 1", "between", "count(\"b\") 1", "after"])
        try loop.pass(milliseconds: 1)
        #expect(loop.notes.value.suffix(2) == ["count(\"a\") 2", "count(\"b\") 2"])
    }

    @Test("B4X.22: a completion is posted also when the sub never pauses, and carries its value")
    func completionIsPosted() throws {
        let (main, loop) = (main, loop)
        try loop.noting(main, "x")
        try main.resumable {
            try main.raiseUIEvent("x")
            let sub = try main.resumable {
                loop.note("sub")
                return 7
            }
            loop.note("called")
            loop.note("completed \(try await sub.complete())")
        }
        #expect(loop.notes.value == ["sub", "called"])
        try loop.run()
        #expect(loop.notes.value == ["sub", "called", "x()", "completed 7"])
    }

    @Test("B4X.22: the sender of a completion is the instance")
    func completionSender() throws {
        let (main, loop) = (main, loop)
        let first = try main.resumable { "first" }
        let second = try main.resumable { "second" }
        try main.resumable { loop.note(try await second.complete()) }
        try main.resumable { loop.note(try await first.complete()) }
        try loop.run()
        #expect(loop.notes.value == ["first", "second"])
        #expect(main.counts.untaken == 0)
    }

    private struct Broken: Error {}

    @Test("B4X.22: an error out of the sub goes to who waits for it")
    func completionFails() throws {
        let (main, loop) = (main, loop)
        let sub = try main.resumable { () async throws -> Int in throw Broken() }
        try main.resumable {
            do { try await sub.complete() } catch { loop.note("\(error)") }
        }
        try loop.run()
        #expect(loop.notes.value == ["Broken()"])
        #expect(loop.log.value == [])
    }

    @Test("B4X.23: waiting for a sub that has completed is an error")
    func alreadyCompleted() throws {
        let (main, loop) = (main, loop)
        let sub = try main.resumable { 1 }
        try loop.run()
        try main.resumable {
            do { try await sub.complete() } catch let error as CurfewError {
                loop.note("\(error.code.constant ?? "") \(error.message)")
            }
        }
        #expect(
            loop.notes.value.first?.hasPrefix(
                "CURFEW_ALREADY Resumable sub already completed") == true)
    }

    @Test("B4X.24: a wait for what is never raised ends at its limit, on the host's clock")
    func limit() throws {
        try wait("limited", within: .milliseconds(50))
        try wait("unlimited", for: "y")
        try loop.pass(milliseconds: 49)
        #expect(loop.notes.value == [])
        try loop.pass(milliseconds: 1)
        #expect(loop.notes.value == ["limited CURFEW_TIMED_OUT"])
        try main.raiseUIEvent("x")
        try loop.run()
        #expect(main.counts.untaken == 1)
        // One that was met is not ended later.
        try wait("met", within: .milliseconds(50))
        try main.raiseUIEvent("x")
        try loop.pass(milliseconds: 100)
        #expect(loop.notes.value.last == "met x()")
    }

    @Test("B4X.24: a shutdown ends every wait and sleep, and later ones are refused")
    func shutdown() throws {
        let (main, loop) = (main, loop)
        try wait("wait")
        try main.resumable {
            do { try await main.sleep(milliseconds: 10) } catch let error as CurfewError {
                loop.note("sleep \(error.code.constant ?? "")")
            }
        }
        let never = try main.resumable { try await main.waitFor("never") }
        try main.resumable {
            do { try await never.complete() } catch let error as CurfewError {
                loop.note("complete \(error.code.constant ?? "")")
            }
        }
        try loop.host.shutDown()
        #expect(
            loop.notes.value.sorted() == [
                "complete CURFEW_CLOSING", "sleep CURFEW_CLOSING", "wait CURFEW_CLOSING",
            ])
        try wait("late")
        #expect(loop.notes.value.last == "late CURFEW_CLOSING")
    }

    @Test("B4X.24: on the host's own thread nobody is left waiting by a shutdown either")
    func shutdownOfOwnThread() async throws {
        let host = try Host.forTests()
        let target = try Target("main", in: host)
        let sub = try target.resumable { try await target.waitFor("never") }
        let asleep = Task { try await target.sleep(milliseconds: 3_600_000) }
        let waiting = Task { try await sub.complete() }
        // It is waited for before the shutdown begins, or refused after it.
        for _ in 0..<100 { await Task.yield() }
        try host.shutDown()
        for error in [await asleep.result.failure, await waiting.result.failure] {
            #expect((error as? CurfewError)?.code == .closing)
        }
    }

    @Test("B4X.24: a target that is closed ends its waits")
    func closed() throws {
        try wait("wait")
        main.close()
        try loop.run()
        #expect(loop.notes.value == ["wait CURFEW_CLOSING"])
    }

    @Test("A cancelled Swift task stops waiting and sleeping, and takes no event")
    func cancelled() async throws {
        let host = try Host.forTests()
        let target = try Target("main", in: host)
        let waiting = Task { try await target.waitFor("x") }
        let sleeping = Task { try await target.sleep(milliseconds: 3_600_000) }
        waiting.cancel()
        sleeping.cancel()
        #expect(await waiting.result.failure is CancellationError)
        #expect(await sleeping.result.failure is CancellationError)
        try target.raiseUIEvent("x")
        #expect(await eventually { target.counts.untaken == 1 })
    }

    @Test("What a resumable sub awaits elsewhere brings it back to the loop")
    func backToTheLoop() async throws {
        let host = try Host.forTests()
        let target = try Target("main", in: host)
        let sub = try target.resumable {
            let there = await Task.detached { host.runtime.loop.isLoopThread }.value
            return [there, host.runtime.loop.isLoopThread]
        }
        #expect(try await sub.complete(within: .seconds(60)) == [false, true])
    }
}

extension Result {
    fileprivate var failure: Failure? {
        if case .failure(let failure) = self { failure } else { nil }
    }
}
