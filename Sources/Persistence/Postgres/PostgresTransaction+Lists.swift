// SPDX-License-Identifier: Apache-2.0
internal import Scheduling

extension PostgresTransaction {
    func pending(of identifier: String) throws(StoreFault) -> [Request] {
        try lock(identifier)
        return try list(.pendingOf, locking: .lockPendingOf) { $0.put(identifier) }
            .sorted { $0.id < $1.id }
    }

    func firstPending(_ identifier: String) throws(StoreFault) -> RequestID? {
        try lock(identifier)
        return try ask(number: .firstPending) { $0.put(identifier) }
            .map { RequestID(rawValue: UInt64($0)) }
    }

    func ahead(of request: Request, limit: Int) throws(StoreFault) -> Int {
        try ask(.ahead) {
            $0.put(request.queue)
            $0.put(request.notBefore)
            $0.put(Int64(clamping: request.id.rawValue))
            $0.put(Int64(max(0, limit)))
        }.count
    }

    func find(
        key: String, of identifier: String, owner: UInt32?
    ) throws(StoreFault) -> Request? {
        try lock(identifier)
        return try list(.find) {
            $0.put(identifier)
            $0.put(key)
            $0.put(owner.map { Int64($0) })
        }.first
    }

    func owned(by user: UInt32) throws(StoreFault) -> [Request] {
        try list(.owned) { $0.put(Int64(user)) }
    }

    func queues(of identifier: String?, limit: Int) throws(StoreFault) -> [RequestQueue] {
        let answer = try ask(.queues) {
            $0.put(identifier)
            $0.put(Int64(max(0, limit)))
        }
        var queues: [RequestQueue] = []
        for stored in answer.rows {
            // The id of the row is not in the index.
            var row = RowReader(stored, of: "request", id: 0, in: path)
            queues.append(try queue(&row))
        }
        return queues
    }

    func heads(
        of identifier: String?, limit: Int
    ) throws(StoreFault) -> [(queue: RequestQueue, head: RequestHead)] {
        let answer = try ask(.heads) {
            $0.put(identifier)
            $0.put(Int64(max(0, limit)))
        }
        var heads: [(queue: RequestQueue, head: RequestHead)] = []
        for stored in answer.rows {
            var row = RowReader(stored, of: "request", id: stored.integer(7), in: path)
            let queue = try queue(&row)
            let notBefore = try row.date()
            let id = RequestID(rawValue: UInt64(try row.integer(1 ... .max)))
            heads.append((queue, RequestHead(id: id, notBefore: notBefore)))
        }
        return heads
    }

    private func queue(_ row: inout RowReader<PostgresRow>) throws(StoreFault) -> RequestQueue {
        RequestQueue(
            identifier: try row.text(), kind: try row.choice(TaskKind.self),
            needs: RequestNeeds(rawValue: UInt8(try row.integer(0...255))),
            priority: try row.choice(RequestPriority.self),
            opportunistic: try row.choice(RequestWish.self),
            atMost: UInt64(try row.integer(0 ... .max)))
    }

    func cancelled(among ids: [RequestID]) throws(StoreFault) -> [Request] {
        guard !ids.isEmpty else { return [] }
        let numbers = ids.map { "\(Int64(clamping: $0.rawValue))" }
        return try list(.cancelledAmong) { $0.put("{\(numbers.joined(separator: ","))}") }
    }

    func firstToMiss() throws(StoreFault) -> Request? {
        try list(.firstToMiss, locking: .lockFirstToMiss).first
    }

    func running() throws(StoreFault) -> [Request] {
        try list(.running, locking: .lockRunning)
    }

    func requests(_ filter: RequestFilter) throws(StoreFault) -> [Request] {
        try list(.requests) {
            $0.put(Int64(clamping: filter.after?.rawValue ?? 0))
            $0.put(Self.mask(filter.wanted))
            $0.put(filter.identifier)
            $0.put(Int64(max(0, filter.limit)))
        }
    }

    // MARK: For people

    func overview(
        _ filter: RequestFilter, outcomes: Set<Outcome>
    ) throws(StoreFault) -> RequestOverview {
        let wanted = filter.wanted
        let ended =
            outcomes.isEmpty ? -1 : outcomes.reduce(Int64(0)) { $0 | 1 << Int64($1.rawValue) }
        var overview = RequestOverview()
        if let text = filter.text {
            func put(_ values: PostgresValues) {
                values.put(Self.mask(wanted))
                values.put(filter.identifier)
                values.put(text)
                values.put(ended)
            }
            let window = Int64(clamping: filter.window)
            overview.requests = filter.shown(
                of: try list(.found) {
                    put($0)
                    $0.put(window)
                })
            overview.count = Int(try ask(number: .countFound, put) ?? 0)
            return overview
        }
        func left() -> Int64 { Int64(clamping: filter.window - overview.requests.count) }
        for state in [RequestState.running, .parked, .pending] where wanted.contains(state) {
            let (soonest, count) = PostgresQuery.live(state, ofOne: filter.identifier != nil)
            overview.requests += try list(soonest) {
                $0.put(left())
                if let identifier = filter.identifier { $0.put(identifier) }
            }
            let all = try ask(number: count) {
                if let identifier = filter.identifier { $0.put(identifier) }
            }
            overview.count += Int(all ?? 0)
        }
        let over = Self.mask(wanted.filter { !$0.isLive })
        if over != 0 { try addOver(over, filter, ended, to: &overview) }
        overview.requests = filter.shown(of: overview.requests)
        return overview
    }

    func liveCounts() throws(StoreFault) -> [LiveCount] {
        var counts: [LiveCount] = []
        for stored in try ask(.liveCounts).rows {
            var row = RowReader(stored, of: "request", id: 0, in: path)
            let identifier = try row.text()
            let state = try row.choice(RequestState.self)
            counts.append(LiveCount(identifier, state, Int(try row.integer(0 ... .max))))
        }
        return counts
    }

    private func addOver(
        _ over: Int64, _ filter: RequestFilter, _ ended: Int64, to overview: inout RequestOverview
    ) throws(StoreFault) {
        let left = Int64(clamping: filter.window - overview.requests.count)
        overview.requests += try list(.latestOver) {
            $0.put(over)
            $0.put(filter.identifier)
            $0.put(ended)
            $0.put(left)
        }
        overview.count += Int(
            try ask(number: .countOver) {
                $0.put(over)
                $0.put(filter.identifier)
                $0.put(ended)
            } ?? 0)
    }

    /// Without a filter invalid states are included: a damaged row has to be reported.
    private static func mask(_ states: [RequestState]) -> Int64 {
        if states.count == RequestState.allCases.count { return -1 }
        return states.reduce(0) { $0 | 1 << Int64($1.rawValue) }
    }
}
