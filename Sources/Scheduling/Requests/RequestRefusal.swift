// SPDX-License-Identifier: Apache-2.0

/// Why a request was not taken in. What was pending before is as it was.
package enum RequestRefusal: Error, Hashable, Sendable {
    /// The limit of pending requests of the kind is reached.
    case tooMany(TaskKind, limit: Int)
    /// A request with the same key asks for something else.
    case keyTaken(RequestID)
    /// The payload has too many bytes.
    case tooLarge(bytes: Int, limit: Int)
    /// The description is not valid, for this reason.
    case invalid(String)
}
