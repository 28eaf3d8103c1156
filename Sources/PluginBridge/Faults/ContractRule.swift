// SPDX-License-Identifier: Apache-2.0

/// The rules of the contract that a loaded plugin can break, in the order of their codes; the raw
/// value is the name of its `Fault`.
package enum ContractRule: String, Sendable, CaseIterable {
    case completedTwice = "completed-twice"
    case lateRegistration = "late-registration"
    case eventName = "event-name"
    case undeclaredEvent = "undeclared-event"
    case eventTypes = "event-types"
    case hostEvent = "host-event"
    case eventFlood = "event-flood"
    case progressRange = "progress-range"
    case completion = "completion-arguments"
    case resultSize = "result-size"
    case malformedText = "malformed-text"
    case longText = "long-text"
    case structSize = "struct-size"
    case handlerArguments = "handler-arguments"
    case undeclaredHandler = "undeclared-handler"
    case takenHandler = "taken-handler"
    case registeredTwice = "registered-twice"
    case unkeptRelease = "unkept-release"
    case referenceLimit = "reference-limit"
    case keptReference = "kept-reference"
    case staleTask = "stale-task"
    case foreignTask = "foreign-task"
    case abandoned = "abandoned-task"
    case lostWorker = "lost-worker"
    case slowCallback = "slow-callback"
    case logLevel = "log-level"
    case processState = "process-state"
    case forkedReturn = "forked-return"

    /// The fault that explains it; a test checks that there is one.
    package var fault: Fault {
        guard let fault = Fault.named(rawValue) else {
            preconditionFailure("\(rawValue) has no row in the table of faults")
        }
        return fault
    }
}
