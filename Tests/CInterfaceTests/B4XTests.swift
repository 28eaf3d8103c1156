// SPDX-License-Identifier: Apache-2.0
import CCurfew
import CInterface
import TestSupport
import Testing

/// The rules of B4X's events in C, by their number. The test turns the loop and moves the clock.
@Suite("B4X in C", .timeLimit(.minutes(2)))
struct B4XTests {
    private let host: TestHost
    private let main: TestTarget

    init() throws {
        host = try TestHost(ownLoop: true)
        main = try TestTarget(host)
    }

    @Test("B4X.1: raising uses the name as it is given, calling a sub lower-cases it")
    func names() {
        main.noting("CamelCase_Done:")
        #expect(main.raise("CamelCase_Done:", [.bool(true)]).answer == .ok)
        #expect(main.untaken.value == ["CamelCase_Done:"])
        #expect(main.call("CamelCase_Done", [.bool(false)]).answer == .ok)
        #expect(main.notes.value == ["camelcase_done(false)"])
        #expect(curfew_target_has_sub(host.raw, main.number, "CAMELCASE_DONE", 1))
        #expect(!curfew_target_has_sub(host.raw, main.number, "camelcase_done", 0))
    }

    @Test("B4X.2, B4X.4: one colon per value, and another number of colons reaches nobody")
    func colons() {
        main.noting("x:")
        main.wait("w", for: "x::")
        #expect(main.raise("x:").answer == .invalid)
        #expect(main.post("x", [.int32(1)]) == .invalid)
        #expect(main.post("x") == .ok)
        main.run()
        #expect(main.notes.value == [])
        #expect(main.untaken.value == ["x"])
        #expect(main.sub("x:") { _ in nil } == .exists)
        #expect(main.sub("a b") { _ in nil } == .invalid)
    }

    @Test("B4X.6: raise is synchronous with the sub's value, post is queued, each thread its own")
    func modes() throws {
        let modes = Guarded<[Bool]>([])
        main.sub("twice:") { event in
            modes.change { $0.append(event.isQueued) }
            guard case .int64(let number) = event.parameters[0] else { return nil }
            return .int64(2 * number)
        }
        #expect(main.raise("twice:", [.int64(21)]).value == .int64(42))
        #expect(main.post("twice:", [.int64(1)]) == .ok)
        #expect(modes.value == [false])
        main.run()
        #expect(modes.value == [false, true])
        let main = main
        let other = Side {
            [main.raise("twice:", [.int64(1)]).answer, main.post("twice:", [.int64(1)])]
        }
        #expect(other.join() == [.wrongThread, .ok])
    }

    @Test("B4X.7, B4X.8, B4X.9, B4X.13: in order, who waits first and once, then the sub")
    func order() {
        main.noting("x:")
        for number in 0..<3 { main.post("x:", [.int32(Int32(number))]) }
        main.wait("w", for: "X:")
        main.run()
        #expect(main.notes.value == ["w x(0)", "x(1)", "x(2)"])
        #expect(main.counts.resumed == 1)
        #expect(main.counts.called == 2)
    }

    @Test(
        "B4X.11, B4X.12: a missing sub is ignored at a module, an error that names it at an instance"
    )
    func missing() throws {
        let page = try TestTarget(host, kind: CURFEW_TARGET_CLASS)
        for target in [main, page] {
            #expect(target.raise("missing").answer == .ok)
            #expect(target.callDelayed("Missing") == .ok)
        }
        #expect(main.call("Missing").answer == .ok)
        let (answer, text) = page.call("Missing")
        #expect(answer == .notFound)
        #expect(text.hasPrefix("Sub missing was not found."))
        main.run()
        #expect(host.log.value.filter { $0.contains("Sub missing was not found.") }.count == 1)
        #expect(page.counts.failed == 1)
        #expect(main.counts.unhandled == 3)
    }

    @Test("B4X.14: waited again, the new wait replaces the old, which is told")
    func replaced() {
        main.wait("old", for: "x")
        main.wait("new", for: "x")
        #expect(main.notes.value == [])
        main.run()
        main.post("x")
        main.run()
        #expect(main.notes.value == ["old \(CURFEW_REPLACED)", "new x()"])
    }

    @Test("B4X.15: filters come first and match one sender; one that is forgotten ends its waits")
    func filters() {
        main.wait("any", for: "x")
        main.wait("one", for: "x", sender: 64)
        main.wait("two", for: "x", sender: 128)
        main.post("x", sender: 64)
        main.post("x", sender: 64)
        main.run()
        #expect(main.notes.value == ["one x()", "any x()"])
        let two = UnsafeRawPointer(bitPattern: 128)!
        #expect(Answer(curfew_target_forget_sender(host.raw, main.number, two, nil)) == .ok)
        main.run()
        #expect(main.notes.value.last == "two \(CURFEW_STALE)")
        var options = curfew_target_wait_options()
        options.struct_size = UInt32(MemoryLayout<curfew_target_wait_options>.size)
        options.task = 1
        options.sender = two
        let answer = curfew_target_wait_for(
            host.raw, main.number, "x", &options, { _, _, _ in }, nil, nil, nil)
        #expect(Answer(answer) == .invalid)
    }

