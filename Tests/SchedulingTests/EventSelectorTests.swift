// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Scheduling

@Suite("Event selectors")
struct EventSelectorTests {
    @Test("one colon per parameter")
    func colons() throws {
        let bare = try #require(EventSelector("tidy_done"))
        #expect(bare.name == "tidy_done")
        #expect(bare.arity == 0)
        let two = try #require(EventSelector("tidy_done::"))
        #expect(two.name == "tidy_done")
        #expect(two.arity == 2)
    }

    @Test("name and arity make an event: the same name with another arity is another event")
    func identity() throws {
        #expect(EventSelector("x_done") != EventSelector("x_done::"))
        #expect(EventSelector("x_done::") == EventSelector(name: "x_done", arity: 2))
        #expect(Set([EventSelector("x"), EventSelector("x:"), EventSelector("x:")]).count == 2)
    }

    @Test("what is written is what was read", arguments: ["a", "a:", "tidy_done::", "a9_:::"])
    func roundTrip(_ text: String) {
        #expect(EventSelector(text)?.description == text)
    }

    @Test(
        "a name is lower-case letters, digits and underscores, a letter first",
        arguments: [
            "", ":", "::", "A", "aB", "9a", "_a", "a-b", "a b", "a.b", "a:b", "a:b:", ":a", "é",
            "aé", "a\u{0}", "a\n", " a", "a ", "a\u{301}", "a\u{301}:", "ａ", "a٣",
        ])
    func badNames(_ text: String) {
        #expect(EventSelector(text) == nil)
    }

    @Test("a colon that makes one character with what stands before it hides nothing")
    func prependingCharacters() {
        // U+0600 and the colon after it are one character, but two Unicode scalars.
        #expect(EventSelector("a\u{600}:") == nil)
        #expect(EventSelector("a\u{600}::") == nil)
        #expect(EventSelector("a:\u{600}:") == nil)
    }

    @Test("a name has at most 128 bytes")
    func nameLimit() {
        #expect(EventSelector.nameLimit == 128)
        #expect(EventSelector(String(repeating: "a", count: 128) + "::")?.arity == 2)
        #expect(EventSelector(String(repeating: "a", count: 129)) == nil)
    }

    @Test("an event has at most 16 parameters, and not fewer than none")
    func arityLimit() {
        #expect(EventSelector.arityLimit == 16)
        #expect(EventSelector("a" + String(repeating: ":", count: 16))?.arity == 16)
        #expect(EventSelector("a" + String(repeating: ":", count: 17)) == nil)
        #expect(EventSelector("a" + String(repeating: ":", count: 100_000)) == nil)
        #expect(EventSelector(name: "a", arity: 0) != nil)
        #expect(EventSelector(name: "a", arity: -1) == nil)
        #expect(EventSelector(name: "a", arity: 17) == nil)
        #expect(EventSelector(name: "a:", arity: 0) == nil)
    }
}
