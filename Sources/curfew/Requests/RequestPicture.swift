// SPDX-License-Identifier: Apache-2.0
import Curfew
import Scheduling

/// The times of a request as a picture (SVG 1.1): when it waited and for what, and its launches with their outcomes.
struct RequestPicture {
    private let record: RequestRecord
    private let history: RequestHistory
    private let dates: ClosedRange<Int64>

    private static let (width, left, right, row, top) = (900, 120, 20, 26, 70)
    /// The most rows of each kind; the last ones are shown.
    private static let limit = 40

    init(_ record: RequestRecord, _ history: RequestHistory) {
        (self.record, self.history) = (record, history)
        let starts = record.attempts.map(\.startedAt) + history.turns.compactMap(\.due)
        let now = history.now
        let isOver = !record.request.state.isLive
        let end = isOver ? max(record.request.changedAt, record.attempts.last?.endedAt ?? 0) : now
        // Of a repeated request the last launches, not the years before.
        let first =
            record.request.description.repetition == nil
            ? record.request.submittedAt : starts.min() ?? record.request.submittedAt
        dates = min(first, end)...max(end, first + 1_000_000)
    }

    private struct Bar {
        let label: String
        let from: Int64
        let to: Int64
        let style: String
        let title: String
    }

    var text: String {
        let bars = self.bars
        let height = Self.top + Self.row * max(1, bars.count) + 40
        let request = record.request
        let title = "request \(request.id), \(request.description.identifier)"
        var lines = [
            """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(Self.width)" height="\(height)" viewBox="0 0 \(Self.width) \(height)" role="img" font-family="sans-serif" font-size="13">
            """,
            "<title>\(Self.escaped(title))</title>",
            """
            <style>.bg{fill:#fff}.text{fill:#222}.faint{fill:#666}.line{stroke:#ccc}.wait{fill:#d9a62e}.run{fill:#5b8def}.good{fill:#2f8f4e}.bad{fill:#c0392b}.due{fill:#bbb}@media(prefers-color-scheme:dark){.bg{fill:#161616}.text{fill:#eee}.faint{fill:#aaa}.line{stroke:#444}}</style>
            """,
            "<rect class=\"bg\" width=\"100%\" height=\"100%\"/>",
            "<text class=\"text\" x=\"16\" y=\"24\" font-size=\"16\">\(Self.escaped(title))</text>",
            "<text class=\"faint\" x=\"16\" y=\"44\">\(Self.escaped(stateText))</text>",
        ]
        for part in 0...4 {
            let date = dates.lowerBound + (dates.upperBound - dates.lowerBound) / 4 * Int64(part)
            let x = place(date)
            let anchor = part == 0 ? "start" : part == 4 ? "end" : "middle"
            lines.append(
                "<line class=\"line\" x1=\"\(x)\" x2=\"\(x)\" y1=\"\(Self.top - 8)\" y2=\"\(height - 30)\"/>"
            )
            lines.append(
                "<text class=\"faint\" x=\"\(x)\" y=\"\(height - 12)\" text-anchor=\"\(anchor)\">\(Self.escaped(DateText.short(date, at: history.now)))</text>"
            )
        }
        for (index, bar) in bars.enumerated() {
            let y = Self.top + index * Self.row
            let (from, to) = (place(bar.from), place(bar.to))
            lines.append(
                "<text class=\"text\" x=\"16\" y=\"\(y + 14)\">\(Self.escaped(bar.label))</text>")
            lines.append(
                "<rect class=\"\(bar.style)\" x=\"\(from)\" y=\"\(y)\" width=\"\(max(3, to - from))\" height=\"18\" rx=\"2\"><title>\(Self.escaped(bar.title))</title></rect>"
            )
            let room = Self.width - Self.right - to
            let caption = Shown.fitted(bar.title, 60)
            lines.append(
                room > caption.count * 7
                    ? "<text class=\"faint\" x=\"\(to + 8)\" y=\"\(y + 14)\">\(Self.escaped(caption))</text>"
                    : "<text class=\"faint\" x=\"\(from - 8)\" y=\"\(y + 14)\" text-anchor=\"end\">\(Self.escaped(from - Self.left > caption.count * 7 ? caption : ""))</text>"
            )
        }
        if bars.isEmpty {
            lines.append(
                "<text class=\"faint\" x=\"\(Self.left)\" y=\"\(Self.top + 14)\">it was not launched yet</text>"
            )
        }
        return lines.joined(separator: "\n") + "\n</svg>\n"
    }

    private var stateText: String {
        let request = record.request
        let words = [
            RequestText.stateName(request, isAlone: false),
            request.outcome.map { "last \($0.name)" },
            "submitted \(DateText.full(request.submittedAt))",
        ]
        return words.compactMap(\.self).joined(separator: ", ")
    }

    /// In the order of time: what held it, then the launch that followed.
    private var bars: [Bar] {
        var bars: [Bar] = []
        for turn in history.turns {
            for hold in turn.holds {
                let end = hold.until ?? history.now
                let span = SpanText(nanoseconds: hold.length(at: history.now)).description
                bars.append(
                    Bar(
                        label: "waits", from: hold.since, to: end, style: "wait",
                        title: "\(span): \(hold.factors.joined(separator: ", "))"))
            }
        }
        for attempt in record.attempts {
            let end = attempt.endedAt ?? history.now
            let span = SpanText(nanoseconds: UInt64(max(0, end - attempt.startedAt))).description
            let outcome = attempt.outcome?.name ?? "runs"
            let style =
                switch attempt.outcome {
                case nil: "run"
                case .succeeded: "good"
                default: "bad"
                }
            bars.append(
                Bar(
                    label: "launch \(attempt.launch)", from: attempt.startedAt, to: end,
                    style: style,
                    title: "\(outcome), \(span)"
                        + (attempt.error.isEmpty ? "" : ": \(Shown.line(attempt.error))")))
        }
        return bars.sorted { ($0.from, $0.to) < ($1.from, $1.to) }.suffix(Self.limit)
    }

    private func place(_ date: Int64) -> Int {
        let inner = min(max(date, dates.lowerBound), dates.upperBound)
        let part =
            Double(inner - dates.lowerBound) / Double(dates.upperBound - dates.lowerBound)
        return Self.left + Int(part * Double(Self.width - Self.left - Self.right))
    }

    /// Text of XML: what is no character there is left out.
    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in Shown.line(text).unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "\u{FFFE}", "\u{FFFF}": continue
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
