// SPDX-License-Identifier: Apache-2.0

/// The rules of the contract that a loaded plugin can break; the raw value is the name of its
/// `Fault`.
public enum Misbehaviour: String, Sendable, CaseIterable {
    case lateRegistration = "late-registration"
    case progressRange = "progress-range"
    case completion = "completion"
    case resultSize = "result-size"
    case event = "event"
    case undeclaredEvent = "undeclared-event"
    case eventTypes = "event-types"
    case abandoned = "abandoned-task"
    case lostWorker = "lost-worker"
}
