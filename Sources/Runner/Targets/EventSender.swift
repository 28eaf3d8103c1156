// SPDX-License-Identifier: Apache-2.0
package import Scheduling

/// The sender of an event, compared by identity.
public enum EventSender: @unchecked Sendable {
    // Sendable: only the address of an object is used.

    /// A task, by its id.
    case task(UInt64)
    /// Any object. A queued event holds it strongly, a wait weakly.
    case object(AnyObject)
    /// A C address; never dereferenced.
    case address(UInt)
    /// A resumable sub of the same target, by its number.
    case resumable(UInt64)

    /// The value by which senders are compared.
    package var identity: SenderIdentity {
        switch self {
        case .task(let id): SenderIdentity(.task, id)
        case .object(let object):
            SenderIdentity(.object, UInt64(UInt(bitPattern: ObjectIdentifier(object))))
        case .address(let address): SenderIdentity(.object, UInt64(address))
        case .resumable(let number): SenderIdentity(.resumable, number)
        }
    }

    /// The id of the task, or 0.
    package var task: UInt64 { if case .task(let id) = self { id } else { 0 } }
}
