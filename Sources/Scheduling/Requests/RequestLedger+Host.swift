// SPDX-License-Identifier: Apache-2.0

/// Updates requests when a host starts, ends, or its clock is set.
extension RequestLedger {
    /// The numbers of requests that another host's end has interrupted, and of those that were parked for it.
    package typealias TakenOver = (interrupted: Int, parked: Int)

    /// Adds a host to the store, and takes over the requests of hosts that are gone.
    ///
    /// - Parameter isGone: whether a host that has not left the store is dead.
    /// - Returns: the host with its number, and whether none was gone.
    package func enter(
        _ host: HostRecord, at moment: Moment, _ store: any StoreTransaction,
        isGone: (HostRecord) -> Bool
    ) throws(StoreFault) -> (host: HostRecord, takenOver: TakenOver, wasClean: Bool) {
        var host = host
        host.since = moment.wall
        let gone = try store.hosts().filter(isGone)
        try store.append(
            JournalEntry(.hostStarted, at: moment.wall, detail: Self.text(host)))
        for dead in gone { _ = try remove(dead, at: moment.wall, store) }
        let takenOver = try settleOrphans(
            of: gone, by: host, because: Self.processEnded, at: moment, store)
        host.id = try store.enter(host)
        return (host, takenOver, gone.isEmpty)
    }

    private static func text(_ host: HostRecord) -> String {
        let process = "process \(host.identity.process)"
        return host.machine.isEmpty ? process : "\(process) on \(host.machine)"
    }

    /// Takes over the requests of a host that is gone. Changes nothing if another host has done so, or the host is
    /// there.
    package func takeOver(
        _ dead: HostRecord, by host: HostRecord, at moment: Moment, _ store: any StoreTransaction
    ) throws(StoreFault) -> TakenOver {
        guard try remove(dead, at: moment.wall, store) else { return (0, 0) }
        return try settleOrphans(
            of: [dead], by: host, because: Self.processEnded, at: moment, store)
    }

    private func remove(
        _ dead: HostRecord, at now: Int64, _ store: any StoreTransaction
    ) throws(StoreFault) -> Bool {
        guard try store.leave(dead, at: now) else { return false }
        if dead.lease > 0 {
            try store.append(JournalEntry(.hostLost, at: now, detail: Self.text(dead)))
        }
        return true
    }

    private static let processEnded = "the host's process ended"

    /// Makes requests that ran in hosts that are gone pending again, or parked.
    ///
    /// - Parameter reason: why their attempts have ended.
    private func settleOrphans(
        of gone: [HostRecord], by host: HostRecord, because reason: String, at moment: Moment,
        _ store: any StoreTransaction
    ) throws(StoreFault) -> TakenOver {
        let now = moment.wall
        var counts: TakenOver = (0, 0)
        let orphans = try store.orphans()
        for var request in orphans {
            let attempt = try store.attempt(request.launches, of: request.id)
            let end = AttemptEnd(.interrupted, error: reason)
            try close(request, request.launches, end, at: now, store)
            request.outcome = .interrupted
            request.changedAt = now
            var isGuilty = false
            if let attempt, Self.isEvidence(attempt.host, of: gone, seenBy: host) {
                request.crashes += 1
                // If several tasks ran, any of them may have crashed the process.
                isGuilty = request.crashes >= limits.crashes && orphans.count == 1
            }
            counts.interrupted += 1
            if isGuilty, request.marks.isDisjoint(with: [.cancelled, .superseded]) {
                counts.parked += 1
                request.state = .parked
                try store.update(request)
                try store.append(
                    entry(
                        .parked, request, now,
                        detail: "the process ended \(request.crashes) times while its task ran"))
            } else {
                try settle(&request, end, at: moment, store)
            }
        }
        return counts
    }

    /// Returns whether the end of a host's process is evidence against what ran in it: not if its machine crashed or
    /// was started again.
    private static func isEvidence(
        _ dead: HostIdentity, of gone: [HostRecord], seenBy host: HostRecord
    ) -> Bool {
        guard dead != host.identity else { return false }
        guard let record = gone.first(where: { $0.identity == dead }) else {
            return dead.boot == host.identity.boot
        }
        return !record.hasEndedWithItsMachine(seenBy: host)
    }