    @Test("B4X.17: an event of another target does not resume who waits here")
    func otherTarget() throws {
        let other = try TestTarget(host)
        main.wait("w", for: "x")
        other.post("x")
        main.run()
        #expect(main.notes.value == [])
        #expect(other.untaken.value == ["x"])
    }

    @Test("B4X.18: the sender is there while the sub runs, and not afterwards")
    func sender() {
        let (host, number) = (host.raw, main.number)
        nonisolated(unsafe) let raw = host
        let main = main
        main.sub("x") { [unowned main] event in
            let sender = UInt(bitPattern: curfew_target_get_sender(raw, number))
            main.note("\(sender) \(event.sender)")
            return nil
        }
        main.wait("w", for: "y") { [unowned main] in
            main.note("\(UInt(bitPattern: curfew_target_get_sender(raw, number)))")
        }
        main.post("x", sender: 64)
        main.post("y", sender: 128)
        main.run()
        #expect(main.notes.value == ["64 64", "w y()", "0"])
        #expect(curfew_target_get_sender(raw, number) == nil)
    }

    @Test("B4X.16, B4X.19: CallSubDelayed comes after the current code, and resumes a wait once")
    func callSubDelayed() {
        let main = main
        main.sub("begin") { [unowned main] _ in
            main.callDelayed("Task_Done")
            main.callDelayed("Task_Done")
            main.note("begin ends")
            return nil
        }
        #expect(main.call("Begin").answer == .ok)
        main.wait("w", for: "Task_Done")
        main.run()
        #expect(main.notes.value == ["begin ends", "w task_done()"])
        #expect(main.untaken.value == ["task_done"])
        #expect(main.callDelayed("x", [.int32(1), .int32(2), .int32(3)]) == .invalid)
    }

    @Test("B4X.20: Sleep goes on after its time and not before; Sleep(0) in the next turn")
    func sleep() {
        let clock = host.clock!
        main.sleep("ten", 10)
        main.sleep("zero", 0)
        #expect(main.notes.value == [])
        main.run()
        #expect(main.notes.value == ["zero slept"])
        clock.advance(9_999_999)
        main.run()
        #expect(main.notes.value.count == 1)
        clock.advance(1)
        main.run()
        #expect(main.notes.value == ["zero slept", "ten slept"])
    }

