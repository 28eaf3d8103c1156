// SPDX-License-Identifier: Apache-2.0

/// The result of a submission: a new request, or a duplicate that the store already has.
public enum Submission: Hashable, Sendable {
    /// The request is pending, and replaced the given ones.
    case queued(RequestID, replaced: [RequestID])
    /// A request of the same identifier is pending, and stays; no request was added.
    case duplicatePending(RequestID)
    /// A request with the same key exists; no request was added.
    case duplicateKey(RequestID)

    /// The id of the new request, or of the existing one.
    public var id: RequestID {
        switch self {
        case .queued(let id, _), .duplicatePending(let id), .duplicateKey(let id): id
        }
    }
}

/// The reason why a request was not accepted. Pending requests are unchanged.
package enum RequestRefusal: Error, Hashable, Sendable {
    /// A limit of pending requests is reached.
    case tooMany(PendingScope, limit: Int)
    /// A different request has the same key.
    case keyTaken(RequestID)
    /// The payload has too many bytes.
    case tooLarge(bytes: Int, limit: Int)
    /// The description is not valid, for this reason.
    case invalid(String)

    static let neverDue = invalid("the cron expression has no date in the next 28 years")
}
