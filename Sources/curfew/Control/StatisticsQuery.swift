// SPDX-License-Identifier: Apache-2.0
import Curfew
import Runner
import Scheduling
import Service

/// Which roll-ups a client asks for: of what, and of which time.
struct StatisticsQuery {
    private let span: RollupSpan
    private let identifier: String?
    private let isByIdentifier: Bool
    private let dates: Range<Int64>

    /// The most spans of one answer.
    private static let limit: Int64 = 500
    static let names = ["step", "identifier", "by"] + DateRange.names

    /// - Parameter now: nanoseconds since 1970 in UTC.
    init(_ query: ControlQuery, at now: Int64) throws(HTTPFault) {
        switch query["step"] {
        case "minute": span = .minute
        case "hour", nil: span = .hour
        default: throw HTTPFault(400, "query", "`step` is minute or hour")
        }
        switch query["by"] {
        case "identifier": isByIdentifier = true
        case nil: isByIdentifier = false
        default: throw HTTPFault(400, "query", "`by` is identifier, or is left out")
        }
        identifier = query["identifier"]
        let asked = try DateRange.read(
            query, at: now, usual: span == .minute ? span.age : 24 * span.length)
        let to = asked.upperBound
        let first = span.beginning(of: max(asked.lowerBound, span.firstKept(at: now)))
        guard (max(to, first) - first) / span.length <= Self.limit else {
            throw HTTPFault(
                400, "query",
                "there are more than \(Self.limit) \(span == .minute ? "minutes" : "hours") in that time",
                help: ["ask for a part of it"])
        }
        dates = first..<max(to, first)
    }

    func item(_ store: StoreClient) throws(CommandError) -> JSONItem {
        let rollups = try StorePlace.translated { () throws(StoreFault) in
            try store.read { (transaction) throws(StoreFault) in
                try transaction.series(span, of: identifier, in: dates)
            }
        }
        return .object([
            ("step", .text(span == .minute ? "minute" : "hour")),
            ("from", DateText.item(dates.lowerBound)), ("to", DateText.item(dates.upperBound)),
            ("delayBounds", Self.bounds(.delay)), ("durationBounds", Self.bounds(.duration)),
            ("budgetBounds", Self.bounds(.budget)),
            ("series", .list(isByIdentifier ? Self.series(rollups) : [sum(rollups)])),
        ])
    }

    private static func bounds(_ measure: Rollup.Measure) -> JSONItem {
        .list(measure.bounds.map { .number($0) })
    }

    private static func series(_ rollups: [StoredRollup]) -> [JSONItem] {
        Dictionary(grouping: rollups, by: \.identifier).sorted { $0.key < $1.key }.map {
            series($0.key, $0.value)
        }
    }

    /// All identifiers together, or the one that was asked for.
    private func sum(_ rollups: [StoredRollup]) -> JSONItem {
        var sums: [StoredRollup] = []
        for rollup in rollups {
            if sums.last?.at == rollup.at {
                sums[sums.count - 1].rollup += rollup.rollup
            } else {
                sums.append(rollup)
            }
        }
        return Self.series(identifier, sums)
    }

    private static func series(_ identifier: String?, _ rollups: [StoredRollup]) -> JSONItem {
        .object([
            ("identifier", .text(orNull: identifier)), ("points", .list(rollups.map(point))),
        ])
    }

    private static func point(_ stored: StoredRollup) -> JSONItem {
        let rollup = stored.rollup
        return .object([
            ("at", DateText.item(stored.at)), ("submitted", .integer(rollup.submitted)),
            ("promised", .integer(rollup.promised)), ("launched", .integer(rollup.launched)),
            ("missed", .integer(rollup.missed + rollup.late)),
            (
                "ends",
                .object(Outcome.allCases.map { ($0.name, .integer(rollup.ended($0))) })
            ), ("delay", histogram(rollup, .delay)), ("duration", histogram(rollup, .duration)),
            ("budget", histogram(rollup, .budget)),
        ])
    }

    private static func histogram(_ rollup: Rollup, _ measure: Rollup.Measure) -> JSONItem {
        .object([
            ("counts", .list(rollup.counts(measure).map { .integer($0) })),
            ("sum", .number(rollup.sum(measure))),
        ])
    }
}
