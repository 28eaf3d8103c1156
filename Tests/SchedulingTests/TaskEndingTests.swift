// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Scheduling

@Suite("How a task can end")
struct TaskEndingTests {
    /// A task a worker has just entered.
    private static func running() -> TaskStateMachine {
        var machine = TaskStateMachine(generation: 1)
        #expect(machine.enter() == .run)
        return machine
    }

    /// A task whose function has returned `PENDING`.
    private static func pending() -> TaskStateMachine {
        var machine = running()
        #expect(machine.functionReturned(success: nil) == .pending)
        return machine
    }

    /// A running task that was told to stop, and whose expiration callback has returned.
    private static func stopping(_ reason: StopReason) -> TaskStateMachine {
        var machine = running()
        #expect(machine.stop(reason) == .confirm)
        #expect(machine.stopConfirmed(reason) == true)
        machine.callbackReturned()
        return machine
    }

    private static let stale = TaskStateMachine(generation: 2)

    // MARK: In time

    @Test("a function that returns success has succeeded")
    func returnedSuccess() {
        var machine = TaskStateMachine(generation: 1)
        #expect(machine.phase == .queued)
        #expect(machine.outcome == nil)
        #expect(machine.enter() == .run)
        #expect(machine.phase == .running)
        #expect(machine.functionReturned(success: true) == .decide)
        #expect(machine.isClaimed)
        #expect(!machine.isOver)
        #expect(machine.phase == .over)
        #expect(machine.outcome == .succeeded)
        #expect(machine.reason == nil)
        #expect(!machine.isAnswered)
        machine.publish(queueingDone: true)
        #expect(machine.isOver)
        #expect(machine.generation == 1)
        machine.doneDelivered()
        #expect(machine == Self.stale)
    }

    @Test("a function that returns an error has failed")
    func returnedFailure() {
        var machine = Self.running()
        #expect(machine.functionReturned(success: false) == .decide)
        #expect(machine.outcome == .failed)
        machine.publish(queueingDone: false)
        #expect(machine == Self.stale)
    }

    @Test("a pending task that completes has succeeded or failed, and completes once")
    func completedWhilePending() {
        for (success, outcome) in [(true, Outcome.succeeded), (false, .failed)] {
            var machine = Self.pending()
            #expect(machine.phase == .pending)
            #expect(machine.complete(success: success) == .accepted)
            #expect(machine.outcome == outcome)
            #expect(machine.complete(success: !success) == .already)
            #expect(machine.outcome == outcome)
            machine.publish(queueingDone: true)
            #expect(machine.complete(success: !success) == .already)
            machine.doneDelivered()
            #expect(machine == Self.stale)
        }
    }

    @Test("complete inside the function decides; what the function returns then does not count")
    func completedInside() {
        for returned in [true, false, nil] {
            var machine = Self.running()
            #expect(machine.complete(success: true) == .accepted)
            machine.publish(queueingDone: false)
            #expect(machine.isOver)
            #expect(machine.generation == 1, "its function is still running")
            #expect(machine.functionReturned(success: returned) == .none)
            #expect(machine == Self.stale)
        }
    }

    @Test("the function may return between the decision and its publication")
    func returnedBeforePublished() {
        for returned in [true, false, nil] {
            var machine = Self.running()
            #expect(machine.complete(success: false) == .accepted)
            #expect(machine.functionReturned(success: returned) == .none)
            #expect(machine.outcome == .failed)
            #expect(machine.generation == 1)
            machine.publish(queueingDone: false)
            #expect(machine == Self.stale)
        }
    }

    @Test("complete after the function has decided comes too late to count")
    func completedAfterReturning() {
        var machine = Self.running()
        #expect(machine.functionReturned(success: false) == .decide)
        #expect(machine.complete(success: true) == .already)
        #expect(machine.outcome == .failed)
    }

    // MARK: Told to stop

    @Test(
        "whatever it answers within the grace, the reason says how it ended",
        arguments: StopReason.allCases, [true, false])
    func answered(_ reason: StopReason, _ success: Bool) {
        var byComplete = Self.stopping(reason)
        #expect(byComplete.phase == .stopping)
        #expect(byComplete.shouldStop)
        #expect(byComplete.complete(success: success) == .late)
        #expect(byComplete.outcome == reason.outcome)
        #expect(byComplete.reason == reason)
        #expect(byComplete.isAnswered)
        #expect(byComplete.complete(success: success) == .already)
        #expect(byComplete.graceOver() == false)
        byComplete.publish(queueingDone: false)
        #expect(byComplete.functionReturned(success: success) == .none)
        #expect(byComplete == Self.stale)

        var byReturning = Self.stopping(reason)
        #expect(byReturning.functionReturned(success: success) == .decide)
        #expect(byReturning.outcome == reason.outcome)
        #expect(byReturning.isAnswered)
        #expect(byReturning.complete(success: success) == .already)
        byReturning.publish(queueingDone: false)
        #expect(byReturning == Self.stale)
    }

