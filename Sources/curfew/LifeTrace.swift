// SPDX-License-Identifier: Apache-2.0
import Conformance
import PluginBridge
import Scheduling

/// The life of a task as a trace in the format of Chrome, which chrome://tracing, Perfetto and Firefox's profiler open:
/// an array of events, times in microseconds. Its end may be missing if the program was killed.
final class LifeTrace: LifeView {
    private let out: Output
    private var isFirst = true
    private var startedAt: UInt64?
    private var expiring: (time: UInt64, reason: String)?

    init(_ out: Output) { self.out = out }

    private func write(_ members: [(key: String, value: JSONItem)]) {
        out.write(isFirst ? "[\n" : ",\n")
        isFirst = false
        out.write(JSONItem.object(members + [("pid", .integer(1)), ("tid", .integer(1))]).written)
    }

    private static func time(_ nanoseconds: UInt64) -> JSONItem {
        .number(Double(nanoseconds) / 1_000)
    }

    private func span(
        _ name: String, _ from: UInt64, _ to: UInt64, _ more: [(key: String, value: JSONItem)] = []
    ) {
        write([
            ("name", .text(name)), ("cat", .text("task")), ("ph", .text("X")),
            ("ts", Self.time(from)), ("dur", Self.time(to - min(from, to))),
            ("args", .object(more)),
        ])
    }

    private func moment(
        _ name: String, _ time: UInt64, _ category: String,
        _ more: [(key: String, value: JSONItem)] = []
    ) {
        write([
            ("name", .text(name)), ("cat", .text(category)), ("ph", .text("i")),
            ("ts", Self.time(time)), ("s", .text("t")), ("args", .object(more)),
        ])
    }

    func begin(_ facts: LifeFacts) {
        for (name, text) in [
            ("process_name", facts.plugin.id.isEmpty ? "curfew" : facts.plugin.id),
            ("thread_name", facts.handler.identifier),
        ] {
            write([
                ("name", .text(name)), ("ph", .text("M")),
                ("args", .object([("name", .text(text))])),
            ])
        }
        moment(
            "launching", 0, "host",
            [("budget", .seconds(facts.budget)), ("grace", .seconds(facts.grace))])
    }

    func show(_ entry: LifeEntry) {
        switch entry.what {
        case .started:
            startedAt = entry.time
            span("loading and queue", 0, entry.time)
        case .progress(let fraction, let text):
            write([
                ("name", .text("progress")), ("ph", .text("C")), ("ts", Self.time(entry.time)),
                ("args", .object([("done", .number(fraction))])),
            ])
            if !text.isEmpty { moment(text, entry.time, "progress") }
        case .raised(let selector, let values), .done(let selector, let values):
            moment(
                selector.name, entry.time, "event", LifeRecords.members(selector, values))
        case .log(let level, let text): moment(text, entry.time, LifeRecords.name(level))
        case .signal(let number):
            moment(ProcessFacts.name(ofSignal: number), entry.time, "host")
        case .expiring(let reason, let grace):
            expiring = (entry.time, reason?.name ?? "")
            moment("told to stop", entry.time, "host", [("grace", .seconds(grace))])
        case .gap(let count): moment("\(count) events are missing", entry.time, "host")
        }
    }

    func tick(_ now: UInt64) {}

    func end(_ ending: LifeEnding) {
        if let startedAt {
            span(
                "run", startedAt, max(startedAt, ending.time),
                [
                    ("outcome", .text(ending.outcome.name)),
                    ("error", .text(orNull: ending.error.isEmpty ? nil : ending.error)),
                ])
        }
        if let expiring {
            span(
                "grace", expiring.time, max(expiring.time, ending.time),
                [("reason", .text(expiring.reason)), ("answered", .bool(ending.isAnswered))])
        }
        out.write("\n]\n")
    }

    func fail(_ error: CommandError, at time: UInt64) {
        moment(error.message, time, "error")
        out.write("\n]\n")
    }
}
