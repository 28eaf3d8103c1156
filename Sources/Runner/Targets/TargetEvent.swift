// SPDX-License-Identifier: Apache-2.0
public import Scheduling

/// An event as a target receives it.
public struct TargetEvent: Sendable {
    /// The way an event was delivered.
    public enum Mode: Sendable {
        /// At once, from code on the loop's thread.
        case direct
        /// Through the queue.
        case queued
    }

    /// The selector as it was raised: the name, and one colon for each parameter.
    public let selector: String
    /// The parameters.
    public let values: [EventValue]
    /// The sender, if there is one.
    public let sender: EventSender?
    /// The way the event was delivered.
    public let mode: Mode
    /// The error that ended a resumable sub, for a completion.
    public let failure: (any Error)?

    init(
        selector: String, values: [EventValue], sender: EventSender?, mode: Mode,
        failure: (any Error)? = nil
    ) {
        self.selector = selector
        self.values = values
        self.sender = sender
        self.mode = mode
        self.failure = failure
    }

    /// The name without colons.
    public var name: String { String(selector.prefix { $0 != ":" }) }
}
