// SPDX-License-Identifier: Apache-2.0

import PluginBridge
import Scheduling
import TestSupport
import Testing

@testable import Runner

/// Spins for that long: a thread that yields gets its core back much later on a busy machine.
private func spend(microseconds: Int) {
    let end = SuspendingClock.now + .microseconds(microseconds)
    while SuspendingClock.now < end {}
}

/// A wait for a task and the end of the task at the same moment: in every order the wait ends.
@Suite("Waits and ends that race")
struct WaitRaceTests {
    @Test(
        "several threads wait for each task, some with a short time limit, and none waits too long")
    func waitersAndWorkers() throws {
        let host = try TestHost(clock: nil, workers: 4, observing: false)
        try host.register(concurrency: 4) { call in
            // Some are over before anybody looks, some during the looks, some after them.
            spend(microseconds: call.payload?.first.map { Int($0) * 80 } ?? 0)
            return .ok
        }
        let sides = (0..<4).map { side in
            Side { () -> [Status] in
                var random = SeededGenerator(seed: UInt64(side))
                var wrong: [Status] = []
                for round in 0..<600 {
                    let length: UInt8 =
                        round % 40 == 0 ? 3 : round % 3 == 0 ? 1 : 0
                    let launched = host.tryLaunch(payload: [length])
                    guard launched.status == .ok else {
                        wrong.append(launched.status)
                        continue
                    }
                    if UInt8.random(in: 0...2, using: &random) == 0 {
                        let early = host.wait(launched.task, within: 20_000)
                        if early != .ok, early != .timedOut { wrong.append(early) }
                    }
                    let other = round % 8 == 0 ? Side { host.wait(launched.task) } : nil
                    let answer = host.wait(launched.task)
                    if answer != .ok { wrong.append(answer) }
                    if let answer = other?.join(), answer != .ok { wrong.append(answer) }
                    // Over, and waited for again.
                    if host.wait(launched.task) != .ok { wrong.append(.timedOut) }
                    if host.release(launched.task) != .ok { wrong.append(.stale) }
                }
                return wrong
            }
        }
        for side in sides { #expect(side.join() == []) }
    }

    @Test("a pending task is completed while a thread goes to sleep on it")
    func sleepersAndCompletion() throws {
        let host = try TestHost(clock: nil, workers: 2, observing: false)
        try host.register(concurrency: 2) { _ in .pending }
        var random = SeededGenerator(seed: 3)
        for _ in 0..<1_500 {
            let task = try host.launch()
            try host.waitUntilPending(task)
            let looks = Guarded(0)
            let waiter = Side { () -> Status in
                looks.change { $0 += 1 }
                return host.wait(task)
            }
            #expect(looks.wait { $0 == 1 })
            // Long enough, now and then, for it to be asleep.
            spend(microseconds: Int.random(in: 0...60, using: &random))
            #expect(host.call(task).complete() == .ok)
            #expect(waiter.join() == .ok)
            #expect(host.release(task) == .ok)
        }
    }

    @Test("a shutdown wakes threads that sleep on tasks, and those about to")
    func sleepersAndShutdown() throws {
        for round in 0..<40 {
            let host = try TestHost(clock: nil, workers: 2, observing: false)
            try host.register(
                expired: { call, _ in _ = call.complete() },
                run: { _ in .pending })
            let task = try host.launch()
            try host.waitUntilPending(task)
            let sides = (0..<3).map { _ in Side { host.wait(task) } }
            spend(microseconds: round * 3)
            #expect(host.shutDown(expire: 5_000_000_000) == .ok)
            for side in sides {
                let answer = side.join()
                #expect(answer == .closing || answer == .ok)
            }
        }
    }

    @Test("a state that says failed says how long the error's text is, whenever it is looked at")
    func looksAndEnds() throws {
        let host = try TestHost(clock: nil, workers: 2, observing: false)
        try host.register { call in
            _ = call.complete(.failed, error: "kaputt")
            return .pending
        }
        // A busy machine gets through fewer; a quiet one has each order of looks thousands of times.
        let end = SuspendingClock.now + .seconds(10)
        for _ in 0..<20_000 where SuspendingClock.now < end {
            let task = try host.launch()
            var state = try host.query(task)
            while state.outcome == nil { state = try host.query(task) }
            try #require(state.outcome == .failed)
            try #require(state.errorBytes == 6)
            #expect(host.release(task) == .ok)
        }
    }

    @Test("one thread waits again and again for an event that another one raises")
    func expectationsAndEvents() throws {
        let host = try TestHost(observing: false)
        for _ in 0..<3_000 {
            let wait = try host.expect("hello")
            let raised = host.raise("hello")
            #expect(raised == .ok)
            try #require(host.collect(wait).status == .ok)
        }
    }

    @Test("progress from several threads comes in some order, and all of it before the done event")
    func ownEventsFromThreads() throws {
        let host = try TestHost(clock: nil, workers: 2) { $0.eventLimit = 1 << 16 }
        try host.register { _ in .pending }
        for _ in 0..<20 {
            let task = try host.launch()
            try host.waitUntilPending(task)
            let call = host.call(task)
            let sides = (0..<4).map { _ in
                Side { () -> Int in
                    var reported = 0
                    while call.progress(0.5) == .ok { reported += 1 }
                    return reported
                }
            }
            try host.waitUntil("under way") { host.all.waits { $0.task == task } }
            #expect(call.complete() == .ok)
            let reported = sides.reduce(0) { $0 + ($1.join() ?? -1_000_000) }
            #expect(host.all.waits { $0.task == task && $0.isDone })
            let own = host.all.events.filter { $0.task == task }
            #expect(own.count == reported + 1)
            #expect(own.last?.isDone == true)
            host.all.seen.change { $0 = [] }
            #expect(host.release(task) == .ok)
        }
    }
}
