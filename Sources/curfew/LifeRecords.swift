// SPDX-License-Identifier: Apache-2.0
import Conformance
import PluginBridge
import Scheduling

/// The life of a task as JSON, one object a line; the last one has the outcome.
final class LifeRecords: LifeView {
    private let out: Output

    init(_ out: Output) { self.out = out }

    /// The members of the objects, for help and the manual: before a colon stand the members
    /// besides `time` and `event`.
    static let section = HelpSection(
        title: "events",
        text: """
            Each line of --json and of --event-log is an object with "event" and "time", in
            seconds since the program began, and with these members; times are in seconds:
            """,
        rows: [
            (
                "launching",
                "identifier, kind, plugin, version, directory, argv, budget, grace: the handler; a "
                    + "program has argv, and no plugin"
            ), ("started", "the handler was entered"),
            ("progress", "fraction, text: the progress, 0 to 1"),
            ("raised", "name, values: an event that the plugin raised"),
            (
                "log",
                "level, text: a line of the host, level is debug, info, warning, error or "
                    + "plugin-misbehaving"
            ), ("signal", "signal: the program got a signal, and cancels the task"),
            ("expiring", "reason, grace: the task has to stop"),
            ("gap", "lost: the number of events that a full queue dropped"),
            ("done", "name, values: the done event of the task"),
            (
                "outcome",
                "outcome, duration, result, resultBase64, error, answer, reason, answered, returned, "
                    + "code, exit: the last; outcome is succeeded, failed, expired, cancelled, "
                    + "interrupted, abandoned or crashed, and null where nothing was run; "
                    + "resultBase64 is present if the result is no text, code is for `curfew "
                    + "explain`, exit the exit status"
            ),
        ])

    private func write(_ time: UInt64, _ event: String, _ members: [(key: String, value: JSONItem)])
    {
        out.line(
            JSONItem.object([("time", .seconds(time)), ("event", .text(event))] + members).written)
    }

    func begin(_ facts: LifeFacts) {
        let isProgram = facts.program != nil
        write(
            0, "launching",
            [
                ("identifier", .text(facts.handler.identifier)),
                ("kind", .text(facts.handler.kind.name)),
                ("plugin", isProgram ? .null : .text(facts.plugin.id)),
                ("version", isProgram ? .null : .text(facts.plugin.version)),
                ("directory", isProgram ? .null : .text(facts.directory)),
                ("argv", facts.program.map { .list($0.map { .text($0) }) } ?? .null),
                ("budget", .seconds(facts.budget)), ("grace", .seconds(facts.grace)),
            ])
    }

    func show(_ entry: LifeEntry) {
        switch entry.what {
        case .started: write(entry.time, "started", [])
        case .progress(let fraction, let text):
            write(entry.time, "progress", [("fraction", .number(fraction)), ("text", .text(text))])
        case .raised(let selector, let values):
            write(entry.time, "raised", Self.members(selector, values))
        case .log(let level, let text):
            write(entry.time, "log", [("level", .text(Self.name(level))), ("text", .text(text))])
        case .signal(let number):
            write(entry.time, "signal", [("signal", .text(ProcessFacts.name(ofSignal: number)))])
        case .expiring(let reason, let grace):
            write(
                entry.time, "expiring",
                [("reason", .text(orNull: reason?.name)), ("grace", .seconds(grace))])
        case .gap(let count): write(entry.time, "gap", [("lost", .integer(count))])
        case .done(let selector, let values):
            write(entry.time, "done", Self.members(selector, values))
        }
    }

    func tick(_ now: UInt64) {}

    func end(_ ending: LifeEnding) {
        write(
            ending.time, "outcome",
            [
                ("outcome", .text(ending.outcome.name)), ("duration", .seconds(ending.duration)),
                ("result", .text(orNull: ending.result.isEmpty ? nil : ending.resultText)),
                (
                    "resultBase64",
                    .text(orNull: ending.resultText == nil ? Base64.text(ending.result) : nil)
                ),
                ("error", .text(orNull: ending.error.isEmpty ? nil : ending.error)),
                ("answer", .text(orNull: ending.answer)),
                ("reason", .text(orNull: ending.reason?.name)),
                ("answered", ending.reason == nil ? .null : .bool(ending.isAnswered)),
                ("returned", .bool(ending.isReturned)),
                ("exit", .integer(Int64(ending.code.rawValue))),
            ])
    }

    func fail(_ error: CommandError, at time: UInt64) {
        write(
            time, "outcome",
            [
                ("outcome", .null), ("duration", .null), ("result", .null),
                ("error", .text(error.message)), ("code", .text(orNull: error.fault?.code)),
                ("exit", .integer(Int64(error.code.rawValue))),
            ])
    }

    static func members(
        _ selector: EventSelector, _ values: [EventValue]
    ) -> [(key: String, value: JSONItem)] {
        let items = values.map { value -> JSONItem in
            switch value {
            case .bool(let value): .bool(value)
            case .int32(let value): .integer(Int64(value))
            case .int64(let value): .integer(value)
            case .double(let value): .number(value)
            case .text(let value): .text(value)
            }
        }
        return [("name", .text(selector.name)), ("values", .list(items))]
    }

    static func name(_ level: LogLevel) -> String {
        switch level {
        case .debug: "debug"
        case .info: "info"
        case .warning: "warning"
        case .error: "error"
        case .pluginMisbehaving: "plugin-misbehaving"
        }
    }
}
