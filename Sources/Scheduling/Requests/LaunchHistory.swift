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
        package let since: Int64
        /// Nil if they still hold it.
        package fileprivate(set) var until: Int64?

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

        /// The date; that of the launch if nothing held it for longer than a moment.
        package let due: Int64
        package fileprivate(set) var end: End
        /// How its task ended: "succeeded"; nil if it has not.
        package fileprivate(set) var outcome: String?
        package fileprivate(set) var holds: [Hold]
        /// That dates of its repetition passed meanwhile, in words; nil if none did.
        package fileprivate(set) var skipped: String?

        /// The nanoseconds from its date to its launch; nil if it was not launched.
        package var lateness: UInt64? {
            guard case .launched(let date) = end else { return nil }
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
                Self.close(&holds, at: entry.at)
                let parts = entry.detail.split(
                    separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                holds.append(
                    Hold(
                        factors: parts[0].split(separator: ",").map { Self.trimmed($0) },
                        detail: parts.count > 1 ? Self.trimmed(parts[1]) : "", since: entry.at,
                        until: nil))
            case .launched:
                add(.launched(entry.at), entry.at, &holds)
                turns[turns.count - 1].skipped = skipped?.detail
                skipped = nil
            case .datesSkipped: skipped = entry
            case .repeated:
                // Without a launch: all of them were left out.
                guard let entry = skipped else { break }
                add(.other(entry.what, entry.at, detail: entry.detail), entry.at, &holds)
                skipped = nil
            case .ended:
                guard let last = turns.indices.last, case .launched = turns[last].end else { break }
                turns[last].outcome = entry.detail
            case .replaced, .cancelled, .missed, .parked:
                add(.other(entry.what, entry.at, detail: entry.detail), entry.at, &holds)
            case .hostStarted, .hostStopped, .submitted, .backedOff, .snoozed,
                .released, .finished, .fenced, .gap, .factorChanged, .retried, .triggered, .edited:
                break
            }
        }
        if let first = holds.first {
            turns.append(Turn(due: first.since, end: .none, holds: holds))
        }
    }

    private mutating func add(_ end: Turn.End, _ date: Int64, _ holds: inout [Hold]) {
        Self.close(&holds, at: date)
        turns.append(Turn(due: holds.first?.since ?? date, end: end, holds: holds))
        holds = []
    }

    private static func close(_ holds: inout [Hold], at date: Int64) {
        if let last = holds.indices.last { holds[last].until = date }
    }

    private static func trimmed(_ text: Substring) -> String {
        String(text.drop { $0 == " " })
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