    /// Leaves the store in order. What has not ended is pending again where other hosts can launch it, and else stays
    /// running until the next host finds it.
    package func leave(
        _ host: HostRecord, at moment: Moment, _ store: any StoreTransaction
    ) throws(StoreFault) {
        try store.append(JournalEntry(.hostStopped, at: moment.wall, detail: Self.text(host)))
        guard try store.leave(host, at: moment.wall), host.lease > 0 else { return }
        _ = try settleOrphans(
            of: [], by: host, because: "its host has left the store", at: moment, store)
    }

    /// Shortens pauses and intervals after the clock was set back, since they were counted from a
    /// later time. Handles `limit` requests after `id`. Returns the number at which to continue;
    /// nil at the end.
    package func shorten(
        after id: RequestID?, limit: Int, at moment: Moment, _ store: any StoreTransaction
    ) throws(StoreFault) -> Changed<RequestID?> {
        let now = moment.wall
        var queues: Set<RequestQueue> = []
        let filter = RequestFilter(states: [.pending], after: id, limit: limit)
        let requests = try store.requests(filter)
        for var request in requests {
            if let pause = request.pause {
                if try renew(pause, of: request, at: moment, store) {
                    queues.insert(request.queue)
                }
                continue
            }
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
            queues.insert(request.queue)
        }
        return Changed(value: requests.count < limit ? nil : requests.last?.id, queues: queues)
    }

    /// Computes the dates to come of cron expressions again, after the machine's time zone was changed. Handles `limit`
    /// requests after `id`. Returns the number at which to continue; nil at the end.
    package func rezone(
        after id: RequestID?, limit: Int, at now: Int64, _ store: any StoreTransaction
    ) throws(StoreFault) -> Changed<RequestID?> {
        var queues: Set<RequestQueue> = []
        let filter = RequestFilter(states: [.pending], after: id, limit: limit)
        let requests = try store.requests(filter)
        for var request in requests where request.nominal > now && isRepeatedDate(request) {
            // The first date may be one that was asked for.
            guard request.reason == .repetition || request.description.earliest == nil,
                let repetition = request.description.repetition,
                case .cron(_, isLocal: true) = repetition.rule,
                let next = repetition.next(after: now, in: zone), next != request.nominal
            else { continue }
            request.nominal = next
            request.notBefore = Self.sum(
                next, UInt64(repetition.delay(of: request.id, at: next)))
            try store.update(request)
            queues.insert(request.queue)
        }
        return Changed(value: requests.count < limit ? nil : requests.last?.id, queues: queues)
    }

    /// Computes the date of a request that waits for a span again. A span that began before a
    /// reboot counts from now on, if that is sooner than its date. Returns whether it changed.
    private func renew(
        _ pause: Pause, of request: Request, at now: Moment, _ store: any StoreTransaction
    ) throws(StoreFault) -> Bool {
        var request = request
        if let left = pause.left(at: now.span, boot: boot) {
            request.notBefore = Self.sum(now.wall, left)
        } else {
            let date = Self.sum(now.wall, pause.length)
            guard date < request.notBefore else { return false }
            request.notBefore = date
            request.pause = Pause(boot: boot, begun: now.span, length: pause.length)
        }
        try store.update(request)
        return true
    }

    /// Returns the latest date of a pending request that was delayed at `now` or before, without
    /// jitter; nil if its date was given by the submitter.
    func latestDate(of request: Request, at now: Int64) -> Int64? {
        switch request.reason {
        case .backOff: return Self.sum(now, request.description.retry.longest)
        case .interrupted, .released, .byHand: return now
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

    /// Returns whether the request waits for a date of its repetition.
    func isRepeatedDate(_ request: Request) -> Bool {
        request.reason == .repetition || request.reason == .submitted
    }

    /// Removes history that is too old or too long. Returns true if more may remain.
    package func prune(at now: Int64, _ store: any StoreTransaction) throws(StoreFault) -> Bool {
        if try store.foldMinutes(before: RollupSpan.minute.firstKept(at: now)) {
            try store.removeHours(before: RollupSpan.hour.firstKept(at: now))
        }
        let date = now - Int64(clamping: limits.historyAge)
        return try store.prune(before: date, keeping: limits.historyCount, limit: 500) == 500
    }
}
