// SPDX-License-Identifier: Apache-2.0

/// The reason why a request was not accepted. Pending requests are unchanged.
package enum RequestRefusal: Error, Hashable, Sendable {
    /// The limit of pending requests of the kind is reached.
    case tooMany(TaskKind, limit: Int)
    /// A different request has the same key.
    case keyTaken(RequestID)
    /// The payload has too many bytes.
    case tooLarge(bytes: Int, limit: Int)
    /// The description is not valid, for this reason.
    case invalid(String)
}
