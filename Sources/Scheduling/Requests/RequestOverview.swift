// SPDX-License-Identifier: Apache-2.0

/// A list of requests for people: the most interesting ones first, and the total.
package struct RequestOverview: Sendable {
    /// The running, parked and pending requests by date; then the finished ones, the last first.
    package var requests: [Request] = []
    /// The number of all matching requests, including those that are not shown.
    package var count = 0

    package init() {}

    /// Those of some requests that match.
    package init(_ requests: [Request], _ filter: RequestFilter, _ outcomes: Set<Outcome>) {
        let fitting = requests.filter { filter.isMet(by: $0, outcomes: outcomes) }
            .sorted(by: Self.goesBefore)
        self.requests = filter.shown(of: fitting)
        count = fitting.count
    }

    static func goesBefore(_ a: Request, _ b: Request) -> Bool {
        let ranks = (rank(a.state), rank(b.state))
        if ranks.0 != ranks.1 { return ranks.0 < ranks.1 }
        switch a.state {
        case .pending: return (a.notBefore, a.id) < (b.notBefore, b.id)
        case .running, .parked: return a.id < b.id
        default: return (b.changedAt, b.id) < (a.changedAt, a.id)
        }
    }

    private static func rank(_ state: RequestState) -> Int {
        switch state {
        case .running: 0
        case .parked: 1
        case .pending: 2
        case .finished, .cancelled, .replaced, .missed: 3
        }
    }
}