    @Test("nothing answered within the grace: the host ends it", arguments: StopReason.allCases)
    func unanswered(_ reason: StopReason) {
        var machine = Self.stopping(reason)
        #expect(machine.graceOver() == true)
        #expect(machine.outcome == reason.outcome)
        #expect(!machine.isAnswered)
        #expect(machine.graceOver() == false)
        #expect(machine.complete(success: true) == .expired)
        machine.publish(queueingDone: true)
        #expect(machine.complete(success: false) == .expired)
        #expect(machine.complete(success: false) == .expired)
        machine.doneDelivered()
        #expect(machine.generation == 1, "its function is still running")
        #expect(machine.functionReturned(success: true) == .none)
        #expect(machine == Self.stale)
    }

    @Test("a pending task is told to stop in the same way", arguments: StopReason.allCases)
    func pendingToldToStop(_ reason: StopReason) {
        var machine = Self.pending()
        #expect(machine.stop(reason) == .confirm)
        #expect(machine.stopConfirmed(reason) == true)
        #expect(machine.phase == .stopping)
        machine.callbackReturned()
        var late = machine
        #expect(late.complete(success: true) == .late)
        #expect(late.outcome == reason.outcome)
        late.publish(queueingDone: false)
        #expect(late == Self.stale)
        #expect(machine.graceOver() == true)
        #expect(machine.complete(success: true) == .expired)
        machine.publish(queueingDone: false)
        #expect(machine == Self.stale)
    }

    @Test("a function told to stop may still return PENDING and answer within the grace")
    func pendingWhileStopping() {
        var machine = Self.stopping(.budget)
        #expect(machine.functionReturned(success: nil) == .pending)
        #expect(machine.phase == .stopping)
        #expect(machine.complete(success: true) == .late)
        #expect(machine.outcome == .expired)
        #expect(machine.isAnswered)
    }

    @Test("the grace of a task that was not told to stop is never over")
    func noGrace() {
        var machine = TaskStateMachine(generation: 1)
        #expect(machine.graceOver() == false)
        #expect(machine.enter() == .run)
        #expect(machine.graceOver() == false)
        #expect(machine.functionReturned(success: nil) == .pending)
        #expect(machine.graceOver() == false)
        #expect(machine.outcome == nil)
    }

    // MARK: Never entered

    @Test(
        "cancelled or interrupted while queued: over, and the worker skips it",
        arguments: [StopReason.cancelled, .shutdown, .lease])
    func endedWhileQueued(_ reason: StopReason) {
        var machine = TaskStateMachine(generation: 1)
        #expect(machine.stop(reason) == .neverEntered)
        #expect(machine.outcome == reason.outcome)
        #expect(machine.reason == nil)
        #expect(!machine.isEntered)
        #expect(machine.complete(success: true) == .stale)
        machine.publish(queueingDone: true)
        machine.doneDelivered()
        #expect(machine.generation == 1, "the queue still has it")
        #expect(machine.enter() == .skip)
        #expect(machine == Self.stale)
    }

    @Test("a worker may skip a cancelled task before its outcome is published")
    func skippedBeforePublished() {
        var machine = TaskStateMachine(generation: 1)
        #expect(machine.stop(.cancelled) == .neverEntered)
        #expect(machine.enter() == .skip)
        #expect(machine.generation == 1)
        #expect(machine.outcome == .cancelled)
        machine.publish(queueingDone: false)
        #expect(machine == Self.stale)
    }

    @Test(
        "what has not started cannot be stopped for another reason",
        arguments: [StopReason.budget, .condition, .host])
    func notStarted(_ reason: StopReason) {
        var machine = TaskStateMachine(generation: 1)
        #expect(machine.stop(reason) == .notStarted)
        #expect(machine == TaskStateMachine(generation: 1))
        #expect(machine.hold() == .done)
        let held = machine
        #expect(machine.stop(reason) == .notStarted)
        #expect(machine == held)
        #expect(machine.enter() == .park)
        let parked = machine
        #expect(machine.stop(reason) == .notStarted)
        #expect(machine == parked)
    }

