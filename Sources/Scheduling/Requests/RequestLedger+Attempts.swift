// SPDX-License-Identifier: Apache-2.0

/// Launches requests, and settles them when their tasks end.
extension RequestLedger {
    /// The result of trying to launch a request.
    package enum Launching: Sendable {
        /// The request is running from now on.
        case launched(Request, attempt: Attempt, payload: [UInt8])
        /// The request is not launched now: it is missed, delayed, or not pending.
        case not
        /// The request is not launched beside another one that also ran when the process crashed:
        /// launching them one at a time finds the one that crashes processes.
        case notBesideSuspect
        /// One more crash would park the request, so that no other task that could be the cause may
        /// run at the same time.
        case alone
    }

    /// Begins an attempt.
    ///
    /// - Parameter terms: the terms besides the request.
    package func launch(
        _ id: RequestID, by host: HostIdentity, at moment: Moment, _ terms: LaunchTerms,
        _ store: any StoreTransaction
    ) throws(StoreFault) -> Launching {
        let now = moment.wall
        guard var request = try store.request(id), request.state == .pending else { return .not }
        if isDecisive(request), terms.neighbours != .none { return .alone }
        if request.crashes > 0, terms.neighbours == .suspect { return .notBesideSuspect }
        if let latest = request.description.latest, latest < now, request.launches == 0 {
            try miss(&request, at: now, store)
            return .not
        }
        if !terms.isSimulated, try mustPause(&request, terms.floor, at: moment, store) {
            return .not
        }
        if let repetition = request.description.repetition,
            try catchUp(&request, repetition, at: now, awakeSince: terms.awakeSince, store)
        {
            return .not
        }
        let due = max(request.notBefore, request.submittedAt)
        request.state = .running
        request.marks.remove(.floored)
        request.pause = nil
        request.launches += 1
        request.changedAt = now
        try store.update(request)
        let attempt = Attempt(
            request: id, launch: request.launches, number: request.attempts + 1, host: host,
            startedAt: now)
        try store.put(attempt)
        // A repeated request never becomes history, so its attempts would never be removed.
        if request.launches > max(limits.attemptCount, 1) {
            try store.removeAttempts(
                of: id, before: request.launches - max(limits.attemptCount, 1) + 1)
        }
        try store.append(entry(.launched, request, now, detail: "attempt \(attempt.number)"))
        if !terms.isSimulated { try countLaunch(of: request, due: due, at: now, store) }
        return .launched(request, attempt: attempt, payload: try store.payload(of: id))
    }

    private func countLaunch(
        of request: Request, due: Int64, at now: Int64, _ store: any StoreTransaction
    ) throws(StoreFault) {
        let delay = now > due ? UInt64(now - due) : 0
        try count(.launch(after: delay), of: request, at: now, now: now, store)
        // It was launched on its date before, and its host has ended.
        if request.reason == .interrupted { return }
        // In the hour in which it was due, so that both stand beside each other.
        let date = min(due, now)
        try count(
            .kept(isLate: delay > UInt64(Self.tolerance)), of: request, at: date, now: now, store)
    }

    /// Returns whether one more crash while it runs would park the request.
    func isDecisive(_ request: Request) -> Bool {
        request.crashes > 0 && request.crashes + 1 >= limits.crashes
    }

    /// Returns true if the date has come but the pause is not over; the request then waits for its
    /// end.
    private func mustPause(
        _ request: inout Request, _ floor: UInt64?, at now: Moment, _ store: any StoreTransaction
    ) throws(StoreFault) -> Bool {
        if let pause = request.pause, let left = pause.left(at: now.span, boot: boot), left > 0 {
            // The clock of dates was set forward.
            let date = Self.sum(now.wall, left)
            guard date > now.wall else { return false }
            try wait(&request, request.reason, until: date, pausing: pause, store)
            return true
        }
        guard let floor, request.isUndated, !request.marks.contains(.floored) else { return false }
        request.marks.insert(.floored)
        let most = request.description.latest.map { UInt64(max(0, $0 - now.wall)) } ?? .max
        try rest(&request, .submitted, for: min(floor, most), at: now, store)
        return request.notBefore > now.wall
    }

    /// Handles dates that passed. Returns true if the request was moved to a later date.
    func catchUp(
        _ request: inout Request, _ repetition: Repetition, at now: Int64, awakeSince: Int64,
        _ store: any StoreTransaction
    ) throws(StoreFault) -> Bool {
        // A second attempt has the same date as the first, and a launch by hand has none.
        guard request.attempts == 0, request.reason != .byHand, request.nominal <= now else {
            return false
        }
        let (last, passed) = repetition.last(from: request.nominal, upTo: now, in: zone)
        switch repetition.catchUp {
        case .all where passed <= Repetition.catchUpLimit: return false
        case .skip where last + Self.tolerance < awakeSince:
            try skip(passed + 1, from: request.nominal, of: request, at: now, store)
            try comeAgain(&request, repetition, after: last, at: now, store)
            return true
        case .skip, .one, .all:
            // The factor allows the launch again, and the last date replaces the earlier ones.
            guard passed > 0 else { return false }
            try skip(passed, from: request.nominal, of: request, at: now, store)
            request.nominal = last
            return false
        }
    }

