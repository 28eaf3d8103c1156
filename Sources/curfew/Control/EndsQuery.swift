// SPDX-License-Identifier: Apache-2.0
import Curfew
import Scheduling
import Service

/// Which ends of tasks a client asks for: the last ones of an identifier, or of all.
struct EndsQuery {
    private let identifier: String?
    private let limit: Int

    static let names = ["identifier", "limit"]
    /// The most requests of an identifier that are not over and are looked at.
    private static let liveLimit = 200

    init(_ query: ControlQuery) throws(HTTPFault) {
        identifier = query["identifier"]
        limit = Int(try query.number("limit", 1...100) ?? 100)
    }

    private struct End {
        let request: Request
        let attempt: Attempt
        let date: Int64
    }

    /// The newest first.
    ///
    /// - Parameter budget: that of a handler, in nanoseconds; nil if it has none here.
    func item(
        _ store: StoreClient, budget: (String) -> UInt64?
    ) throws(CommandError) -> JSONItem {
        let ends = try StorePlace.translated { () throws(StoreFault) in
            try store.read { (transaction) throws(StoreFault) in
                try identifier == nil ? lastOfAll(transaction) : lastOfOne(transaction)
            }
        }
        return .object([
            (
                "ends",
                .list(
                    ends.prefix(limit).map { end in
                        let name = end.request.description.identifier
                        let elapsed = UInt64(max(0, end.date - end.attempt.startedAt))
                        return .object([
                            ("request", RequestItem.id(end.request.id)),
                            ("identifier", .text(name)),
                            ("launch", .integer(Int64(clamping: end.attempt.launch))),
                            ("at", DateText.item(end.date)),
                            ("outcome", .text(orNull: end.attempt.outcome?.name)),
                            ("duration", .seconds(elapsed)),
                            ("budget", budget(name).map { .seconds($0) } ?? .null),
                        ])
                    })
            )
        ])
    }

    /// The end of the journal has them.
    private func lastOfAll(_ store: any StoreTransaction) throws(StoreFault) -> [End] {
        let last = try store.lastSequence()
        var ends: [End] = []
        // Most launches have five entries or fewer.
        for count in [UInt64(limit) * 5, 10_000] {
            ends = []
            let entries = try store.journal(
                after: last - min(last, count), of: nil, limit: Int(count))
            for entry in entries.reversed() where entry.what == .ended && ends.count < limit {
                guard let id = entry.request, let request = try store.request(id),
                    let attempt = try store.attempt(entry.launch, of: id)
                else { continue }
                ends.append(End(request: request, attempt: attempt, date: entry.at))
            }
            if ends.count == limit || last <= count { break }
        }
        return ends
    }

    /// The last requests that are over have them, and those that are repeated.
    private func lastOfOne(_ store: any StoreTransaction) throws(StoreFault) -> [End] {
        let states = RequestState.allCases
        let over = RequestFilter(
            states: Set(states.filter { !$0.isLive }), identifier: identifier, limit: limit)
        let live = RequestFilter(
            states: Set(states.filter(\.isLive)), identifier: identifier, limit: Self.liveLimit)
        var ends: [End] = []
        for filter in [over, live] {
            for request in try store.overview(filter).requests where request.launches > 0 {
                for attempt in try store.attempts(of: request.id, limit: limit) {
                    guard let date = attempt.endedAt else { continue }
                    ends.append(End(request: request, attempt: attempt, date: date))
                }
            }
        }
        return ends.sorted { ($1.date, $1.request.id) < ($0.date, $0.request.id) }
    }
}
