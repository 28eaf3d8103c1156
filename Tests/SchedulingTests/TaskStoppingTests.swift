// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Scheduling

@Suite("Stopping a task, and what races with it")
struct TaskStoppingTests {
    private static func running() -> TaskStateMachine {
        var machine = TaskStateMachine(generation: 1)
        #expect(machine.enter() == .run)
        return machine
    }

    private static let stale = TaskStateMachine(generation: 2)

    @Test("stopping takes two steps; the reason is set by the second")
    func twoSteps() {
        var machine = Self.running()
        #expect(machine.stop(.host) == .confirm)
        #expect(machine.reason == nil)
        #expect(machine.phase == .running)
        #expect(!machine.shouldStop)
        #expect(machine.isCalling)
        #expect(!machine.hasRaised, "nobody may want the expired event")
        #expect(machine.stopConfirmed(.host) == true)
        machine.noteRaised()
        #expect(machine.hasRaised, "the done event has to follow the expired one")
        #expect(machine.reason == .host)
        #expect(machine.shouldStop)
        #expect(machine.isCalling)
        machine.callbackReturned()
        #expect(!machine.isCalling)
        #expect(machine.reason == .host)
    }

    @Test("a task is told to stop once, for the first reason", arguments: StopReason.allCases)
    func once(_ second: StopReason) {
        var machine = Self.running()
        #expect(machine.stop(.budget) == .confirm)
        #expect(machine.stop(second) == .already)
        #expect(machine.stopConfirmed(.budget) == true)
        #expect(machine.stop(second) == .already)
        machine.callbackReturned()
        #expect(machine.stop(second) == .already)
        #expect(machine.reason == .budget)
    }

    @Test("a task that is over cannot be told to stop", arguments: StopReason.allCases)
    func over(_ reason: StopReason) {
        var machine = Self.running()
        #expect(machine.complete(success: true) == .accepted)
        let claimed = machine
        #expect(machine.stop(reason) == .already)
        #expect(machine == claimed)
        machine.publish(queueingDone: true)
        let over = machine
        #expect(machine.stop(reason) == .already)
        #expect(machine == over)

        var queued = TaskStateMachine(generation: 1)
        #expect(queued.stop(.shutdown) == .neverEntered)
        #expect(queued.stop(reason) == .already)
        #expect(queued.outcome == .interrupted)
    }

    @Test("a launch is withdrawn only before a thread has seen it")
    func withdrawn() {
        var queued = TaskStateMachine(generation: 1)
        #expect(queued.withdraw() == true)
        #expect(queued.outcome == .interrupted)
        #expect(!queued.isCalling)
        let claimed = queued
        #expect(queued.withdraw() == false)
        #expect(queued == claimed)

        var running = Self.running()
        let entered = running
        #expect(running.withdraw() == false)
        #expect(running == entered)
        // So it can still be told to stop.
        #expect(running.stop(.shutdown) == .confirm)
    }

    @Test("completed between the two steps: it was in time")
    func completedBetween() {
        var machine = Self.running()
        #expect(machine.stop(.budget) == .confirm)
        #expect(machine.complete(success: true) == .accepted)
        #expect(machine.stopConfirmed(.budget) == false)
        #expect(machine.reason == nil)
        #expect(machine.outcome == .succeeded)
        #expect(!machine.isCalling)
        #expect(machine.complete(success: true) == .already)
        machine.publish(queueingDone: false)
        #expect(machine.functionReturned(success: true) == .none)
        #expect(machine == Self.stale)
    }

    @Test("returned and published between the two steps: the second step frees it")
    func publishedBetween() {
        var machine = Self.running()
        #expect(machine.stop(.budget) == .confirm)
        #expect(machine.functionReturned(success: false) == .decide)
        machine.publish(queueingDone: false)
        #expect(machine.generation == 1, "somebody is about to confirm")
        #expect(machine.outcome == .failed)
        #expect(machine.stopConfirmed(.budget) == false)
        #expect(machine == Self.stale)
    }

    @Test("abandoned between the two steps: it was not told to stop")
    func abandonedBetween() {
        var machine = Self.running()
        #expect(machine.functionReturned(success: nil) == .pending)
        #expect(machine.stop(.cancelled) == .confirm)
        #expect(machine.releaseForPlugin() == .abandoned)
        #expect(machine.outcome == .abandoned)
        #expect(machine.stopConfirmed(.cancelled) == false)
        machine.publish(queueingDone: false)
        #expect(machine == Self.stale)
    }

