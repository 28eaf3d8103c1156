// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Scheduling

@Suite("Holding a task back")
struct TaskHoldingTests {
    private static let fresh = TaskStateMachine(generation: 1)
    private static let stale = TaskStateMachine(generation: 2)

    @Test("held and resumed in its queue: nothing has happened")
    func heldInQueue() {
        var machine = Self.fresh
        #expect(machine.hold() == .done)
        #expect(machine.phase == .held)
        #expect(machine.hold() == .done)
        #expect(!machine.isParked)
        #expect(machine.resume() == .done)
        #expect(machine == Self.fresh)
        #expect(machine.enter() == .run)
        #expect(!machine.isHeld)
    }

    @Test("its turn comes while it is held: it is parked, and has to queue again")
    func parked() {
        var machine = Self.fresh
        #expect(machine.hold() == .done)
        #expect(machine.enter() == .park)
        #expect(machine.isParked)
        #expect(!machine.isEntered)
        #expect(machine.phase == .held)
        #expect(machine.resume() == .requeue)
        #expect(machine == Self.fresh)
        #expect(machine.phase == .queued)
        #expect(machine.enter() == .run)
    }

    @Test("a held task may be held and parked again after it was put back")
    func parkedTwice() {
        var machine = Self.fresh
        for _ in 0..<2 {
            #expect(machine.hold() == .done)
            #expect(machine.enter() == .park)
            #expect(machine.resume() == .requeue)
        }
        #expect(machine == Self.fresh)
    }

    @Test("resuming what is not held is refused")
    func notHeld() {
        var machine = Self.fresh
        #expect(machine.resume() == .wrongState)
        #expect(machine.enter() == .run)
        #expect(machine.resume() == .wrongState)
        #expect(machine.functionReturned(success: nil) == .pending)
        #expect(machine.resume() == .wrongState)
    }

    @Test("what has started cannot be held back")
    func started() {
        var machine = Self.fresh
        #expect(machine.enter() == .run)
        #expect(machine.hold() == .wrongState)
        #expect(machine.functionReturned(success: nil) == .pending)
        #expect(machine.hold() == .wrongState)
        #expect(!machine.isHeld)
    }

    @Test("what is over is neither held back nor let go")
    func over() {
        var machine = Self.fresh
        #expect(machine.stop(.cancelled) == .neverEntered)
        #expect(machine.hold() == .already)
        #expect(machine.resume() == .already)
        #expect(!machine.isHeld)
    }

    @Test("no place in the queue: it stays aside, and can be resumed again")
    func requeueFailed() {
        var machine = Self.fresh
        #expect(machine.hold() == .done)
        #expect(machine.enter() == .park)
        let parked = machine
        #expect(machine.resume() == .requeue)
        #expect(machine.requeueFailed() == true)
        #expect(machine == parked)
        #expect(machine.resume() == .requeue)
        #expect(machine.enter() == .run)
    }

    @Test("cancelled on its way back into the queue: the queue skips it")
    func cancelledWhileRequeued() {
        var machine = Self.fresh
        #expect(machine.hold() == .done)
        #expect(machine.enter() == .park)
        #expect(machine.resume() == .requeue)
        #expect(machine.stop(.cancelled) == .neverEntered)
        machine.publish(queueingDone: false)
        #expect(machine.generation == 1, "it is being put into the queue")
        #expect(machine.enter() == .skip)
        #expect(machine == Self.stale)
    }

    @Test("cancelled on its way back without a place: this thread frees it")
    func cancelledWithoutPlace() {
        var machine = Self.fresh
        #expect(machine.hold() == .done)
        #expect(machine.enter() == .park)
        #expect(machine.resume() == .requeue)
        #expect(machine.stop(.cancelled) == .neverEntered)
        var unpublished = machine
        machine.publish(queueingDone: false)
        #expect(machine.requeueFailed() == false)
        #expect(machine == Self.stale)

        #expect(unpublished.requeueFailed() == false)
        #expect(unpublished.generation == 1)
        #expect(unpublished.outcome == .cancelled)
        unpublished.publish(queueingDone: false)
        #expect(unpublished == Self.stale)
    }

    @Test("held again on its way back: its queue parks it again")
    func heldWhileRequeued() {
        var machine = Self.fresh
        #expect(machine.hold() == .done)
        #expect(machine.enter() == .park)
        #expect(machine.resume() == .requeue)
        #expect(machine.hold() == .done)
        var refused = machine
        #expect(machine.enter() == .park)
        #expect(refused.requeueFailed() == true)
        #expect(refused == machine)
    }
}
