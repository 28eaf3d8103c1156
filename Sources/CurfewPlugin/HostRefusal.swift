// SPDX-License-Identifier: Apache-2.0
import CCurfew

/// An error of the host that refused a handler's call.
public struct HostRefusal: Error, Hashable, Sendable, CustomStringConvertible {
    /// The reason for a refusal.
    public enum Code: Hashable, Sendable {
        /// The manifest does not declare it, or it is reserved for the host.
        case denied
        /// The arguments do not fit what the manifest declares.
        case invalid
        /// A queue of the host is full: the call had no effect, and may succeed later.
        case busy
        /// The task is over.
        case over
        /// Another status; the message has its number.
        case other
    }

    /// The reason, for programs.
    public let code: Code
    /// The refused call, and the reason.
    public let message: String

    public var description: String { message }

    /// Returns nil for `CURFEW_OK`. `said` is the host's own text, if it has one.
    init?(_ status: curfew_status, asked: String, said: String = "") {
        let why: String
        switch Int(status) {
        case Int(CURFEW_OK): return nil
        case Int(CURFEW_DENIED):
            code = .denied
            why = "it is not declared in the manifest, or it is the host's own"
        case Int(CURFEW_INVALID):
            code = .invalid
            why = "the parameters are not those that the manifest declares"
        case Int(CURFEW_BUSY):
            code = .busy
            why = "the host's queue is full; try again later, or continue without"
        case Int(CURFEW_ALREADY), Int(CURFEW_STALE), Int(CURFEW_CLOSING):
            code = .over
            why = "the task is over"
        default:
            code = .other
            why = "the host answered with status \(status)"
        }
        message = "\(asked): \(said.isEmpty ? why : said)"
    }
}
