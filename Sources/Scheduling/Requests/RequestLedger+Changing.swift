// SPDX-License-Identifier: Apache-2.0

/// Changes that a person makes to requests after their submission.
extension RequestLedger {
    /// The result of a change.
    package enum Change: Hashable, Sendable {
        /// The request, as it is now.
        case changed(Request)
        /// The request, which was not changed because of its state.
        case wrongState(Request)
        /// The change is not possible, for this reason.
        case refused(RequestRefusal)
        /// There is no request with that number.
        case unknown
    }

    /// Makes a request that is over pending again: it may be launched at once, with all attempts of
    /// its policy, and keeps its number, payload and history.
    ///
    /// A latest date that has passed is dropped, since the request would be missed at once. A
    /// repeated request continues with its next date.
    package func retry(
        _ id: RequestID, by requester: Requester? = nil, at now: Int64,
        _ store: any StoreTransaction
    ) throws(StoreFault) -> Changed<Change> {
        guard var request = try store.request(id) else { return Changed(value: .unknown) }
        guard !request.state.isLive else { return Changed(value: .wrongState(request)) }
        if let refusal = try refusal(
            of: request.description, owner: request.owner, replacing: [], store)
        {
            return Changed(value: .refused(refusal))
        }
        if let latest = request.description.latest, latest < now {
            request.description.latest = nil
            try store.redescribe(request)
        }
        request.attempts = 0
        request.crashes = 0
        request.marks = []
        request.nominal = now
        return try launchByHand(request, .retried, by: requester, at: now, store)
    }

    /// Makes a pending request due now, whatever its date. All its other conditions hold.
    package func launchNow(
        _ id: RequestID, by requester: Requester? = nil, at now: Int64,
        _ store: any StoreTransaction
    ) throws(StoreFault) -> Changed<Change> {
        guard var request = try store.request(id) else { return Changed(value: .unknown) }
        guard request.state == .pending else { return Changed(value: .wrongState(request)) }
        if let repetition = request.description.repetition, request.nominal > now {
            // The launch is an additional one: the date that it precedes comes after it.
            switch repetition.rule {
            case .every(let interval): request.nominal -= Int64(clamping: interval)
            case .cron: request.nominal -= 1
            }
        }
        return try launchByHand(request, .triggered, by: requester, at: now, store)
    }

    private func launchByHand(
        _ request: Request, _ what: JournalEntry.What, by requester: Requester?, at now: Int64,
        _ store: any StoreTransaction
    ) throws(StoreFault) -> Changed<Change> {
        var request = request
        request.changedAt = now
        try wait(&request, .byHand, until: now, store)
        try store.append(entry(what, request, now, detail: requester?.text ?? ""))
        return Changed(value: .changed(request), queues: [request.queue])
    }

    /// Changes the description of a pending request. Its identifier, kind and `onPending` stay as
    /// they are.
    ///
    /// A new earliest date or repetition sets the date of the next launch; otherwise the date, and
    /// with it a pause between attempts, stays.
    package func edit(
        _ id: RequestID, at now: Int64, _ store: any StoreTransaction,
        _ change: (inout RequestDescription) -> Void
    ) throws(StoreFault) -> Changed<Change> {
        guard var request = try store.request(id) else { return Changed(value: .unknown) }
        guard request.state == .pending else { return Changed(value: .wrongState(request)) }
        let (before, queue) = (request.description, request.queue)
        change(&request.description)
        request.description.identifier = before.identifier
        request.description.kind = before.kind
        request.description.onPending = before.onPending
        let after = request.description
        guard after != before else { return Changed(value: .changed(request)) }
        let isKept = after.repetition == before.repetition
        if let fault = isKept ? after.fault : fault(of: after) {
            return Changed(value: .refused(.invalid(fault)))
        }
        if let key = after.key,
            let other = try store.find(
                key: key, of: after.identifier, owner: request.owner),
            other.id != id
        {
            return Changed(value: .refused(.keyTaken(other.id)))
        }
        if after.earliest != before.earliest || after.repetition != before.repetition {
            guard let date = firstDate(of: after, at: now) else {
                return Changed(value: .refused(.neverDue))
            }
            request.nominal = date
            request.notBefore = date + (after.repetition?.delay(of: id, at: date) ?? 0)
            request.reason = .submitted
            request.pause = nil
            request.marks.remove(.floored)
        }
        try store.redescribe(request)
        try store.append(entry(.edited, request, now, detail: Self.changes(before, after)))
        return Changed(value: .changed(request), queues: [queue, request.queue])
    }

    /// Returns the names of the members that differ.
    private static func changes(_ a: RequestDescription, _ b: RequestDescription) -> String {
        let members = [
            ("earliest", a.earliest != b.earliest), ("latest", a.latest != b.latest),
            ("needs", a.needs != b.needs), ("priority", a.priority != b.priority),
            ("key", a.key != b.key), ("retry", a.retry != b.retry),
            ("repetition", a.repetition != b.repetition),
        ]
        return members.filter(\.1).map(\.0).joined(separator: ", ")
    }
}
