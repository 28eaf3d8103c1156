// SPDX-License-Identifier: Apache-2.0
import PluginBridge
import Scheduling

/// A simulation as a person reads it: each step, and below it what came of it.
struct SimulationLines: SimulationView {
    private let out: Output

    init(_ out: Output) { self.out = out }

    func begin(_ facts: LifeFacts) {
        let parts = [
            "plugin \(facts.plugin.id) \(facts.plugin.version)", facts.handler.kind.name,
            "budget \(TimeText.limit(facts.budget))", "grace \(TimeText.limit(facts.grace))",
        ]
        let name = Shown.line(facts.handler.identifier)
        out.line(
            out.paint(name, .strong) + "  "
                + out.wrapped(
                    Shown.line(parts.joined(separator: "  ")), after: Shown.width(name) + 2,
                    indent: 2))
    }

    func step(_ step: SimulationStep, at time: UInt64) {
        out.line(
            out.paint(Self.stamp(time), .faint) + "  "
                + out.paint(out.wrapped(Shown.line(step.text), after: 14, indent: 16), .strong))
    }

    func remark(_ text: String, at time: UInt64) { line(text, at: time) }

    func submitted(_ request: Request, at time: UInt64, now: Int64) {
        var text = "request \(request.id), "
        text +=
            request.notBefore > now
            ? "due \(DateText.relative(request.notBefore, at: now))" : "may begin at once"
        if !request.description.needs.isEmpty {
            text += ", needs \(RequestText.needs(request.description.needs))"
        }
        if let repetition = request.description.repetition {
            text += ", \(RequestText.repetition(repetition))"
        }
        line(text, at: time)
    }

    func happened(_ entry: JournalEntry, at time: UInt64) {
        line(
            (entry.request.map { "request \($0) " } ?? "") + entry.what.name
                + (entry.detail.isEmpty ? "" : ": \(entry.detail)"), at: time)
    }

    func event(_ selector: EventSelector, _ values: [EventValue], at time: UInt64) {
        line("event " + LifeLines.text(selector, values), at: time)
    }

    func log(_ level: LogLevel, _ text: String, at time: UInt64) {
        let word = LifeRecords.name(level)
        line(level <= .info ? text : "\(word): \(text)", at: time)
    }

    func why(_ answer: WhyAnswer, at time: UInt64) {
        WhyScreen(answer, out, indent: 16).print()
    }

    func end(_ error: CommandError?, at time: UInt64) {
        guard error == nil else { return }
        out.line(
            out.paint(Self.stamp(time), .faint) + "  "
                + out.paint("all went as expected", .good))
    }

    private func line(_ text: String, at time: UInt64) {
        out.line(
            out.paint(Self.stamp(time), .faint) + "    "
                + out.wrapped(Shown.line(text), after: 16, indent: 18))
    }

    /// `1 d 2:05:00`, in 12 columns.
    private static func stamp(_ time: UInt64) -> String {
        let seconds = time / 1_000_000_000
        func two(_ number: UInt64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let clock = "\(seconds / 3_600 % 24):\(two(seconds / 60 % 60)):\(two(seconds % 60))"
        let days = seconds / 86_400
        return Shown.rightAligned(days > 0 ? "\(days) d \(clock)" : clock, 12)
    }
}
