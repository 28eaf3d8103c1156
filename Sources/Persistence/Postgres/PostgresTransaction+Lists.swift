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
            queues.append(
                RequestQueue(
                    identifier: try row.text(), kind: try row.choice(TaskKind.self),
                    needs: RequestNeeds(rawValue: UInt8(try row.integer(0...255))),
                    priority: try row.choice(RequestPriority.self),
                    opportunistic: try row.choice(RequestWish.self),
                    atMost: UInt64(try row.integer(0 ... .max))))
        }
        return queues
    }

    func head(of queue: RequestQueue) throws(StoreFault) -> RequestHead? {
        let answer = try ask(.head) { $0.put(queue) }
        guard answer.count > 0 else { return nil }
        var row = RowReader(answer[0], of: "request", id: answer[0].integer(0), in: path)
        return RequestHead(
            id: RequestID(rawValue: UInt64(try row.integer(1 ... .max))),
            notBefore: try row.date())
    }

    func firstToMiss() throws(StoreFault) -> Request? {
        try list(.firstToMiss, locking: .lockFirstToMiss).first
    }

    func running() throws(StoreFault) -> [Request] {
        try list(.running, locking: .lockRunning)
    }

    func requests(_ filter: RequestFilter) throws(StoreFault) -> [Request] {
        try list(.requests, locking: .lockRequests) {
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
        func left() -> Int64 { Int64(max(0, filter.limit - overview.requests.count)) }
        for state in [RequestState.running, .parked, .pending] where wanted.contains(state) {
            let isOfOne = filter.identifier != nil
            overview.requests += try list(isOfOne ? .soonestOf : .soonest) {
                $0.put(Int64(state.rawValue))
                if let identifier = filter.identifier { $0.put(identifier) }
                $0.put(left())
            }
            overview.count += Int(
                try ask(number: isOfOne ? .countLiveOf : .countLive) {
                    $0.put(Int64(state.rawValue))
                    if let identifier = filter.identifier { $0.put(identifier) }
                } ?? 0)
        }
        let over = Self.mask(wanted.filter { !$0.isLive })
        guard over != 0 else { return overview }
        overview.requests += try list(.latestOver) {
            $0.put(over)
            $0.put(filter.identifier)
            $0.put(ended)
            $0.put(left())
        }
        overview.count += Int(
            try ask(number: .countOver) {
                $0.put(over)
                $0.put(filter.identifier)
                $0.put(ended)
            } ?? 0)
        return overview
    }

    /// Without a filter invalid states are included: a damaged row has to be reported.
    private static func mask(_ states: [RequestState]) -> Int64 {
        if states.count == RequestState.allCases.count { return -1 }
        return states.reduce(0) { $0 | 1 << Int64($1.rawValue) }
    }
}
