// SPDX-License-Identifier: Apache-2.0

/// The rules of requests: what becomes of them when they are submitted, launched, over, cancelled, or
/// found again after a crash. It remembers nothing: everything is in the store's transaction.
///
/// Dates are nanoseconds since 1970 in UTC.
public struct RequestLedger: Sendable {
    public var limits: RequestLimits
    let zone: any TimeZoneRules
    /// Queues whose head may be another one now.
    public private(set) var touched: Set<RequestQueue> = []

    /// A date is missed while nobody looked only when it is older than this.
    static let tolerance: Int64 = 60_000_000_000
    private static let hostName = "host"

    public init(limits: RequestLimits = RequestLimits(), zone: any TimeZoneRules = UTC()) {
        self.limits = limits
        self.zone = zone
    }

    /// Returns the queues that were touched since the last call.
    public mutating func takeTouched() -> Set<RequestQueue> {
        defer { touched.removeAll(keepingCapacity: true) }
        return touched
    }

    // MARK: Submitting and cancelling

    /// Takes a request in. With a refusal nothing was changed.
    public mutating func submit(
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
            // Whoever submits again cannot know of dates that were counted from the first time.
            guard known.description.isSame(as: description),
                try store.payload(of: known.id) == payload
            else { return .failure(.keyTaken(known.id)) }
            return .success(.known(known.id))
        }
        var replaced: [Request] = []
        if description.onPending != .add {
            let live = try store.live(description.identifier, limit: .max)
            if description.onPending == .keep,
                let first = live.first(where: { $0.state == .pending })
            {
                return .success(.kept(first.id))
            }
            if description.onPending == .replace { replaced = live }
        }
        let freed = replaced.count {
            $0.state == .pending && $0.description.kind == description.kind
        }
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
        touched.insert(request.queue)
        for var old in replaced {
            if old.state == .pending {
                old.state = .replaced
                old.changedAt = now
                touched.insert(old.queue)
            } else {
                // Its task goes on, and is the last one.
                old.marks.insert(.superseded)
            }
            try store.update(old)
            if old.state == .replaced {
                try store.append(
                    entry(.replaced, old, now, detail: "by request \(request.id)"))
            }
        }
        try store.append(entry(.submitted, request, now))
        return .success(
            .queued(request.id, replaced: replaced.filter { $0.state == .pending }.map(\.id)))
    }

    /// What became of a request that was to be cancelled.
    public enum Cancellation: Hashable, Sendable {
        /// It will not be launched any more.
        case cancelled
        /// Its task runs, and has to be told to stop; the request ends with it.
        case running(launch: UInt64)
        /// It was over before.
        case over(RequestState)
        case unknown
    }

    /// Cancels a request.
    public mutating func cancel(
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
    public mutating func lift(
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

    // MARK: Launching and ending

    /// What became of a request that was to be launched.
    public enum Launching: Sendable {
        /// It is running from now on.
        case launched(Request, attempt: Attempt, payload: [UInt8])
        /// It is not to be launched now: missed, put off, or not pending at all.
        case not
        /// It ran when the process ended, as did one that runs now: whichever of them ends processes
        /// is found by launching one at a time.
        case alone
    }

    /// Begins an attempt.
    ///
    /// - Parameter awakeSince: since when somebody has looked at dates without a break: the host's
    ///   start, or the last time the machine woke up or its clock was set.
    /// - Parameter isBesideSuspect: one runs that ran when the process ended.
    public mutating func launch(
        _ id: RequestID, by host: HostIdentity, at now: Int64, awakeSince: Int64,
        isBesideSuspect: Bool = false, _ store: any StoreTransaction
    ) throws(StoreFault) -> Launching {
        guard var request = try store.request(id), request.state == .pending else { return .not }
        if isBesideSuspect, request.crashes > 0 { return .alone }
        touched.insert(request.queue)
        if let latest = request.description.latest, latest < now, request.launches == 0 {
            try miss(&request, at: now, store)
            return .not
        }
        if let repetition = request.description.repetition,
            try catchUp(&request, repetition, at: now, awakeSince: awakeSince, store)
        {
            return .not
        }
        request.state = .running
        request.launches += 1
        request.changedAt = now
        try store.update(request)
        let attempt = Attempt(
            request: id, launch: request.launches, number: request.attempts + 1, host: host,
            startedAt: now)
        try store.put(attempt)
        try store.append(entry(.launched, request, now, detail: "attempt \(attempt.number)"))
        return .launched(request, attempt: attempt, payload: try store.payload(of: id))
    }

    /// Dates that passed: true when the request was put off to a later one.
    private mutating func catchUp(
        _ request: inout Request, _ repetition: Repetition, at now: Int64, awakeSince: Int64,
        _ store: any StoreTransaction
    ) throws(StoreFault) -> Bool {
        // A second attempt is about the same date as the first.
        guard request.attempts == 0, request.nominal <= now else { return false }
        let (last, passed) = repetition.last(from: request.nominal, upTo: now, in: zone)
        switch repetition.catchUp {
        case .all:
            let excess = passed - Repetition.catchUpLimit
            guard excess > 0 else { return false }
            try skip(excess, of: request, at: now, store)
            request.nominal = nominal(request.nominal, excess, repetition)
            return false
        case .skip where last + Self.tolerance < awakeSince:
            try skip(passed + 1, of: request, at: now, store)
            try comeAgain(&request, repetition, after: last, at: now, store)
            return true
        case .skip, .one:
            // What held it back holds no longer, and the last date stands for those before it.
            guard passed > 0 else { return false }
            try skip(passed, of: request, at: now, store)
            request.nominal = last
            return false
        }
    }

    private func nominal(_ date: Int64, _ count: Int, _ repetition: Repetition) -> Int64 {
        if case .every(let interval) = repetition.rule {
            return date + Int64(clamping: interval) * Int64(count)
        }
        var date = date
        for _ in 0..<count { date = repetition.next(after: date, in: zone) ?? date }
        return date
    }

    private func skip(
        _ count: Int, of request: Request, at now: Int64, _ store: any StoreTransaction
    ) throws(StoreFault) {
        try store.append(
            entry(
                .datesSkipped, request, now,
                detail:
                    "\(count) date\(count == 1 ? "" : "s") passed and \(count == 1 ? "is" : "are") left out"
            ))
    }

    /// Takes the end of an attempt. Nil: it is not the one that runs, and nothing was changed.
    public mutating func end(
        _ id: RequestID, launch: UInt64, _ end: AttemptEnd, at now: Int64,
        _ store: any StoreTransaction
    ) throws(StoreFault) -> Request? {
        guard var request = try store.request(id), request.state == .running,
            request.launches == launch
        else {
            try store.append(
                JournalEntry(
                    .fenced, at: now, request: id, launch: launch, detail: end.outcome.name))
            return nil
        }
        try close(request, launch, end, at: now, store)
        request.outcome = end.outcome
        request.changedAt = now
        if end.outcome != .interrupted { request.crashes = 0 }
        try settle(&request, end, at: now, store)
        return request
    }

    /// Writes the end of an attempt down.
    private func close(
        _ request: Request, _ launch: UInt64, _ end: AttemptEnd, at now: Int64,
        _ store: any StoreTransaction
    ) throws(StoreFault) {
        if var attempt = try store.attempt(launch, of: request.id) {
            attempt.endedAt = now
            attempt.outcome = end.outcome
            attempt.reason = end.reason
            attempt.error = end.error
            try store.put(attempt)
        }
        var detail = end.outcome.name
        if let reason = end.reason { detail += ", told to stop: \(reason.name)" }
        if !end.error.isEmpty, end.error != end.outcome.doneText { detail += ": \(end.error)" }
        try store.append(entry(.ended, request, now, detail: detail))
    }

    /// What comes after an attempt.
    private mutating func settle(
        _ request: inout Request, _ end: AttemptEnd, at now: Int64, _ store: any StoreTransaction
    ) throws(StoreFault) {
        if request.marks.contains(.cancelled) || end.outcome == .cancelled {
            request.state = .cancelled
            try store.update(request)
            try store.append(entry(.cancelled, request, now))
            return
        }
        if request.marks.contains(.superseded) {
            try finish(&request, at: now, store)
            return
        }
        if let snooze = end.snooze, end.outcome != .interrupted {
            try wait(&request, .snoozed, until: Self.sum(now, snooze), at: now, store)
            try store.append(entry(.snoozed, request, now))
            return
        }
        switch end.outcome {
        case .interrupted:
            try wait(&request, .interrupted, until: now, at: now, store)
        case .succeeded:
            try leaveDate(&request, at: now, store)
        case .failed, .expired, .abandoned, .cancelled:
            request.attempts += 1
            let chance = Chance.of(request.id.rawValue, request.launches)
            if let pause = request.description.retry.pause(after: request.attempts, chance: chance)
            {
                try wait(&request, .backOff, until: Self.sum(now, pause), at: now, store)
                try store.append(
                    entry(
                        .backedOff, request, now,
                        detail:
                            "attempt \(request.attempts + 1) of \(request.description.retry.attempts) follows"
                    ))
            } else {
                try leaveDate(&request, at: now, store)
            }
        }
    }

    private static func sum(_ date: Int64, _ span: UInt64) -> Int64 {
        let (sum, overflow) = date.addingReportingOverflow(Int64(clamping: span))
        return overflow
            ? RequestDescription.dateRange.upperBound
            : min(sum, RequestDescription.dateRange.upperBound)
    }

    private mutating func wait(
        _ request: inout Request, _ reason: PendingReason, until date: Int64, at now: Int64,
        _ store: any StoreTransaction
    ) throws(StoreFault) {
        request.state = .pending
        request.reason = reason
        request.notBefore = date
        try store.update(request)
        touched.insert(request.queue)
    }

    /// The date it was about is done with: the next one, or the end.
    private mutating func leaveDate(
        _ request: inout Request, at now: Int64, _ store: any StoreTransaction
    ) throws(StoreFault) {
        request.attempts = 0
        guard let repetition = request.description.repetition else {
            try finish(&request, at: now, store)
            return
        }
        try comeAgain(&request, repetition, after: request.nominal, at: now, store)
    }

    private mutating func comeAgain(
        _ request: inout Request, _ repetition: Repetition, after date: Int64, at now: Int64,
        _ store: any StoreTransaction
    ) throws(StoreFault) {
        var next = repetition.next(after: date, in: zone)
        if let first = next, first <= now {
            let (last, passed) = repetition.last(from: first, upTo: now, in: zone)
            switch repetition.catchUp {
            case .skip:
                try skip(passed + 1, of: request, at: now, store)
                next = repetition.next(after: last, in: zone)
            case .one:
                if passed > 0 { try skip(passed, of: request, at: now, store) }
                next = last
            case .all: break
            }
        }
        guard let next else {
            try finish(&request, at: now, store)
            return
        }
        request.nominal = next
        try wait(
            &request, .repetition, until: next + repetition.delay(of: request.id, at: next),
            at: now, store)
        try store.append(entry(.repeated, request, now))
    }

    private func finish(
        _ request: inout Request, at now: Int64, _ store: any StoreTransaction
    ) throws(StoreFault) {
        request.state = .finished
        request.changedAt = now
        try store.update(request)
        try store.append(
            entry(.finished, request, now, detail: request.outcome?.name ?? "never launched"))
    }

    private func miss(
        _ request: inout Request, at now: Int64, _ store: any StoreTransaction
    ) throws(StoreFault) {
        request.state = .missed
        request.changedAt = now
        try store.update(request)
        try store.append(entry(.missed, request, now))
    }

    /// Ends up to `limit` pending requests whose latest beginning has passed. Returns when the next
    /// one's does; nil: there is none.
    public mutating func missOverdue(
        at now: Int64, limit: Int, _ store: any StoreTransaction
    ) throws(StoreFault) -> Int64? {
        for _ in 0..<limit {
            guard var request = try store.firstToMiss() else { return nil }
            guard let latest = request.description.latest, latest < now else {
                return request.description.latest
            }
            touched.insert(request.queue)
            try miss(&request, at: now, store)
        }
        return now
    }

    // MARK: The host's life

    /// A host begins to use the store: what ran in the one before it is pending again, or parked.
    public mutating func open(
        by host: HostIdentity, at now: Int64, _ store: any StoreTransaction
    ) throws(StoreFault) -> (interrupted: Int, parked: Int, wasClean: Bool) {
        let before = try store.value(Self.hostName).flatMap { HostNote($0) }
        let wasClean = before.map { $0.isStopped } ?? true
        try store.append(JournalEntry(.hostStarted, at: now, detail: "process \(host.process)"))
        var counts = (interrupted: 0, parked: 0, wasClean: wasClean)
        for var request in try store.running() {
            let attempt = try store.attempt(request.launches, of: request.id)
            let end = AttemptEnd(.interrupted, error: "the host's process ended")
            try close(request, request.launches, end, at: now, store)
            request.outcome = .interrupted
            request.changedAt = now
            // With the machine everything ends; that says nothing about a request.
            if let attempt, attempt.host.boot == host.boot, attempt.host != host {
                request.crashes += 1
            }
            counts.interrupted += 1
            if request.crashes >= limits.crashes, request.marks.isEmpty {
                counts.parked += 1
                request.state = .parked
                try store.update(request)
                try store.append(
                    entry(
                        .parked, request, now,
                        detail: "the process ended \(request.crashes) times while its task ran"))
            } else {
                try settle(&request, end, at: now, store)
            }
        }
        try store.setValue(
            Self.hostName, HostNote(host: host, since: now, isStopped: false).bytes)
        return counts
    }

    /// The host leaves the store in order; what still runs stays so, for the next one to find.
    public func leave(
        by host: HostIdentity, at now: Int64, _ store: any StoreTransaction
    ) throws(StoreFault) {
        try store.append(JournalEntry(.hostStopped, at: now, detail: "process \(host.process)"))
        try store.setValue(
            Self.hostName, HostNote(host: host, since: now, isStopped: true).bytes)
    }

    /// The clock was set back: pauses and intervals that were counted from the later time would be
    /// longer than they say. Looks at `limit` requests after `id`; returns where to go on, nil at the
    /// end.
    public mutating func shorten(
        after id: RequestID?, limit: Int, at now: Int64, _ store: any StoreTransaction
    ) throws(StoreFault) -> RequestID? {
        let filter = RequestFilter(states: [.pending], after: id, limit: limit)
        let requests = try store.requests(filter)
        for var request in requests {
            guard let date = latestDate(of: request, at: now) else { continue }
            var bound = date
            if isRepeatedDate(request), let repetition = request.description.repetition {
                guard request.nominal > date else { continue }
                request.nominal = date
                bound = Self.sum(date, UInt64(repetition.delay(of: request.id, at: date)))
            }
            guard request.notBefore > bound else { continue }
            request.notBefore = bound
            try store.update(request)
            touched.insert(request.queue)
        }
        return requests.count < limit ? nil : requests.last?.id
    }

    /// The latest date of a pending request that was put off at `now` at the latest, without jitter;
    /// nil: its date was given from outside.
    private func latestDate(of request: Request, at now: Int64) -> Int64? {
        switch request.reason {
        case .backOff: return Self.sum(now, request.description.retry.longest)
        case .interrupted, .lifted: return now
        case .repetition:
            return request.description.repetition.flatMap { $0.next(after: now, in: zone) }
        case .submitted:
            if request.description.earliest != nil { return nil }
            guard let repetition = request.description.repetition, case .cron = repetition.rule
            else { return now }
            return repetition.next(after: now, in: zone)
        case .snoozed: return nil
        }
    }

    /// What it waits for is a date of its repetition.
    private func isRepeatedDate(_ request: Request) -> Bool {
        request.reason == .repetition || request.reason == .submitted
    }

    /// Removes history that is too old or too much. True when there may be more.
    public func prune(at now: Int64, _ store: any StoreTransaction) throws(StoreFault) -> Bool {
        let date = now - Int64(clamping: limits.historyAge)
        return try store.prune(before: date, keeping: limits.historyCount, limit: 500) == 500
    }

    private func entry(
        _ what: JournalEntry.What, _ request: Request, _ now: Int64, detail: String = ""
    ) -> JournalEntry {
        JournalEntry(
            what, at: now, request: request.id, identifier: request.description.identifier,
            launch: request.launches, detail: detail)
    }
}