    private static func skipped(_ count: Int) -> String {
        // The count of a cron expression's dates is limited.
        if count > Repetition.catchUpLimit {
            return "more than \(Repetition.catchUpLimit) dates passed and are left out"
        }
        return count == 1
            ? "1 date passed and is left out" : "\(count) dates passed and are left out"
    }

    /// Leaves dates of a request out that have passed.
    ///
    /// - Parameter first: the first of them.
    func skip(
        _ count: Int, from first: Int64, of request: Request, at now: Int64,
        _ store: any StoreTransaction
    ) throws(StoreFault) {
        try store.append(entry(.datesSkipped, request, now, detail: Self.skipped(count)))
        guard let repetition = request.description.repetition else { return }
        // Each date counts in its own hour.
        var (date, left) = (first, min(count, Repetition.catchUpLimit))
        while left > 0 {
            try self.count(.missed(1), of: request, at: date, now: now, store)
            left -= 1
            guard let next = repetition.next(after: date, in: zone) else { return }
            date = next
        }
    }

    /// Ends an attempt. Returns nil, and changes nothing, if the attempt is not the running one. An
    /// end that was committed although the store reported a failure is accepted once more, and
    /// returned again.
    package func end(
        _ id: RequestID, launch: UInt64, _ end: AttemptEnd, at moment: Moment,
        _ store: any StoreTransaction
    ) throws(StoreFault) -> Changed<Request?> {
        let now = moment.wall
        guard var request = try store.request(id), request.state == .running,
            request.launches == launch
        else {
            let known = try store.request(id)
            if let known, let attempt = try store.attempt(launch, of: id), attempt.isEnded(as: end)
            {
                return Changed(value: known)
            }
            try store.append(
                JournalEntry(
                    .fenced, at: now, request: id,
                    identifier: known?.description.identifier ?? "", launch: launch,
                    detail: end.outcome.name))
            return Changed(value: nil, queues: try acquit(id, launch, end, at: now, store))
        }
        try close(request, launch, end, at: now, store)
        request.outcome = end.outcome
        request.changedAt = now
        if end.isSuspect {
            request.crashes += 1
        } else if end.outcome != .interrupted {
            request.crashes = 0
        }
        try settle(&request, end, at: moment, store)
        return Changed(value: request, queues: request.state == .pending ? [request.queue] : [])
    }

    /// Takes back that a launch was counted as one during which its process ended: it comes to an end only now, so that its
    /// host has lived, and had not reached the store. Returns the queue of a request that is released by that.
    private func acquit(
        _ id: RequestID, _ launch: UInt64, _ end: AttemptEnd, at now: Int64,
        _ store: any StoreTransaction
    ) throws(StoreFault) -> Set<RequestQueue> {
        guard !end.isSuspect, var request = try store.request(id), request.crashes > 0,
            try store.attempt(launch, of: id)?.outcome == .interrupted
        else { return [] }
        request.crashes -= 1
        guard request.state == .parked else {
            try store.update(request)
            return []
        }
        request.changedAt = now
        try wait(&request, .interrupted, until: now, store)
        try store.append(
            entry(
                .released, request, now,
                detail: "the process had not ended: its host did not reach the store in time"))
        return [request.queue]
    }

    /// Stores the end of an attempt.
    func close(
        _ request: Request, _ launch: UInt64, _ end: AttemptEnd, at now: Int64,
        _ store: any StoreTransaction
    ) throws(StoreFault) {
        try store.end(launch, of: request.id, end, at: now)
        var detail = end.outcome.name
        if let reason = end.reason { detail += ", told to stop: \(reason.name)" }
        if !end.error.isEmpty, end.error != end.outcome.doneText { detail += ": \(end.error)" }
        try store.append(entry(.ended, request, now, detail: detail))
        try count(Rollup(end), of: request, at: now, now: now, store)
    }

