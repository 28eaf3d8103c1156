// SPDX-License-Identifier: Apache-2.0

/// The header of a record that a plugin's process writes for its host.
package struct ChannelRecord: Equatable, Sendable {
    package enum Kind: UInt16, Sendable, CaseIterable {
        /// A part of the next record's body.
        case fragment = 1
        /// A function has returned.
        case returned
        /// A task was completed.
        case completed
        /// An expiration callback has returned.
        case callbackReturned
        case log
        /// The plugin broke a rule of the contract.
        case violated
        /// A call that waits for its reply in a mailbox.
        case call
        /// A control message was carried out.
        case done
        /// The plugin has raised an event, whose place in the host's queue is reserved.
        case raised
        /// The plugin has reported progress; its event has a reserved place as well.
        case reported
    }

    package var kind: Kind
    /// Of the body, which follows.
    package var bytes: UInt32
    /// A task's public id, or 0.
    package var task: UInt64

    package init(_ kind: Kind, task: UInt64, bytes: UInt32) {
        self.kind = kind
        self.task = task
        self.bytes = bytes
    }

    /// The record's bytes in the ring, a multiple of 8.
    package var size: UInt64 { UInt64(ChannelLayout.headerBytes) + (UInt64(bytes) + 7) & ~7 }

    package var words: (UInt64, UInt64) {
        (UInt64(bytes) | UInt64(kind.rawValue) << 32, task)
    }

    /// Returns nil unless it is a header.
    package init?(words: (UInt64, UInt64)) {
        guard words.0 >> 48 == 0,
            let kind = Kind(rawValue: UInt16(truncatingIfNeeded: words.0 >> 32))
        else { return nil }
        let bytes = UInt32(truncatingIfNeeded: words.0)
        guard bytes <= ChannelLayout.recordBytes - ChannelLayout.headerBytes else { return nil }
        self.init(kind, task: words.1, bytes: bytes)
    }
}
