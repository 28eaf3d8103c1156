// SPDX-License-Identifier: Apache-2.0

@testable import Scheduling

/// Everything that can happen to a task, for explorations that try all of it.
enum TaskInput: Hashable {
    case enter
    case returned(success: Bool?)
    case finished(queueingDone: Bool)
    case completed(queueingDone: Bool)
    case returnedWhenOver
    case complete(success: Bool)
    case graceOver
    case publish(queueingDone: Bool)
    case doneDelivered
    case stop(StopReason)
    case stopConfirmed
    case callbackReturned
    case lose
    case hold
    case resume
    /// A resumed task is in its queue again: no input of the machine, but the world's.
    case requeued
    case requeueFailed
    case raise
    case noteRaised
    case pin
    case unpin
    case keepForPlugin
    case releaseForPlugin
    case keepForEmbedder
    case releaseForEmbedder

    static let all: [TaskInput] =
        [
            .enter, .returned(success: nil), .returned(success: true), .returned(success: false),
            .finished(queueingDone: true), .finished(queueingDone: false),
            .returnedWhenOver, .completed(queueingDone: true), .completed(queueingDone: false),
            .complete(success: true), .complete(success: false), .graceOver,
            .publish(queueingDone: true), .publish(queueingDone: false), .doneDelivered,
            .stopConfirmed, .callbackReturned, .lose, .hold, .resume, .requeued, .requeueFailed,
            .raise, .noteRaised, .pin, .unpin, .keepForPlugin, .releaseForPlugin, .keepForEmbedder,
            .releaseForEmbedder,
        ] + StopReason.allCases.map { .stop($0) }

    /// Gives the input to the machine. `confirming`: the reason of whoever has begun to stop it.
    func apply(to machine: inout TaskStateMachine, confirming: StopReason?) -> TaskAnswer {
        switch self {
        case .enter: return .enter(machine.enter())
        case .returned(let success): return .returned(machine.functionReturned(success: success))
        case .finished(let queueingDone):
            guard let over = machine.finished(queueingDone: queueingDone) else {
                return .flag(false)
            }
            machine = over
            return .flag(true)
        case .returnedWhenOver:
            guard let over = machine.returnedWhenOver else { return .flag(false) }
            machine = over
            return .flag(true)
        case .completed(let queueingDone):
            guard let over = machine.completed(queueingDone: queueingDone) else {
                return .flag(false)
            }
            machine = over
            return .flag(true)
        case .complete(let success): return .verdict(machine.complete(success: success))
        case .graceOver: return .flag(machine.graceOver())
        case .publish(let queueingDone): machine.publish(queueingDone: queueingDone)
        case .doneDelivered: machine.doneDelivered()
        case .stop(let reason): return .stop(machine.stop(reason))
        case .stopConfirmed: return .flag(machine.stopConfirmed(confirming ?? .budget))
        case .callbackReturned: machine.callbackReturned()
        case .lose: return .flag(machine.lose())
        case .hold: return .hold(machine.hold())
        case .resume: return .resume(machine.resume())
        case .requeued: break
        case .requeueFailed: return .flag(machine.requeueFailed())
        case .raise: return .flag(machine.raise())
        case .noteRaised: machine.noteRaised()
        case .pin: return .flag(machine.pin())
        case .unpin: machine.unpin()
        case .keepForPlugin: return .flag(machine.keepForPlugin())
        case .releaseForPlugin: return .release(machine.releaseForPlugin())
        case .keepForEmbedder: return .flag(machine.keepForEmbedder())
        case .releaseForEmbedder: return .flag(machine.releaseForEmbedder())
        }
        return .nothing
    }
}
