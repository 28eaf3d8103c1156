// SPDX-License-Identifier: Apache-2.0
import CCurfew
import CInterface
import TestSupport
import Testing

/// Subscriptions and waits of which there are many, and that come and go.
@Suite("Many subscriptions and waits")
struct CrowdedEventTests {
    /// Subscribers that write down their numbers, in the order in which they are called.
    private struct Crowd {
        let host: TestHost
        let called = Guarded<[Int]>([])
        var subscriptions: [(number: Int, subscription: curfew_subscription)] = []

        mutating func add(_ number: Int, to selector: String? = "hello") throws {
            let called = called
            let observer = Observer { event in
                if event.selector == "hello" { called.change { $0.append(number) } }
            }
            subscriptions.append((number, try host.observe(selector, by: observer)))
        }

        mutating func end(_ place: Int) -> Answer {
            let (_, subscription) = subscriptions.remove(at: place)
            return Answer(curfew_host_unsubscribe(host.raw, subscription, nil))
        }

        /// Whom one more event is delivered to.
        func whoIsCalled(_ raised: Int) throws -> [Int] {
            #expect(host.raise("hello") == .ok)
            #expect(host.raise("marker:", [.int32(Int32(raised))]) == .ok)
            try #require(
                host.all.waits {
                    $0.selector == "marker:" && $0.parameters == [.int32(Int32(raised))]
                })
            return called.change { called in
                defer { called = [] }
                return called
            }
        }
    }

    @Test(
        "subscribers are called in the order of subscribing, unless they have ended",
        arguments: [nil, "hello"])
    func orderOfSubscribers(_ selector: String?) throws {
        var crowd = Crowd(host: try TestHost())
        var random = SeededGenerator(seed: 7)
        var next = 0
        for round in 0..<60 {
            for _ in 0..<Int.random(in: 0...8, using: &random) {
                try crowd.add(next, to: selector)
                next += 1
            }
            for _ in 0..<Int.random(in: 0...8, using: &random)
            where !crowd.subscriptions.isEmpty {
                let place = Int.random(in: 0..<crowd.subscriptions.count, using: &random)
                #expect(crowd.end(place) == .ok)
            }
            try #require(try crowd.whoIsCalled(round) == crowd.subscriptions.map(\.number))
        }
        while !crowd.subscriptions.isEmpty { #expect(crowd.end(0) == .ok) }
        #expect(try crowd.whoIsCalled(1_000) == [])
    }

    @Test("who subscribes before an event that a wait takes sees the one after it")
    func subscriberAfterTakenEvent() throws {
        var crowd = Crowd(host: try TestHost())
        try crowd.add(1)
        #expect(try crowd.whoIsCalled(1) == [1])
        let wait = try crowd.host.expect("hello")
        // An observer of all besides, so that the wait's event finds everybody changed.
        try crowd.add(2)
        try crowd.add(3, to: nil)
        #expect(try crowd.whoIsCalled(2) == [3])
        #expect(crowd.host.collect(wait).answer == .ok)
        #expect(try crowd.whoIsCalled(3) == [3, 1, 2])
        #expect(crowd.end(0) == .ok)
        let other = try crowd.host.expect("hello")
        #expect(try crowd.whoIsCalled(4) == [3])
        #expect(crowd.host.collect(other).answer == .ok)
        #expect(try crowd.whoIsCalled(5) == [3, 2])
    }

    @Test("an event takes one of many waits, and those about other tasks stay")
    func manyWaits() throws {
        let host = try TestHost()
        let observer = Observer()
        try host.observe("hello", by: observer)
        let others = try (1...1_000).map { try host.expect("hello", task: curfew_task($0)) }
        let own = try (1...20).map {
            try host.expect("hello", context: UnsafeRawPointer(bitPattern: $0))
        }
        // First come, first served, and whoever gives up is passed over.
        for place in stride(from: 0, to: 20, by: 2) {
            #expect(host.collect(own[place], within: 0).answer == .timedOut)
        }
        for place in stride(from: 1, to: 20, by: 2) {
            #expect(host.raise("hello") == .ok)
            #expect(host.collect(own[place]).answer == .ok)
        }
        #expect(observer.events.isEmpty)
        #expect(host.raise("hello") == .ok)
        #expect(observer.seen.wait { $0.count == 1 })
        for wait in others { #expect(host.collect(wait, within: 0).answer == .timedOut) }
    }

    @Test("events are known apart, found and raised by several threads while others become known")
    func manyNames() throws {
        let host = try TestHost(observing: false) { $0.event_limit = 1 << 16 }
        let count = 400
        let sides = (0..<4).map { side in
            Side { () -> Int in
                var failures = 0
                for number in 0..<count {
                    // Each thread's own, all threads', and one of those that are known.
                    let names = [
                        "crowd_\(side)_\(number):", "crowd_\(number)",
                        "crowd_\(side)_\(number / 2):",
                    ]
                    for name in names {
                        let parameters: [Parameter] =
                            name.hasSuffix(":") ? [.int64(Int64(number))] : []
                        if host.raise(name, parameters) != .ok { failures += 1 }
                    }
                    // The same name with a parameter of another type.
                    if host.raise("crowd_\(side)_\(number):", [.bool(true)]) != .invalid {
                        failures += 1
                    }
                }
                return failures
            }
        }
        for side in sides { #expect(side.join() == 0) }
        // What the threads have raised is delivered before this.
        let curtain = try host.expect("curtain")
        #expect(host.raise("curtain") == .ok)
        #expect(host.collect(curtain).answer == .ok)
        let last = try host.expect("crowd_3_\(count - 1):")
        #expect(host.raise("crowd_3_\(count - 1):", [.int64(5)]) == .ok)
        #expect(host.collect(last).event?.parameters == [.int64(5)])
    }

    @Test("of many handlers each is found by its own identifier, while others are registered")
    func manyHandlers() throws {
        let host = try TestHost { $0.queue_limit = 2 }
        let count = 200
        let known = Guarded(0)
        let finder = Side { () -> Int in
            var wrong = 0
            var found: UInt32 = 0
            while known.value < count {
                let number = known.value
                guard number > 0 else { continue }
                for place in [0, number / 2, number - 1] {
                    let status = curfew_host_find_handler(
                        host.raw, "org.example.many\(place)", &found, nil)
                    if status != CURFEW_OK || found != UInt32(place) { wrong += 1 }
                }
                if curfew_host_find_handler(host.raw, "org.example.man", &found, nil) == CURFEW_OK {
                    wrong += 1
                }
            }
            return wrong
        }
        for number in 0..<count {
            try host.register("org.example.many\(number)", event: "many\(number)") { _ in 0 }
            known.change { $0 = number + 1 }
        }
        #expect(finder.join() == 0)
        #expect(host.tryLaunch("org.example.many\(count)").answer == .notFound)
        #expect(host.tryRegister("org.example.many7", event: "other").answer == .exists)
        #expect(host.wait(try host.launch("org.example.many\(count - 1)")) == .ok)
    }
}
