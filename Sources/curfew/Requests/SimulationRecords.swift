// SPDX-License-Identifier: Apache-2.0
import PluginBridge
import Scheduling

/// A simulation as JSON, one object a line; the last one says whether all went as expected.
struct SimulationRecords: SimulationView {
    private let out: Output

    init(_ out: Output) { self.out = out }

    /// The members of the objects, for help and the manual.
    static let rows: [(term: String, text: String)] = [
        ("simulating", "identifier, kind, plugin, version, directory, budget, grace"),
        ("step", "text: the step as written"), ("remark", "text: its effect"),
        ("submitted", "request: as `curfew show --json` has it"),
        ("happened", "entry: of the journal, as `curfew log --json` has it"),
        ("raised", "name, values: an event"), ("log", "level, text: a line of the host"),
        ("why", "answer: as `curfew why --json` has it"),
        ("end", "ok, error, exit: the last"),
        ("outcome", "as `curfew run --json` has it, where the plugin's code ended the process"),
    ]

    private func write(_ time: UInt64, _ event: String, _ members: [(key: String, value: JSONItem)])
    {
        out.line(
            JSONItem.object([("time", .seconds(time)), ("event", .text(event))] + members).written)
    }

    func begin(_ facts: LifeFacts) {
        write(
            0, "simulating",
            [
                ("identifier", .text(facts.handler.identifier)),
                ("kind", .text(facts.handler.kind.name)), ("plugin", .text(facts.plugin.id)),
                ("version", .text(facts.plugin.version)), ("directory", .text(facts.directory)),
                ("budget", .seconds(facts.budget)), ("grace", .seconds(facts.grace)),
            ])
    }

    func step(_ step: SimulationStep, at time: UInt64) {
        write(time, "step", [("text", .text(step.text))])
    }

    func remark(_ text: String, at time: UInt64) { write(time, "remark", [("text", .text(text))]) }

    func submitted(_ request: Request, at time: UInt64, now: Int64) {
        write(time, "submitted", [("request", RequestItem.item(request))])
    }

    func happened(_ entry: JournalEntry, at time: UInt64) {
        write(time, "happened", [("entry", RequestItem.item(entry))])
    }

    func event(_ selector: EventSelector, _ values: [EventValue], at time: UInt64) {
        write(time, "raised", LifeRecords.members(selector, values))
    }

    func log(_ level: LogLevel, _ text: String, at time: UInt64) {
        write(
            time, "log", [("level", .text(LifeRecords.name(level))), ("text", .text(text))])
    }

    func why(_ answer: WhyAnswer, at time: UInt64) { write(time, "why", [("answer", answer.item)]) }

    func end(_ error: CommandError?, at time: UInt64) {
        write(
            time, "end",
            [
                ("ok", .bool(error == nil)), ("error", .text(orNull: error?.message)),
                ("exit", .integer(Int64(error?.code.rawValue ?? 0))),
            ])
    }
}