    @Test("the function may return PENDING between the two steps")
    func pendingBetween() {
        var machine = Self.running()
        #expect(machine.stop(.cancelled) == .confirm)
        #expect(machine.functionReturned(success: nil) == .pending)
        #expect(machine.stopConfirmed(.cancelled) == true)
        #expect(machine.phase == .stopping)
        #expect(machine.complete(success: true) == .late)
        #expect(machine.outcome == .cancelled)
    }

    @Test("the fast path is closed as soon as a thread begins to stop the task")
    func noFastLane() {
        var machine = Self.running()
        #expect(machine.stop(.budget) == .confirm)
        #expect(machine.finished(queueingDone: false) == nil)
        #expect(machine.stopConfirmed(.budget) == true)
        #expect(machine.finished(queueingDone: false) == nil)
        machine.callbackReturned()
        #expect(machine.finished(queueingDone: false) == nil)
    }

    @Test("a task is not freed while its callback runs, however over it is")
    func callbackOutlivesTask() {
        var machine = Self.running()
        #expect(machine.stop(.budget) == .confirm)
        #expect(machine.stopConfirmed(.budget) == true)
        #expect(machine.functionReturned(success: true) == .decide)
        machine.publish(queueingDone: true)
        machine.doneDelivered()
        #expect(machine.generation == 1)
        #expect(machine.outcome == .expired)
        machine.callbackReturned()
        #expect(machine == Self.stale)
    }

    @Test("the grace may be over while the callback still runs")
    func graceOverDuringCallback() {
        var machine = Self.running()
        #expect(machine.stop(.budget) == .confirm)
        #expect(machine.graceOver() == false, "it has not begun")
        #expect(machine.stopConfirmed(.budget) == true)
        #expect(machine.graceOver() == true)
        machine.publish(queueingDone: false)
        #expect(machine.functionReturned(success: true) == .none)
        #expect(machine.generation == 1)
        machine.callbackReturned()
        #expect(machine == Self.stale)
    }

    // MARK: Losing the worker

    @Test("a function that does not come back loses its worker, once, and changes no outcome")
    func lost() {
        var machine = Self.running()
        #expect(machine.stop(.budget) == .confirm)
        #expect(machine.stopConfirmed(.budget) == true)
        machine.callbackReturned()
        #expect(machine.graceOver() == true)
        machine.publish(queueingDone: false)
        #expect(!machine.isLost)
        #expect(machine.lose() == true)
        #expect(machine.isLost)
        #expect(machine.lose() == false)
        #expect(machine.outcome == .expired)
        #expect(machine.complete(success: true) == .expired)
        #expect(machine.generation == 1)
        #expect(machine.functionReturned(success: true) == .none)
        #expect(machine == Self.stale, "a lost worker that comes back frees its task")
    }

    @Test("only a worker that is inside the function can be lost")
    func notLost() {
        var machine = TaskStateMachine(generation: 1)
        #expect(machine.lose() == false)
        #expect(machine.enter() == .run)
        #expect(machine.functionReturned(success: nil) == .pending)
        #expect(machine.lose() == false)

        var cancelled = TaskStateMachine(generation: 1)
        #expect(cancelled.stop(.cancelled) == .neverEntered)
        #expect(cancelled.lose() == false)

        var returned = Self.running()
        #expect(returned.functionReturned(success: true) == .decide)
        #expect(returned.lose() == false)
        #expect(!returned.isLost)
    }

    // MARK: Events of its own

    @Test("a task raises events from its entry to the decision, also while it is stopping")
    func raising() {
        var machine = TaskStateMachine(generation: 1)
        #expect(machine.raise() == false)
        #expect(!machine.hasRaised)
        #expect(machine.enter() == .run)
        #expect(machine.raise() == true)
        #expect(machine.hasRaised)
        #expect(machine.raise() == true)
        #expect(machine.stop(.budget) == .confirm)
        #expect(machine.raise() == true)
        #expect(machine.stopConfirmed(.budget) == true)
        #expect(machine.raise() == true)
        #expect(machine.complete(success: true) == .late)
        #expect(machine.raise() == false)
        machine.publish(queueingDone: false)
        #expect(machine.raise() == false)
    }

    @Test("raising after the decision marks nothing")
    func raisingTooLate() {
        var machine = Self.running()
        #expect(machine.complete(success: true) == .accepted)
        let claimed = machine
        #expect(machine.raise() == false)
        #expect(machine == claimed)
    }
}
