// SPDX-License-Identifier: Apache-2.0
import Scheduling

/// Entries of a journal, one line each.
final class JournalLines {
    private let out: Output
    private let isJSON: Bool
    /// They are all of one request, which need not be named in each.
    private let isOfOne: Bool
    /// The number of the last entry; nil if gaps are not reported.
    private var last: UInt64?

    init(_ out: Output, isJSON: Bool, isOfOne: Bool) {
        self.out = out
        self.isJSON = isJSON
        self.isOfOne = isOfOne
    }

    /// Whether the output still has a reader.
    var isWanted: Bool { out.failure == 0 }

    /// From now on the next number is the one after `sequence`; nil: whatever it is.
    func begin(after sequence: UInt64?, tellsGaps: Bool) { last = tellsGaps ? sequence : nil }

    func show(_ entry: JournalEntry) {
        if let last, entry.sequence > last + 1 { gap(entry.sequence - last - 1, after: last) }
        if last != nil { last = entry.sequence }
        out.line(isJSON ? RequestItem.item(entry).written : text(entry))
    }

    private func gap(_ count: UInt64, after sequence: UInt64) {
        if isJSON {
            out.line(
                JSONItem.object([
                    ("sequence", .integer(Int64(clamping: sequence + 1))), ("at", .null),
                    ("what", .text("gap")), ("missing", .integer(Int64(clamping: count))),
                ]).written)
            return
        }
        out.line(
            out.paint(
                Shown.rightAligned(String(sequence + 1), 6) + "  gap: \(count) "
                    + (count == 1 ? "entry is" : "entries are") + " no longer kept", .warning))
    }

    private func text(_ entry: JournalEntry) -> String {
        let number = Shown.rightAligned(String(entry.sequence), 6)
        // A person knows the year, or finds it in --json; another program takes it as one word.
        let time = out.columns == nil ? DateText.word(entry.at) : DateText.full(entry.at)
        let whose: String
        if isOfOne {
            whose = ""
        } else if let request = entry.request {
            whose = "request \(request) \(Shown.line(entry.identifier)) "
        } else {
            whose = ""
        }
        let head = "\(number)  \(time)  "
        let tail = entry.detail.isEmpty ? "" : ": \(Shown.line(entry.detail))"
        return out.paint(head, .faint)
            + out.wrapped(
                whose + entry.what.name + tail, after: Shown.width(head), indent: 10)
    }
}
