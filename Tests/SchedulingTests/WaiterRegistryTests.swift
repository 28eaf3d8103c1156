// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import Scheduling

@Suite("Waits for events")
struct WaiterRegistryTests {
    private typealias Wait = WaiterRegistry.Wait

    private static let done: UInt32 = 7
    private static let other: UInt32 = 8

    private static func wait(
        _ number: UInt64, for event: UInt32 = done, task: UInt64 = 0, context: UInt = 0
    ) -> Wait {
        Wait(number: number, event: event, task: task, context: context)
    }

    @Test("a wait takes one event, then it is gone")
    func oneShot() {
        var registry = WaiterRegistry()
        #expect(registry.take(event: Self.done, task: 5) == nil)
        #expect(registry.add(Self.wait(1)) == nil)
        #expect(registry.take(event: Self.done, task: 5) == 1)
        #expect(registry.take(event: Self.done, task: 5) == nil)
    }

    @Test("a wait takes only its own event")
    func otherEvents() {
        var registry = WaiterRegistry()
        #expect(registry.add(Self.wait(1)) == nil)
        #expect(registry.take(event: Self.other, task: 0) == nil)
        #expect(registry.take(event: Self.done, task: 0) == 1)
    }

    @Test("a filtered wait takes only events about its task")
    func filter() {
        var registry = WaiterRegistry()
        #expect(registry.add(Self.wait(1, task: 5)) == nil)
        #expect(registry.take(event: Self.done, task: 6) == nil)
        #expect(registry.take(event: Self.done, task: 0) == nil)
        #expect(registry.take(event: Self.done, task: 5) == 1)
    }

    @Test("an unfiltered wait takes events about any task, and about none")
    func unfiltered() {
        var registry = WaiterRegistry()
        #expect(registry.add(Self.wait(1)) == nil)
        #expect(registry.take(event: Self.done, task: 0) == 1)
        #expect(registry.add(Self.wait(2)) == nil)
        #expect(registry.take(event: Self.done, task: .max) == 2)
    }

    @Test("a filtered wait comes before an unfiltered one, whichever was first")
    func filteredFirst() {
        var registry = WaiterRegistry()
        #expect(registry.add(Self.wait(1)) == nil)
        #expect(registry.add(Self.wait(2, task: 5)) == nil)
        #expect(registry.take(event: Self.done, task: 5) == 2)
        #expect(registry.take(event: Self.done, task: 5) == 1)

        #expect(registry.add(Self.wait(3, task: 5)) == nil)
        #expect(registry.add(Self.wait(4)) == nil)
        #expect(registry.take(event: Self.done, task: 5) == 3)
        #expect(registry.take(event: Self.done, task: 5) == 4)
    }

    @Test("a filtered wait that does not match leaves the event to the unfiltered one")
    func passedOn() {
        var registry = WaiterRegistry()
        #expect(registry.add(Self.wait(1, task: 5)) == nil)
        #expect(registry.add(Self.wait(2)) == nil)
        #expect(registry.take(event: Self.done, task: 6) == 2)
        #expect(registry.take(event: Self.done, task: 6) == nil)
        #expect(registry.take(event: Self.done, task: 5) == 1)
    }

    @Test("first come, first served: unfiltered waits of different parties")
    func orderOfUnfiltered() {
        var registry = WaiterRegistry()
        #expect(registry.add(Self.wait(1, context: 1)) == nil)
        #expect(registry.add(Self.wait(2, context: 2)) == nil)
        #expect(registry.add(Self.wait(3, context: 3)) == nil)
        #expect(registry.take(event: Self.done, task: 0) == 1)
        #expect(registry.take(event: Self.done, task: 9) == 2)
        #expect(registry.take(event: Self.done, task: 0) == 3)
    }

    @Test("first come, first served: filtered waits of different parties")
    func orderOfFiltered() {
        var registry = WaiterRegistry()
        #expect(registry.add(Self.wait(9, context: 9)) == nil)
        #expect(registry.add(Self.wait(1, task: 5, context: 1)) == nil)
        #expect(registry.add(Self.wait(8, task: 6, context: 1)) == nil)
        #expect(registry.add(Self.wait(2, task: 5, context: 2)) == nil)
        #expect(registry.take(event: Self.done, task: 5) == 1)
        #expect(registry.take(event: Self.done, task: 5) == 2)
        #expect(registry.take(event: Self.done, task: 5) == 9)
        #expect(registry.take(event: Self.done, task: 5) == nil)
        #expect(registry.take(event: Self.done, task: 6) == 8)
    }

