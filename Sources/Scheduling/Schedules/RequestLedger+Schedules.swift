// SPDX-License-Identifier: Apache-2.0

/// Brings the schedules of a configuration into a store.
extension RequestLedger {
    /// Makes the schedules of the store those of a configuration.
    ///
    /// What is equal is not touched: its dates and its history stay. A changed schedule gets another
    /// request; where its repetition is as before, the next date is the one that it had. The task of a
    /// changed or removed schedule is not stopped, and its request ends with it. A request that a person
    /// has cancelled stays so, until its schedule is changed, or made anew by `restart`.
    ///
    /// Limits of pending requests are not applied: those are for callers, and a configuration is a
    /// person's own.
    ///
    /// - Parameter wanted: the schedules of the configuration, each name once.
    package func reconcile(
        _ wanted: [Schedule], at now: Int64, _ store: any StoreTransaction
    ) throws(StoreFault) -> Changed<ScheduleChanges> {
        let stored = try store.schedules()
        var queues: Set<RequestQueue> = []
        var changes = ScheduleChanges()
        changes.kept = wanted.count
        for step in SchedulePlan(wanted: wanted, stored: stored).steps {
            switch step {
            case .add(let schedule):
                changes.kept -= 1
                try put(schedule, after: nil, at: now, store, &queues, &changes)
                changes.added.append(schedule.name)
            case .replace(let row, let schedule):
                changes.kept -= 1
                try put(schedule, after: row, at: now, store, &queues, &changes)
                changes.changed.append(schedule.name)
            case .move(var row, let schedule):
                row.source = schedule.source
                try store.put(row)
            case .remove(let row):
                try leave(row, "its schedule was removed", at: now, store, &queues)
                try store.removeSchedule(row.name)
                changes.removed.append(row.name)
            }
        }
        let touched = Set(changes.added + changes.changed + changes.removed)
        for row in stored where !touched.contains(row.name) {
            guard let request = row.request else { continue }
            if try store.request(request)?.state.isLive != true { changes.over.append(row.name) }
        }
        return Changed(value: changes, queues: queues)
    }

    /// The result of restarting a schedule.
    package enum ScheduleRestart: Hashable, Sendable {
        /// Its request is pending again.
        case pending(Request)
        /// Its request is pending or running.
        case live(Request)
        /// Its request is not kept any more; the next host that reads its configuration makes another.
        case withConfiguration
        /// It is off in the configuration.
        case off
        /// There is no schedule of that name.
        case unknown
    }

    /// Puts a schedule back whose request is over.
    package func restart(
        _ name: String, at now: Int64, _ store: any StoreTransaction
    ) throws(StoreFault) -> Changed<ScheduleRestart> {
        guard var row = try store.schedules().first(where: { $0.name == name }) else {
            return Changed(value: .unknown)
        }
        guard let id = row.request else { return Changed(value: .off) }
        guard let request = try store.request(id) else {
            row.digest = ""
            try store.put(row)
            return Changed(value: .withConfiguration)
        }
        guard !request.state.isLive else { return Changed(value: .live(request)) }
        var again = request
        again.nominal = now
        guard let first = date(of: request.description, at: now) else {
            return Changed(value: .off)
        }
        again.state = .pending
        again.marks = []
        (again.attempts, again.crashes) = (0, 0)
        (again.nominal, again.reason, again.pause) = (first, .submitted, nil)
        again.notBefore =
            first + (request.description.repetition?.delay(of: id, at: first) ?? 0)
        again.changedAt = now
        try store.update(again)
        try store.append(entry(.retried, again, now, detail: "by hand, of schedule \(name)"))
        return Changed(value: .pending(again), queues: [again.queue])
    }

    /// Stores a schedule, and the request of an enabled one.
    private func put(
        _ schedule: Schedule, after row: StoredSchedule?, at now: Int64,
        _ store: any StoreTransaction, _ queues: inout Set<RequestQueue>,
        _ changes: inout ScheduleChanges
    ) throws(StoreFault) {
        var id: RequestID?
        let old = try row?.request.flatMap { (id) throws(StoreFault) in try store.request(id) }
        if schedule.isEnabled {
            if let first = date(of: schedule, after: old, at: now) {
                var request = Request(
                    schedule.description, payloadBytes: schedule.payload.count, at: now,
                    notBefore: first)
                request.id = try store.insert(request, payload: schedule.payload)
                if let repetition = schedule.description.repetition, repetition.jitter > 0 {
                    request.notBefore += repetition.delay(of: request.id, at: request.nominal)
                    try store.update(request)
                }
                try store.append(
                    entry(.submitted, request, now, detail: "by schedule \(schedule.name)"))
                queues.insert(request.queue)
                id = request.id
            } else {
                changes.refused[schedule.name] = "it has no date"
            }
        }
        if let row {
            try leave(
                row,
                id.map { "by request \($0), of the changed schedule" } ?? "its schedule is off",
                at: now, store, &queues)
        }
        try store.put(
            StoredSchedule(
                name: schedule.name, digest: schedule.digest, request: id,
                source: schedule.source, changedAt: now))
    }

    /// Returns the first date of a schedule: of one whose dates are as before, the next of those.
    private func date(of schedule: Schedule, after old: Request?, at now: Int64) -> Int64? {
        if let old, old.state.isLive, let before = old.description.repetition,
            let repetition = schedule.description.repetition, before.rule == repetition.rule
        {
            return old.state == .running
                ? repetition.next(after: old.nominal, in: zone) : old.nominal
        }
        return date(of: schedule.description, at: now)
    }

    /// Returns the first date that counts from now.
    private func date(of description: RequestDescription, at now: Int64) -> Int64? {
        if let repetition = description.repetition { return repetition.next(after: now, in: zone) }
        return description.earliest ?? now
    }

    /// Lets the request of a schedule go: a running one with the end of its task.
    private func leave(
        _ row: StoredSchedule, _ detail: String, at now: Int64, _ store: any StoreTransaction,
        _ queues: inout Set<RequestQueue>
    ) throws(StoreFault) {
        guard let id = row.request, var request = try store.request(id) else { return }
        switch request.state {
        case .pending, .parked:
            queues.insert(request.queue)
            request.state = .replaced
            request.changedAt = now
            try store.update(request)
            try store.append(entry(.replaced, request, now, detail: detail))
        case .running:
            request.marks.insert(.superseded)
            try store.update(request)
        case .finished, .cancelled, .replaced, .missed: break
        }
    }
}