    @Test(
        "cancelled or interrupted while held back in its queue",
        arguments: [StopReason.cancelled, .shutdown, .lease])
    func endedWhileHeld(_ reason: StopReason) {
        var machine = TaskStateMachine(generation: 1)
        #expect(machine.hold() == .done)
        #expect(machine.stop(reason) == .neverEntered)
        #expect(machine.outcome == reason.outcome)
        #expect(!machine.isHeld)
        machine.publish(queueingDone: false)
        #expect(machine.generation == 1, "the queue still has it")
        #expect(machine.resume() == .already)
        #expect(machine.enter() == .skip)
        #expect(machine == Self.stale)
    }

    @Test(
        "cancelled or interrupted while parked: it is in no queue, so no worker has to skip it",
        arguments: [StopReason.cancelled, .shutdown, .lease])
    func endedWhileParked(_ reason: StopReason) {
        var machine = TaskStateMachine(generation: 1)
        #expect(machine.hold() == .done)
        #expect(machine.enter() == .park)
        #expect(machine.stop(reason) == .neverEntered)
        #expect(machine.outcome == reason.outcome)
        #expect(!machine.isParked)
        #expect(machine.isReturned)
        machine.publish(queueingDone: true)
        machine.doneDelivered()
        #expect(machine == Self.stale)
    }

    // MARK: Abandoned

    @Test("a pending task whose last reference goes is abandoned at once")
    func abandoned() {
        var machine = Self.pending()
        #expect(machine.releaseForPlugin() == .abandoned)
        #expect(machine.outcome == .abandoned)
        #expect(!machine.isAnswered)
        #expect(machine.releaseForPlugin() == .wrongState)
        machine.publish(queueingDone: false)
        #expect(machine == Self.stale)
    }

    @Test("an abandoned task is stale to its plugin, also while others still hold it")
    func abandonedIsStale() {
        var machine = Self.pending()
        #expect(machine.keepForEmbedder() == true)
        #expect(machine.releaseForPlugin() == .abandoned)
        #expect(machine.complete(success: true) == .stale)
        machine.publish(queueingDone: true)
        #expect(machine.complete(success: true) == .stale)
        machine.doneDelivered()
        #expect(machine.complete(success: true) == .stale)
        #expect(machine.outcome == .abandoned)
        #expect(machine.releaseForEmbedder() == true)
        #expect(machine == Self.stale)
    }

    @Test("references that were taken come before the one that PENDING left")
    func abandonedAfterExtraReferences() {
        var machine = Self.running()
        #expect(machine.keepForPlugin() == true)
        #expect(machine.functionReturned(success: nil) == .pending)
        #expect(machine.keepForPlugin() == true)
        #expect(machine.releaseForPlugin() == .done)
        #expect(machine.releaseForPlugin() == .done)
        #expect(machine.phase == .pending)
        #expect(machine.releaseForPlugin() == .abandoned)
    }

    @Test("a running function's own reference cannot be released, only one that it took")
    func runningIsNotAbandoned() {
        var machine = TaskStateMachine(generation: 1)
        #expect(machine.releaseForPlugin() == .wrongState)
        #expect(machine.enter() == .run)
        #expect(machine.releaseForPlugin() == .wrongState)
        #expect(machine.keepForPlugin() == true)
        #expect(machine.releaseForPlugin() == .done)
        #expect(machine.releaseForPlugin() == .wrongState)
        #expect(machine.phase == .running)
    }

    @Test(
        "abandoned after it was told to stop: it ends as the reason says, unanswered",
        arguments: StopReason.allCases)
    func abandonedWhileStopping(_ reason: StopReason) {
        var machine = Self.stopping(reason)
        #expect(machine.functionReturned(success: nil) == .pending)
        #expect(machine.releaseForPlugin() == .abandoned)
        #expect(machine.outcome == reason.outcome)
        #expect(!machine.isAnswered)
        #expect(machine.complete(success: true) == .expired)
        #expect(machine.graceOver() == false)
        machine.publish(queueingDone: false)
        #expect(machine == Self.stale)
    }

    // MARK: What nobody may do

    @Test("an outcome is published once, after it was decided")
    func publishing() async {
        await #expect(processExitsWith: .failure) {
            var machine = TaskStateMachine(generation: 1)
            machine.publish(queueingDone: false)
        }
        await #expect(processExitsWith: .failure) {
            var machine = TaskStateMachine(generation: 1)
            _ = machine.enter()
            _ = machine.functionReturned(success: true)
            machine.publish(queueingDone: true)
            machine.publish(queueingDone: true)
        }
    }

    @Test("a pin is taken before it is given back")
    func unpinning() async {
        await #expect(processExitsWith: .failure) {
            var machine = TaskStateMachine(generation: 1)
            machine.unpin()
        }
    }
}
