// SPDX-License-Identifier: Apache-2.0

/// The result of a submission that was accepted, or that needed no new request.
public enum Submission: Hashable, Sendable {
    /// The request is pending, and replaced the given ones.
    case queued(RequestID, replaced: [RequestID])
    /// A request of the same identifier was pending and stays; no request was added.
    case kept(RequestID)
    /// A request with the same key exists; no request was added.
    case known(RequestID)

    /// The id of the request that exists now.
    public var id: RequestID {
        switch self {
        case .queued(let id, _), .kept(let id), .known(let id): id
        }
    }
}
