// SPDX-License-Identifier: Apache-2.0
import Scheduling
import Testing

@Suite("The state machine of a target")
struct TargetStateMachineTests {
    private typealias Machine = TargetStateMachine<String, Int>

    private let x = EventSelector("x")!
    private var machine = Machine(kind: .module)

    private func text(_ arrival: Machine.Arrival) -> String {
        switch arrival {
        case .resume(let waiter): "resume \(waiter)"
        case .call(let sub): "call \(sub)"
        case .untaken: "untaken"
        case .missing: "missing"
        case .paused: "paused"
        case .closed: "closed"
        }
    }

    private func text(_ waiting: Machine.Waiting) -> String {
        switch waiting {
        case .waiting(let replaced): replaced.map { "replaces \($0)" } ?? "waiting"
        case .completed: "completed"
        case .unknown: "unknown"
        case .exhausted: "exhausted"
        case .closed: "closed"
        }
    }

    private mutating func wait(_ number: UInt64, from sender: SenderIdentity? = nil) -> String {
        text(machine.waits(for: x, from: sender, number: number, Int(number)))
    }

    private mutating func arrive(
        from sender: SenderIdentity? = nil, isCall: Bool = false
    ) -> String {
        text(machine.eventArrived(x, from: sender, isCall: isCall))
    }

    @Test("Who waits comes before the sub, for one sender before any, each once")
    mutating func order() {
        let (one, two) = (SenderIdentity(.task, 1), SenderIdentity(.object, 1))
        #expect(machine.add("sub", for: x) == .added)
        #expect(machine.add("other", for: x) == .exists)
        #expect(wait(1) == "waiting")
        #expect(wait(2, from: one) == "waiting")
        #expect(arrive(from: one) == "resume 2")
        #expect(arrive(from: two) == "resume 1")
        #expect(arrive(from: two) == "call sub")
        #expect(machine.counts.resumed == 2)
        #expect(machine.counts.called == 1)
    }

    @Test("A newer wait replaces one of the same event and sender only")
    mutating func replacing() {
        #expect(wait(1) == "waiting")
        #expect(wait(2, from: SenderIdentity(.task, 1)) == "waiting")
        #expect(wait(3) == "replaces 1")
        #expect(machine.waitEnded(1) == nil)
        #expect(machine.waitEnded(3) == 3)
        #expect(arrive() == "untaken")
    }

    @Test("What is gone is purged, also in the middle of others")
    mutating func purging() {
        for number in 1...3 as ClosedRange<UInt64> {
            #expect(wait(number, from: SenderIdentity(.object, number)) == "waiting")
        }
        #expect(machine.purge { $0 == 2 } == [2])
        #expect(arrive(from: SenderIdentity(.object, 2)) == "untaken")
        #expect(machine.forget(SenderIdentity(.object, 3)) == [3])
        #expect(arrive(from: SenderIdentity(.object, 1)) == "resume 1")
    }

    @Test("A missing sub is an error only of a call, and only of an instance")
    mutating func missing() {
        #expect(arrive(isCall: true) == "untaken")
        machine = Machine(kind: .classInstance)
        #expect(arrive() == "untaken")
        #expect(arrive(isCall: true) == "missing")
        #expect(text(machine.eventArrived(nil, from: nil)) == "untaken")
    }

    @Test("Resumable subs can be waited for until their completion has come to its turn")
    mutating func resumables() {
        let sender = SenderIdentity(.resumable, 1)
        #expect(wait(1, from: sender) == "unknown")
        #expect(machine.resumableBegan() == 1)
        #expect(machine.resumableReturned(1) == true)
        #expect(machine.resumableReturned(1) == false)
        #expect(wait(2, from: sender) == "waiting")
        #expect(machine.resumableCompleted(1, x) == 2)
        #expect(wait(3, from: sender) == "completed")
        #expect(machine.resumableReturned(1) == false)
    }

    @Test("Paused it drops events, closing it refuses waits, and closed it refuses all calls")
    mutating func life() {
        _ = machine.add("sub", for: x)
        #expect(wait(1) == "waiting")
        #expect(machine.pause() == true)
        #expect(arrive() == "paused")
        #expect(wait(2, from: SenderIdentity(.task, 1)) == "waiting")
        #expect(machine.resume() == true)
        _ = machine.sleeps(number: 3, 3)
        #expect(Set(machine.close()) == [1, 2, 3])
        #expect(wait(4) == "closed")
        #expect(arrive() == "call sub")
        #expect(machine.pause() == false)
        #expect(machine.end() == [])
        #expect(arrive() == "closed")
        #expect(machine.add("sub", for: x) == .closed)
        #expect(machine.close() == [])
        #expect(machine.isClosed)
    }

    @Test("There is a limit to subs, waits and resumable subs")
    mutating func limits() {
        for number in 0..<Machine.subLimit {
            _ = machine.add("", for: EventSelector("s\(number)")!)
        }
        #expect(machine.add("", for: x) == .exhausted)
        for number in 1...UInt64(Machine.waitLimit) { _ = machine.sleeps(number: number, 0) }
        #expect(wait(1 << 20) == "exhausted")
        for _ in 0..<Machine.resumableLimit { _ = machine.resumableBegan() }
        #expect(machine.resumableBegan() == nil)
    }
}
