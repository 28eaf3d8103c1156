// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import Scheduling

@Suite("Every way through a task's life")
struct TaskExplorationTests {
    /// Goes through every state that can be reached from a fresh task, with every input that is
    /// possible there. References are followed up to two of each sort; their limits have tests of
    /// their own.
    @Test("all states that can be reached agree with the contract")
    func exhaustive() {
        let first = TaskExploration()
        var seen: Set<UInt64> = [first.model.key]
        var waiting = [first]
        var answers: Set<TaskAnswer> = []
        var ends = 0
        var steps = 0
        while let state = waiting.popLast() {
            for input in TaskInput.all where state.model.allows(input) && isNear(input, state.model)
            {
                var next = state
                let (fault, answer) = next.apply(input)
                steps += 1
                if let fault {
                    Issue.record("\(fault)")
                    return
                }
                answers.insert(answer)
                if next.model.generation != 1 {
                    ends += 1
                } else if seen.insert(next.model.key).inserted {
                    waiting.append(next)
                }
            }
        }
        #expect(seen.count > 10_000)
        #expect(steps > 100_000)
        #expect(ends > 200)
        #expect(answers.count == Self.possibleAnswers)
    }

    /// A walk that goes on from generation to generation, up to the real limits. Inputs are left
    /// out for a while at random, so that it also gets to where it would hardly stay.
    @Test(
        "a long random walk agrees with the contract",
        arguments: 0..<(WholeMatrix.isWanted ? 4 : 1) as Range<UInt64>)
    func randomWalk(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var task = TaskExploration(generation: .max - 2)
        var inputs: [TaskInput] = []
        var seen: Set<TaskInput> = []
        var most = (pins: 0 as UInt64, plugin: 0 as UInt64, embedder: 0 as UInt64)
        var generations = 0
        for step in 0..<200_000 {
            if step % 300 == 0 {
                let odds = [3, 6, 10].randomElement(using: &random)!
                let hoarding = Int.random(in: 0..<5, using: &random) == 0
                inputs = TaskInput.all.filter { input in
                    switch input {
                    case .pin, .keepForPlugin, .keepForEmbedder: hoarding
                    case .unpin, .releaseForPlugin, .releaseForEmbedder: !hoarding
                    default: Int.random(in: 0..<10, using: &random) < odds
                    }
                }
            }
            guard let input = inputs.filter(task.model.allows).randomElement(using: &random) else {
                inputs = TaskInput.all
                continue
            }
            let generation = task.machine.generation
            if let fault = task.apply(input).fault {
                Issue.record("seed \(seed), step \(step): \(fault)")
                return
            }
            seen.insert(input)
            if task.machine.generation != generation { generations += 1 }
            most.pins = max(most.pins, task.model.pins)
            most.plugin = max(most.plugin, task.model.pluginReferences)
            most.embedder = max(most.embedder, task.model.embedderReferences)
        }
        #expect(seen.count == TaskInput.all.count)
        #expect(generations > 1_000)
        #expect(most == (pins: 15, plugin: 60, embedder: 30))
    }

    /// All that machines can answer: nothing, true and false, and the cases of each action.
    private static let possibleAnswers = 1 + 2 + 3 + 3 + 5 + 4 + 3 + 4 + 3

    private func isNear(_ input: TaskInput, _ model: TaskModel) -> Bool {
        switch input {
        case .pin: model.pins < 2
        case .keepForPlugin: model.pluginReferences < 2
        case .keepForEmbedder: model.embedderReferences < 2
        default: true
        }
    }
}
