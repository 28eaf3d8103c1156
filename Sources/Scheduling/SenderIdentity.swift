// SPDX-License-Identifier: Apache-2.0

/// The sender of an event; senders are compared by identity alone.
public struct SenderIdentity: Hashable, Sendable {
    /// The kind of object that the number identifies.
    public enum Kind: Hashable, Sendable {
        /// A task's public id.
        case task
        /// The address of something alive.
        case object
        /// A resumable sub of the same target.
        case resumable
    }

    /// The kind of object that the number identifies.
    public let kind: Kind
    /// Which one of its kind.
    public let number: UInt64

    /// The sender with that number.
    public init(_ kind: Kind, _ number: UInt64) {
        self.kind = kind
        self.number = number
    }
}
