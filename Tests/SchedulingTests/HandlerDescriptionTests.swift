// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Scheduling

@Suite("Descriptions of handlers")
struct HandlerDescriptionTests {
    private static func tidy() -> HandlerDescription {
        HandlerDescription(identifier: "org.example.tidy")
    }

    @Test("an identifier is enough; the rest has defaults")
    func defaults() {
        let handler = Self.tidy()
        #expect(handler.kind == .appRefresh)
        #expect(handler.budget == 30_000_000_000)
        #expect(handler.grace == 5_000_000_000)
        #expect(handler.maxConcurrency == 1)
        #expect(handler.event == "tidy")
        #expect(handler.events.isEmpty)
        #expect(handler.fault == nil)
    }

    @Test("the kind sets the default of the budget, and only that")
    func kinds() {
        let handler = HandlerDescription(identifier: "org.example.tidy", kind: .processing)
        #expect(handler.budget == 600_000_000_000)
        #expect(handler.grace == 5_000_000_000)
    }

    @Test("what is said counts")
    func given() {
        let handler = HandlerDescription(
            identifier: "org.example.tidy", kind: .processing, budget: 2_000_000, grace: 0,
            maxConcurrency: 8, event: "sweep",
            events: [EventSignature(name: "swept", parameters: [.int64])!])
        #expect(handler.budget == 2_000_000)
        #expect(handler.grace == 0)
        #expect(handler.maxConcurrency == 8)
        #expect(handler.event == "sweep")
        #expect(handler.events.map(\.selector.description) == ["swept:"])
        #expect(handler.fault == nil)
    }

    @Test(
        "the event's name is the identifier's last component, in lower case, with _ for -",
        arguments: [
            ("org.example.tidy", "tidy"), ("org.example.TidyUp", "tidyup"),
            ("org.example.tidy-up", "tidy_up"), ("org.example.tidy--up-", "tidy__up_"),
            ("tidy", "tidy"), ("", ""), ("org.example.", "example"),
        ])
    func defaultEvent(_ identifier: String, _ event: String) {
        #expect(HandlerDescription.defaultEvent(of: identifier) == event)
    }

    @Test(
        "a reverse-DNS name is an identifier",
        arguments: ["a.b", "org.example.tidy", "org.Example.Tidy-Up_2", "9.9", "-.-", "_._"])
    func identifiers(_ text: String) {
        #expect(HandlerDescription.isIdentifier(text))
    }

    @Test(
        "anything else is not",
        arguments: [
            "", ".", "tidy", "org.", ".tidy", "org..tidy", "org.example.tidy+up",
            "org.example.tidy ", "org.exämple.tidy", "org.example/tidy", "org.example.ti dy",
            "org.example.tidy\u{0}", "org.\u{301}a",
            "../../etc.passwd",
        ])
    func notIdentifiers(_ text: String) {
        #expect(!HandlerDescription.isIdentifier(text))
    }

    @Test("an identifier has at most 128 bytes")
    func identifierLimit() {
        #expect(HandlerDescription.isIdentifier("a." + String(repeating: "b", count: 126)))
        #expect(!HandlerDescription.isIdentifier("a." + String(repeating: "b", count: 127)))
    }

    @Test("the host raises four events for a handler")
    func hostEvents() {
        let events = Self.tidy().hostEvents
        #expect(
            events.map(\.selector.description) == [
                "registeringtidy_done::", "tidy_progress::", "tidy_expired", "tidy_done::",
            ])
        #expect(
            events.map(\.parameters) == [[.bool, .text], [.double, .text], [], [.bool, .text]])
    }

    @Test("a fault of the identifier names it and shows how one looks")
    func identifierFault() {
        let handler = HandlerDescription(identifier: "tidy", event: "tidy")
        #expect(
            handler.fault
                == "\"tidy\" is not an identifier: "
                + "write a reverse-DNS name such as org.example.tidy")
    }

    @Test(
        "a fault of the event's name names it and says what one is made of",
        arguments: ["", "Tidy", "9tidy", "_tidy", "ti-dy", "tidy:", "tidy_done:"])
    func eventFault(_ event: String) {
        var handler = Self.tidy()
        handler.event = event
        #expect(
            handler.fault
                == "\"\(event)\" is not an event name: use lower-case letters, digits and _, "
                + "a letter first, at most 100 bytes")
    }

    @Test("an identifier whose last component makes no event name needs an event of its own")
    func derivedEventFault() {
        #expect(HandlerDescription(identifier: "org.example.7zip").fault?.contains("7zip") == true)
        #expect(HandlerDescription(identifier: "org.example.7zip", event: "zip").fault == nil)
    }

    @Test("an event's name has at most 100 bytes")
    func eventLimit() {
        var handler = Self.tidy()
        handler.event = String(repeating: "a", count: 100)
        #expect(handler.fault == nil)
        #expect(handler.hostEvents.count == 4)
        handler.event += "a"
        #expect(handler.fault?.contains("is not an event name") == true)
    }

    @Test("1 to 64 tasks of a handler may run at a time")
    func concurrency() {
        var handler = Self.tidy()
        for good: UInt32 in [1, 2, 64] {
            handler.maxConcurrency = good
            #expect(handler.fault == nil)
        }
        for bad: UInt32 in [0, 65, .max] {
            handler.maxConcurrency = bad
            #expect(handler.fault == "maxConcurrency is \(bad); it must be in 1…64")
        }
    }

    @Test("a budget is 1 ms to 24 h")
    func budget() {
        var handler = Self.tidy()
        for good: UInt64 in [1_000_000, 86_400_000_000_000] {
            handler.budget = good
            #expect(handler.fault == nil)
        }
        for bad: UInt64 in [0, 999_999, 86_400_000_000_001, .max] {
            handler.budget = bad
            #expect(handler.fault == "the budget is \(bad) ns; it must be in 1 ms…24 h")
        }
    }

    @Test("a grace is at most 10 min, and may be nothing")
    func grace() {
        var handler = Self.tidy()
        for good: UInt64 in [0, 1, 600_000_000_000] {
            handler.grace = good
            #expect(handler.fault == nil)
        }
        for bad: UInt64 in [600_000_000_001, .max] {
            handler.grace = bad
            #expect(handler.fault == "the grace is \(bad) ns; it must be at most 10 min")
        }
    }
}
