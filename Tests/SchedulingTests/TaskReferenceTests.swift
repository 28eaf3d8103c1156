// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Scheduling

@Suite("References to a task, and its end for ever")
struct TaskReferenceTests {
    private static let stale = TaskStateMachine(generation: 2)

    /// A task that is over and returned, and that `holding` keeps from being freed.
    private static func over(
        queueingDone: Bool = false, holding: (inout TaskStateMachine) -> Void
    ) -> TaskStateMachine {
        var machine = TaskStateMachine(generation: 1)
        #expect(machine.enter() == .run)
        holding(&machine)
        #expect(machine.functionReturned(success: true) == .decide)
        machine.publish(queueingDone: queueingDone)
        return machine
    }

    @Test("a plugin may hold 60 references to a task, an embedder 30")
    func limits() {
        #expect(TaskStateMachine.pluginReferenceLimit == 60)
        #expect(TaskStateMachine.embedderReferenceLimit == 30)
        var machine = TaskStateMachine(generation: .max)
        #expect(machine.enter() == .run)
        let before = machine
        for count in 1...60 as ClosedRange<UInt64> {
            #expect(machine.keepForPlugin() == true)
            #expect(machine.pluginReferences == count)
        }
        #expect(machine.keepForPlugin() == false)
        #expect(machine.pluginReferences == 60)
        for count in 1...30 as ClosedRange<UInt64> {
            #expect(machine.keepForEmbedder() == true)
            #expect(machine.embedderReferences == count)
        }
        #expect(machine.keepForEmbedder() == false)
        #expect(machine.embedderReferences == 30)
        #expect(machine.generation == .max)
        #expect(machine.phase == .running)

        for _ in 0..<60 { #expect(machine.releaseForPlugin() == .done) }
        #expect(machine.releaseForPlugin() == .wrongState)
        for _ in 0..<30 { #expect(machine.releaseForEmbedder() == true) }
        #expect(machine.releaseForEmbedder() == false)
        #expect(machine == before)
    }

    @Test("a place that was given back can be taken again")
    func limitIsNotUsedUp() {
        var machine = TaskStateMachine(generation: 1)
        for _ in 0..<60 { #expect(machine.keepForPlugin() == true) }
        for _ in 0..<30 { #expect(machine.keepForEmbedder() == true) }
        #expect(machine.releaseForPlugin() == .done)
        #expect(machine.keepForPlugin() == true)
        #expect(machine.keepForPlugin() == false)
        #expect(machine.releaseForEmbedder() == true)
        #expect(machine.keepForEmbedder() == true)
        #expect(machine.keepForEmbedder() == false)
    }

    @Test("15 calls may pin a task at a time; the next has to try again")
    func pinLimit() {
        var machine = TaskStateMachine(generation: 1)
        let before = machine
        for _ in 0..<15 { #expect(machine.pin() == true) }
        let full = machine
        #expect(machine.pin() == false)
        #expect(machine == full)
        #expect(machine.pluginReferences == 0)
        machine.unpin()
        #expect(machine.pin() == true)
        for _ in 0..<15 { machine.unpin() }
        #expect(machine == before)
    }

    @Test("the plugin's last reference frees a task that is over")
    func pluginKeeps() {
        var machine = Self.over { machine in
            #expect(machine.keepForPlugin() == true)
            #expect(machine.keepForPlugin() == true)
        }
        #expect(machine.generation == 1)
        #expect(machine.releaseForPlugin() == .done)
        #expect(machine.outcome == .succeeded)
        #expect(machine.releaseForPlugin() == .done)
        #expect(machine == Self.stale)
    }

    @Test("a reference that outlives a pending task's completion is no abandonment")
    func releasedAfterCompletion() {
        var machine = TaskStateMachine(generation: 1)
        #expect(machine.enter() == .run)
        #expect(machine.keepForPlugin() == true)
        #expect(machine.functionReturned(success: nil) == .pending)
        #expect(machine.complete(success: true) == .accepted)
        #expect(machine.releaseForPlugin() == .done)
        #expect(machine.outcome == .succeeded)
        #expect(machine.releaseForPlugin() == .wrongState)
        machine.publish(queueingDone: false)
        #expect(machine == Self.stale)
    }

    @Test("the embedder's last reference frees a task that is over")
    func embedderKeeps() {
        var machine = Self.over { #expect($0.keepForEmbedder() == true) }
        #expect(machine.generation == 1)
        #expect(machine.outcome == .succeeded)
        #expect(machine.releaseForEmbedder() == true)
        #expect(machine == Self.stale)
    }

    @Test("the last pin frees a task that is over")
    func pinKeeps() {
        var machine = Self.over { #expect($0.pin() == true) }
        #expect(machine.generation == 1)
        machine.unpin()
        #expect(machine == Self.stale)
    }

    @Test("the done event frees a task that is over, once it was delivered")
    func doneEventKeeps() {
        var machine = Self.over(queueingDone: true) { _ in }
        #expect(machine.generation == 1)
        machine.doneDelivered()
        #expect(machine == Self.stale)
    }

    @Test("the last reference frees the task, in every order of releases")
    func anyOrder() {
        typealias Holder = (name: String, letGo: (inout TaskStateMachine) -> Void)
        let holders: [Holder] = [
            ("plugin", { #expect($0.releaseForPlugin() == .done) }),
            ("embedder", { #expect($0.releaseForEmbedder() == true) }),
            ("pin", { $0.unpin() }),
            ("done event", { $0.doneDelivered() }),
            ("callback", { $0.callbackReturned() }),
        ]
        func letGo(_ remaining: [Holder], _ machine: TaskStateMachine, _ path: [String]) {
            guard !remaining.isEmpty else {
                #expect(machine == Self.stale, "\(path)")
                return
            }
            #expect(machine.generation == 1, "\(path)")
            #expect(machine.outcome == .expired, "\(path)")
            for index in remaining.indices {
                var rest = remaining
                var next = machine
                rest.remove(at: index).letGo(&next)
                letGo(rest, next, path + [remaining[index].name])
            }
        }
        let machine = Self.over(queueingDone: true) { machine in
            #expect(machine.keepForPlugin() == true)
            #expect(machine.keepForEmbedder() == true)
            #expect(machine.pin() == true)
            #expect(machine.stop(.budget) == .confirm)
            #expect(machine.stopConfirmed(.budget) == true)
        }
        letGo(holders, machine, [])
    }

    @Test("a task is not freed before it is over, even without references")
    func notOver() {
        var machine = TaskStateMachine(generation: 1)
        #expect(machine.pin() == true)
        machine.unpin()
        #expect(machine.keepForEmbedder() == true)
        #expect(machine.releaseForEmbedder() == true)
        #expect(machine == TaskStateMachine(generation: 1))
        #expect(machine.enter() == .run)
        #expect(machine.functionReturned(success: nil) == .pending)
        #expect(machine.keepForPlugin() == true)
        #expect(machine.releaseForPlugin() == .done)
        #expect(machine.phase == .pending)
        #expect(machine.complete(success: true) == .accepted)
        #expect(machine.pin() == true)
        machine.unpin()
        #expect(machine.generation == 1, "its text and result are being written")
    }

    // MARK: Generations

    @Test("a freed task is a fresh one of the next generation, without any trace of the old")
    func nextGeneration() {
        var machine = TaskStateMachine(generation: 41)
        for generation in 41...43 as ClosedRange<UInt32> {
            #expect(machine == TaskStateMachine(generation: generation))
            #expect(machine.phase == .queued)
            #expect(machine.outcome == nil)
            #expect(machine.reason == nil)
            #expect(machine.enter() == .run)
            #expect(machine.raise() == true)
            #expect(machine.stop(.cancelled) == .confirm)
            #expect(machine.stopConfirmed(.cancelled) == true)
            machine.callbackReturned()
            #expect(machine.graceOver() == true)
            #expect(machine.lose() == true)
            machine.publish(queueingDone: false)
            #expect(machine.functionReturned(success: true) == .none)
        }
    }

    @Test("the last generation is followed by the first, and nothing else changes")
    func generationsWrap() {
        var machine = TaskStateMachine(generation: .max)
        #expect(machine.enter() == .run)
        #expect(machine.finished(queueingDone: false) == TaskStateMachine(generation: 0))
        #expect(machine.functionReturned(success: true) == .decide)
        machine.publish(queueingDone: false)
        #expect(machine == TaskStateMachine(generation: 0))
    }

    // MARK: The fast lane

    @Test("the fast lane does what the ordinary way does")
    func fastLane() {
        for queueingDone in [true, false] {
            var machine = TaskStateMachine(generation: 1)
            #expect(machine.enter() == .run)
            let fast = machine.finished(queueingDone: queueingDone)
            #expect(machine.functionReturned(success: true) == .decide)
            machine.publish(queueingDone: queueingDone)
            #expect(fast == machine)
            #expect(machine.generation == (queueingDone ? 1 : 2))
        }
    }

    @Test(
        "the fast lane is closed to everything that is not a plain run",
        arguments: [
            { _ = $0.keepForPlugin() }, { _ = $0.keepForEmbedder() }, { _ = $0.pin() },
            { _ = $0.raise() }, { _ = $0.stop(.budget) }, { _ = $0.complete(success: true) },
            { _ = $0.lose() }, { _ = $0.functionReturned(success: nil) },
        ] as [@Sendable (inout TaskStateMachine) -> Void])
    func fastLaneClosed(_ input: @Sendable (inout TaskStateMachine) -> Void) {
        var machine = TaskStateMachine(generation: 1)
        #expect(machine.finished(queueingDone: true) == nil, "it was not entered")
        #expect(machine.enter() == .run)
        #expect(machine.finished(queueingDone: true) != nil)
        input(&machine)
        #expect(machine.finished(queueingDone: true) == nil)
        #expect(machine.finished(queueingDone: false) == nil)
    }
}
