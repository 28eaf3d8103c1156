// SPDX-License-Identifier: Apache-2.0

@testable import Scheduling

/// A task's machine and its model, which get the same inputs and have to stay in step.
struct TaskExploration {
    private(set) var machine: TaskStateMachine
    private(set) var model: TaskModel

    init(generation: UInt32 = 1) {
        machine = TaskStateMachine(generation: generation)
        model = TaskModel(generation: generation)
    }

    /// Gives one input to both. Returns what went wrong, and the answer.
    mutating func apply(_ input: TaskInput) -> (fault: String?, answer: TaskAnswer) {
        let before = machine
        let pinnedDown = model
        let answer = input.apply(to: &machine, confirming: model.confirming)
        let expected = model.apply(input)
        var fault: String?
        if answer != expected {
            fault = "answered \(answer) instead of \(expected)"
        } else if machine.word != model.word {
            fault =
                "went to \(String(machine.word, radix: 2)) instead of \(String(model.word, radix: 2))"
        } else {
            fault =
                Self.contradiction(in: machine) ?? Self.regret(from: before, to: machine)
                ?? (machine.generation != before.generation
                    ? Self.hastyEnd(of: pinnedDown, by: input) : nil)
        }
        return (fault.map { "\(input) in \(pinnedDown): \($0)" }, answer)
    }

    /// What must not be true of any state.
    private static func contradiction(in machine: TaskStateMachine) -> String? {
        if machine.isOver, !machine.isClaimed { return "published without an outcome" }
        if machine.isClaimed != (machine.outcome != nil) { return "claimed, but as what?" }
        if machine.isAnswered, machine.reason == nil || !machine.isClaimed {
            return "answered nothing"
        }
        if machine.reason != nil, !machine.isEntered { return "told to stop before it started" }
        if let reason = machine.reason, let outcome = machine.outcome, outcome != reason.outcome {
            return "told to stop for \(reason), ended as \(outcome)"
        }
        if machine.isParked, !machine.isHeld { return "parked without being held" }
        if machine.isHeld, machine.isEntered || machine.isClaimed { return "held too late" }
        if machine.isLost, !machine.isEntered { return "lost before it started" }
        if machine.pluginReferences > TaskStateMachine.pluginReferenceLimit {
            return "too many references of the plugin"
        }
        if machine.embedderReferences > TaskStateMachine.embedderReferenceLimit {
            return "too many references of the embedder"
        }
        return nil
    }

    /// What must not happen from one step to the next.
    private static func regret(
        from before: TaskStateMachine, to after: TaskStateMachine
    ) -> String? {
        guard after.generation == before.generation else {
            return after == TaskStateMachine(generation: before.generation &+ 1)
                ? nil : "the next generation is not fresh"
        }
        if before.outcome != nil, after.outcome != before.outcome { return "the outcome changed" }
        if before.reason != nil, after.reason != before.reason { return "the reason changed" }
        let forEver: [(String, KeyPath<TaskStateMachine, Bool>)] = [
            ("entered", \.isEntered), ("returned", \.isReturned), ("claimed", \.isClaimed),
            ("published", \.isOver), ("answered", \.isAnswered), ("raised", \.hasRaised),
            ("lost", \.isLost),
        ]
        for (name, flag) in forEver where before[keyPath: flag] && !after[keyPath: flag] {
            return "\(name) was taken back"
        }
        return nil
    }

    /// Why a task must not have been freed by `input`, given what it was before.
    private static func hastyEnd(of model: TaskModel, by input: TaskInput) -> String? {
        if case .finished = input { return nil }
        if input == .returnedWhenOver { return nil }
        if model.place != .gone, input != .requeueFailed, input != .enter {
            if case .returned = input {} else { return "freed before it had returned" }
        }
        if case .completed = input { return nil }
        if case .publish = input {} else if !model.published { return "freed unpublished" }
        if model.doneQueued, input != .doneDelivered { return "freed under its done event" }
        if model.confirming != nil, input != .stopConfirmed { return "freed under its stop" }
        if model.inCallback, input != .callbackReturned { return "freed under its callback" }
        if model.pins > (input == .unpin ? 1 : 0) { return "freed while pinned" }
        if model.pluginReferences > (input == .releaseForPlugin ? 1 : 0) {
            return "freed while the plugin had it"
        }
        if model.embedderReferences > (input == .releaseForEmbedder ? 1 : 0) {
            return "freed while the embedder had it"
        }
        return nil
    }
}
