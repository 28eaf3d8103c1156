// SPDX-License-Identifier: Apache-2.0
package import Scheduling

/// The one sender a wait is for. An object is held weakly: it may go while it is waited for.
public struct SenderFilter: @unchecked Sendable {
    // Sendable: a weak reference is safe by itself, and of the object only the address is looked at.

    private final class Reference {
        weak let object: AnyObject?
        init(_ object: AnyObject) { self.object = object }
    }

    /// By what the sender is told apart.
    package let identity: SenderIdentity
    private let reference: Reference?

    private init(_ sender: EventSender, _ reference: Reference? = nil) {
        identity = sender.identity
        self.reference = reference
    }

    /// A task, by its id.
    public static func task(_ id: UInt64) -> SenderFilter { SenderFilter(.task(id)) }

    /// That very object.
    public static func object(_ object: AnyObject) -> SenderFilter {
        SenderFilter(.object(object), Reference(object))
    }

    /// What C points to.
    package static func address(_ address: UInt) -> SenderFilter { SenderFilter(.address(address)) }

    /// A resumable sub of the same target, by its number.
    public static func resumable(_ number: UInt64) -> SenderFilter {
        SenderFilter(.resumable(number))
    }

    /// The object does not exist any more.
    var isGone: Bool { reference.map { $0.object == nil } ?? false }
}