    @Test("B4X.21, B4X.22, B4X.23: a resumable sub completes once, queued, to who waits for it")
    func resumable() {
        let (first, second) = (main.begin(), main.begin())
        #expect(main.finish(second, .text("two")) == .ok)
        #expect(main.complete("second", second) == .ok)
        #expect(main.complete("first", first) == .ok)
        #expect(main.notes.value == [])
        main.run()
        #expect(main.notes.value == ["second complete(\"two\")"])
        #expect(main.finish(second, .bool(true)) == .already)
        #expect(main.complete("late", second) == .already)
        #expect(main.complete("never", 77) == .notFound)
        #expect(main.finish(77, .bool(true)) == .notFound)
        #expect(
            Answer(curfew_target_fail_resumable(host.raw, main.number, first, "It broke.", nil))
                == .ok)
        main.run()
        #expect(
            main.notes.value.last == "first \(CURFEW_FAILED) complete(\"It broke.\")")
        #expect(main.counts.unhandled == 0)
    }

    @Test("B4X.24: a wait has a limit on the host's clock, can be given up, and ends with the host")
    func limits() {
        let clock = host.clock!
        main.wait("limited", for: "x", limit: 50_000_000)
        let (_, given) = main.wait("given", for: "y")
        main.wait("left", for: "z")
        main.sleep("asleep", 1_000)
        #expect(Answer(curfew_target_cancel_wait(host.raw, main.number, given, nil)) == .ok)
        #expect(Answer(curfew_target_cancel_wait(host.raw, main.number, given, nil)) == .notFound)
        clock.advance(50_000_000)
        main.run()
        #expect(main.notes.value == ["given \(CURFEW_NOT_FOUND)", "limited \(CURFEW_TIMED_OUT)"])
        #expect(host.shutDown() == .ok)
        #expect(
            Set(main.notes.value.suffix(2)) == [
                "left \(CURFEW_CLOSING)", "asleep \(CURFEW_CLOSING)",
            ])
        #expect(main.wait("late", for: "x").answer == .closing)
        #expect(main.sleep("late", 1).answer == .closing)
        #expect(main.post("x") == .closing)
    }

    @Test("B4X.25, B4X.28: a paused target ignores events; what nobody takes is told and counted")
    func paused() {
        main.noting("x")
        #expect(Answer(curfew_target_pause(host.raw, main.number, nil)) == .ok)
        main.post("x")
        main.run()
        #expect(Answer(curfew_target_resume(host.raw, main.number, nil)) == .ok)
        main.post("x")
        main.post("nobody")
        main.run()
        #expect(main.notes.value == ["x()"])
        #expect(main.untaken.value == ["paused x", "nobody"])
        #expect(main.counts.paused == 1)
        #expect(main.counts.unhandled == 1)
    }

    @Test("B4X.26: an error out of a sub goes to its caller, to application_error, or to the log")
    func errors() {
        let main = main
        let failing = TestTarget.Failing(answer: .denied, text: "It broke.")
        main.sub("broken") { _ in throw failing }
        main.sub("outer") { [unowned main] _ in
            let (answer, _, text) = main.raise("broken")
            main.note("\(answer.status) \(text)")
            return nil
        }
        #expect(main.call("Broken").answer == .denied)
        main.post("outer")
        main.post("broken")
        main.run()
        #expect(main.notes.value == ["\(CURFEW_DENIED) It broke."])
        #expect(host.log.value.filter { $0.contains("broken: It broke.") }.count == 1)
        main.noting("application_error::")
        #expect(main.raise("broken").answer == .ok)
        main.post("broken")
        main.run()
        #expect(
            main.notes.value.suffix(2)
                == Array(repeating: "application_error(\"It broke.\", \"broken\")", count: 2))
        #expect(main.counts.failed == 1)
    }

    @Test("A target that takes the host's events has them with their task, waits first")
    func hostEvents() throws {
        let target = try TestTarget(host, takesHostEvents: true)
        try host.register { _ in 0 }
        target.noting("tidy_done::")
        _ = curfew_host_pause_handler(host.raw, nil, nil)
        let (first, second) = (try host.launch(), try host.launch())
        target.wait("second", for: "tidy_done::", task: second)
        _ = curfew_host_resume_handler(host.raw, nil, nil)
        #expect(host.wait(first) == .ok)
        #expect(host.wait(second) == .ok)
        target.run()
        #expect(target.notes.value == ["tidy_done(true, \"\")", "second tidy_done(true, \"\")"])
    }

    @Test("What is stale, NULL or too large is answered, and breaks nothing")
    func hostile() {
        let raw = host.raw
        let number = main.number
        main.wait("w", for: "x")
        #expect(Answer(curfew_target_close(raw, number, nil)) == .ok)
        #expect(Answer(curfew_target_close(raw, number, nil)) == .notFound)
        main.run()
        #expect(main.notes.value == ["w \(CURFEW_CLOSING)"])
        #expect(main.post("x") == .notFound)
        #expect(main.raise("x").answer == .notFound)
        #expect(main.call("x").answer == .notFound)
        #expect(main.callDelayed("x") == .notFound)
        #expect(main.wait("w", for: "x").answer == .notFound)
        #expect(main.sleep("w", 1).answer == .notFound)
        #expect(main.sub("x") { _ in nil } == .notFound)
        #expect(main.complete("w", 1) == .notFound)
        #expect(main.finish(1, .bool(true)) == .notFound)
        #expect(Answer(curfew_target_pause(raw, number, nil)) == .notFound)
        #expect(Answer(curfew_target_resume(raw, 0, nil)) == .notFound)
        #expect(Answer(curfew_target_cancel_wait(raw, number, 1, nil)) == .notFound)
        #expect(curfew_target_get_sender(raw, number) == nil)
        #expect(!curfew_target_has_sub(raw, number, "x", 0))
        var made: curfew_target = 0
        var options = curfew_target_options()
        #expect(Answer(curfew_target_create(raw, "a", &options, &made, nil)) == .invalid)
        options.struct_size = UInt32(MemoryLayout<curfew_target_options>.size)
        options.kind = 7
        #expect(Answer(curfew_target_create(raw, "a", &options, &made, nil)) == .invalid)
        #expect(Answer(curfew_target_create(raw, "", nil, &made, nil)) == .invalid)
        #expect(Answer(curfew_target_create(raw, "a", nil, &made, nil)) == .ok)
        #expect(Answer(curfew_target_post(raw, made, "x::", nil, 2, nil, nil)) == .invalid)
        #expect(Answer(curfew_target_post(raw, made, "x", nil, .max, nil, nil)) == .invalid)
        var counts = curfew_target_counts()
        #expect(Answer(curfew_target_get_counts(raw, made, &counts, nil)) == .invalid)
    }
}
