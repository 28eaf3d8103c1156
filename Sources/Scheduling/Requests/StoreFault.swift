// SPDX-License-Identifier: Apache-2.0

/// The reason why a transaction failed. Nothing was changed, unless the kind is `unknown`.
package struct StoreFault: Error, Hashable, Sendable {
    /// The kind of the fault.
    package enum Kind: UInt8, Sendable, CaseIterable, KebabCased {
        /// Another process locks it, and did not release it in time.
        case busy = 1
        /// The disk is full.
        case full = 2
        /// It is read-only.
        case readOnly = 3
        /// The system could not read or write.
        case io = 4
        /// Its content is invalid.
        case corrupt = 5
        /// A newer version of Curfew made it.
        case newer = 6
        /// Another host uses it.
        case locked = 7
        /// Its file was deleted or replaced.
        case gone = 8
        /// It cannot be opened: it is not ours, or others may write to it.
        case denied = 9
        /// It does not exist: no host has created it yet.
        case absent = 10
        /// The system failed at the end of a transaction. When the store is opened again, either
        /// all of it or nothing is done.
        case unknown = 11
        /// Its server does not answer, or the connection to it was lost.
        case unreachable = 12
        /// This host did not show that it lives, and others have taken over its requests.
        case fenced = 13
    }

    /// The kind of the fault.
    package let kind: Kind
    /// The fault and its place, in lower case, and what to do next.
    package let message: String

    package init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }

    /// Returns the fault for a request that a list of waiting requests contains although it does
    /// not wait. If this were ignored, the list would return it again and again.
    static func notWaiting(_ id: RequestID) -> StoreFault {
        StoreFault(
            .corrupt,
            "request \(id.rawValue) is in an index of what waits, and its own row says that it does not; make a copy of the store, and see `curfew db check`"
        )
    }
}
