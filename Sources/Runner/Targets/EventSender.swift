// SPDX-License-Identifier: Apache-2.0
package import Scheduling

/// Whom an event comes from. Only identity counts; two that are equal are not the same.
public enum EventSender: @unchecked Sendable {
    // Sendable: of an object nothing but its address is looked at.

    /// A task, by its id.
    case task(UInt64)
    /// Any object. Held as long as the event is on its way, and weakly by who waits for it.
    case object(AnyObject)
    /// What C points to; never followed.
    case address(UInt)
    /// A resumable sub of the same target, by its number.
    case resumable(UInt64)

    /// By what it is told apart.
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
