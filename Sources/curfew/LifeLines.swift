// SPDX-License-Identifier: Apache-2.0
import Conformance
import PluginBridge
import Scheduling

/// Prints the life of a task as lines. On a terminal it redraws the last line while the task runs;
/// elsewhere it prints the progress from time to time.
final class LifeLines: LifeView {
    private let out: Output
    private let isVerbose: Bool
    private let isUTF8 = Environment.isUTF8

    private var facts: LifeFacts?
    private var startedAt: UInt64?
    /// When the grace is over, once the task was told to stop.
    private var answerBy: UInt64?
    private var progress: (time: UInt64, fraction: Double, text: String)?
    /// The last progress is on a line of its own.
    private var isProgressShown = true
    private var progressThrottle = EventThrottle()
    private var throttles: [EventSelector: EventThrottle] = [:]
    /// The selectors in the order of their first event.
    private var selectors: [EventSelector] = []
    /// The terminal's last line is one that is drawn over.
    private var isLive = false
    private var drawnAt: UInt64 = 0
    private var isOver = false
    /// The time of the last permanent line.
    private var lastTime: UInt64 = 0

    init(_ out: Output, isVerbose: Bool) {
        self.out = out
        self.isVerbose = isVerbose
    }

    func begin(_ facts: LifeFacts) {
        self.facts = facts
        // Mostly a plugin has one handler of the same name.
        let name = facts.plugin.id == facts.handler.identifier ? "" : " " + facts.plugin.id
        let words = facts.program.map { $0.map(ShellWord.quoted).joined(separator: " ") }
        let parts = [
            out.paint(facts.handler.identifier, .strong),
            words.map { "program \(Shown.line($0))" }
                ?? "plugin\(name) \(Shown.line(facts.plugin.version))",
            "budget \(TimeText.limit(facts.budget))", "grace \(TimeText.limit(facts.grace))",
        ]
        let line = parts.joined(separator: "  ")
        let width =
            parts.dropFirst().reduce(0) { $0 + Shown.width($1) + 2 }
            + Shown.width(facts.handler.identifier)
        if let columns = out.columns, width > columns {
            out.line(parts[0])
            let rest = parts.dropFirst().joined(separator: "  ")
            out.line("  " + out.wrapped(rest, after: 2, indent: 2))
        } else {
            out.line(line)
        }
    }

    func show(_ entry: LifeEntry) {
        switch entry.what {
        case .started:
            startedAt = entry.time
            line(entry.time, "started", "")
        case .progress(let fraction, let text):
            progress = (entry.time, fraction, text)
            isProgressShown = false
            if !out.isRich, isVerbose || progressThrottle.isDue(at: entry.time, freely: 1) {
                settleProgress()
            }
        case .raised(let selector, let values): showRaised(entry.time, selector, values)
        case .log(let level, let text):
            guard level > .debug || isVerbose else { return }
            let (word, colour) = LifeLines.word(level)
            line(entry.time, word, Shown.line(text), colour)
        case .signal(let number):
            settleProgress()
            line(
                entry.time, ProcessFacts.name(ofSignal: number),
                "cancelling; once more ends it without waiting for an answer", .warning)
        case .expiring(let reason, let grace):
            settleProgress()
            answerBy = entry.time &+ grace
            line(
                entry.time, "EXPIRING",
                "\(LifeLines.text(reason)); it has \(TimeText.limit(grace)) to answer", .warning)
        case .gap(let count):
            line(entry.time, "gap", "\(count) events were lost: they came too fast", .warning)
        case .done(let selector, let values):
            settleProgress()
            showHidden(entry.time)
            line(entry.time, "event", LifeLines.text(selector, values))
            isOver = true
        }
    }

    func tick(_ now: UInt64) {
        if out.isRich {
            if !isOver, now >= drawnAt &+ 80_000_000 { draw(now) }
        } else if !isProgressShown, progressThrottle.isDue(at: now, freely: 1) {
            settleProgress()
        }
    }

    func fail(_ error: CommandError, at time: UInt64) { erase() }

    // MARK: The end

    func end(_ ending: LifeEnding) {
        settleProgress()
        erase()
        let colour: Colour =
            switch ending.outcome {
            case .succeeded: .good
            case .expired, .cancelled: .warning
            case .failed, .interrupted, .abandoned, .crashed: .alarm
            }
        out.line(
            out.paint(ending.outcome.name.uppercased(), colour)
                + "  in \(TimeText.spent(ending.duration))")
        if ending.outcome == .failed || ending.outcome == .crashed {
            more("error", ending.error)
        } else if ending.reason != nil {
            if let answer = ending.answer {
                more("answer", answer)
            } else if !ending.isAnswered {
                more("answer", "none within its grace")
            }
        }
        if !ending.result.isEmpty {
            more("result", ending.resultText ?? "\(ending.result.count) bytes that are not text")
        }
        if let unreturned = ending.unreturned {
            more("note", unreturned + "; it ends with this process")
        }
        for hint in hints(ending) { more("hint", hint, .accent) }
    }

    /// A text of the task's, with its own line ends and those that the terminal makes needed.
    private func more(_ word: String, _ text: String, _ colour: Colour = .faint) {
        let indent = String(repeating: " ", count: word.count + 2)
        let room = out.columns.map { max(20, $0 - indent.count) } ?? .max
        let lines = Shown.lines(text).flatMap { Shown.wrapped($0, room) }
        for (index, line) in lines.enumerated() {
            out.line((index == 0 ? out.paint(word, colour) + ": " : indent) + line)
        }
    }

