// SPDX-License-Identifier: Apache-2.0
import Scheduling

/// Those of a store's requests that are shown: the most interesting ones first, no more than so
/// many, whatever the store has.
struct RequestSelection {
    private(set) var requests: [Request] = []
    /// How many there are besides.
    private(set) var more = 0
    private let limit: Int

    /// Reads in pages, so that a large store takes no large memory.
    init(
        _ filter: RequestFilter, _ store: any StoreTransaction
    ) throws(StoreFault) {
        limit = filter.limit
        var page = filter
        page.limit = 1_000
        while true {
            let found = try store.requests(page)
            requests += found
            if requests.count > limit + 4_000 { cut() }
            guard found.count == page.limit else { break }
            page.after = found.last?.id
        }
        cut()
    }

    private mutating func cut() {
        requests.sort(by: Self.goesBefore)
        guard requests.count > limit else { return }
        more += requests.count - limit
        requests.removeLast(requests.count - limit)
    }

    /// What runs, what is parked, what waits by its date; then what is over, the last first.
    private static func goesBefore(_ a: Request, _ b: Request) -> Bool {
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