    /// Sets the next state of a request after an attempt.
    func settle(
        _ request: inout Request, _ end: AttemptEnd, at moment: Moment,
        _ store: any StoreTransaction
    ) throws(StoreFault) {
        let now = moment.wall
        if request.marks.contains(.cancelled) || end.outcome == .cancelled {
            request.state = .cancelled
            try store.update(request)
            try store.append(entry(.cancelled, request, now))
            return
        }
        if request.marks.contains(.superseded) {
            request.state = .replaced
            try store.update(request)
            try store.append(
                entry(.replaced, request, now, detail: "its schedule was changed or removed"))
            return
        }
        if end.isSuspect {
            try wait(&request, .interrupted, until: now, store)
            return
        }
        if let snooze = end.snooze, end.outcome != .interrupted {
            try rest(&request, .snoozed, for: snooze, at: moment, store)
            try store.append(entry(.snoozed, request, now))
            return
        }
        switch end.outcome {
        case .interrupted:
            try wait(&request, .interrupted, until: now, store)
        case .succeeded:
            try leaveDate(&request, at: now, store)
        case .failed, .expired, .abandoned, .cancelled, .crashed:
            request.attempts += 1
            let chance = DeterministicRandom.of(request.id.rawValue, request.launches)
            if let pause = request.description.retry.pause(after: request.attempts, chance: chance)
            {
                try rest(&request, .backOff, for: pause, at: moment, store)
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

    static func sum(_ date: Int64, _ span: UInt64) -> Int64 {
        let (sum, overflow) = date.addingReportingOverflow(Int64(clamping: span))
        return overflow
            ? RequestDescription.dateRange.upperBound
            : min(sum, RequestDescription.dateRange.upperBound)
    }

    /// Lets the request wait for a span in nanoseconds.
    private func rest(
        _ request: inout Request, _ reason: PendingReason, for length: UInt64, at now: Moment,
        _ store: any StoreTransaction
    ) throws(StoreFault) {
        try wait(
            &request, reason, until: Self.sum(now.wall, length),
            pausing: Pause(boot: boot, begun: now.span, length: length), store)
    }

    func wait(
        _ request: inout Request, _ reason: PendingReason, until date: Int64,
        pausing pause: Pause? = nil, _ store: any StoreTransaction
    ) throws(StoreFault) {
        request.state = .pending
        request.reason = reason
        request.notBefore = date
        request.pause = pause
        try store.update(request)
    }

    /// Moves a request to its next date, or finishes it.
    func leaveDate(
        _ request: inout Request, at now: Int64, _ store: any StoreTransaction
    ) throws(StoreFault) {
        request.attempts = 0
        guard let repetition = request.description.repetition else {
            try finish(&request, at: now, store)
            return
        }
        try comeAgain(&request, repetition, after: request.nominal, at: now, store)
    }

    func comeAgain(
        _ request: inout Request, _ repetition: Repetition, after date: Int64, at now: Int64,
        _ store: any StoreTransaction
    ) throws(StoreFault) {
        var next = repetition.next(after: date, in: zone)
        if let first = next, first <= now {
            let (last, passed) = repetition.last(from: first, upTo: now, in: zone)
            switch repetition.catchUp {
            case .skip:
                try skip(passed + 1, from: first, of: request, at: now, store)
                next = repetition.next(after: last, in: zone)
            case .one:
                if passed > 0 { try skip(passed, from: first, of: request, at: now, store) }
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
            &request, .repetition, until: next + repetition.delay(of: request.id, at: next), store)
        try store.append(entry(.repeated, request, now, detail: lostZone(of: repetition)))
    }

    /// Says that a date is not in the zone that its cron expression names; empty if it is.
    private func lostZone(of repetition: Repetition) -> String {
        guard case .cron(let schedule, let isLocal) = repetition.rule, let name = schedule.zone,
            zone.named(name) == nil
        else { return "" }
        return "this machine does not have the time zone \(name) any more, so the date is in "
            + (isLocal ? "its own" : "UTC")
    }

    func finish(
        _ request: inout Request, at now: Int64, _ store: any StoreTransaction
    ) throws(StoreFault) {
        request.state = .finished
        request.changedAt = now
        try store.update(request)
        try store.append(
            entry(.finished, request, now, detail: request.outcome?.name ?? "never launched"))
    }

    func miss(
        _ request: inout Request, at now: Int64, _ store: any StoreTransaction
    ) throws(StoreFault) {
        request.state = .missed
        request.changedAt = now
        try store.update(request)
        try store.append(entry(.missed, request, now))
        try count(
            .missed(1), of: request, at: min(request.description.latest ?? now, now), now: now,
            store)
    }

    /// Ends up to `limit` pending requests whose latest date has passed. Returns the latest date of
    /// the next one; nil if there is none.
    package func missOverdue(
        at now: Int64, limit: Int, _ store: any StoreTransaction
    ) throws(StoreFault) -> Changed<Int64?> {
        var queues: Set<RequestQueue> = []
        for _ in 0..<limit {
            guard var request = try store.firstToMiss() else {
                return Changed(value: nil, queues: queues)
            }
            guard let latest = request.description.latest, latest < now else {
                return Changed(value: request.description.latest, queues: queues)
            }
            guard request.state == .pending else { throw .notWaiting(request.id) }
            queues.insert(request.queue)
            try miss(&request, at: now, store)
        }
        return Changed(value: now, queues: queues)
    }
}
