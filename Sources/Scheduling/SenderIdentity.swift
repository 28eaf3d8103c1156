// SPDX-License-Identifier: Apache-2.0

/// Whom an event comes from, told apart by identity alone.
public struct SenderIdentity: Hashable, Sendable {
    /// What the number is a number of.
    public enum Kind: Hashable, Sendable {
        /// A task's public id.
        case task
        /// The address of something alive.
        case object
        /// A resumable sub of the same target.
        case resumable
    }

    /// What the number is a number of.
    public let kind: Kind
    /// Which one of its kind.
    public let number: UInt64

    /// The sender with that number.
    public init(_ kind: Kind, _ number: UInt64) {
        self.kind = kind
        self.number = number
    }
}
