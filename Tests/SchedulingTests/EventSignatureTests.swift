// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Scheduling

@Suite("Event signatures")
struct EventSignatureTests {
    @Test("the selector has as many colons as there are parameters")
    func selector() {
        #expect(EventSignature(name: "tidy", parameters: [])?.selector.description == "tidy")
        #expect(
            EventSignature(name: "tidy_done", parameters: [.bool, .text])?.selector.description
                == "tidy_done::")
    }

    @Test("the parameters keep their order, and their types are part of the signature")
    func parameters() {
        let signature = EventSignature(name: "moved", parameters: [.text, .int64, .double])
        #expect(signature?.parameters == [.text, .int64, .double])
        #expect(signature != EventSignature(name: "moved", parameters: [.int64, .text, .double]))
        #expect(
            signature?.selector
                == EventSignature(name: "moved", parameters: [.bool, .bool, .bool])?.selector)
    }

    @Test("a name or a number of parameters that no event can have makes no signature")
    func refused() {
        #expect(EventSignature(name: "Moved", parameters: []) == nil)
        #expect(EventSignature(name: "", parameters: [.bool]) == nil)
        #expect(
            EventSignature(name: "a", parameters: Array(repeating: .bool, count: 16)) != nil)
        #expect(
            EventSignature(name: "a", parameters: Array(repeating: .bool, count: 17)) == nil)
    }

    @Test("a type is known by its number and by its name in a manifest")
    func types() {
        #expect(EventType.allCases.map(\.rawValue) == [1, 2, 3, 4, 5])
        #expect(EventType.allCases.map(\.name) == ["bool", "int32", "int64", "double", "text"])
        #expect(EventType.allCases.map { EventType(name: $0.name) } == EventType.allCases)
        #expect(EventType(name: "string") == nil)
        #expect(EventType(name: "Bool") == nil)
        #expect(EventType(name: "") == nil)
    }

    @Test("a value knows its type")
    func values() {
        let values: [EventValue] = [
            .bool(true), .int32(-1), .int64(.max), .double(0.5), .text("done"),
        ]
        #expect(values.map(\.type) == EventType.allCases)
        #expect(EventValue.int32(1) != .int64(1))
    }
}
