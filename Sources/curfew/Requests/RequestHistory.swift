// SPDX-License-Identifier: Apache-2.0
import Curfew
import Scheduling

/// When a request was due and launched, and what held it: what both the screen and JSON are made from.
struct RequestHistory {
    let request: Request
    /// The last ones, the oldest first.
    let turns: [LaunchHistory.Turn]
    /// For how long each factor held it in these, the longest first.
    let sums: [(factor: String, length: UInt64)]
    /// Earlier entries of its journal are not among them.
    let isCut: Bool
    /// Nanoseconds since 1970 in UTC.
    let now: Int64

    /// The most entries of the journal that are read, and the most turns of these.
    private static let (entryLimit, limit) = (2_000, 50)

    /// Fails if the store has no such request.
    init?(_ id: RequestID, _ store: StoreClient, at now: Int64) throws(CommandError) {
        let found = try StorePlace.translated { () throws(StoreFault) in
            try store.read {
                (transaction) throws(StoreFault) -> (Request, [JournalEntry], Bool)? in
                guard let request = try transaction.request(id) else { return nil }
                let (entries, isCut) = try RequestRecord.journal(
                    of: id, limit: Self.entryLimit, transaction)
                return (request, entries, isCut)
            }
        }
        guard let found else { return nil }
        request = found.0
        var history = LaunchHistory(found.1)
        if request.state == .pending, request.notBefore < now {
            // The journal says it when a host has looked at it.
            let isAlone = HostNote.isAlone(store)
            history.waits(
                since: request.notBefore,
                for: isAlone
                    ? LaunchHistory.Hold(
                        ["host"], "no host uses the store", since: request.notBefore) : nil)
        }
        turns = history.turns.suffix(Self.limit)
        sums = LaunchHistory.sums(of: turns, at: now)
        isCut = found.2 || turns.count < history.turns.count
        self.now = now
    }

    // MARK: JSON

    var item: JSONItem {
        .object([
            ("identifier", .text(request.description.identifier)),
            ("request", RequestItem.id(request.id)), ("cut", .bool(isCut)),
            ("turns", .list(turns.map { Self.item($0) })),
            (
                "held",
                .list(
                    sums.map {
                        .object([("factor", .text($0.factor)), ("seconds", .seconds($0.length))])
                    })
            ),
        ])
    }

    /// The JSON members, for help.
    static let rows: [(term: String, text: String)] = [
        ("identifier, request", "its subject"),
        ("cut", "whether there were turns before those"),
        (
            "turns",
            "each date on which it was to be launched: due, launched (or null), end (launched, "
                + "waiting, or the kind of the entry that ended it), late (seconds, or null), outcome "
                + "(how its task ended, or null), skipped "
                + "(dates of a repetition that passed meanwhile, in words, or null) and holds, each with factors, detail, since and until "
                + "(null: it holds)"
        ),
        ("held", "factor and seconds, in all turns together, the longest first"),
    ]

    private static func item(_ turn: LaunchHistory.Turn) -> JSONItem {
        var launched: Int64?
        var end = "waiting"
        switch turn.end {
        case .launched(let date): (launched, end) = (date, "launched")
        case .other(let what, _, _): end = what.name
        case .none: break
        }
        return .object([
            ("due", DateText.item(turn.due)), ("launched", DateText.item(launched)),
            ("end", .text(end)), ("late", turn.lateness.map { .seconds($0) } ?? .null),
            ("outcome", .text(orNull: turn.outcome)), ("skipped", .text(orNull: turn.skipped)),
            (
                "holds",
                .list(
                    turn.holds.map { hold in
                        .object([
                            ("factors", .list(hold.factors.map { .text($0) })),
                            ("detail", .text(hold.detail)), ("since", DateText.item(hold.since)),
                            ("until", DateText.item(hold.until)),
                        ])
                    })
            ),
        ])
    }

    // MARK: For people

    func print(_ out: Output) {
        let head = "request \(request.id), \(Shown.line(request.description.identifier)):"
        guard !turns.isEmpty else {
            out.line(
                out.wrapped(
                    "\(head) it was not due yet, as far as its journal goes back", after: 0,
                    indent: 2))
            return
        }
        let launches = turns.count { $0.lateness != nil }
        let held =
            sums.isEmpty
            ? "nothing held it for longer than 10 s"
            : "held "
                + sums.map { "\(SpanText(nanoseconds: $0.length)) by \(Shown.line($0.factor))" }
                .joined(separator: ", ")
        out.line(
            out.wrapped(
                "\(head) \(count(launches)), \(held)",
                after: 0, indent: 2))
        for turn in turns { print(turn, out) }
    }

    private func count(_ launches: Int) -> String {
        if launches == 0 { return "not launched" }
        let cut = isCut ? "the last " : ""
        return launches == 1 ? "\(isCut ? "the last" : "one") launch" : "\(cut)\(launches) launches"
    }

    private func print(_ turn: LaunchHistory.Turn, _ out: Output) {
        let due = Shown.padded(turn.due.map { DateText.short($0, at: now) } ?? "-", 12)
        let text: String
        switch turn.end {
        case .launched(let date):
            let late = turn.lateness ?? 0
            let span = "launched \(SpanText(nanoseconds: late)) late"
            text =
                turn.holds.isEmpty
                ? "launched on time"
                : span + ", \(DateText.short(date, at: now))"
        case .other(let what, let date, let detail):
            text =
                what.name + ", \(DateText.short(date, at: now))"
                + (detail.isEmpty ? "" : ": \(Shown.line(detail))")
        case .none: text = "waiting"
        }
        let words = [turn.skipped, turn.outcome].compactMap(\.self)
        let outcome = words.map { "; \(Shown.line($0))" }.joined()
        out.line("  \(due)  " + out.wrapped(text + outcome, after: 16, indent: 16))
        for hold in turn.holds {
            let span = SpanText(nanoseconds: hold.length(at: now)).description
            let names = hold.factors.joined(separator: ", ")
            out.line(
                "  \(Shown.padded("", 12))  "
                    + out.wrapped(
                        Shown.line(
                            "\(span)\(hold.until == nil ? " so far" : "") by \(names): \(hold.detail)"
                        ), after: 16, indent: 18))
        }
    }
}
