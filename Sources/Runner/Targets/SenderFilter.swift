// SPDX-License-Identifier: Apache-2.0
package import Scheduling

/// The sender that a wait accepts. An object is held weakly, so it may be freed meanwhile.
public struct SenderFilter: @unchecked Sendable {
    // Sendable: a weak reference is thread-safe, and only the object's address is used.

    private final class Reference {
        weak let object: AnyObject?
        init(_ object: AnyObject) { self.object = object }
    }

    package let identity: SenderIdentity
    private let reference: Reference?

    private init(_ sender: EventSender, _ reference: Reference? = nil) {
        identity = sender.identity
        self.reference = reference
    }

    /// A task, by its id.
    public static func task(_ id: UInt64) -> SenderFilter { SenderFilter(.task(id)) }

    /// An object, by identity.
    public static func object(_ object: AnyObject) -> SenderFilter {
        SenderFilter(.object(object), Reference(object))
    }

    /// A C address.
    package static func address(_ address: UInt) -> SenderFilter { SenderFilter(.address(address)) }

    /// A resumable sub of the same target, by its number.
    public static func resumable(_ number: UInt64) -> SenderFilter {
        SenderFilter(.resumable(number))
    }

    /// The object has been freed.
    var isGone: Bool { reference.map { $0.object == nil } ?? false }
}
