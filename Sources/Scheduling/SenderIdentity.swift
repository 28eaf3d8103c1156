// SPDX-License-Identifier: Apache-2.0

/// The sender of an event; senders are compared by identity alone.
package struct SenderIdentity: Hashable, Sendable {
    /// The kind of object that the number identifies.
    package enum Kind: Hashable, Sendable {
        /// A task's public id.
        case task
        /// The address of a living object.
        case object
        /// A resumable sub of the same target.
        case resumable
    }

    /// The kind of object that the number identifies.
    package let kind: Kind
    /// The number within its kind.
    package let number: UInt64

    package init(_ kind: Kind, _ number: UInt64) {
        self.kind = kind
        self.number = number
    }
}
