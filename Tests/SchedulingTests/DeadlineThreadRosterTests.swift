// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import Scheduling

@Suite("Who of the watchers does what")
struct WatcherRosterTests {
    /// Two watchers, both scanning.
    private static func pair(limit: Int = 8, stagger: UInt64 = 0) -> DeadlineThreadRoster {
        var roster = DeadlineThreadRoster(limit: limit, stagger: stagger)
        #expect(roster.join() == 0)
        #expect(roster.join() == 1)
        return roster
    }

    @Test("a watcher joins scanning, and gets the next number, up to the limit")
    func joining() {
        var roster = DeadlineThreadRoster(limit: 2, stagger: 0)
        #expect(roster.limit == 2)
        #expect(roster.posts.isEmpty)
        #expect(roster.join() == 0)
        #expect(roster.join() == 1)
        #expect(roster.posts == [.scanning, .scanning])
        #expect(roster.join() == nil)
        #expect(roster.posts.count == 2)
    }

    @Test("the way of one watcher: looks, sleeps, looks, calls, looks")
    func posts() {
        var roster = Self.pair()
        roster.sleeps(0, next: 100)
        #expect(roster.posts == [.asleep(until: 100), .scanning])
        roster.scans(0)
        #expect(roster.posts == [.scanning, .scanning])
        #expect(roster.calls(0, next: 500) == .none)
        #expect(roster.posts == [.calling, .scanning])
        roster.scans(0)
        #expect(roster.posts == [.scanning, .scanning])
    }

