// SPDX-License-Identifier: Apache-2.0
import Scheduling
import Testing

@testable import Service

@Suite("When an app is started")
struct AppStartStateMachineTests {
    private typealias Machine = AppStartStateMachine
    private typealias Due = AppStartStateMachine.Due

    private static let minute: UInt64 = 60_000_000_000

    private func at(_ seconds: UInt64) -> Moment {
        Moment(wall: Int64(seconds) * 1_000_000_000, span: seconds * 1_000_000_000)
    }

    private func due(_ request: UInt64, at seconds: Int64 = 0) -> Due {
        Due(request: RequestID(rawValue: request), date: seconds * 1_000_000_000)
    }

    @Test("It is started once its request is due, and left alone while it runs")
    func started() {
        var machine = Machine()
        #expect(machine.look(isOpen: false, due: nil, at: at(1)) == .none)
        let first = due(1, at: 10)
        #expect(machine.look(isOpen: false, due: first, at: at(9)) == .none)
        #expect(machine.next(due: first).wall == first.date)
        #expect(machine.look(isOpen: false, due: first, at: at(10)) == .start(first, attempt: 1))
        // It waits for its conditions, for as long as they take.
        #expect(machine.look(isOpen: false, due: first, at: at(9_999)) == .none)
        #expect(machine.next(due: first) == (nil, nil))
        machine.launched(at: at(9_999))
        #expect(machine.next(due: first).span == at(10_029).span)
        #expect(machine.look(isOpen: true, due: first, at: at(10_000)) == .withdraw)
        #expect(machine.look(isOpen: true, due: due(2, at: 1), at: at(10_001)) == .none)
        // It has launched that, and has left.
        #expect(machine.look(isOpen: false, due: due(2, at: 20_000), at: at(10_009)) == .none)
        #expect(machine.failures == 0 && machine.state == .idle)
    }

    @Test("It waits for its turn, and takes the place of another once it is started")
    func turn() {
        var machine = Machine()
        #expect(machine.look(isOpen: false, due: due(1), mayStart: false, at: at(1)) == .none)
        #expect(machine.next(due: due(1), mayStart: false) == (nil, nil))
        #expect(!machine.takesPlace(isFree: true))
        #expect(machine.look(isOpen: false, due: due(1), at: at(2)) == .start(due(1), attempt: 1))
        // It may wait for a network, and longer than the others.
        #expect(machine.takesPlace(isFree: true) && !machine.takesPlace(isFree: false))
        machine.launched(at: at(3))
        #expect(machine.takesPlace(isFree: false))
        #expect(machine.look(isOpen: true, due: due(1), at: at(4)) == .withdraw)
        #expect(!machine.takesPlace(isFree: true))
    }

    @Test("A person who opens it makes a start that waits needless")
    func opened() {
        var machine = Machine()
        #expect(machine.look(isOpen: false, due: due(1), at: at(1)) == .start(due(1), attempt: 1))
        #expect(machine.look(isOpen: true, due: due(1), at: at(2)) == .withdraw)
        #expect(machine.ended(due: due(1), at: at(3)) == .none)
    }

    @Test("A start that waits is left out once nothing is due any more, or something else")
    func changed() {
        var machine = Machine()
        _ = machine.look(isOpen: false, due: due(1), at: at(1))
        #expect(machine.look(isOpen: false, due: nil, at: at(2)) == .withdraw)
        #expect(machine.look(isOpen: false, due: due(2), at: at(3)) == .start(due(2), attempt: 1))
        #expect(machine.look(isOpen: false, due: due(3), at: at(4)) == .withdraw)
        #expect(machine.look(isOpen: false, due: due(3), at: at(5)) == .start(due(3), attempt: 1))
    }

    @Test(
        "A start that cannot be stored is tried again after a minute, and does not count as in vain"
    )
    func refused() {
        var machine = Machine()
        for minute in 0..<9 as Range<UInt64> {
            let now = at(100 + minute * 60)
            #expect(machine.look(isOpen: false, due: due(1), at: now) == .start(due(1), attempt: 1))
            machine.refused(at: now)
            #expect(machine.next(due: due(1)).span == now.span + Self.minute)
        }
        #expect(machine.failures == 0)
    }

    @Test("One that ran and left between two looks has failed only if its request is still there")
    func missed() {
        var machine = Machine()
        _ = machine.look(isOpen: false, due: due(1), at: at(1))
        machine.launched(at: at(1))
        #expect(machine.ended(due: due(2, at: 99), at: at(2)) == .none)
        #expect(machine.state == .idle && machine.failures == 0)
        _ = machine.look(isOpen: false, due: due(2, at: 99), at: at(99))
        #expect(machine.ended(due: due(2, at: 99), at: at(99)) == .none)
        #expect(machine.failures == 1)
    }

    @Test(
        "Started in vain, it rests twice as long each time, and is given up after five",
        arguments: ["ends", "does not open its store", "opens it and does nothing"])
    func vain(how: String) {
        var machine = Machine()
        var now: UInt64 = 100
        var pauses: [UInt64] = []
        for attempt in 1...5 {
            #expect(
                machine.look(isOpen: false, due: due(1), at: at(now))
                    == .start(due(1), attempt: attempt))
            machine.launched(at: at(now))
            var action = Machine.Action.none
            switch how {
            case "ends": action = machine.ended(due: due(1), at: at(now))
            case "does not open its store":
                #expect(machine.look(isOpen: false, due: due(1), at: at(now + 29)) == .none)
                now += 30
                action = machine.look(isOpen: false, due: due(1), at: at(now))
            default:
                #expect(machine.look(isOpen: true, due: due(1), at: at(now)) == .withdraw)
                action = machine.look(isOpen: false, due: due(1), at: at(now))
            }
            guard attempt < 5 else {
                #expect(action == .giveUp)
                break
            }
            #expect(action == .none)
            let until = machine.next(due: due(1)).span ?? 0
            pauses.append((until - at(now).span) / Self.minute)
            now = until / 1_000_000_000
            #expect(machine.look(isOpen: false, due: due(1), at: at(now - 1)) == .none)
        }
        #expect(pauses == [1, 2, 4, 8])
        #expect(machine.look(isOpen: false, due: due(1), at: at(now + 999_999)) == .none)
        // It has run by itself.
        #expect(machine.look(isOpen: true, due: due(1), at: at(now)) == .none)
        #expect(machine.look(isOpen: false, due: due(2), at: at(now)) == .start(due(2), attempt: 1))
    }
}
