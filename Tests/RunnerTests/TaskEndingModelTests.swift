// SPDX-License-Identifier: Apache-2.0

import Scheduling
import Testing

/// The end of a task against threads that begin to want its done event, and against each other.
@Suite("Who ends a task, in every order")
struct TaskEndingModelTests {
    /// The words that the threads share, as `TaskEnding` and `EventDirectory` use them.
    struct Shared {
        var word: UInt64
        var takers: UInt64 = 0
        /// Done events in the queue.
        var queued = 0
        var outcomes: [Outcome] = []
        /// A subscriber saw the task running once it was subscribed.
        var sawRunning = false
        var frees = 0

        init() {
            var machine = TaskStateMachine(generation: 1)
            _ = machine.enter()
            word = machine.word
        }

        var machine: TaskStateMachine { TaskStateMachine(word: word) }
    }

    typealias Model = Interleavings<Shared>

    /// The worker's steps: look, exchange, look again.
    private func worker(looksAgain: Bool) -> [Model.Step] {
        [
            { shared, local in local.registers["word"] = shared.word },
            { shared, local in local.registers["wanted"] = shared.takers },
            { shared, local in
                let wanted = local.registers["wanted"]! > 0
                let before = local.registers["word"]!
                guard let over = TaskStateMachine(word: before).finished(queueingDone: wanted),
                    shared.word == before
                else {
                    local.isOver = true
                    return
                }
                shared.word = over.word
                shared.outcomes.append(.succeeded)
                if wanted {
                    shared.queued += 1
                    local.isOver = true
                } else {
                    shared.frees += 1
                }
            },
            { shared, _ in if looksAgain, shared.takers > 0 { shared.queued += 1 } },
        ]
    }

    /// A thread that subscribes, then looks whether the task still runs: `wait` in a chain of tasks.
    private var subscriber: [Model.Step] {
        [
            { shared, _ in shared.takers += 1 },
            { shared, _ in
                shared.sawRunning =
                    shared.machine.generation == 1 && !shared.machine.isOver
            },
        ]
    }

    private func misses(_ shared: Shared) -> String? {
        if shared.sawRunning, shared.queued == 0 {
            return "a subscriber saw the task running and gets no done event"
        }
        return shared.queued > 1 ? "two done events" : nil
    }

    @Test("a subscriber that saw the task running gets its done event")
    func subscriberInTime() {
        let result = Model(Shared(), [worker(looksAgain: true), subscriber]) { shared, _ in
            self.misses(shared)
        }.explore()
        #expect(result.fault == nil)
        #expect(result.orders > 10)
    }

    @Test("two subscribers do, and one event is enough for both")
    func twoSubscribers() {
        let result = Model(Shared(), [worker(looksAgain: true), subscriber, subscriber]) {
            shared, _ in self.misses(shared)
        }.explore()
        #expect(result.fault == nil)
    }

    @Test("without the second look one would wait for ever")
    func secondLookIsNeeded() {
        let result = Model(Shared(), [worker(looksAgain: false), subscriber]) { shared, _ in
            self.misses(shared)
        }.explore()
        #expect(result.fault?.what.hasPrefix("a subscriber saw the task running") == true)
    }

    /// A thread that decides by a step which is tried again until its exchange succeeds.
    private func decider(
        _ outcome: Outcome, _ step: @escaping (inout TaskStateMachine) -> Bool
    ) -> [Model.Step] {
        // Load and exchange are one step here: a failed exchange is loaded again, so that every
        // order of it is an order of this.
        [
            { shared, local in
                var machine = shared.machine
                guard machine.generation == 1, step(&machine) else {
                    local.isOver = true
                    return
                }
                shared.word = machine.word
                shared.outcomes.append(outcome)
            },
            { shared, _ in
                var machine = shared.machine
                machine.publish(queueingDone: true)
                shared.word = machine.word
                shared.queued += 1
            },
        ]
    }

    @Test("its function, a completion and the host end a task once, in every order")
    func oneDecides() {
        let stop: [Model.Step] = [
            { shared, local in
                var machine = shared.machine
                guard machine.generation == 1, machine.stop(.budget) == .confirm else {
                    local.isOver = true
                    return
                }
                shared.word = machine.word
            },
            { shared, local in
                var machine = shared.machine
                guard machine.stopConfirmed(.budget) else {
                    shared.word = machine.word
                    local.isOver = true
                    return
                }
                shared.word = machine.word
            },
            { shared, _ in
                var machine = shared.machine
                machine.callbackReturned()
                shared.word = machine.word
            },
            { shared, local in
                var machine = shared.machine
                guard machine.graceOver() else {
                    local.isOver = true
                    return
                }
                shared.word = machine.word
                shared.outcomes.append(.expired)
            },
            { shared, _ in
                var machine = shared.machine
                machine.publish(queueingDone: true)
                shared.word = machine.word
                shared.queued += 1
            },
        ]
        let result = Model(
            Shared(),
            [
                decider(.succeeded) { $0.functionReturned(success: true) == .decide },
                decider(.failed) { machine in
                    switch machine.complete(success: false) {
                    case .accepted, .late: true
                    default: false
                    }
                },
                stop,
            ]
        ) { shared, _ in
            if shared.outcomes.count != 1 { return "decided \(shared.outcomes.count) times" }
            return shared.queued == 1 ? nil : "\(shared.queued) done events"
        }.explore()
        #expect(result.fault == nil, "\(String(describing: result.fault))")
        #expect(result.orders > 50)
    }
}
