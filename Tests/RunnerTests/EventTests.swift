// SPDX-License-Identifier: Apache-2.0

import Glibc
import PluginBridge
import Scheduling
import TestSupport
import Testing

@testable import Runner

/// The events of tasks: their order, their observers, and the end of a subscription.
@Suite("Events")
struct EventTests {
    @Test("all of a task's events come in order and before its done event, under 4 workers")
    func order() throws {
        let host = try TestHost(clock: nil, workers: 4)
        try host.register(
            concurrency: 4, events: [EventSignature(name: "tidy_step", parameters: [.int32])!]
        ) { call in
            for step in 0..<5 {
                if call.raise("tidy_step", [.int32(Int32(step))]) != .ok {
                    return call.fail("raise")
                }
            }
            return .ok
        }
        let tasks = try (0..<300).map { _ in try host.launch(keep: false) }
        #expect(host.shutDown(drain: Guarded<Int>.limit.nanoseconds) == .ok)
        let byTask = Dictionary(grouping: host.all.events.filter { $0.task != 0 }, by: \.task)
        let wanted: [[EventValue]] = (0..<5).map { [.int32($0)] } + [[.bool(true), .text("")]]
        #expect(byTask.count == tasks.count)
        for task in tasks { #expect(byTask[task]?.map(\.values) == wanted) }
        let sequences = host.all.events.map(\.sequence)
        #expect(sequences == (0..<UInt64(sequences.count)).map { $0 + sequences[0] })
    }

    @Test(
        "events raised after the completion are refused; those before stand before its done event")
    func raiseAfterCompletion() throws {
        let host = try TestHost()
        let answers = Guarded<[Status]>([])
        try host.register(events: [EventSignature(name: "tidy_step", parameters: [])!]) { call in
            let said = [
                call.raise("tidy_step"), call.progress(1), call.complete(), call.raise("tidy_step"),
                call.progress(1),
            ]
            answers.change { $0 = said }
            return .ok
        }
        let task = try host.launch()
        #expect(host.wait(task) == .ok)
        #expect(host.shutDown() == .ok)
        #expect(answers.value == [.ok, .ok, .ok, .already, .already])
        let seen = host.all.events.filter { $0.task == task }.map(\.name)
        #expect(seen == ["tidy_step", "tidy_progress::", "tidy_done::"])
    }

    @Test("an observer of an undeclared event sees it once it is declared")
    func observeUnknown() throws {
        let host = try TestHost()
        let observer = Observer()
        try host.observe("tidy_done::", by: observer)
        try host.register { _ in .ok }
        #expect(host.wait(try host.launch()) == .ok)
        #expect(host.shutDown() == .ok)
        #expect(observer.events.count == 1)
    }

    @Test("registering a handler raises its event")
    func registering() throws {
        let host = try TestHost()
        try host.register { _ in .ok }
        try host.register("org.example.other", event: "else") { _ in .ok }
        #expect(host.shutDown() == .ok)
        #expect(
            host.all.events.map(\.name)
                == ["registeringtidy_done::", "registeringelse_done::"])
        #expect(host.all.events.allSatisfy { $0.values == [.bool(true), .text("")] })
        #expect(host.all.events.allSatisfy { $0.task == 0 })
    }

    @Test("the sender is the task the event is about, on the loop's thread only")
    func sender() throws {
        let host = try TestHost()
        try host.register { _ in .ok }
        let senders = Guarded<[UInt64]>([])
        let observer = Observer { [unowned host] _ in
            let sender = host.loop.sender
            senders.change { $0.append(sender) }
        }
        try host.observe("tidy_done::", by: observer)
        let task = try host.launch()
        #expect(host.wait(task) == .ok)
        #expect(host.shutDown() == .ok)
        #expect(senders.value == [task])
        #expect(host.loop.sender == 0)
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

    @Test("a subscriber may end its own subscription, and that of the next one, from inside")
    func unsubscribeInside() throws {
        let host = try TestHost()
        try host.register { _ in .ok }
        let numbers = Guarded<[UInt64]>([])
        let answers = Guarded<[Status]>([])
        let first = Observer { [unowned host] _ in
            let said = numbers.value.map { host.loop.unsubscribe($0) }
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
        #expect(answers.value == [.ok, .ok])
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
            _ = host.loop.unsubscribe(number)
            return stuck.expired.isSet
        }
        #expect(begun.wait())
        // No signal says that it waits; without a wait it would be over by then.
        for _ in 0..<200 where !side.isOver { sched_yield() }
        #expect(!side.isOver)
        stuck.go.send()
        #expect(side.join() == true)
        #expect(host.raise("hello") == .ok)
        #expect(host.shutDown() == .ok)
        #expect(observer.events.count == 1)
    }

    @Test("it returns also when the callback runs the loop from inside")
    func unsubscribeWaitsForNested() throws {
        let host = try TestHost()
        let stuck = Stuck()
        let observer = Observer { [unowned host] _ in
            // Runs the loop, which delivers another event inside this one.
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
            _ = host.loop.unsubscribe(number)
            return stuck.expired.isSet
        }
        #expect(begun.wait())
        // No signal says that it waits; without a wait it would be over by then.
        for _ in 0..<200 where !side.isOver { sched_yield() }
        #expect(!side.isOver)
        stuck.go.send()
        #expect(side.join() == true)
    }

    @Test("an event declared by one handler is DENIED to another")
    func raiseOthers() throws {
        let host = try TestHost()
        try host.register(events: [EventSignature(name: "tidy_step", parameters: [])!]) { _ in .ok }
        let answer = Guarded<Status?>(nil)
        try host.register("org.example.other") { call in
            answer.change { $0 = call.raise("tidy_step") }
            return .ok
        }
        #expect(host.wait(try host.launch("org.example.other")) == .ok)
        #expect(answer.value == .denied)
    }

    @Test("a subscriber that then sees the task running gets its done event")
    func subscribedInTime() throws {
        let host = try TestHost(clock: nil, observing: false)
        try host.register(budget: 60 * .second) { _ in .ok }
        var inTime = 0
        for round in 0..<3_000 {
            let task = try host.launch()
            for _ in 0..<round % 600 { _ = host.clock?.now }
            let observer = Observer()
            let subscription = try host.observe("tidy_done::", by: observer)
            if try host.query(task).outcome == nil {
                inTime += 1
                #expect(observer.waits { $0.task == task })
            }
            #expect(host.wait(task) == .ok)
            #expect(host.loop.unsubscribe(subscription) == .ok)
            #expect(host.release(task) == .ok)
        }
        #expect(inTime > 0)
    }
}
