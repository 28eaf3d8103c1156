// SPDX-License-Identifier: Apache-2.0

/// The rules of requests: their states after a submission, a launch, an end, a cancellation, or a
/// crash. It has no memory of its own; the store's transaction has all data.
///
/// Dates are nanoseconds since 1970 in UTC.
package struct RequestLedger: Sendable {
    /// The limits for accepting requests, and for keeping them.
    package var limits: RequestLimits
    let zone: any TimeZoneRules
    /// The kernel's id of the current boot; "" for a client beside a host, where no pause begins.
    var boot = ""
    /// A date counts as missed only if it is older than this.
    static let tolerance: Int64 = 60_000_000_000

    package init(limits: RequestLimits = RequestLimits(), zone: any TimeZoneRules = UTC()) {
        self.limits = limits
        self.zone = zone
    }

    // MARK: Submitting and cancelling

    /// Accepts a request. A refusal changes nothing.
    ///
    /// - Parameters:
    ///   - marks: `fromHandler`, or none.
    ///   - requester: the user to whom it belongs; its key, and what is pending besides it, are looked for among
    ///     the requests of that user. Nil: the store's own.
    package func submit(
        _ description: RequestDescription, payload: [UInt8], marks: Request.Marks = [],
        by requester: Requester? = nil, at now: Int64, _ store: any StoreTransaction
    ) throws(StoreFault) -> Changed<Result<Submission, RequestRefusal>> {
        if let fault = fault(of: description) { return Changed(value: .failure(.invalid(fault))) }
        let owner = requester?.user
        guard payload.count <= limits.payloadBytes else {
            return Changed(
                value: .failure(.tooLarge(bytes: payload.count, limit: limits.payloadBytes)))
        }
        if let key = description.key,
            let known = try store.find(key: key, of: description.identifier, owner: owner)
        {
            // A client that submits again cannot know dates that were counted from the first
            // submission.
            guard known.description.isSame(as: description),
                try store.payload(of: known.id) == payload
            else { return Changed(value: .failure(.keyTaken(known.id))) }
            return Changed(value: .success(.duplicateKey(known.id)))
        }
        var replaced: [Request] = []
        switch description.onPending {
        case .add: break
        case .keep:
            if let kept = try pending(description.identifier, of: owner, store) {
                return Changed(value: .success(.duplicatePending(kept)))
            }
        case .replace:
            replaced = try store.pending(of: description.identifier).filter { $0.owner == owner }
        }
        if let refusal = try refusal(of: description, owner: owner, replacing: replaced, store) {
            return Changed(value: .failure(refusal))
        }
        guard let first = firstDate(of: description, at: now) else {
            return Changed(value: .failure(.neverDue))
        }
        var request = Request(
            description, payloadBytes: payload.count, at: now, notBefore: first)
        request.marks = marks
        request.owner = owner
        request.id = try store.insert(request, payload: payload)
        if let repetition = description.repetition, repetition.jitter > 0 {
            request.notBefore += repetition.delay(of: request.id, at: request.nominal)
            try store.update(request)
        }
        for var old in replaced {
            old.state = .replaced
            old.changedAt = now
            try store.update(old)
            try store.append(entry(.replaced, old, now, detail: "by request \(request.id)"))
        }
        try store.append(entry(.submitted, request, now, detail: requester?.text ?? ""))
        try count(.submission, of: request, at: now, now: now, store)
        return Changed(
            value: .success(.queued(request.id, replaced: replaced.map(\.id))),
            queues: Set(replaced.map(\.queue)),
            arrived: (RequestHead(id: request.id, notBefore: request.notBefore), request.queue))
    }

    /// Returns why no request can be as described: lower case, no full stop; nil if it can.
    func fault(of description: RequestDescription) -> String? {
        if let name = description.repetition?.zoneName, zone.named(name) == nil {
            return "there is no time zone `\(name)` on this machine"
        }
        return description.fault
    }

    /// Returns the first pending request of an identifier that belongs to a user.
    private func pending(
        _ identifier: String, of owner: UInt32?, _ store: any StoreTransaction
    ) throws(StoreFault) -> RequestID? {
        guard let first = try store.firstPending(identifier) else { return nil }
        if try store.request(first)?.owner == owner { return first }
        return try store.pending(of: identifier).filter { $0.owner == owner }.min {
            ($0.queue, $0.notBefore, $0.id) < ($1.queue, $1.notBefore, $1.id)
        }?.id
    }

    /// Returns the date of the first launch without jitter; nil if a cron expression has none.
    func firstDate(of description: RequestDescription, at now: Int64) -> Int64? {
        if let earliest = description.earliest { return earliest }
        guard let repetition = description.repetition, case .cron = repetition.rule else {
            return now
        }
        // The repetition has its own dates, so the first launch is on the next of them.
        return repetition.next(after: now, in: zone)
    }

    /// Returns the limit that a request exceeds; nil if there is room for it.
    func refusal(
        of description: RequestDescription, owner: UInt32?, replacing replaced: [Request],
        _ store: any StoreTransaction
    ) throws(StoreFault) -> RequestRefusal? {
        func isFull(
            _ scope: PendingScope, _ limit: Int, freed: Int = replaced.count
        ) throws(StoreFault) -> Bool {
            // All that is replaced is pending.
            let most = limit + freed
            return try store.pendingCount(scope, atMost: most) >= most
        }
        if let owner, try isFull(.owner(owner), limits.pendingPerOwner) {
            return .tooMany(.owner(owner), limit: limits.pendingPerOwner)
        }
        if let limit = limits.pending[description.kind] {
            let freed = replaced.count { $0.description.kind == description.kind }
            if try isFull(.kind(description.kind), limit, freed: freed) {
                return .tooMany(.kind(description.kind), limit: limit)
            }
        }
        if try isFull(.all, limits.pendingInAll) {
            return .tooMany(.all, limit: limits.pendingInAll)
        }
        // The requests of an identifier are not counted while all together are fewer.
        let limit = limits.pendingPerIdentifier
        guard try isFull(.all, limit), try isFull(.identifier(description.identifier), limit)
        else { return nil }
        return .tooMany(.identifier(description.identifier), limit: limit)
    }

    /// The result of cancelling a request.
    package enum Cancellation: Hashable, Sendable {
        /// The request will not be launched again.
        case cancelled
        /// The task of the request runs, and has to be stopped; the request ends with it.
        case running(launch: UInt64)
        /// The request was over.
        case over(RequestState)
        /// There is no request with that number.
        case unknown
    }

    /// Cancels a request.
    package func cancel(
        _ id: RequestID, by requester: Requester? = nil, at now: Int64,
        _ store: any StoreTransaction
    ) throws(StoreFault) -> Changed<Cancellation> {
        guard var request = try store.request(id) else { return Changed(value: .unknown) }
        switch request.state {
        case .pending, .parked:
            request.state = .cancelled
            request.changedAt = now
            try store.update(request)
            try store.append(entry(.cancelled, request, now, detail: requester?.text ?? ""))
            return Changed(value: .cancelled, queues: [request.queue])
        case .running:
            request.marks.insert(.cancelled)
            try store.update(request)
            if let requester {
                // Its entry comes with the end of the task.
                try store.append(
                    entry(.audited, request, now, detail: "cancelled \(requester.text)"))
            }
            return Changed(value: .running(launch: request.launches))
        case .finished, .cancelled, .replaced, .missed:
            return Changed(value: .over(request.state))
        }
    }

    /// Releases a parked request, which may be launched again.
    package func release(
        _ id: RequestID, by requester: Requester? = nil, at now: Int64,
        _ store: any StoreTransaction
    ) throws(StoreFault) -> Changed<Bool> {
        guard var request = try store.request(id), request.state == .parked else {
            return Changed(value: false)
        }
        request.state = .pending
        request.reason = .released
        request.crashes = 0
        request.changedAt = now
        try store.update(request)
        try store.append(entry(.released, request, now, detail: requester?.text ?? ""))
        return Changed(value: true, queues: [request.queue])
    }

    /// Counts something that happened to a request at a date.
    func count(
        _ rollup: Rollup, of request: Request, at date: Int64, now: Int64,
        _ store: any StoreTransaction
    ) throws(StoreFault) {
        guard let key = RollupKey(request.description.identifier, at: date, now: now) else {
            return
        }
        try store.count(rollup, in: key)
    }

    func entry(
        _ what: JournalEntry.What, _ request: Request, _ now: Int64, detail: String = ""
    ) -> JournalEntry {
        JournalEntry(
            what, at: now, request: request.id, identifier: request.description.identifier,
            launch: request.launches, detail: detail)
    }
}
