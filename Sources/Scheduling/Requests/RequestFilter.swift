// SPDX-License-Identifier: Apache-2.0

/// A filter for lists of requests.
package struct RequestFilter: Hashable, Sendable {
    /// The states; empty for all.
    package var states: Set<RequestState>
    /// The identifier; nil for all.
    package var identifier: String?
    /// The number at which the previous list ended; only larger ones match.
    package var after: RequestID?
    /// The maximum number of requests.
    package var limit: Int

    package init(
        states: Set<RequestState> = [], identifier: String? = nil, after: RequestID? = nil,
        limit: Int = 100
    ) {
        self.states = states
        self.identifier = identifier
        self.after = after
        self.limit = limit
    }
}
