// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Service

@Suite("When the system's bus is connected to")
struct BusStateMachineTests {
    private static let second: UInt64 = 1_000_000_000

    /// The pauses before each of some attempts that fail at once, with that part left out.
    private func pauses(_ count: Int, leavingOut part: Double) -> [UInt64] {
        var machine = BusStateMachine()
        var now: UInt64 = 0
        return (0..<count).map { _ in
            machine.lost(at: now, leavingOut: part)
            let until = machine.opensAt ?? 0
            defer { now = until }
            return until - now
        }
    }

    @Test("The first attempt is made at once, and the pauses double up to 30 s")
    func doubling() {
        #expect(BusStateMachine().opensAt == 0)
        let expected: [Double] = [0.5, 1, 2, 4, 8, 16, 30, 30]
        #expect(
            pauses(8, leavingOut: 0) == expected.map { UInt64($0 * Double(Self.second)) })
    }

    @Test(
        "At most half of a pause is left out, whatever the number",
        arguments: [1, 7, .infinity, -3])
    func jitter(part: Double) {
        #expect(pauses(1, leavingOut: part) == [part > 0 ? 250_000_000 : 500_000_000])
    }

    @Test("A connection that lasted begins anew, and one that did not goes on")
    func lasting() {
        var machine = BusStateMachine()
        for _ in 0..<4 { machine.lost(at: 0, leavingOut: 0) }
        machine.opened(at: 10 * Self.second)
        #expect(machine.isLive && machine.opensAt == nil)
        machine.lost(at: 11 * Self.second, leavingOut: 0)
        #expect(machine.opensAt == 19 * Self.second)
        machine.opened(at: 20 * Self.second)
        machine.lost(at: 50 * Self.second, leavingOut: 0)
        #expect(machine.opensAt == 50 * Self.second + BusStateMachine.firstPause)
        #expect(!machine.isLive)
    }
}