    private func hints(_ ending: LifeEnding) -> [String] {
        guard let facts else { return [] }
        switch ending.outcome {
        case .expired where ending.reason == .budget:
            if !ending.isReturned {
                return ["its handler should look at is_expired in its loops, and return"]
            }
            if facts.program != nil, !ending.isAnswered {
                return ["it did not end on SIGTERM, and was killed with all that it had started"]
            }
            // Its process may have ended meanwhile, which the text says.
            if !ending.isAnswered, !ending.error.hasPrefix("its process ") {
                return [
                    "its function returned PENDING, and nothing completed the task: its expiration callback should stop the work and call complete"
                ]
            }
            let more = min(facts.budget &* 2, Manifest.budgetRange.upperBound)
            let text = TimeText.limit(more).split(separator: " ").joined()
            return ["give it more time: --budget \(text); some handlers continue when run again"]
        case .failed:
            let examples = facts.handler.examples.filter {
                $0.expect == .success && !$0.payload.isEmpty
            }
            guard let example = examples.first(where: { !$0.needsDirectory }) ?? examples.first
            else { return [] }
            let text = "a payload it understands: --payload '\(Shown.line(example.payload))'"
            guard example.payload(in: "") != example.payload else { return [text] }
            return ["\(text), with a directory for \(ManifestExample.directoryMark)"]
        case .abandoned:
            return ["the plugin released the task without completing it: a fault of the plugin"]
        default: return []
        }
    }

    // MARK: Lines

    private func showRaised(_ time: UInt64, _ selector: EventSelector, _ values: [EventValue]) {
        if throttles[selector] == nil { selectors.append(selector) }
        var throttle = throttles[selector] ?? EventThrottle()
        let before = isVerbose ? throttle.note(at: time) : throttle.admit(at: time)
        throttles[selector] = throttle
        guard let before else { return }
        let left = before > 0 ? out.paint("  +\(before) like it", .faint) : ""
        line(time, "event", LifeLines.text(selector, values) + left)
    }

    /// Prints the numbers of events that were not shown, by name.
    private func showHidden(_ time: UInt64) {
        for selector in selectors {
            guard let throttle = throttles[selector], throttle.hiddenInAll > 0 else { continue }
            let total = throttle.shown + throttle.hiddenInAll
            line(
                time, "event",
                "\(throttle.hiddenInAll) of \(total) \(selector.name) not shown; -v shows them"
            )
        }
    }

    /// Puts the last progress on a line of its own, unless it is there.
    private func settleProgress() {
        guard !isProgressShown, let progress else { return }
        isProgressShown = true
        // Lines stand in the order of their times; what was last reported is true later too.
        let time = max(progress.time, lastTime)
        progressThrottle.note(at: time)
        let text = progress.text.isEmpty ? "" : "  " + Shown.line(progress.text)
        line(time, "progress", LiveLine.percent(progress.fraction) + text)
    }

    private func line(_ time: UInt64, _ word: String, _ text: String, _ colour: Colour? = nil) {
        erase()
        lastTime = max(lastTime, time)
        let stamp = Shown.rightAligned(TimeText.seconds(time, decimals: 3), 8) + " s"
        // Without a text no blanks are left at the end.
        let head = text.isEmpty ? word : Shown.padded(word, 8)
        // Below the text, or where that would be too narrow, below the word.
        let indent = out.columns ?? 80 < 60 ? 12 : 22
        out.line(
            out.paint(stamp, .faint) + "  " + (colour.map { out.paint(head, $0) } ?? head)
                + (text.isEmpty ? "" : "  " + out.wrapped(text, after: 22, indent: indent)))
    }

    private func erase() {
        guard isLive else { return }
        isLive = false
        drawnAt = 0
        out.write("\r\u{1B}[K")
    }

    private func draw(_ now: UInt64) {
        guard let facts, let columns = out.columns, startedAt != nil || progress != nil else {
            return
        }
        let end = answerBy ?? (startedAt ?? 0) &+ facts.budget
        let live = LiveLine(
            time: now, progress: progress.map { ($0.fraction, $0.text) },
            left: end > now ? end - now : 0,
            limit: answerBy == nil ? facts.budget : facts.grace, isGrace: answerBy != nil)
        // The last column stays free: some terminals wrap there.
        let text = live.text(columns: columns - 1, isUTF8: isUTF8)
        let isShort = live.isGrace || live.fraction < 0.1
        out.write("\r" + out.paint(text, isShort ? .warning : .accent) + "\u{1B}[K")
        isLive = true
        drawnAt = now
    }

    // MARK: Words

    static func text(_ selector: EventSelector, _ values: [EventValue]) -> String {
        let parameters = values.map { value in
            switch value {
            case .bool(let value): String(value)
            case .int32(let value): String(value)
            case .int64(let value): String(value)
            case .double(let value): String(value)
            case .text(let value): Shown.quoted(value)
            }
        }
        return "\(selector.name)(\(parameters.joined(separator: ", ")))"
    }

    private static func text(_ reason: StopReason?) -> String {
        switch reason {
        case .budget: "the budget is used up"
        case .condition: "something it requires was lost"
        case .host, nil: "told to stop"
        case .cancelled: "cancelled"
        case .shutdown: "shutting down"
        case .lease: "another host takes over"
        }
    }

    private static func word(_ level: LogLevel) -> (String, Colour?) {
        switch level {
        case .debug: ("debug", .faint)
        case .info: ("log", nil)
        case .warning: ("warning", .warning)
        case .error: ("error", .alarm)
        case .pluginMisbehaving: ("MISUSE", .alarm)
        }
    }
}
