// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Scheduling

@Suite("The processes of a plugin, one after the other")
struct ChildStateMachineTests {
    private static let second: UInt64 = 1_000_000_000

    @Test("a process that ends is followed by another one after a pause that doubles")
    func pauses() {
        var machine = ChildStateMachine(at: 0)
        var now: UInt64 = 0
        var pauses: [UInt64] = []
        for _ in 0..<12 {
            machine.loaded()
            guard case .start(let at) = machine.ended(at: now, successes: 1) else {
                Issue.record("no start follows")
                return
            }
            pauses.append(at - now)
            let did1 = machine.start(at: at - 1)
            #expect(!did1)
            let did2 = machine.start(at: at)
            #expect(did2)
            now = at
        }
        let tenth = Self.second / 10
        #expect(pauses.prefix(4) == [tenth, 2 * tenth, 4 * tenth, 8 * tenth])
        #expect(pauses.last == 60 * Self.second)
    }

    @Test("a long life, or a hundred successes, begin the pauses anew")
    func soundLives() {
        var machine = ChildStateMachine(at: 0)
        for _ in 0..<2 { _ = end(&machine, successes: 1) }
        do {
            let action = end(&machine, successes: 99)
            #expect(action == .start(at: 400_000_000))
        }
        do {
            let action = end(&machine, successes: 100)
            #expect(action == .start(at: 100_000_000))
        }
        machine = ChildStateMachine(at: 0)
        machine.loaded()
        let late = 600 * Self.second
        do {
            let action = machine.ended(at: late, successes: 0)
            #expect(action == .start(at: late))
        }
    }

    /// Ends a process at its start, at time 0, and starts the next one.
    private func end(
        _ machine: inout ChildStateMachine, successes: UInt64
    ) -> ChildStateMachine.Action {
        let action = machine.ended(at: 0, successes: successes)
        if case .start(let at) = action {
            var after = machine
            let didStart = after.start(at: at)
            #expect(didStart)
            machine = after
            machine = ChildStateMachine(continuing: machine, at: 0)
        }
        return action
    }

    @Test("three ends in a row without a success are a quarantine")
    func quarantine() {
        var machine = ChildStateMachine(at: 0)
        do {
            let action = end(&machine, successes: 0)
            #expect(action != .quarantine)
        }
        do {
            let action = end(&machine, successes: 0)
            #expect(action != .quarantine)
        }
        var other = machine
        do {
            let action = end(&machine, successes: 0)
            #expect(action == .quarantine)
        }
        #expect(machine.state == .quarantined)
        // Nothing starts, and a late report changes nothing.
        let did3 = machine.start(at: .max)
        #expect(!did3)
        do {
            let action = machine.ended(at: 1, successes: 0)
            #expect(action == .none)
        }
        // A success in between counts from one again.
        do {
            let action = end(&other, successes: 1)
            #expect(action != .quarantine)
        }
        #expect(other.endsInARow == 1)
    }

    @Test("ends that are far apart are no quarantine")
    func farApart() {
        var machine = ChildStateMachine(at: 0)
        var now: UInt64 = 0
        for _ in 0..<10 {
            guard case .start(let at) = machine.ended(at: now, successes: 0) else {
                Issue.record("a quarantine at \(now)")
                return
            }
            let did4 = machine.start(at: at)
            #expect(did4)
            now = at + 301 * Self.second
        }
    }

    @Test("a release from quarantine starts a process at once, with nothing counted")
    func release() {
        var machine = ChildStateMachine(at: 0)
        let did5 = machine.release(at: 0)
        #expect(!did5)
        for _ in 0..<3 { _ = end(&machine, successes: 0) }
        let did6 = machine.release(at: 5)
        #expect(did6)
        #expect(machine.endsInARow == 0)
        let did7 = machine.start(at: 5)
        #expect(did7)
        do {
            let action = machine.ended(at: 6, successes: 0)
            #expect(action == .start(at: 100_000_006))
        }
    }

    @Test("nothing follows once it is closed")
    func closed() {
        var machine = ChildStateMachine(at: 0)
        machine.close()
        do {
            let action = machine.ended(at: 1, successes: 0)
            #expect(action == .none)
        }
        let did8 = machine.start(at: .max)
        #expect(!did8)
        let did9 = machine.release(at: 2)
        #expect(!did9)
    }
}
