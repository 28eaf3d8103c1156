// SPDX-License-Identifier: Apache-2.0

/// When a request was due, what held it meanwhile, and when it was launched: read from its journal.
///
/// Dates are nanoseconds since 1970 in UTC.
package struct LaunchHistory: Hashable, Sendable {
    /// A span in which factors held the request.
    package struct Hold: Hashable, Sendable {
        /// Their names.
        package let factors: [String]
        /// How they stood when it began: lower case, no full stop.
        package let detail: String
        package fileprivate(set) var since: Int64
        /// Nil if they still hold it.
        package fileprivate(set) var until: Int64?

        package init(_ factors: [String], _ detail: String, since: Int64, until: Int64? = nil) {
            (self.factors, self.detail, self.since, self.until) = (factors, detail, since, until)
        }

        /// Reads an entry of the kind `held`; nil for any other.
        package init?(_ entry: JournalEntry) {
            guard entry.what == .held else { return nil }
            let parts = entry.detail.split(
                separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            self.init(
                parts[0].split(separator: ",").map { LaunchHistory.trimmed($0) },
                parts.count > 1 ? LaunchHistory.trimmed(parts[1]) : "", since: entry.at)
        }

        /// Nanoseconds.
        package func length(at now: Int64) -> UInt64 {
            let end = until ?? now
            return end > since ? UInt64(bitPattern: end) &- UInt64(bitPattern: since) : 0
        }
    }

    /// A date on which it was to be launched, and what came of it.
    package struct Turn: Hashable, Sendable {
        package enum End: Hashable, Sendable {
            /// It was launched.
            case launched(Int64)
            /// Something else became of it, with the words for that.
            case other(JournalEntry.What, Int64, detail: String)
            /// It still waits.
            case none
        }

        /// The date; that of the launch if nothing held it for longer than a moment. Nil if it is not known, because
        /// something else became of the request.
        package let due: Int64?
        package fileprivate(set) var end: End
        /// How its task ended: "succeeded"; nil if it has not.
        package fileprivate(set) var outcome: String?
        package fileprivate(set) var holds: [Hold]
        /// That dates of its repetition passed meanwhile, in words; nil if none did.
        package fileprivate(set) var skipped: String?

        /// The nanoseconds from its date to its launch; nil if it was not launched.
        package var lateness: UInt64? {
            guard case .launched(let date) = end, let due else { return nil }
            return date > due ? UInt64(bitPattern: date) &- UInt64(bitPattern: due) : 0
        }
    }

    /// In order.
    package private(set) var turns: [Turn] = []

    /// - Parameter journal: the entries of one request, in order.
    package init(_ journal: [JournalEntry]) {
        var holds: [Hold] = []
        var skipped: JournalEntry?
        for entry in journal {
            switch entry.what {
            case .held:
                // One that another host has written may be about a time before.
                guard var hold = Hold(entry) else { break }
                hold.since = max(entry.at, holds.last?.since ?? entry.at)
                Self.close(&holds, at: hold.since)
                holds.append(hold)
            case .launched:
                add(.launched(entry.at), entry.at, &holds)
                turns[turns.count - 1].skipped = skipped?.detail
                skipped = nil
            case .datesSkipped: skipped = entry
            case .repeated:
                guard let entry = skipped else { break }
                skipped = nil
                if let last = turns.indices.last, turns[last].outcome != nil,
                    turns[last].skipped == nil, holds.isEmpty
                {
                    // They passed while its task ran.
                    turns[last].skipped = entry.detail
                } else {
                    add(.other(entry.what, entry.at, detail: entry.detail), entry.at, &holds)
                }
            case .ended:
                guard let last = turns.indices.last, case .launched = turns[last].end else { break }
                turns[last].outcome = entry.detail
            case .replaced, .cancelled, .missed, .parked:
                add(.other(entry.what, entry.at, detail: entry.detail), entry.at, &holds)
            case .hostStarted, .hostStopped, .hostLost, .submitted, .backedOff, .snoozed,
                .released, .finished, .fenced, .gap, .factorChanged, .retried, .triggered, .edited,
                .audited:
                break
            }
        }
        if let first = holds.first {
            turns.append(Turn(due: first.since, end: .none, holds: holds))
        }
    }

    private mutating func add(_ end: Turn.End, _ date: Int64, _ holds: inout [Hold]) {
        Self.close(&holds, at: max(date, holds.last?.since ?? date))
        var due = holds.first?.since
        if due == nil, case .launched = end { due = date }
        // A span of another host that no time is left of.
        turns.append(Turn(due: due, end: end, holds: holds.filter { $0.until != $0.since }))
        holds = []
    }

    private static func close(_ holds: inout [Hold], at date: Int64) {
        if let last = holds.indices.last { holds[last].until = date }
    }

    private static func trimmed(_ text: Substring) -> String {
        String(text.drop { $0 == " " })
    }

    /// Adds that a request waits since a date, unless its journal says for what.
    package mutating func waits(since due: Int64, for hold: Hold?) {
        if let last = turns.last, case .none = last.end { return }
        turns.append(Turn(due: due, end: .none, holds: hold.map { [$0] } ?? []))
    }

    /// Returns for how long each factor has held the request in some turns, in nanoseconds, the longest first. If
    /// several held it at a time, the span counts for each.
    package static func sums(
        of turns: some Sequence<Turn>, at now: Int64
    ) -> [(factor: String, length: UInt64)] {
        var sums: [String: UInt64] = [:]
        for hold in turns.flatMap(\.holds) {
            for factor in hold.factors { sums[factor, default: 0] += hold.length(at: now) }
        }
        return sums.map { (factor: $0.key, length: $0.value) }
            .sorted { ($1.length, $0.factor) < ($0.length, $1.factor) }
    }
}
