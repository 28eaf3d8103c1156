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
