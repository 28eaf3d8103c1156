// SPDX-License-Identifier: Apache-2.0

/// Which requests are listed.
package struct RequestFilter: Hashable, Sendable {
    /// Empty: all.
    package var states: Set<RequestState>
    /// The identifier; nil for all.
    package var identifier: String?
    /// Only those with a larger number: where the list before ended.
    package var after: RequestID?
    /// The maximum number of requests.
    package var limit: Int

    /// Makes one of what it is given.
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
