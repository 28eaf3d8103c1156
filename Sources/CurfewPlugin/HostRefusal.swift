// SPDX-License-Identifier: Apache-2.0
import CCurfew

/// The host did not do what a handler asked for.
public struct HostRefusal: Error, Hashable, Sendable, CustomStringConvertible {
    /// Why a host did not do it.
    public enum Code: Hashable, Sendable {
        /// Not declared in the manifest, or reserved for the host.
        case denied
        /// The arguments do not fit what the manifest declares.
        case invalid
        /// A queue of the host is full: the call had no effect, later it may.
        case busy
        /// The task is over.
        case over
        /// A status that has no case of its own; the message has its number.
        case other
    }

    /// Why, for a program.
    public let code: Code
    /// What was asked for, and why it was not done.
    public let message: String

    public var description: String { message }

    /// Nil for a status that is none. `said` is the host's own word for it, where it has one.
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
            why = "the host's queue is full; try again later, or go on without"
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
