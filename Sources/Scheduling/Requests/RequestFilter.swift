// SPDX-License-Identifier: Apache-2.0

/// Which requests are listed.
public struct RequestFilter: Hashable, Sendable {
    /// Empty: all.
    public var states: Set<RequestState>
    /// The identifier; nil for all.
    public var identifier: String?
    /// Only those with a larger number: where the list before ended.
    public var after: RequestID?
    /// The maximum number of requests.
    public var limit: Int

    /// Makes one of what it is given.
    public init(
        states: Set<RequestState> = [], identifier: String? = nil, after: RequestID? = nil,
        limit: Int = 100
    ) {
        self.states = states
        self.identifier = identifier
        self.after = after
        self.limit = limit
    }
}
