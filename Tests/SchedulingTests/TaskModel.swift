// SPDX-License-Identifier: Apache-2.0

@testable import Scheduling

/// What a task is by its contract, in plain words instead of bits, together with the world around
/// it: where its run is, and who still owes it a step. The machine has to agree with it.
struct TaskModel: Equatable {
    /// Where the run of the task is.
    enum Place: UInt64 {
        case inQueue
        /// Held back when its turn came.
        case aside
        /// Resumed, and not in the queue yet.
        case onItsWayBack
        case inside
        /// Its function has returned, or will never be called.
        case gone
    }

    var generation: UInt32
    var place = Place.inQueue
    var entered = false
    var held = false
    var outcome: Outcome?
    var published = false
    var answered = false
    var reason: StopReason?
    /// Somebody has begun to stop it, and goes on with `stopConfirmed`.
    var confirming: StopReason?
    var inCallback = false
    var raised = false
    var lost = false
    var doneQueued = false
    var pins: UInt64 = 0
    var pluginReferences: UInt64 = 0
    var embedderReferences: UInt64 = 0

    init(generation: UInt32) { self.generation = generation }

    /// The world can do this now. What the machine has to refuse is legal.
    func allows(_ input: TaskInput) -> Bool {
        switch input {
        case .enter: place == .inQueue
        case .returned, .finished, .returnedWhenOver: place == .inside
        case .publish: outcome != nil && !published
        case .doneDelivered: doneQueued
        case .stopConfirmed: confirming != nil
        case .callbackReturned, .noteRaised: inCallback
        case .requeued, .requeueFailed: place == .onItsWayBack
        case .unpin: pins > 0
        case .completed, .complete, .graceOver, .stop, .lose, .hold, .resume, .raise, .pin,
            .keepForPlugin,
            .releaseForPlugin, .keepForEmbedder, .releaseForEmbedder:
            true
        }
    }

    /// Does what the contract says. Answers what the machine has to answer.
    mutating func apply(_ input: TaskInput) -> TaskAnswer {
        let answer = step(input)
        if isFree { self = TaskModel(generation: generation &+ 1) }
        return answer
    }

    /// Over, published, and nobody is left who may look at it.
    private var isFree: Bool {
        place == .gone && published && !doneQueued && confirming == nil && !inCallback
            && pins == 0 && pluginReferences == 0 && embedderReferences == 0
    }

