// SPDX-License-Identifier: Apache-2.0

/// Brings the schedules of a configuration into a store.
extension RequestLedger {
    /// Makes the schedules of the store those of a configuration.
    ///
    /// An unchanged schedule keeps its request, its dates and its history. The request of a changed schedule
    /// is edited, and keeps its dates if the repetition is the same. A running task is not stopped, and the
    /// next task of the schedule starts after it. The configuration overrides edits that a person made to the
    /// request. A cancelled request stays cancelled until its schedule changes or `restart` is called. The
    /// request of a removed schedule ends with its running task.
    ///
    /// Limits of pending requests are not applied: those are for callers, and a configuration is a
    /// person's own.
    ///
    /// - Parameters:
    ///   - wanted: the schedules of the configuration, each name once.
    ///   - set: the name of the set that they are, "" for none; those of other sets stay as they are. Nil: they are all
    ///     that the store is to have.
    package func reconcile(
        _ wanted: [Schedule], set: String?, at now: Int64, _ store: any StoreTransaction
    ) throws(StoreFault) -> Changed<ScheduleChanges> {
        // Several hosts may begin at the same time.
        try store.lockValue("schedules")
        let stored = try store.schedules().filter {
            set == nil || Schedule.set(of: $0.name) == set
        }
        var queues: Set<RequestQueue> = []
        var changes = ScheduleChanges()
        var planned: Set<String> = []
        for step in SchedulePlan(wanted: wanted, stored: stored).steps {
            switch step {
            case .add(let schedule):
                try put(schedule, after: nil, at: now, store, &queues, &changes)
                changes.added.append(schedule.name)
                planned.insert(schedule.name)
            case .replace(let row, let schedule):
                try put(schedule, after: row, at: now, store, &queues, &changes)
                changes.changed.append(schedule.name)
                planned.insert(schedule.name)
            case .move(var row, let schedule):
                row.source = schedule.source
                try store.put(row)
            case .remove(let row):
                try leave(row, "its schedule was removed", at: now, store, &queues)
                try store.removeSchedule(row.name)
                changes.removed.append(row.name)
            }
        }
        try lookAtOthers(
            wanted.filter { !planned.contains($0.name) }, stored, at: now, store, &queues, &changes)
        changes.kept = wanted.count - changes.added.count - changes.changed.count
        changes.changed.sort()
        return Changed(value: changes, queues: queues)
    }

    /// Finds schedules that say what they said before, and whose requests are not as they say.
    private func lookAtOthers(
        _ schedules: [Schedule], _ stored: [StoredSchedule], at now: Int64,
        _ store: any StoreTransaction, _ queues: inout Set<RequestQueue>,
        _ changes: inout ScheduleChanges
    ) throws(StoreFault) {
        let rows = Dictionary(uniqueKeysWithValues: stored.map { ($0.name, $0) })
        for schedule in schedules.sorted(by: { $0.name < $1.name }) {
            guard let row = rows[schedule.name], let id = row.request else { continue }
            guard let request = try store.request(id), request.state.isLive else {
                changes.over.append(row.name)
                continue
            }
            guard request.description != schedule.description else { continue }
            try put(schedule, after: row, at: now, store, &queues, &changes)
            changes.changed.append(schedule.name)
        }
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
        guard var row = try store.schedule(name) else { return Changed(value: .unknown) }
        guard let id = row.request else { return Changed(value: .off) }
        guard let request = try store.request(id) else {
            row.digest = ""
            try store.put(row)
            return Changed(value: .withConfiguration)
        }
        guard !request.state.isLive else { return Changed(value: .live(request)) }
        var again = request
        guard let first = date(of: request.description, at: now) else {
            return Changed(value: .off)
        }
        again.state = .pending
        again.marks = []
        (again.attempts, again.crashes) = (0, 0)
        (again.nominal, again.reason, again.pause) = (first, .submitted, nil)
        again.notBefore = first + Self.delay(of: again)
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
        var new = StoredSchedule(
            name: schedule.name, digest: schedule.digest, request: nil, source: schedule.source,
            changedAt: now)
        let old = try row?.request.flatMap { (id) throws(StoreFault) in try store.request(id) }
        if schedule.isEnabled, let old, try change(old, to: schedule, at: now, store, &queues) {
            new.request = old.id
            return try store.put(new)
        }
        if schedule.isEnabled {
            new.request = try add(schedule, at: now, store, &queues)
            if new.request == nil { changes.refused[schedule.name] = "it has no date" }
        }
        if let row {
            let detail =
                new.request.map { "by request \($0), of the changed schedule" }
                ?? (schedule.isEnabled ? "its schedule has no date" : "its schedule is off")
            try leave(row, detail, at: now, store, &queues)
        }
        try store.put(new)
    }

    /// Inserts the request of a schedule. Returns nil if it has no date.
    private func add(
        _ schedule: Schedule, at now: Int64, _ store: any StoreTransaction,
        _ queues: inout Set<RequestQueue>
    ) throws(StoreFault) -> RequestID? {
        guard let first = date(of: schedule.description, at: now) else { return nil }
        var request = Request(
            schedule.description, payloadBytes: schedule.payload.count, at: now, notBefore: first)
        request.id = try store.insert(request, payload: schedule.payload)
        let delay = Self.delay(of: request)
        if delay > 0 {
            request.notBefore += delay
            try store.update(request)
        }
        try store.append(entry(.submitted, request, now, detail: "by schedule \(schedule.name)"))
        queues.insert(request.queue)
        return request.id
    }

    /// Makes a request that is not over what its schedule says. Returns false, and changes nothing, if
    /// another one has to take its place: of another handler, without a date, or cancelled while it runs.
    private func change(
        _ old: Request, to schedule: Schedule, at now: Int64, _ store: any StoreTransaction,
        _ queues: inout Set<RequestQueue>
    ) throws(StoreFault) -> Bool {
        let description = schedule.description
        guard old.state.isLive, old.description.identifier == description.identifier,
            old.description.kind == description.kind, !old.marks.contains(.cancelled)
        else { return false }
        let isSameRule =
            old.description.repetition?.rule == description.repetition?.rule
            && old.description.earliest == nil
        var request = old
        request.description = description
        if old.state == .running {
            // Its next date is computed when its task has ended.
            if !isSameRule { request.nominal = now }
        } else if old.state == .parked || !isSameRule {
            guard
                let first = isSameRule ? old.nominal : date(of: description, at: now)
            else { return false }
            request.state = .pending
            (request.attempts, request.crashes) = (0, 0)
            (request.nominal, request.reason, request.pause) = (first, .submitted, nil)
            request.notBefore = first + Self.delay(of: request)
        } else if isRepeatedDate(request) {
            request.notBefore = request.nominal + Self.delay(of: request)
        }
        request.payloadBytes = schedule.payload.count
        request.changedAt = now
        try store.redescribe(request)
        try store.setPayload(schedule.payload, of: request.id)
        try store.append(
            entry(.edited, request, now, detail: "by the changed schedule \(schedule.name)"))
        queues.insert(old.queue)
        queues.insert(request.queue)
        return true
    }

    private static func delay(of request: Request) -> Int64 {
        request.description.repetition?.delay(of: request.id, at: request.nominal) ?? 0
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
