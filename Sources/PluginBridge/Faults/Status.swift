// SPDX-License-Identifier: Apache-2.0
public import CCurfew
import CSystem

/// A `curfew_status`, which functions return. The values and the texts are those of the header.
public struct Status: Hashable, Sendable, CustomStringConvertible {
    @usableFromInline package let rawValue: curfew_status

    @inlinable package init(rawValue: curfew_status) { self.rawValue = rawValue }

    /// The status of a name in the header, `CURFEW_WRONG_STATE`; nil for other names.
    init?(constant: String) {
        // The header numbers them without a gap.
        for value in (0 as curfew_status)... {
            guard let name = Status(rawValue: value).constant else { return nil }
            guard name != constant else {
                self.init(rawValue: value)
                return
            }
        }
        return nil
    }

    @inlinable init(_ constant: Int) { rawValue = curfew_status(constant) }

    /// `CURFEW_OK`
    @inlinable public static var ok: Status { Status(CURFEW_OK) }
    /// `CURFEW_PENDING`
    @inlinable public static var pending: Status { Status(CURFEW_PENDING) }
    /// `CURFEW_ALREADY`
    @inlinable public static var already: Status { Status(CURFEW_ALREADY) }
    /// `CURFEW_LATE`
    @inlinable public static var late: Status { Status(CURFEW_LATE) }
    /// `CURFEW_EXPIRED`
    @inlinable public static var expired: Status { Status(CURFEW_EXPIRED) }
    /// `CURFEW_CLOSING`
    @inlinable public static var closing: Status { Status(CURFEW_CLOSING) }
    /// `CURFEW_STALE`
    @inlinable public static var stale: Status { Status(CURFEW_STALE) }
    /// `CURFEW_REPLACED`
    @inlinable public static var replaced: Status { Status(CURFEW_REPLACED) }
    /// `CURFEW_TIMED_OUT`
    @inlinable public static var timedOut: Status { Status(CURFEW_TIMED_OUT) }
    /// `CURFEW_BUSY`
    @inlinable public static var busy: Status { Status(CURFEW_BUSY) }
    /// `CURFEW_EXHAUSTED`
    @inlinable public static var exhausted: Status { Status(CURFEW_EXHAUSTED) }
    /// `CURFEW_QUARANTINED`
    @inlinable public static var quarantined: Status { Status(CURFEW_QUARANTINED) }
    /// `CURFEW_NOT_FOUND`
    @inlinable public static var notFound: Status { Status(CURFEW_NOT_FOUND) }
    /// `CURFEW_EXISTS`
    @inlinable public static var exists: Status { Status(CURFEW_EXISTS) }
    /// `CURFEW_INVALID`
    @inlinable public static var invalid: Status { Status(CURFEW_INVALID) }
    /// `CURFEW_WRONG_STATE`
    @inlinable public static var wrongState: Status { Status(CURFEW_WRONG_STATE) }
    /// `CURFEW_WRONG_THREAD`
    @inlinable public static var wrongThread: Status { Status(CURFEW_WRONG_THREAD) }
    /// `CURFEW_DENIED`
    @inlinable public static var denied: Status { Status(CURFEW_DENIED) }
    /// `CURFEW_ABI_MISMATCH`
    @inlinable public static var abiMismatch: Status { Status(CURFEW_ABI_MISMATCH) }
    /// `CURFEW_REFUSED`
    @inlinable public static var refused: Status { Status(CURFEW_REFUSED) }
    /// `CURFEW_TOO_LARGE`
    @inlinable public static var tooLarge: Status { Status(CURFEW_TOO_LARGE) }
    /// `CURFEW_SYSTEM`
    @inlinable public static var system: Status { Status(CURFEW_SYSTEM) }
    /// `CURFEW_FAILED`
    @inlinable public static var failed: Status { Status(CURFEW_FAILED) }
    /// `CURFEW_TOO_MANY`
    @inlinable public static var tooMany: Status { Status(CURFEW_TOO_MANY) }
    /// `CURFEW_STORE_BUSY`
    @inlinable public static var storeBusy: Status { Status(CURFEW_STORE_BUSY) }
    /// `CURFEW_STORE_FULL`
    @inlinable public static var storeFull: Status { Status(CURFEW_STORE_FULL) }
    /// `CURFEW_STORE_READ_ONLY`
    @inlinable public static var storeReadOnly: Status { Status(CURFEW_STORE_READ_ONLY) }
    /// `CURFEW_STORE_IO`
    @inlinable public static var storeIO: Status { Status(CURFEW_STORE_IO) }
    /// `CURFEW_STORE_CORRUPT`
    @inlinable public static var storeCorrupt: Status { Status(CURFEW_STORE_CORRUPT) }
    /// `CURFEW_STORE_NEWER`
    @inlinable public static var storeNewer: Status { Status(CURFEW_STORE_NEWER) }
    /// `CURFEW_STORE_LOCKED`
    @inlinable public static var storeLocked: Status { Status(CURFEW_STORE_LOCKED) }
    /// `CURFEW_STORE_GONE`
    @inlinable public static var storeGone: Status { Status(CURFEW_STORE_GONE) }
    /// `CURFEW_STORE_UNKNOWN`
    @inlinable public static var storeUnknown: Status { Status(CURFEW_STORE_UNKNOWN) }
    /// `CURFEW_STORE_UNREACHABLE`
    @inlinable public static var storeUnreachable: Status { Status(CURFEW_STORE_UNREACHABLE) }

    /// The header's text of the status: static and NUL-terminated.
    package var text: UnsafePointer<CChar>? { UnsafePointer(csys_status_text(rawValue)) }

    /// The name of the constant in the header, `CURFEW_WRONG_STATE`; nil for a number that is no status.
    package var constant: String? {
        csys_status_name(rawValue).map { "CURFEW_" + String(cString: $0) }
    }

    /// The error text of a task whose function returned this status without a message.
    package var withoutMessage: String {
        self == .failed || text == nil
            ? "the handler failed with status \(rawValue) and gave no reason" : description
    }

    /// Returns the status whose `withoutMessage` is the text and no words that a handler could have
    /// said itself, such as "not found"; or nil.
    package static func withoutMessage(_ text: String) -> Status? {
        (1..<64).lazy.map(Status.init(rawValue:)).first {
            $0.withoutMessage == text && text != $0.description
        }
    }

    public var description: String { text.map { String(cString: $0) } ?? "unknown status" }
}
