// SPDX-License-Identifier: Apache-2.0
import CSystem
import Curfew
import Runner
import Scheduling

/// The result that a submission would have, by all rules of the store, and without a change of it.
struct SubmitRehearsal {
    let submission: Submission
    /// The request as it would be stored, or the existing one.
    let request: Request?
    /// The factors that it would wait for; nil without a store.
    let answer: WhyAnswer?
    /// The state of the handler in a host that begins now; nil without a store.
    let handler: HandlerState?
    let directory: String
    let host: HostPresence?
    var isStoreThere: Bool { answer != nil }

    init(
        _ description: RequestDescription, _ payload: [UInt8], _ limits: RequestLimits,
        _ found: FoundKind, at now: Int64, _ place: StorePlace
    ) throws(CommandError) {
        let store = try Self.existing(place)
        let body = {
            (ledger: inout RequestLedger, transaction: any StoreTransaction) throws(StoreFault) in
            let answer = try ledger.submit(
                description, payload: payload, at: now, transaction
            ).value
            guard case .success(let submission) = answer else { return (answer, Request?.none) }
            return (answer, try transaction.request(submission.id))
        }
        let result: (answer: Result<Submission, RequestRefusal>, request: Request?)
        if let store {
            result = try StorePlace.translated { () throws(StoreFault) in
                try store.write(limits: limits, if: { _ in false }, body)
            }
        } else {
            var ledger = RequestLedger(limits: limits, zone: LocalZone())
            result = try StorePlace.translated { () throws(StoreFault) in
                try MemoryStore().write { (transaction) throws(StoreFault) in
                    try body(&ledger, transaction)
                }
            }
        }
        switch result.answer {
        case .success(let submission): self.submission = submission
        case .failure(let refusal): throw CommandError(refusal, description, place)
        }
        let request = result.request
        self.request = request
        directory = store?.directory ?? place.directory
        (host, handler, answer) = try StorePlace.translated { () throws(StoreFault) in
            guard let store, let request else { return (nil, nil, nil) }
            let handler = try found.handler(store)
            let answers = try store.why(
                request, handler, at: Moment(wall: now, span: csys_boottime_ns()))
            return (
                try store.host(), handler,
                WhyAnswer(
                    identifier: description.identifier, request: request, hosts: answers,
                    journal: [], ahead: 0, now: now)
            )
        }
    }

    /// Returns the store; nil where there is none.
    private static func existing(_ place: StorePlace) throws(CommandError) -> StoreClient? {
        do throws(CommandError) {
            return try place.open()
        } catch {
            guard error.code == .missing else { throw error }
            return nil
        }
    }

    /// Returns the first possible launch, for people.
    func firstRun(at now: Int64) -> String {
        if let answer { return answer.earliestText }
        let date = request?.notBefore ?? now
        return (date <= now ? "" : DateText.both(date, at: now) + ", ")
            + "as soon as a host uses this store"
    }
}
