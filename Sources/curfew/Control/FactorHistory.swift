// SPDX-License-Identifier: Apache-2.0
import Curfew
import Runner
import Scheduling
import Service

/// How the factors of the machine stood in a range of dates, from the journal.
struct FactorHistory {
    private let dates: Range<Int64>
    private let now: Int64

    private static let day: Int64 = 24 * 3_600 * 1_000_000_000
    private static let limit = 20_000

    /// - Parameter now: nanoseconds since 1970 in UTC.
    init(_ query: ControlQuery, at now: Int64) throws(HTTPFault) {
        dates = try DateRange.read(query, at: now, usual: Self.day)
        self.now = now
    }

    private struct Interval {
        let state: String
        var from: Int64
        var to: Int64?
        let detail: String
    }

    /// - Parameter current: how they stand now.
    func item(
        _ store: StoreClient, _ current: [(factor: Factor, entry: FactorBoard.Entry)]
    ) throws(CommandError) -> JSONItem {
        let changes = try StorePlace.translated { () throws(StoreFault) in
            try store.read { (transaction) throws(StoreFault) in
                // The day before says how they stood when the range began.
                try transaction.causes(
                    in: max(0, dates.lowerBound - Self.day)..<dates.upperBound, limit: Self.limit)
            }
        }
        var intervals: [String: [Interval]] = [:]
        for change in changes where change.what == .factorChanged {
            guard let (name, state, detail) = Self.parts(of: change.detail) else { continue }
            add(
                Interval(state: state, from: change.at, detail: detail),
                to: &intervals[name, default: []])
        }
        for (factor, entry) in current where dates.contains(min(now, dates.upperBound - 1)) {
            let last = intervals[factor.name, default: []].last
            let state = Self.word(entry.reading.state.name)
            guard last?.state != state else { continue }
            add(
                Interval(
                    state: state, from: max(entry.since, last?.from ?? 0),
                    detail: entry.reading.detail),
                to: &intervals[factor.name, default: []])
        }
        return .object([
            (
                "factors",
                .list(
                    intervals.sorted { $0.key < $1.key }.map { name, list in
                        .object([
                            ("name", .text(name)),
                            ("intervals", .list(list.compactMap(item))),
                        ])
                    })
            )
        ])
    }

    private func add(_ interval: Interval, to list: inout [Interval]) {
        if let last = list.indices.last { list[last].to = max(interval.from, list[last].from) }
        list.append(interval)
    }

    /// Nil if it is over before the range.
    private func item(_ interval: Interval) -> JSONItem? {
        if let to = interval.to, to <= dates.lowerBound { return nil }
        return .object([
            ("state", .text(interval.state)),
            ("from", DateText.item(max(interval.from, dates.lowerBound))),
            ("to", DateText.item(interval.to)), ("detail", .text(interval.detail)),
        ])
    }

    /// Reads what an entry says: `network: no, no interface is up`.
    private static func parts(of detail: String) -> (String, String, String)? {
        let halves = detail.parts(at: ":", maxSplits: 1)
        guard halves.count == 2 else { return nil }
        let words = halves[1].parts(at: ",", maxSplits: 1)
        guard let state = words.first else { return nil }
        return (
            String(halves[0]), word(String(state.drop { $0 == " " })),
            words.count > 1 ? String(words[1].drop { $0 == " " }) : ""
        )
    }

    private static func word(_ state: String) -> String {
        switch state {
        case FactorState.yes.name: "met"
        case FactorState.no.name: "unmet"
        default: "unknown"
        }
    }
}
