// SPDX-License-Identifier: Apache-2.0
import Curfew
import Runner
import Scheduling

/// When an app is used, as far as its store knows, and when its data were refreshed: by the hours of a week in local
/// time.
struct UsageWeek {
    /// From 0 to 1 at the busiest hour, from Monday 00:00; empty without data.
    let scores: [Double]
    /// Launches for a refresh in the last four weeks.
    private(set) var refreshes = [Int](repeating: 0, count: UsageHistogram.cells)
    /// The refreshes are of this time on, in nanoseconds since 1970; the journal goes no further back, or has too many
    /// entries.
    private(set) var since: Int64

    static let days = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    private static let span = Int64(UsageHistogram.fourWeeks)
    /// The most entries of the journal that are looked at.
    private static let limit: UInt64 = 50_000

    /// - Parameter now: nanoseconds since 1970 in UTC.
    init(_ store: StoreClient, at now: Int64) throws(CommandError) {
        let zone = LocalZone()
        let (histogram, launches) = try StorePlace.translated { () throws(StoreFault) in
            try store.read { (transaction) throws(StoreFault) in
                let bytes = try transaction.value(KeptValue.usage.rawValue)
                let last = try transaction.lastSequence()
                var launches: [JournalEntry] = []
                var position = last - min(last, Self.limit)
                while position < last {
                    let page = try transaction.journal(after: position, of: nil, limit: 5_000)
                    guard let end = page.last else { break }
                    launches += page.filter { $0.what == .launched }
                    position = end.sequence
                }
                var kept: [JournalEntry] = []
                var kinds: [RequestID: TaskKind] = [:]
                for launch in launches where launch.at >= now - Self.span {
                    guard let id = launch.request else { continue }
                    if kinds[id] == nil {
                        kinds[id] = try transaction.request(id)?.description.kind
                    }
                    if kinds[id] == .appRefresh { kept.append(launch) }
                }
                return (bytes.flatMap { UsageHistogram(bytes: $0) } ?? UsageHistogram(), kept)
            }
        }
        scores = histogram.scores
        since = max(now - Self.span, launches.first?.at ?? now - Self.span)
        for launch in launches { refreshes[UsageHistogram.cell(at: launch.at, in: zone)] += 1 }
    }

    var item: JSONItem {
        .object([
            (
                "days",
                .list(
                    Self.days.indices.map { day in
                        let hours = day * 24..<day * 24 + 24
                        return .object([
                            ("day", .text(Self.days[day])),
                            (
                                "used",
                                .list(scores.isEmpty ? [] : scores[hours].map { .number($0) })
                            ),
                            ("refreshed", .list(refreshes[hours].map { .integer(Int64($0)) })),
                        ])
                    })
            ), ("since", DateText.item(since)),
        ])
    }

    static let rows: [(term: String, text: String)] = [
        (
            "days",
            "from Monday, each with day, used (24 numbers from 0 to 1 at the busiest hour of the week; none while nothing is known) and refreshed (24 numbers of launches)"
        ),
        ("since", "the first date of the refreshes"),
    ]

    // MARK: For people

    private static let shades = ["·", "░", "▒", "▓", "█"]

    /// Lines for people: a row for each day, with its hours.
    func print(_ out: Output) {
        let hours = stride(from: 0, to: 24, by: 6).map { Shown.padded("\($0)", 6) }.joined()
        if scores.isEmpty {
            out.line(
                out.wrapped(
                    "nothing is known of its use: an app says it with noteUsage(), or curfew_host_note_usage",
                    after: 0, indent: 2))
            out.line()
        }
        let (used, refreshed) = (Shown.padded("USED", 24), "REFRESHED")
        out.line(out.paint("     \(used)   \(refreshed)", .strong))
        out.line(out.paint("     \(hours)   \(hours)".trimmedAtEnd, .faint))
        let most = Double(refreshes.max() ?? 0)
        for (day, name) in Self.days.enumerated() {
            let cells = day * 24..<day * 24 + 24
            let used = cells.map { Self.shade(scores.isEmpty ? 0 : scores[$0]) }.joined()
            let refreshed = cells.map {
                Self.shade(most == 0 ? 0 : Double(refreshes[$0]) / most)
            }.joined()
            out.line("\(name)  \(used)   \(refreshed)")
        }
        let sum = refreshes.reduce(0, +)
        out.line()
        let known = scores.isEmpty ? "" : "darker: more likely used at this hour; "
        out.line(
            out.wrapped(
                "\(known)\(sum) refresh\(sum == 1 ? "" : "es") since \(DateText.day(since)), in local time",
                after: 0, indent: 2))
    }

    private static func shade(_ part: Double) -> String {
        part <= 0 ? shades[0] : shades[min(4, 1 + Int(part * 3.999))]
    }
}

extension String {
    fileprivate var trimmedAtEnd: String { String(reversed().drop { $0 == " " }.reversed()) }
}