    @Test("a newer wait of the same event, task and context replaces the older, which is named")
    func replacement() {
        var registry = WaiterRegistry()
        #expect(registry.add(Self.wait(1, task: 5, context: 1)) == nil)
        #expect(registry.add(Self.wait(2, task: 5, context: 1)) == 1)
        #expect(registry.add(Self.wait(3, task: 5, context: 1)) == 2)
        #expect(registry.take(event: Self.done, task: 5) == 3)
        #expect(registry.take(event: Self.done, task: 5) == nil)

        #expect(registry.add(Self.wait(4)) == nil)
        #expect(registry.add(Self.wait(5)) == 4)
        #expect(registry.take(event: Self.done, task: 0) == 5)
        #expect(registry.take(event: Self.done, task: 0) == nil)
    }

    @Test("a wait for another event, task or context replaces nothing")
    func noReplacement() {
        var registry = WaiterRegistry()
        #expect(registry.add(Self.wait(1, task: 5, context: 1)) == nil)
        #expect(registry.add(Self.wait(2, for: Self.other, task: 5, context: 1)) == nil)
        #expect(registry.add(Self.wait(3, task: 6, context: 1)) == nil)
        #expect(registry.add(Self.wait(4, task: 5, context: 2)) == nil)
        #expect(registry.add(Self.wait(5, task: 0, context: 1)) == nil)
        #expect(registry.removeAll().map(\.number).sorted() == [1, 2, 3, 4, 5])
    }

    @Test("a wait that replaces another stands at the end of the line")
    func replacementGoesLast() {
        var registry = WaiterRegistry()
        #expect(registry.add(Self.wait(1, context: 1)) == nil)
        #expect(registry.add(Self.wait(2, context: 2)) == nil)
        #expect(registry.add(Self.wait(3, context: 1)) == 1)
        #expect(registry.take(event: Self.done, task: 0) == 2)
        #expect(registry.take(event: Self.done, task: 0) == 3)
    }

    @Test("a wait that was taken is not replaced")
    func takenIsGone() {
        var registry = WaiterRegistry()
        #expect(registry.add(Self.wait(1)) == nil)
        #expect(registry.take(event: Self.done, task: 0) == 1)
        #expect(registry.add(Self.wait(2)) == nil)
    }

    @Test("a wait that is given up takes nothing, and giving up tells its event once")
    func givingUp() {
        var registry = WaiterRegistry()
        #expect(registry.add(Self.wait(1, context: 1)) == nil)
        #expect(registry.add(Self.wait(2, context: 2)) == nil)
        #expect(registry.add(Self.wait(3, for: Self.other)) == nil)
        #expect(registry.remove(1) == Self.done)
        #expect(registry.remove(1) == nil)
        #expect(registry.take(event: Self.done, task: 0) == 2)
        #expect(registry.remove(2) == nil)
        #expect(registry.remove(3) == Self.other)
        #expect(registry.remove(99) == nil)
        #expect(registry.removeAll().isEmpty)
    }

    @Test("ending all waits names each of them once")
    func end() {
        var registry = WaiterRegistry()
        let waits = [
            Self.wait(1), Self.wait(2, task: 5), Self.wait(3, for: Self.other, context: 4),
        ]
        for wait in waits { #expect(registry.add(wait) == nil) }
        let ended = registry.removeAll()
        #expect(ended.count == 3)
        #expect(ended.sorted { $0.number < $1.number } == waits)
        #expect(registry.removeAll().isEmpty)
        #expect(registry.take(event: Self.done, task: 5) == nil)
        #expect(registry.add(waits[0]) == nil)
    }

    @Test("whatever comes, in whatever order: as one list of all waits would do", arguments: 0..<8)
    func agreesWithAList(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var registry = WaiterRegistry()
        // In order of arrival.
        var list: [Wait] = []
        for number in 1...5_000 as ClosedRange<UInt64> {
            let event = UInt32.random(in: 0...2, using: &random)
            let task = UInt64.random(in: 0...3, using: &random)
            switch UInt8.random(in: 0...9, using: &random) {
            case 0...4:
                let context = UInt.random(in: 0...2, using: &random)
                let wait = Self.wait(number, for: event, task: task, context: context)
                let old = list.firstIndex {
                    $0.event == event && $0.task == task && $0.context == context
                }
                try #require(registry.add(wait) == old.map { list[$0].number })
                if let old { list.remove(at: old) }
                list.append(wait)
            case 5...7:
                let index =
                    list.firstIndex { $0.event == event && $0.task != 0 && $0.task == task }
                    ?? list.firstIndex { $0.event == event && $0.task == 0 }
                let taken = registry.take(event: event, task: task)
                try #require(taken == index.map { list[$0].number })
                if let index { list.remove(at: index) }
            case 8:
                let chosen = UInt64.random(in: 1...number, using: &random)
                let index = list.firstIndex { $0.number == chosen }
                try #require(registry.remove(chosen) == index.map { list[$0].event })
                if let index { list.remove(at: index) }
            default:
                guard number % 50 == 0 else { continue }
                let ended = registry.removeAll().sorted { $0.number < $1.number }
                try #require(ended == list.sorted { $0.number < $1.number })
                list = []
            }
        }
    }
}
