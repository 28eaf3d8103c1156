// SPDX-License-Identifier: Apache-2.0
public import CCurfew
import CSystem

/// A `curfew_status`: what a call answers. The values and the texts are the header's.
public struct Status: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    public let rawValue: curfew_status

    public init(rawValue: curfew_status) { self.rawValue = rawValue }

    private init(_ constant: Int) { rawValue = curfew_status(constant) }

    /// `CURFEW_OK`
    public static let ok = Status(CURFEW_OK)
    /// `CURFEW_PENDING`
    public static let pending = Status(CURFEW_PENDING)
    /// `CURFEW_ALREADY`
    public static let already = Status(CURFEW_ALREADY)
    /// `CURFEW_LATE`
    public static let late = Status(CURFEW_LATE)
    /// `CURFEW_EXPIRED`
    public static let expired = Status(CURFEW_EXPIRED)
    /// `CURFEW_CLOSING`
    public static let closing = Status(CURFEW_CLOSING)
    /// `CURFEW_STALE`
    public static let stale = Status(CURFEW_STALE)
    /// `CURFEW_REPLACED`
    public static let replaced = Status(CURFEW_REPLACED)
    /// `CURFEW_TIMED_OUT`
    public static let timedOut = Status(CURFEW_TIMED_OUT)
    /// `CURFEW_BUSY`
    public static let busy = Status(CURFEW_BUSY)
    /// `CURFEW_EXHAUSTED`
    public static let exhausted = Status(CURFEW_EXHAUSTED)
    /// `CURFEW_QUARANTINED`
    public static let quarantined = Status(CURFEW_QUARANTINED)
    /// `CURFEW_NOT_FOUND`
    public static let notFound = Status(CURFEW_NOT_FOUND)
    /// `CURFEW_EXISTS`
    public static let exists = Status(CURFEW_EXISTS)
    /// `CURFEW_INVALID`
    public static let invalid = Status(CURFEW_INVALID)
    /// `CURFEW_WRONG_STATE`
    public static let wrongState = Status(CURFEW_WRONG_STATE)
    /// `CURFEW_WRONG_THREAD`
    public static let wrongThread = Status(CURFEW_WRONG_THREAD)
    /// `CURFEW_DENIED`
    public static let denied = Status(CURFEW_DENIED)
    /// `CURFEW_ABI_MISMATCH`
    public static let abiMismatch = Status(CURFEW_ABI_MISMATCH)
    /// `CURFEW_REFUSED`
    public static let refused = Status(CURFEW_REFUSED)
    /// `CURFEW_TOO_LARGE`
    public static let tooLarge = Status(CURFEW_TOO_LARGE)
    /// `CURFEW_SYSTEM`
    public static let system = Status(CURFEW_SYSTEM)
    /// `CURFEW_FAILED`
    public static let failed = Status(CURFEW_FAILED)
    /// `CURFEW_TOO_MANY`
    public static let tooMany = Status(CURFEW_TOO_MANY)
    /// `CURFEW_STORE_BUSY`
    public static let storeBusy = Status(CURFEW_STORE_BUSY)
    /// `CURFEW_STORE_FULL`
    public static let storeFull = Status(CURFEW_STORE_FULL)
    /// `CURFEW_STORE_READ_ONLY`
    public static let storeReadOnly = Status(CURFEW_STORE_READ_ONLY)
    /// `CURFEW_STORE_IO`
    public static let storeIO = Status(CURFEW_STORE_IO)
    /// `CURFEW_STORE_CORRUPT`
    public static let storeCorrupt = Status(CURFEW_STORE_CORRUPT)
    /// `CURFEW_STORE_NEWER`
    public static let storeNewer = Status(CURFEW_STORE_NEWER)
    /// `CURFEW_STORE_LOCKED`
    public static let storeLocked = Status(CURFEW_STORE_LOCKED)
    /// `CURFEW_STORE_GONE`
    public static let storeGone = Status(CURFEW_STORE_GONE)

    /// The text of the header, static and NUL-terminated.
    public var text: UnsafePointer<CChar>? { UnsafePointer(csys_status_text(rawValue)) }

    /// The name the header gives it, `CURFEW_WRONG_STATE`; nil for a number that is no status.
    public var constant: String? {
        csys_status_name(rawValue).map { "CURFEW_" + String(cString: $0) }
    }

    public var description: String { text.map { String(cString: $0) } ?? "unknown status" }
}
