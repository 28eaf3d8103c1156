// SPDX-License-Identifier: Apache-2.0
public import CCurfew
import CSystem

/// A `curfew_status`: what a call answers. The values and the texts are the header's.
public struct Status: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    public let rawValue: curfew_status

    public init(rawValue: curfew_status) { self.rawValue = rawValue }

    private init(_ constant: Int) { rawValue = curfew_status(constant) }

    public static let ok = Status(CURFEW_OK)
    public static let pending = Status(CURFEW_PENDING)
    public static let already = Status(CURFEW_ALREADY)
    public static let late = Status(CURFEW_LATE)
    public static let expired = Status(CURFEW_EXPIRED)
    public static let closing = Status(CURFEW_CLOSING)
    public static let stale = Status(CURFEW_STALE)
    public static let replaced = Status(CURFEW_REPLACED)
    public static let timedOut = Status(CURFEW_TIMED_OUT)
    public static let busy = Status(CURFEW_BUSY)
    public static let exhausted = Status(CURFEW_EXHAUSTED)
    public static let quarantined = Status(CURFEW_QUARANTINED)
    public static let notFound = Status(CURFEW_NOT_FOUND)
    public static let exists = Status(CURFEW_EXISTS)
    public static let invalid = Status(CURFEW_INVALID)
    public static let wrongState = Status(CURFEW_WRONG_STATE)
    public static let wrongThread = Status(CURFEW_WRONG_THREAD)
    public static let denied = Status(CURFEW_DENIED)
    public static let abiMismatch = Status(CURFEW_ABI_MISMATCH)
    public static let refused = Status(CURFEW_REFUSED)
    public static let tooLarge = Status(CURFEW_TOO_LARGE)
    public static let system = Status(CURFEW_SYSTEM)
    public static let failed = Status(CURFEW_FAILED)

    /// The text of the header, static and NUL-terminated.
    public var text: UnsafePointer<CChar>? { UnsafePointer(csys_status_text(rawValue)) }

    /// The name the header gives it, `CURFEW_WRONG_STATE`; nil for a number that is no status.
    public var constant: String? {
        csys_status_name(rawValue).map { "CURFEW_" + String(cString: $0) }
    }

    public var description: String { text.map { String(cString: $0) } ?? "unknown status" }
}
