// SPDX-License-Identifier: Apache-2.0
public import Scheduling

/// An event as a target gets it.
public struct TargetEvent: Sendable {
    /// How it came.
    public enum Mode: Sendable {
        /// At once, from code on the loop's thread.
        case direct
        /// In its turn in the queue.
        case queued
    }

    /// As it was raised: the name, and one colon for each parameter.
    public let selector: String
    /// Its parameters.
    public let values: [EventValue]
    /// Whom it comes from, where that was said.
    public let sender: EventSender?
    /// How it came.
    public let mode: Mode
    /// Of a completion: what came out of the resumable sub instead of a value.
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

    /// The name alone.
    public var name: String { String(selector.prefix { $0 != ":" }) }
}