    private mutating func step(_ input: TaskInput) -> TaskAnswer {
        switch input {
        case .enter:
            if outcome != nil {
                place = .gone
                return .enter(.skip)
            }
            if held {
                place = .aside
                return .enter(.park)
            }
            entered = true
            place = .inside
            return .enter(.run)
        case .returned(let success):
            place = .gone
            guard outcome == nil else { return .returned(.none) }
            guard let success else { return .returned(.pending) }
            answer(success)
            return .returned(.decide)
        case .finished(let queueingDone):
            var plain = TaskModel(generation: generation)
            plain.entered = true
            plain.place = .inside
            guard self == plain else { return .flag(false) }
            place = .gone
            outcome = .succeeded
            published = true
            doneQueued = queueingDone
            return .flag(true)
        case .returnedWhenOver:
            var plain = TaskModel(generation: generation)
            plain.entered = true
            plain.place = .inside
            plain.outcome = .succeeded
            plain.published = true
            guard self == plain else { return .flag(false) }
            place = .gone
            return .flag(true)
        case .completed(let queueingDone):
            var plain = TaskModel(generation: generation)
            plain.entered = true
            plain.place = place == .gone ? .gone : .inside
            guard self == plain else { return .flag(false) }
            outcome = .succeeded
            published = true
            doneQueued = queueingDone
            return .flag(true)
        case .complete(let success): return .verdict(complete(success))
        case .graceOver:
            guard outcome == nil, let reason else { return .flag(false) }
            outcome = reason.outcome
            return .flag(true)
        case .publish(let queueingDone):
            published = true
            doneQueued = queueingDone
        case .doneDelivered: doneQueued = false
        case .stop(let reason): return .stop(stop(reason))
        case .stopConfirmed:
            if outcome == nil {
                reason = confirming
                inCallback = true
            }
            confirming = nil
            return .flag(inCallback)
        case .callbackReturned: inCallback = false
        case .lose:
            guard place == .inside, !lost else { return .flag(false) }
            lost = true
            return .flag(true)
        case .hold:
            guard outcome == nil else { return .hold(.already) }
            guard !entered else { return .hold(.wrongState) }
            held = true
            return .hold(.done)
        case .resume:
            guard outcome == nil else { return .resume(.already) }
            guard held else { return .resume(.wrongState) }
            held = false
            guard place == .aside else { return .resume(.done) }
            place = .onItsWayBack
            return .resume(.requeue)
        case .requeued: place = .inQueue
        case .requeueFailed:
            guard outcome == nil else {
                place = .gone
                return .flag(false)
            }
            held = true
            place = .aside
            return .flag(true)
        case .raise:
            guard entered, outcome == nil else { return .flag(false) }
            raised = true
            return .flag(true)
        case .noteRaised: raised = true
        case .pin: return .flag(take(&pins, upTo: 15))
        case .unpin: pins -= 1
        case .keepForPlugin: return .flag(take(&pluginReferences, upTo: 60))
        case .releaseForPlugin:
            if pluginReferences > 0 {
                pluginReferences -= 1
                return .release(.done)
            }
            guard entered, place == .gone, outcome == nil else { return .release(.wrongState) }
            outcome = reason?.outcome ?? .abandoned
            return .release(.abandoned)
        case .keepForEmbedder: return .flag(take(&embedderReferences, upTo: 30))
        case .releaseForEmbedder:
            guard embedderReferences > 0 else { return .flag(false) }
            embedderReferences -= 1
            return .flag(true)
        }
        return .nothing
    }

    private func take(_ count: inout UInt64, upTo limit: UInt64) -> Bool {
        guard count < limit else { return false }
        count += 1
        return true
    }

    private mutating func answer(_ success: Bool) {
        answered = reason != nil
        outcome = reason?.outcome ?? (success ? .succeeded : .failed)
    }

    private mutating func complete(_ success: Bool) -> TaskStateMachine.Verdict {
        guard entered else { return .stale }
        if let outcome {
            if outcome == .abandoned { return .stale }
            return reason != nil && !answered ? .expired : .already
        }
        answer(success)
        return answered ? .late : .accepted
    }

    private mutating func stop(_ wanted: StopReason) -> TaskStateMachine.StopAction {
        guard outcome == nil, reason == nil, confirming == nil else { return .already }
        if entered {
            confirming = wanted
            return .confirm
        }
        guard [.cancelled, .shutdown, .lease].contains(wanted) else { return .notStarted }
        if place == .aside { place = .gone }
        held = false
        outcome = wanted.outcome
        return .neverEntered
    }

    /// The bits that the layout in the machine's documentation gives it.
    var word: UInt64 {
        func bit(_ flag: Bool, _ place: UInt64) -> UInt64 { (flag ? 1 : 0) << place }
        return bit(entered, 0) | bit(place == .gone, 1) | bit(outcome != nil, 2)
            | bit(published, 3) | bit(answered, 4) | UInt64(outcome?.rawValue ?? 0) << 5
            | UInt64(reason?.rawValue ?? 0) << 8 | bit(held, 11) | bit(place == .aside, 12)
            | bit(raised, 13) | bit(lost, 14) | bit(doneQueued, 15)
            | bit(confirming != nil || inCallback, 16) | pins << 17 | pluginReferences << 21
            | embedderReferences << 27 | UInt64(generation) << 32
    }

    /// Tells all states of one generation apart: the word, and what of the world is not in it.
    var key: UInt64 {
        word & 0xFFFF_FFFF | place.rawValue << 32
            | UInt64(confirming?.rawValue ?? 0) << 40 | (inCallback ? 1 : 0) << 48
    }
}
