// SPDX-License-Identifier: Apache-2.0

/// Updates requests when a host starts, ends, or its clock is set.
extension RequestLedger {
    /// Opens the store for a host: requests that ran in an earlier host become pending again, or
    /// parked.
    package func open(
        by host: HostIdentity, at moment: Moment, _ store: any StoreTransaction
    ) throws(StoreFault) -> (interrupted: Int, parked: Int, wasClean: Bool) {
        let now = moment.wall
        let before = try store.value(.host) { HostNote($0) }
        let wasClean = before.map { $0.isStopped } ?? true
        try store.append(JournalEntry(.hostStarted, at: now, detail: "process \(host.process)"))
        var counts = (interrupted: 0, parked: 0, wasClean: wasClean)
        let running = try store.running()
        for var request in running {
            let attempt = try store.attempt(request.launches, of: request.id)
            let end = AttemptEnd(.interrupted, error: "the host's process ended")
            try close(request, request.launches, end, at: now, store)
            request.outcome = .interrupted
            request.changedAt = now
            // If the machine crashed or was rebooted, that is no evidence against a request.
            var isGuilty = false
            if let attempt, attempt.host.boot == host.boot, attempt.host != host {
                request.crashes += 1
                // If several tasks ran, any of them may have crashed the process.
                isGuilty = request.crashes >= limits.crashes && running.count == 1
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
        try store.setValue(
            .host, HostNote(host: host, since: now, isStopped: false).bytes)
        return counts
    }

    /// Leaves the store in order. Running requests stay so, and the next host finds them.
    package func leave(
        by host: HostIdentity, at now: Int64, _ store: any StoreTransaction
    ) throws(StoreFault) {
        try store.append(JournalEntry(.hostStopped, at: now, detail: "process \(host.process)"))
        try store.setValue(
            .host, HostNote(host: host, since: now, isStopped: true).bytes)
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
        let date = now - Int64(clamping: limits.historyAge)
        return try store.prune(before: date, keeping: limits.historyCount, limit: 500) == 500
    }
}
