// SPDX-License-Identifier: Apache-2.0
import Curfew
import Scheduling
import Service

/// Which launches a client asks for that were not made on their date, and why.
struct MissesQuery {
    private let dates: Range<Int64>
    private let identifier: String?
    private let limit: Int
    private let now: Int64

    static let names = DateRange.names + ["identifier", "limit"]
    private static let day: Int64 = 24 * 3_600 * 1_000_000_000
    /// From when on a launch is late, in nanoseconds.
    private static let tolerance: UInt64 = 60_000_000_000
    /// The most entries and requests that are looked at, and entries of each.
    private static let (causeLimit, requestLimit, entryLimit) = (20_000, 300, 300)

    /// - Parameter now: nanoseconds since 1970 in UTC.
    init(_ query: ControlQuery, at now: Int64) throws(HTTPFault) {
        dates = try DateRange.read(query, at: now, usual: Self.day)
        identifier = query["identifier"]
        limit = Int(try query.number("limit", 1...1_000) ?? 100)
        self.now = now
    }

    private struct Miss {
        let request: Request
        let turn: LaunchHistory.Turn
        let date: Int64
    }

    /// The last ones, the newest first.
    func item(_ store: StoreClient) throws(CommandError) -> JSONItem {
        let (misses, schedules, isCut) = try StorePlace.translated { () throws(StoreFault) in
            try store.read { (transaction) throws(StoreFault) in
                let (misses, isCut) = try find(in: transaction)
                return (misses, try transaction.schedules(), isCut)
            }
        }
        let names = Dictionary(
            schedules.compactMap { schedule in schedule.request.map { ($0, schedule.name) } },
            uniquingKeysWith: { $1 })
        let last = misses.sorted {
            ($1.date, $1.request.id) < ($0.date, $0.request.id)
        }
        return .object([
            ("misses", .list(last.prefix(limit).map { item($0, names[$0.request.id]) })),
            ("more", .bool(isCut || last.count > limit)),
        ])
    }

    private func find(
        in store: any StoreTransaction
    ) throws(StoreFault) -> (misses: [Miss], isCut: Bool) {
        // That a date was left out is known once somebody looks.
        let end = dates.upperBound.addingReportingOverflow(Self.day)
        let causes = try store.causes(
            in: dates.lowerBound..<(end.overflow ? .max : end.partialValue),
            limit: Self.causeLimit)
        var first: [RequestID: UInt64] = [:]
        for cause in causes {
            guard let id = cause.request,
                identifier?.utf8.elementsEqual(cause.identifier.utf8) ?? true
            else { continue }
            first[id] = min(first[id] ?? .max, cause.sequence)
        }
        let newest = first.sorted { $0.value > $1.value }.prefix(Self.requestLimit)
        var misses: [Miss] = []
        for (id, sequence) in newest {
            guard let request = try store.request(id) else { continue }
            let entries = try store.journal(
                after: sequence - 1, of: id, limit: Self.entryLimit)
            for turn in LaunchHistory(entries).turns {
                if let date = missed(turn) {
                    misses.append(Miss(request: request, turn: turn, date: date))
                }
            }
        }
        return (misses, causes.count == Self.causeLimit || newest.count < first.count)
    }

    /// Returns the date that was missed; nil if none was in the range.
    private func missed(_ turn: LaunchHistory.Turn) -> Int64? {
        let (date, isMissed): (Int64?, Bool) =
            switch turn.end {
            case .launched(let date):
                (turn.due ?? date, turn.lateness ?? 0 >= Self.tolerance || turn.skipped != nil)
            case .other(let what, let date, _):
                (turn.due ?? date, what == .missed || what == .repeated)
            case .none:
                (turn.due, turn.due.map { $0 < now && UInt64(now - $0) >= Self.tolerance } ?? false)
            }
        guard let date, isMissed, dates.contains(date) else { return nil }
        return date
    }

    private func item(_ miss: Miss, _ schedule: String?) -> JSONItem {
        let turn = miss.turn
        var launched: Int64?
        if case .launched(let date) = turn.end { launched = date }
        let reasons = LaunchHistory.sums(of: [turn], at: now).map { sum in
            let hold = turn.holds.last { $0.factors.contains(sum.factor) }
            return JSONItem.object([
                ("factor", .text(sum.factor)), ("seconds", .seconds(sum.length)),
                ("detail", .text(hold?.detail ?? "")),
            ])
        }
        return .object([
            ("request", RequestItem.id(miss.request.id)),
            ("identifier", .text(miss.request.description.identifier)),
            ("schedule", .text(orNull: schedule)), ("due", DateText.item(miss.date)),
            ("launched", DateText.item(launched)), ("skipped", .text(orNull: skipped(turn))),
            ("reasons", .list(reasons)),
        ])
    }

    /// Which dates were left out, or what became of the request, in words.
    private func skipped(_ turn: LaunchHistory.Turn) -> String? {
        if case .other(_, _, let detail) = turn.end { return detail.isEmpty ? nil : detail }
        return turn.skipped
    }
}
