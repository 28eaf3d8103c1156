// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Scheduling

@Suite("The layout of a task's word")
struct TaskLayoutTests {
    private typealias Machine = TaskStateMachine

    /// Every field, from the lowest bit, as the documentation of the machine lists them.
    private static let fields: [(name: String, first: UInt64, last: UInt64, mask: UInt64)] = [
        ("entered", 0, 0, Machine.enteredBit), ("returned", 1, 1, Machine.returnedBit),
        ("claimed", 2, 2, Machine.claimedBit), ("published", 3, 3, Machine.publishedBit),
        ("answered", 4, 4, Machine.answeredBit), ("outcome", 5, 7, 7 << Machine.outcomeShift),
        ("reason", 8, 10, 7 << Machine.reasonShift), ("held", 11, 11, Machine.heldBit),
        ("parked", 12, 12, Machine.parkedBit), ("raised", 13, 13, Machine.raisedBit),
        ("lost", 14, 14, Machine.lostBit), ("done queued", 15, 15, Machine.doneQueuedBit),
        ("calling", 16, 16, Machine.callingBit), ("pins", 17, 20, Machine.pinMask),
        ("plugin", 21, 26, Machine.pluginMask), ("embedder", 27, 31, Machine.embedderMask),
        ("generation", 32, 63, 0xFFFF_FFFF << 32),
    ]

    @Test("every bit belongs to one field, and the fields stand where the documentation says")
    func fields() {
        var next: UInt64 = 0
        for field in Self.fields {
            #expect(field.first == next, "\(field.name)")
            let width = field.last - field.first + 1
            let ones: UInt64 = width == 64 ? .max : (1 << width) - 1
            #expect(field.mask == ones << field.first, "\(field.name)")
            next = field.last + 1
        }
        #expect(next == 64)
    }

    @Test("the shifts of counts point at the lowest bits of their fields")
    func shifts() {
        #expect(Machine.pinMask.trailingZeroBitCount == Machine.pinShift)
        #expect(Machine.pluginMask.trailingZeroBitCount == Machine.pluginShift)
        #expect(Machine.embedderMask.trailingZeroBitCount == Machine.embedderShift)
    }

    @Test("the limits fit into their fields, and so do all outcomes and reasons")
    func widths() {
        #expect(Machine.pluginReferenceLimit <= Machine.pluginMask >> Machine.pluginShift)
        #expect(Machine.embedderReferenceLimit <= Machine.embedderMask >> Machine.embedderShift)
        #expect(Outcome.allCases.allSatisfy { $0.rawValue <= 7 })
        #expect(StopReason.allCases.allSatisfy { $0.rawValue <= 7 })
    }

    @Test("what stands in one field is read from there alone")
    func reading() {
        for outcome in Outcome.allCases {
            let machine = Machine(word: UInt64(outcome.rawValue) << 5 | 1 << 8)
            #expect(machine.outcome == outcome)
            #expect(machine.reason == .budget)
        }
        for reason in StopReason.allCases {
            let machine = Machine(word: UInt64(reason.rawValue) << 8 | 0xF8FF)
            #expect(machine.reason == reason)
        }
        #expect(Machine(word: ~(7 << 5)).outcome == nil)
        #expect(Machine(word: ~(7 << 8)).reason == nil)
        #expect(Machine(word: ~Machine.pluginMask).pluginReferences == 0)
        #expect(Machine(word: Machine.pluginMask).pluginReferences == 63)
        #expect(Machine(word: ~Machine.embedderMask).embedderReferences == 0)
        #expect(Machine(word: Machine.embedderMask).embedderReferences == 31)
        #expect(Machine(word: 0xDEAD_BEEF << 32).generation == 0xDEAD_BEEF)
        #expect(Machine(generation: 0xDEAD_BEEF).word == 0xDEAD_BEEF << 32)
    }

    @Test("a flag is read from its own bit alone")
    func flags() {
        let flags: [(bit: UInt64, read: KeyPath<Machine, Bool>)] = [
            (0, \.isEntered), (1, \.isReturned), (2, \.isClaimed), (3, \.isOver),
            (4, \.isAnswered), (11, \.isHeld), (12, \.isParked), (13, \.hasRaised),
            (14, \.isLost), (16, \.isCalling),
        ]
        for (bit, read) in flags {
            #expect(Machine(word: 1 << bit)[keyPath: read], "bit \(bit)")
            #expect(!Machine(word: ~(1 << bit))[keyPath: read], "bit \(bit)")
        }
        for bit in 0..<64 as Range<UInt64> {
            #expect(Machine(word: 1 << bit).shouldStop == (bit == 2 || (8...10).contains(bit)))
        }
    }
}
