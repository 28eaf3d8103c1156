// SPDX-License-Identifier: Apache-2.0
import CCurfew
import CInterface
import Glibc
import TestSupport
import Testing

/// Who sees which event, and in which order.
@Suite("Events")
struct EventTests {
    @Test("all of a task's events come in order and before its done event, under 4 workers")
    func order() throws {
        let host = try TestHost(clock: nil, workers: 4)
        try host.register(concurrency: 4, events: ["tidy_step(int32)"]) { call in
            for step in 0..<5 {
                if call.raise("tidy_step", [.int32(Int32(step))]) != .ok {
                    return call.fail("raise")
                }
            }
            return 0
        }
        let tasks = try (0..<300).map { _ in try host.launch(keep: false) }
        #expect(host.shutDown(drain: Guarded<Int>.limit.nanoseconds) == .ok)
        let byTask = Dictionary(grouping: host.all.events.filter { $0.task != 0 }, by: \.task)
        let wanted: [[Parameter]] = (0..<5).map { [.int32($0)] } + [[.bool(true), .text("")]]
        #expect(byTask.count == tasks.count)
        for task in tasks { #expect(byTask[task]?.map(\.parameters) == wanted) }
        let sequences = host.all.events.map(\.sequence)
        #expect(sequences == (0..<UInt64(sequences.count)).map { $0 + sequences[0] })
    }

    @Test(
        "events raised after the completion are refused; those before stand before its done event")
    func raiseAfterCompletion() throws {
        let host = try TestHost()
        let answers = Guarded<[Answer]>([])
        try host.register(events: ["tidy_step()"]) { call in
            let said = [
                call.raise("tidy_step"), call.progress(1), call.complete(), call.raise("tidy_step"),
                call.progress(1),
            ]
            answers.change { $0 = said }
            return 0
        }
        let task = try host.launch()
        #expect(host.wait(task) == .ok)
        #expect(host.shutDown() == .ok)
        #expect(answers.now == [.ok, .ok, .ok, .already, .already])
        let seen = host.all.events.filter { $0.task == task }.map(\.selector)
        #expect(seen == ["tidy_step", "tidy_progress::", "tidy_done::"])
    }

    @Test("an event is known by its name and the number of its parameters")
    func arity() throws {
        let host = try TestHost()
        let (none, two, three) = (Observer(), Observer(), Observer())
        try host.register(events: ["tidy_done()", "tidy_done(bool,text,int32)"]) { call in
            _ = call.raise("tidy_done")
            _ = call.raise("tidy_done:::", [.bool(true), .text("a"), .int32(3)])
            return 0
        }
        try host.observe("tidy_done", by: none)
        try host.observe("tidy_done::", by: two)
        try host.observe("tidy_done:::", by: three)
        let task = try host.launch()
        #expect(host.wait(task) == .ok)
        #expect(host.shutDown() == .ok)
        #expect(none.events.map(\.parameters) == [[]])
        #expect(two.events.map(\.parameters) == [[.bool(true), .text("")]])
        #expect(three.events.map(\.parameters) == [[.bool(true), .text("a"), .int32(3)]])
    }

    @Test("an observer of an event that nobody has declared yet sees it later")
    func observeUnknown() throws {
        let host = try TestHost()
        let observer = Observer()
        try host.observe("tidy_done::", by: observer)
        try host.register { _ in 0 }
        #expect(host.wait(try host.launch()) == .ok)
        #expect(host.shutDown() == .ok)
        #expect(observer.events.count == 1)
    }

    @Test(
        "what cannot be a selector is INVALID",
        arguments: [
            "", ":", "Tidy:", "1tidy", "tidy done", "tidy:done", "tidy-done",
            "tidy" + String(repeating: ":", count: 17), String(repeating: "a", count: 129),
        ])
    func badSelectors(selector: String) throws {
        let host = try TestHost()
        let function: curfew_any_function = {}
        var number: curfew_subscription = 0
        #expect(
            Answer(curfew_host_observe(host.raw, selector, Observer.function, nil, nil, nil))
                == .invalid)
        #expect(
            Answer(curfew_host_subscribe(host.raw, selector, function, nil, nil, nil)) == .invalid)
        #expect(
            Answer(curfew_host_expect_event(host.raw, selector, 0, nil, &number, nil)) == .invalid)
        #expect(host.raise(selector) == .invalid)
    }

    @Test("registering a handler raises its event")
    func registering() throws {
        let host = try TestHost()
        try host.register { _ in 0 }
        try host.register("org.example.other", event: "else") { _ in 0 }
        #expect(host.shutDown() == .ok)
        #expect(
            host.all.events.map(\.selector)
                == ["registeringtidy_done::", "registeringelse_done::"])
        #expect(host.all.events.allSatisfy { $0.parameters == [.bool(true), .text("")] })
        #expect(host.all.events.allSatisfy { $0.task == 0 })
    }

    @Test("the sender is the task the event is about, on the loop's thread only")
    func sender() throws {
        let host = try TestHost()
        try host.register { _ in 0 }
        let senders = Guarded<[curfew_task]>([])
        let observer = Observer { [unowned host] _ in
            let sender = curfew_host_get_sender(host.raw)
            senders.change { $0.append(sender) }
        }
        try host.observe("tidy_done::", by: observer)
        let task = try host.launch()
        #expect(host.wait(task) == .ok)
        #expect(host.shutDown() == .ok)
        #expect(senders.now == [task])
        #expect(curfew_host_get_sender(host.raw) == 0)
    }

    @Test("a task's id and its outcome are good during the delivery of its done event")
    func idDuringDelivery() throws {
        let host = try TestHost()
        try host.register { $0.fail("no") }
        let texts = Guarded<[String?]>([])
        let observer = Observer { [unowned host] event in
            texts.change { $0.append(host.errorText(event.task)) }
        }
        try host.observe("tidy_done::", by: observer)
        _ = try host.launch(keep: false)
        #expect(texts.wait { $0 == ["no"] })
    }

    @Test("a failed unsubscription is NOT_FOUND")
    func unsubscribeUnknown() throws {
        let host = try TestHost()
        #expect(Answer(curfew_host_unsubscribe(host.raw, 0, nil)) == .notFound)
        let number = try host.observe("tidy_done::", by: Observer())
        #expect(Answer(curfew_host_unsubscribe(host.raw, number, nil)) == .ok)
        #expect(Answer(curfew_host_unsubscribe(host.raw, number, nil)) == .notFound)
    }

    @Test("a subscriber may end its own subscription, and that of the next one, from inside")
    func unsubscribeInside() throws {
        let host = try TestHost()
        try host.register { _ in 0 }
        let numbers = Guarded<[curfew_subscription]>([])
        let answers = Guarded<[Answer]>([])
        let first = Observer { [unowned host] _ in
            let said = numbers.now.map { Answer(curfew_host_unsubscribe(host.raw, $0, nil)) }
            answers.change { $0 += said }
        }
        let second = Observer()
        let last = Observer()
        let mine = try host.observe("tidy_done::", by: first)
        let next = try host.observe("tidy_done::", by: second)
        try host.observe("tidy_done::", by: last)
        numbers.change { $0 = [mine, next] }
        for _ in 0..<2 { #expect(host.wait(try host.launch()) == .ok) }
        #expect(host.shutDown() == .ok)
        #expect(answers.now == [.ok, .ok])
        #expect(first.events.count == 1)
        #expect(second.events.isEmpty)
        #expect(last.events.count == 2)
    }

    @Test("unsubscribing from another thread returns when the callback has returned")
    func unsubscribeWaits() throws {
        let host = try TestHost()
        let stuck = Stuck()
        let observer = Observer { _ in
            stuck.entered.send()
            _ = stuck.go.wait()
            stuck.expired.send()
        }
        let number = try host.observe("hello", by: observer)
        #expect(host.raise("hello") == .ok)
        #expect(stuck.entered.wait())
        let begun = Signal()
        let side = Side { () -> Bool in
            begun.send()
            _ = curfew_host_unsubscribe(host.raw, number, nil)
            return stuck.expired.isSet
        }
        #expect(begun.wait())
        // Nobody tells that it waits; one that does not is over by then.
        for _ in 0..<200 where !side.isOver { sched_yield() }
        #expect(!side.isOver)
        stuck.go.send()
        #expect(side.join() == true)
        #expect(host.raise("hello") == .ok)
        #expect(host.shutDown() == .ok)
        #expect(observer.events.count == 1)
    }

    @Test("the same for a callback that turns the loop from inside")
    func unsubscribeWaitsForNested() throws {
        let host = try TestHost()
        let stuck = Stuck()
        let observer = Observer { [unowned host] _ in
            // Turns the loop, which delivers another event inside this one.
            let expectation = try? host.expect("inner")
            _ = host.raise("inner")
            _ = host.collect(expectation ?? 0)
            stuck.entered.send()
            _ = stuck.go.wait()
            stuck.expired.send()
        }
        let number = try host.observe("hello", by: observer)
        #expect(host.raise("hello") == .ok)
        #expect(stuck.entered.wait())
        let begun = Signal()
        let side = Side { () -> Bool in
            begun.send()
            _ = curfew_host_unsubscribe(host.raw, number, nil)
            return stuck.expired.isSet
        }
        #expect(begun.wait())
        // Nobody tells that it waits; one that does not is over by then.
        for _ in 0..<200 where !side.isOver { sched_yield() }
        #expect(!side.isOver)
        stuck.go.send()
        #expect(side.join() == true)
    }

    @Test("unsubscribing returns while work that follows the receiver's event waits for it")
    func unsubscribeDuringWork() throws {
        let host = try TestHost(observing: false)
        let target = try TestTarget(host)
        let stuck = Stuck()
        let observer = Observer { _ in
            stuck.entered.send()
            _ = stuck.go.wait()
        }
        let number = try host.observe("hello", by: observer)
        let (working, unsubscribed) = (Signal(), Signal())
        target.sub("work") { _ in
            working.send()
            return .bool(unsubscribed.wait())
        }
        #expect(host.raise("hello") == .ok)
        #expect(stuck.entered.wait())
        // Nothing comes between the receiver's return and the work.
        target.callDelayed("work")
        stuck.go.send()
        #expect(working.wait())
        let side = Side { () -> Bool in
            let answer = Answer(curfew_host_unsubscribe(host.raw, number, nil))
            unsubscribed.send()
            return answer == .ok
        }
        #expect(side.join() == true)
        #expect(host.shutDown() == .ok)
    }

    @Test("raise: undeclared events and the host's own names are DENIED, wrong types INVALID")
    func raiseFaults() throws {
        let host = try TestHost()
        let answers = Guarded<[Answer]>([])
        try host.register(events: ["tidy_step(int32)", "tidy_done()"]) { call in
            let said = [
                call.raise("tidy_step", [.int32(1)]),
                call.raise("tidy_step:", [.int32(1)]),
                call.raise("tidy_done"),
                call.raise("tidy_other"),
                call.raise("tidy_step"),
                call.raise("tidy_done", [.bool(true), .text("")]),
                call.raise("tidy_done::", [.bool(true), .text("")]),
                call.raise("tidy_expired"),
                call.raise("tidy_progress", [.double(1), .text("")]),
                call.raise("registeringtidy_done", [.bool(true), .text("")]),
                call.raise("curfew_gap", [.int64(1)]),
                call.raise("tidy_step", [.int64(1)]),
                call.raise("tidy_step", [.text("1")]),
                call.raise("Tidy Step", [.int32(1)]),
                call.raise("", []),
            ]
            answers.change { $0 = said }
            return 0
        }
        let task = try host.launch()
        #expect(host.wait(task) == .ok)
        #expect(
            answers.now == [
                .ok, .ok, .ok, .denied, .denied, .denied, .denied, .denied, .denied, .denied,
                .denied, .invalid, .invalid, .invalid, .invalid,
            ])
        #expect(host.counts.contract_violations == 12)
        #expect(host.shutDown() == .ok)
        #expect(
            host.all.events.filter { $0.task == task }.map(\.selector)
                == ["tidy_step:", "tidy_step:", "tidy_done", "tidy_done::"])
    }

    @Test("an event declared by one handler is DENIED to another")
    func raiseOthers() throws {
        let host = try TestHost()
        try host.register(events: ["tidy_step()"]) { _ in 0 }
        let answer = Guarded<Answer?>(nil)
        try host.register("org.example.other") { call in
            answer.change { $0 = call.raise("tidy_step") }
            return 0
        }
        #expect(host.wait(try host.launch("org.example.other")) == .ok)
        #expect(answer.now == .denied)
    }

    @Test(
        "curfew_host_raise_event: the embedder's own events, about no task, with the types of the first"
    )
    func hostRaise() throws {
        let host = try TestHost()
        try host.register(events: ["tidy_step(int32)"]) { _ in 0 }
        let parameters: [Parameter] = [
            .bool(true), .int32(-7), .int64(1 << 40), .double(0.5), .text("naïve ☂"),
        ]
        #expect(host.raise("hello:::::", parameters) == .ok)
        #expect(host.raise("hello") == .ok)
        #expect(host.raise("hello:::::", parameters.reversed()) == .invalid)
        #expect(host.raise("hello::", [.bool(true)]) == .invalid)
        #expect(host.raise("hello", [.bool(true)]) == .invalid)
        #expect(host.raise("tidy_done::", [.bool(true), .text("")]) == .denied)
        #expect(host.raise("tidy_progress::", [.double(1), .text("")]) == .denied)
        #expect(host.raise("tidy_expired") == .denied)
        #expect(host.raise("registeringtidy_done::", [.bool(true), .text("")]) == .denied)
        #expect(host.raise("tidy_step:", [.int32(1)]) == .denied)
        #expect(host.raise("curfew_gap:", [.int64(1)]) == .denied)
        #expect(host.raise("curfew_anything") == .denied)
        #expect(host.shutDown() == .ok)
        let seen = host.all.events.filter { $0.selector.hasPrefix("hello") }
        #expect(seen.map(\.parameters) == [parameters, []])
        #expect(seen.allSatisfy { $0.task == 0 })
    }

    @Test("the counts tell what was taken, and what nobody wanted")
    func counts() throws {
        let host = try TestHost(observing: false)
        try host.register { _ in 0 }
        let observer = Observer()
        let number = try host.observe("hello", by: observer)
        for _ in 0..<3 { #expect(host.raise("hello") == .ok) }
        #expect(observer.seen.wait { $0.count == 3 })
        #expect(Answer(curfew_host_unsubscribe(host.raw, number, nil)) == .ok)
        #expect(host.raise("hello") == .ok)
        #expect(host.wait(try host.launch()) == .ok)
        #expect(host.shutDown() == .ok)
        // Untaken: registeringtidy_done, the last hello, tidy_done.
        #expect(host.counts.events_delivered == 3)
        #expect(host.counts.events_unhandled == 3)
        #expect(host.counts.events_lost == 0)
    }

    @Test("whoever subscribes and then sees the task running gets its done event")
    func subscribedInTime() throws {
        let host = try TestHost(clock: nil, observing: false)
        try host.register(budget: 60 * .second) { _ in 0 }
        var inTime = 0
        for round in 0..<3_000 {
            let task = try host.launch()
            for _ in 0..<round % 600 { _ = curfew_version() }
            let observer = Observer()
            let subscription = try host.observe("tidy_done::", by: observer)
            if try host.query(task).outcome == 0 {
                inTime += 1
                #expect(observer.waits { $0.task == task })
            }
            #expect(host.wait(task) == .ok)
            #expect(curfew_host_unsubscribe(host.raw, subscription, nil) == 0)
            #expect(host.release(task) == .ok)
        }
        #expect(inTime > 0)
    }
}
