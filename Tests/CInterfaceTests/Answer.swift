// SPDX-License-Identifier: Apache-2.0
import CCurfew
import CInterface

/// What a call answered, written and shown by name.
struct Answer: Hashable, Sendable, CustomStringConvertible {
    let status: curfew_status

    init(_ status: curfew_status) { self.status = status }

    private init(_ constant: Int) { status = curfew_status(constant) }

    static let ok = Answer(CURFEW_OK)
    static let already = Answer(CURFEW_ALREADY)
    static let late = Answer(CURFEW_LATE)
    static let expired = Answer(CURFEW_EXPIRED)
    static let closing = Answer(CURFEW_CLOSING)
    static let stale = Answer(CURFEW_STALE)
    static let replaced = Answer(CURFEW_REPLACED)
    static let timedOut = Answer(CURFEW_TIMED_OUT)
    static let busy = Answer(CURFEW_BUSY)
    static let exhausted = Answer(CURFEW_EXHAUSTED)
    static let quarantined = Answer(CURFEW_QUARANTINED)
    static let notFound = Answer(CURFEW_NOT_FOUND)
    static let exists = Answer(CURFEW_EXISTS)
    static let invalid = Answer(CURFEW_INVALID)
    static let wrongState = Answer(CURFEW_WRONG_STATE)
    static let wrongThread = Answer(CURFEW_WRONG_THREAD)
    static let denied = Answer(CURFEW_DENIED)
    static let abiMismatch = Answer(CURFEW_ABI_MISMATCH)
    static let refused = Answer(CURFEW_REFUSED)
    static let tooLarge = Answer(CURFEW_TOO_LARGE)
    static let system = Answer(CURFEW_SYSTEM)
    static let failed = Answer(CURFEW_FAILED)

    var description: String { "\(status) (\(String(cString: curfew_status_text(status))))" }
}
