// SPDX-License-Identifier: Apache-2.0
import CCurfew
import CInterface
import Glibc
import TestSupport
import Testing

/// Selectors, raising and the counts of events in C.
@Suite("Events")
struct EventTests {
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

    @Test("a failed unsubscription is NOT_FOUND")
    func unsubscribeUnknown() throws {
        let host = try TestHost()
        #expect(Answer(curfew_host_unsubscribe(host.raw, 0, nil)) == .notFound)
        let number = try host.observe("tidy_done::", by: Observer())
        #expect(Answer(curfew_host_unsubscribe(host.raw, number, nil)) == .ok)
        #expect(Answer(curfew_host_unsubscribe(host.raw, number, nil)) == .notFound)
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
            answers.value == [
                .ok, .ok, .ok, .denied, .denied, .denied, .denied, .denied, .denied, .denied,
                .denied, .invalid, .invalid, .invalid, .invalid,
            ])
        #expect(host.counts.contract_violations == 12)
        #expect(host.shutDown() == .ok)
        #expect(
            host.all.events.filter { $0.task == task }.map(\.selector)
                == ["tidy_step:", "tidy_step:", "tidy_done", "tidy_done::"])
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

    @Test("the counts tell delivered events from unhandled ones")
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
}