    @Test("a watcher sleeps only after it has looked")
    func sleepsAfterLooking() async {
        await #expect(processExitsWith: .failure) {
            var roster = DeadlineThreadRoster(limit: 2, stagger: 0)
            _ = roster.join()
            _ = roster.calls(0, next: 1)
            roster.sleeps(0, next: 1)
        }
        await #expect(processExitsWith: .failure) {
            var roster = DeadlineThreadRoster(limit: 2, stagger: 0)
            _ = roster.join()
            roster.sleeps(0, next: 1)
            roster.sleeps(0, next: 2)
        }
    }

    @Test(
        "who sleeps until the same time as another looks a little later; the promise is the first's"
    )
    func stagger() {
        var roster = Self.pair(stagger: 5)
        #expect(roster.sleeps(0, next: 100) == 100)
        #expect(roster.sleeps(1, next: 100) == 100 + 5)
        #expect(roster.promise == 100)
        roster.scans(0)
        // The second one looks soon enough for whatever is due then.
        #expect(roster.calls(0, next: 100) == .none)
        roster.scans(0)
        #expect(roster.calls(0, next: 99) == .wake)
        roster.scans(0)
        roster.scans(1)
        roster.sleeps(0, next: 500)
        #expect(roster.sleeps(1, next: 400) == 400, "nobody else looks as soon")
        roster.scans(1)
        #expect(roster.sleeps(1, next: .max) == .max, "never is never")
    }

    // MARK: The promise

    @Test("while a thread scans, no thread has to be woken")
    func promiseWhileScanning() {
        var roster = DeadlineThreadRoster(limit: 8, stagger: 0)
        #expect(roster.promise == 0, "there is nobody to be told")
        roster = Self.pair()
        #expect(roster.promise == 0)
        roster.sleeps(0, next: 100)
        #expect(roster.promise == 0)
        roster.sleeps(1, next: 200)
        roster.scans(0)
        #expect(roster.promise == 0)
    }

    @Test("when no thread scans, the first to wake is the promise")
    func promiseOfSleepers() {
        var roster = Self.pair()
        roster.sleeps(0, next: 200)
        roster.sleeps(1, next: 100)
        #expect(roster.promise == 100)
        roster.scans(1)
        roster.sleeps(1, next: .max)
        #expect(roster.promise == 200)
        roster.scans(0)
        roster.sleeps(0, next: .max)
        #expect(roster.promise == .max)
    }

    @Test("who is inside a callback promises nothing")
    func promiseOfCallers() {
        var roster = Self.pair()
        #expect(roster.calls(0, next: .max) == .none)
        #expect(roster.promise == 0)
        roster.sleeps(1, next: 100)
        #expect(roster.promise == 100)
        roster.scans(1)
        #expect(roster.calls(1, next: .max) == .start(2))
        #expect(roster.promise == 0)
        roster.sleeps(2, next: 700)
        #expect(roster.promise == 700)
    }

    @Test("when all threads are inside callbacks there is none to wake")
    func promiseOfNobody() {
        var roster = Self.pair(limit: 2)
        #expect(roster.calls(0, next: .max) == .none)
        #expect(roster.calls(1, next: .max) == .exhausted)
        #expect(roster.promise == 0)
    }

    // MARK: Before a callback

    @Test("another thread scans: nothing to do")
    func otherScans() {
        var roster = Self.pair()
        #expect(roster.calls(0, next: 1) == .none)
    }

    @Test("another thread wakes in time for the next deadline: nothing to do")
    func otherWakesInTime() {
        var roster = Self.pair()
        roster.sleeps(1, next: 100)
        #expect(roster.calls(0, next: 101) == .none)
        roster.scans(0)
        #expect(roster.calls(0, next: 100) == .none)
    }

    @Test("all others sleep too long: wake them")
    func othersSleepTooLong() {
        var roster = Self.pair()
        roster.sleeps(1, next: 100)
        #expect(roster.calls(0, next: 99) == .wake)
        #expect(roster.posts == [.calling, .asleep(until: 100)])
    }

    @Test("one of several sleepers wakes in time, whichever it is")
    func oneOfSeveral() {
        for earliest in 1...3 {
            var roster = Self.pair()
            #expect(roster.join() == 2)
            #expect(roster.join() == 3)
            for other in 1...3 { roster.sleeps(other, next: other == earliest ? 50 : 500) }
            #expect(roster.calls(0, next: 60) == .none)
            roster.scans(0)
            #expect(roster.calls(0, next: 49) == .wake)
        }
    }

    @Test("all others are inside callbacks: start another, who scans")
    func othersBlocked() {
        var roster = Self.pair()
        #expect(roster.calls(0, next: .max) == .none)
        #expect(roster.calls(1, next: .max) == .start(2))
        #expect(roster.posts == [.calling, .calling, .scanning])
    }

    @Test("one watcher alone starts another before it calls")
    func alone() {
        var roster = DeadlineThreadRoster(limit: 2, stagger: 0)
        #expect(roster.join() == 0)
        #expect(roster.calls(0, next: .max) == .start(1))
    }

    @Test("one sleeps too long, the others are blocked: wake, do not start")
    func sleeperBeforeStart() {
        var roster = Self.pair()
        #expect(roster.join() == 2)
        #expect(roster.calls(0, next: .max) == .none)
        roster.sleeps(2, next: 1_000)
        #expect(roster.calls(1, next: 999) == .wake)
        #expect(roster.posts.count == 3)
    }

    @Test("a watcher that could not be started keeps no watch, and its number is given again")
    func resigned() {
        var roster = DeadlineThreadRoster(limit: 2, stagger: 0)
        #expect(roster.join() == 0)
        #expect(roster.join() == 1)
        roster.resign(1)
        roster.sleeps(0, next: 500)
        #expect(roster.promise == 500)
        roster.scans(0)
        // Nobody else keeps watch, and there is room for one more.
        #expect(roster.calls(0, next: .max) == .start(1))
        #expect(roster.posts == [.calling, .scanning])
    }

    @Test("the last thread that can watch calls no callback until another one returns")
    func exhausted() {
        var roster = Self.pair(limit: 3)
        #expect(roster.calls(0, next: .max) == .none)
        #expect(roster.calls(1, next: .max) == .start(2))
        #expect(!roster.canCall(2))
        #expect(roster.calls(2, next: .max) == .exhausted)
        #expect(roster.posts == [.calling, .calling, .scanning])
        roster.sleeps(2, next: 7)
        #expect(roster.promise == 7)
        roster.returns(1)
        #expect(roster.canCall(1))
        #expect(roster.calls(1, next: 9) == .none)
        roster.scans(2)
        #expect(!roster.canCall(2))
    }

    @Test("after a failed start, a waiting callback is not tried again until another one returns")
    func startRefused() {
        var roster = Self.pair()
        #expect(roster.calls(0, next: .max) == .none)
        #expect(roster.canCall(1))
        #expect(roster.calls(1, next: .max) == .start(2))
        roster.resign(2)
        roster.scans(1)
        #expect(!roster.canCall(1))
        roster.returns(0)
        #expect(roster.canCall(1))
        #expect(roster.calls(1, next: .max) == .none)
        #expect(roster.canCall(0))
        #expect(roster.calls(0, next: .max) == .start(2))
    }

    @Test("a callback that blocks hides no deadline: a story of two watchers")
    func story() {
        var roster = Self.pair()
        // Two tasks, due at 100 and at 150. Both watchers know of them and sleep.
        roster.sleeps(0, next: 100)
        roster.sleeps(1, next: 100)
        #expect(roster.promise == 100)
        // At 100 both look. The first takes the first task; the other goes on to look.
        roster.scans(0)
        roster.scans(1)
        #expect(roster.calls(0, next: 150) == .none)
        roster.sleeps(1, next: 150)
        #expect(roster.promise == 150)
        // The callback blocks. A worker arms 120, which is before the promise, and wakes them.
        roster.scans(1)
        roster.sleeps(1, next: 120)
        #expect(roster.promise == 120)
        // At 120 the second expires that task. Nobody else is left for the one due at 150.
        roster.scans(1)
        #expect(roster.calls(1, next: 150) == .start(2))
        roster.sleeps(2, next: 150)
        #expect(roster.promise == 150)
        // The second comes back and sleeps long; the third calls, and the second has to know.
        roster.scans(1)
        roster.sleeps(1, next: 10_000)
        roster.scans(2)
        #expect(roster.calls(2, next: 300) == .wake)
        #expect(roster.promise == 10_000)
        roster.scans(1)
        roster.sleeps(1, next: 300)
        #expect(roster.promise == 300)
    }

    // MARK: Anything at all

    @Test("before a callback another thread watches the next deadline or is woken")
    func anyPosts() {
        var random = SeededGenerator(seed: 3)
        var counts: [String: Int] = [:]
        for _ in 0..<20_000 {
            var roster = DeadlineThreadRoster(
                limit: Int.random(in: 2...5, using: &random), stagger: 0)
            while Bool.random(using: &random) || roster.posts.isEmpty {
                guard let number = roster.join() else { break }
                switch UInt8.random(in: 0...4, using: &random) {
                case 0: break
                case 1...2: _ = roster.calls(number, next: 0)
                default: roster.sleeps(number, next: UInt64.random(in: 0...9, using: &random))
                }
            }
            // `calls` may have added a watcher; it has not looked yet.
            let caller = Int.random(in: 0..<roster.posts.count, using: &random)
            roster.scans(caller)
            let others = roster.posts.indices.filter { $0 != caller }.map { roster.posts[$0] }
            let before = roster
            let next = UInt64.random(in: 0...9, using: &random)
            let action = roster.calls(caller, next: next)

            let known = others.contains {
                switch $0 {
                case .scanning: true
                case .asleep(let until): until <= next
                case .calling, .vacant: false
                }
            }
            let blocked = others.allSatisfy { $0 == .calling }
            let room = before.posts.count < before.limit
            let expected: DeadlineThreadRoster.CallAction =
                if known { .none } else if !blocked { .wake } else if room {
                    .start(before.posts.count)
                } else { .exhausted }
            guard action == expected else {
                Issue.record("\(before.posts), \(caller) calls, \(next): \(action)")
                return
            }
            counts["\(action)".prefix { $0 != "(" }.description, default: 0] += 1
            var posts = before.posts
            posts[caller] = action == .exhausted ? .scanning : .calling
            if case .start = action { posts.append(.scanning) }
            guard roster.posts == posts else {
                Issue.record("\(before.posts) became \(roster.posts)")
                return
            }
        }
        #expect(counts.count == 4)
        #expect(counts.values.allSatisfy { $0 > 200 })
    }
}
