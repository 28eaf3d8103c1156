// SPDX-License-Identifier: Apache-2.0

/// The rules of requests: what becomes of them when they are submitted, launched, over, cancelled, or
/// found again after a crash. It remembers nothing: everything is in the store's transaction.
///
/// Dates are nanoseconds since 1970 in UTC.
package struct RequestLedger: Sendable {
    /// The limits for accepting requests, and for keeping them.
    package var limits: RequestLimits
    let zone: any TimeZoneRules
    /// The kernel's id of the boot that spans count from; "" beside a host, where no pause begins.
    var boot = ""
    /// Queues whose head may be another one now.
    package internal(set) var touched: Set<RequestQueue> = []

    /// The request that was stored last, until it is read: it may be its queue's head.
    var arrived: (head: RequestHead, queue: RequestQueue)?

    /// A date counts as missed only if it is older than this.
    static let tolerance: Int64 = 60_000_000_000

    /// Makes one of what it is given.
    package init(limits: RequestLimits = RequestLimits(), zone: any TimeZoneRules = UTC()) {
        self.limits = limits
        self.zone = zone
    }

    /// Returns the queues that were touched since the last call.
    package mutating func takeTouched() -> Set<RequestQueue> {
        if touched.isEmpty { return [] }
        defer { touched.removeAll() }
        return touched
    }

    /// Returns the request that was taken in since the last call.
    mutating func takeArrived() -> (head: RequestHead, queue: RequestQueue)? {
        defer { arrived = nil }
        return arrived
    }

    // MARK: Submitting and cancelling

    /// Takes a request in. With a refusal nothing was changed.
    package mutating func submit(
        _ description: RequestDescription, payload: [UInt8], at now: Int64,
        _ store: any StoreTransaction
    ) throws(StoreFault) -> Result<Submission, RequestRefusal> {
        if let fault = description.fault { return .failure(.invalid(fault)) }
        guard payload.count <= limits.payloadBytes else {
            return .failure(.tooLarge(bytes: payload.count, limit: limits.payloadBytes))
        }
        if let key = description.key,
            let known = try store.find(key: key, of: description.identifier)
        {
            // A client that submits again cannot know dates that were counted from the first
            // submission.
            guard known.description.isSame(as: description),
                try store.payload(of: known.id) == payload
            else { return .failure(.keyTaken(known.id)) }
            return .success(.known(known.id))
        }
        var replaced: [Request] = []
        switch description.onPending {
        case .add: break
        case .keep:
            if let kept = try store.firstPending(description.identifier) {
                return .success(.kept(kept))
            }
        case .replace: replaced = try store.pending(of: description.identifier)
        }
        let freed = replaced.count { $0.description.kind == description.kind }
        let limit = limits.pending(description.kind)
        guard try store.pendingCount(description.kind) - freed < limit else {
            return .failure(.tooMany(description.kind, limit: limit))
        }
        var request = Request(
            description, payloadBytes: payload.count, at: now,
            notBefore: description.earliest ?? now)
        if description.earliest == nil, let repetition = description.repetition,
            case .cron = repetition.rule
        {
            // Its dates are given; the first one is the next.
            guard let first = repetition.next(after: now, in: zone) else {
                return .failure(.invalid("the cron expression has no date in the next 28 years"))
            }
            request.notBefore = first
            request.nominal = first
        }
        request.id = try store.insert(request, payload: payload)
        if let repetition = description.repetition, repetition.jitter > 0 {
            request.notBefore += repetition.delay(of: request.id, at: request.nominal)
            try store.update(request)
        }
        arrived = (RequestHead(id: request.id, notBefore: request.notBefore), request.queue)
        for var old in replaced {
            old.state = .replaced
            old.changedAt = now
            touched.insert(old.queue)
            try store.update(old)
            try store.append(entry(.replaced, old, now, detail: "by request \(request.id)"))
        }
        try store.append(entry(.submitted, request, now))
        return .success(.queued(request.id, replaced: replaced.map(\.id)))
    }

    /// The result of cancelling a request.
    package enum Cancellation: Hashable, Sendable {
        /// It will not be launched any more.
        case cancelled
        /// The task of the request runs, and has to be stopped; the request ends with it.
        case running(launch: UInt64)
        /// It was over before.
        case over(RequestState)
        /// There is none of that number.
        case unknown
    }

    /// Cancels a request.
    package mutating func cancel(
        _ id: RequestID, at now: Int64, _ store: any StoreTransaction
    ) throws(StoreFault) -> Cancellation {
        guard var request = try store.request(id) else { return .unknown }
        switch request.state {
        case .pending, .parked:
            touched.insert(request.queue)
            request.state = .cancelled
            request.changedAt = now
            try store.update(request)
            try store.append(entry(.cancelled, request, now))
            return .cancelled
        case .running:
            request.marks.insert(.cancelled)
            try store.update(request)
            return .running(launch: request.launches)
        case .finished, .cancelled, .replaced, .missed: return .over(request.state)
        }
    }

    /// Lets a parked request be launched again.
    package mutating func lift(
        _ id: RequestID, at now: Int64, _ store: any StoreTransaction
    ) throws(StoreFault) -> Bool {
        guard var request = try store.request(id), request.state == .parked else { return false }
        request.state = .pending
        request.reason = .lifted
        request.crashes = 0
        request.changedAt = now
        try store.update(request)
        try store.append(entry(.lifted, request, now))
        touched.insert(request.queue)
        return true
    }

    func entry(
        _ what: JournalEntry.What, _ request: Request, _ now: Int64, detail: String = ""
    ) -> JournalEntry {
        JournalEntry(
            what, at: now, request: request.id, identifier: request.description.identifier,
            launch: request.launches, detail: detail)
    }
}
