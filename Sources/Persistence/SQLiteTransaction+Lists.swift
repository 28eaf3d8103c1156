// SPDX-License-Identifier: Apache-2.0
internal import Scheduling

/// Lists of requests by their numbers, of which most may be left out.
///
/// Requests of some states are found in three ways, since their number is unknown before. If there
/// are many, the next ones are nearby in the order of ids; if there are few, an index finds them,
/// but not in order. So a query first scans nearby ids, then uses the indexes, and scans the rest
/// only if there are too many for both.
extension SQLiteTransaction {
    /// The number of ids that count as nearby.
    private static let nearby: UInt64 = 256
    /// The number of requests that count as few: more than the default history.
    private static let few = 16_384

    func requests(_ filter: RequestFilter) throws(StoreFault) -> [Request] {
        let first = filter.after ?? RequestID(rawValue: 0)
        let limit = max(0, filter.limit)
        let (near, isAll) = first.rawValue.addingReportingOverflow(Self.nearby)
        let end = RequestID(rawValue: isAll ? .max : near)
        var found = try scan(filter, from: first, through: end, limit: limit)
        let left = limit - found.count
        guard left > 0 else { return found }
        guard let ids = try indexed(filter) else {
            let last = RequestID(rawValue: .max)
            return found + (try scan(filter, from: end, through: last, limit: left))
        }
        for id in ids.filter({ $0 > end }).sorted().prefix(left) {
            if let request = try request(id) { found.append(request) }
        }
        return found
    }

    /// Scans the ids larger than `first`, up to `last`.
    private func scan(
        _ filter: RequestFilter, from first: RequestID, through last: RequestID, limit: Int
    ) throws(StoreFault) -> [Request] {
        try list(.requests) {
            $0.put(first)
            $0.put(last)
            $0.put(Self.mask(filter.wanted))
            $0.put(filter.identifier)
            $0.put(Int64(limit))
        }
    }

    /// All that the indexes say fit, in no order; nil where that are many.
    private func indexed(_ filter: RequestFilter) throws(StoreFault) -> [RequestID]? {
        let wanted = filter.wanted
        guard filter.identifier != nil || wanted.count < RequestState.allCases.count else {
            return nil
        }
        var ids: [RequestID] = []
        func look(
            _ query: SQLiteQuery, _ values: (SQLiteStatement) -> Void
        ) throws(StoreFault) -> Bool {
            try rows(query, values) { statement throws(StoreFault) in
                ids.append(try id(at: statement))
            }
            return ids.count <= Self.few
        }
        for state in wanted where state.isLive {
            let isFew = try look(filter.identifier == nil ? .liveIDs : .liveIDsOf) {
                $0.put(Int64(state.rawValue))
                $0.put(Int64(Self.few + 1))
                if let identifier = filter.identifier { $0.put(identifier) }
            }
            guard isFew else { return nil }
        }
        guard wanted.contains(where: { !$0.isLive }) else { return ids }
        guard try counted().history <= Self.few else { return nil }
        let isFew = try look(.historyIDs) {
            $0.put(Self.mask(wanted))
            $0.put(filter.identifier)
        }
        return isFew ? ids : nil
    }

    // MARK: For people

    func overview(
        _ filter: RequestFilter, outcomes: Set<Outcome>
    ) throws(StoreFault) -> RequestOverview {
        let wanted = filter.wanted
        let ended =
            outcomes.isEmpty ? -1 : outcomes.reduce(Int64(0)) { $0 | 1 << Int64($1.rawValue) }
        var overview = RequestOverview()
        var ids: [RequestID] = []
        if let text = filter.text {
            try rows(
                .found,
                {
                    $0.put(Self.mask(wanted))
                    $0.put(filter.identifier)
                    $0.put(text)
                    $0.put(ended)
                }
            ) { statement throws(StoreFault) in ids.append(try id(at: statement)) }
            overview.count = ids.count
            overview.requests = try requests(filter.shown(of: ids))
            return overview
        }
        func find(
            _ query: SQLiteQuery, _ first: Int64
        ) throws(StoreFault) {
            let left = filter.window - ids.count
            try rows(
                query,
                {
                    $0.put(first)
                    $0.put(Int64(left))
                    if query != .soonest { $0.put(filter.identifier) }
                    if query == .latestOver { $0.put(ended) }
                }
            ) { statement throws(StoreFault) in ids.append(try id(at: statement)) }
        }
        for state in [RequestState.running, .parked, .pending] where wanted.contains(state) {
            try find(filter.identifier == nil ? .soonest : .soonestOf, Int64(state.rawValue))
            overview.count += try count(state, of: filter.identifier)
        }
        let over = wanted.filter { !$0.isLive }
        if !over.isEmpty {
            try find(.latestOver, Self.mask(over))
            overview.count += try count(over, of: filter.identifier, ended)
        }
        overview.requests = try requests(filter.shown(of: ids))
        // Counters that make no sense are the check's matter.
        overview.count = max(overview.count, ids.count)
        return overview
    }

    func liveCounts() throws(StoreFault) -> [LiveCount] {
        var counts: [LiveCount] = []
        try rows(.liveCounts, { _ in }) { statement throws(StoreFault) in
            var row = RowReader(statement, of: "request", id: 0, in: path)
            let identifier = try row.text()
            let state = try row.choice(RequestState.self)
            counts.append(LiveCount(identifier, state, Int(try row.integer(0 ... .max))))
        }
        return counts
    }

    private func requests(_ ids: [RequestID]) throws(StoreFault) -> [Request] {
        var requests: [Request] = []
        for id in ids {
            if let request = try request(id) { requests.append(request) }
        }
        return requests
    }

    private func id(at statement: SQLiteStatement) throws(StoreFault) -> RequestID {
        var row = RowReader(statement, of: "request", id: statement.integer(0), in: path)
        return RequestID(rawValue: UInt64(try row.integer(1 ... .max)))
    }

    private func count(
        _ state: RequestState, of identifier: String?
    ) throws(StoreFault) -> Int {
        if state == .pending, identifier == nil {
            return Int(try counted().pending)
        }
        let count = try number(identifier == nil ? .countLive : .countLiveOf) {
            $0.put(Int64(state.rawValue))
            if let identifier { $0.put(identifier) }
        }
        return Int(count ?? 0)
    }

    /// Counts the requests of finished states.
    ///
    /// - Parameter outcomes: bits by the outcomes' values; -1 for all.
    private func count(
        _ states: [RequestState], of identifier: String?, _ outcomes: Int64
    ) throws(StoreFault) -> Int {
        let isAll = states.count == RequestState.allCases.count { !$0.isLive }
        if isAll, identifier == nil, outcomes == -1 { return Int(try counted().history) }
        let count = try number(.countOver) {
            $0.put(Self.mask(states))
            $0.put(identifier)
            $0.put(outcomes)
        }
        return Int(count ?? 0)
    }

    /// Without a filter invalid states are included: a damaged row has to be reported.
    private static func mask(_ states: [RequestState]) -> Int64 {
        if states.count == RequestState.allCases.count { return -1 }
        return states.reduce(0) { $0 | 1 << Int64($1.rawValue) }
    }
}

extension RequestFilter {
    var wanted: [RequestState] {
        states.isEmpty ? RequestState.allCases : Array(states)
    }
}
