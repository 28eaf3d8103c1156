// SPDX-License-Identifier: Apache-2.0
import Curfew
import PluginBridge
import Scheduling

/// Requests and their parts as JSON. Dates are texts in UTC, spans are seconds; payloads appear by
/// their size.
enum RequestItem {
    /// The members of a request, for help.
    static let rows: [(term: String, text: String)] = [
        (
            "id, identifier, kind, state",
            "the state is pending, running, parked, finished, cancelled, replaced, missed, or "
                + "host-gone: it ran when its host ended, and the next host takes it up"
        ),
        ("due, reason", "while pending: when it may be launched, and where that date comes from"),
        ("earliest, latest, needs", "as it was submitted; the first two may be null"),
        (
            "opportunistic, atMost",
            "no, idle or calm: the state of the machine it waits for, and seconds or null"
        ),
        ("priority, onPending, key", "as it was submitted; the last may be null"),
        ("retry", "attempts, backOff and longest, in seconds"),
        ("repetition", "every (seconds) or cron (text), local, catchUp and jitter, or null"),
        ("submitted, changed", "when it was submitted, and when its state changed last"),
        (
            "attempts, launches, crashes",
            "used for this date; ever; in a row with which the process ended"
        ),
        (
            "outcome",
            "of the last task: succeeded, failed, expired, cancelled, interrupted, abandoned"
        ),
        ("payloadBytes", "the size of its payload"),
        ("owner", "the number of the user who has submitted it to another user's host, or null"),
        ("trace", "the place in a W3C trace that its tasks go on with, or null"),
        ("argv", "the words of the program that it runs, or null"),
    ]

    static func item(_ request: Request) -> JSONItem { .object(members(request)) }

    static func members(_ request: Request) -> [(key: String, value: JSONItem)] {
        members(request, isAlone: false)
    }

    /// - Parameter isAlone: no host uses the store.
    static func members(
        _ request: Request, isAlone: Bool
    ) -> [(key: String, value: JSONItem)] {
        let description = request.description
        let isPending = request.state == .pending
        return [
            ("id", id(request.id)), ("identifier", .text(description.identifier)),
            ("kind", .text(description.kind.name)),
            ("state", .text(RequestText.stateName(request, isAlone: isAlone))),
            ("due", isPending ? DateText.item(request.notBefore) : .null),
            ("reason", isPending ? .text(request.reason.name) : .null),
            ("earliest", DateText.item(description.earliest)),
            ("latest", DateText.item(description.latest)),
            ("needs", .list(RequestText.names(description.needs).map { .text($0) })),
            ("priority", .text(description.priority.name)),
            ("opportunistic", .text(description.opportunistic.name)),
            ("atMost", description.atMost.map { .seconds($0) } ?? .null),
            ("onPending", .text(description.onPending.name)),
            ("key", .text(orNull: description.key)), ("retry", retry(description.retry)),
            ("repetition", description.repetition.map(repetition) ?? .null),
            ("submitted", DateText.item(request.submittedAt)),
            ("changed", DateText.item(request.changedAt)),
            ("attempts", .integer(Int64(request.attempts))),
            ("launches", .integer(Int64(clamping: request.launches))),
            ("crashes", .integer(Int64(request.crashes))),
            ("outcome", .text(orNull: request.outcome?.name)),
            ("payloadBytes", .integer(Int64(request.payloadBytes))),
            ("owner", request.owner.map { .integer(Int64($0)) } ?? .null),
            ("trace", .text(orNull: description.trace?.text)),
        ]
    }

    static func argv(_ program: CommandPayload?) -> (key: String, value: JSONItem) {
        ("argv", program.map { .list($0.arguments.map { .text($0) }) } ?? .null)
    }

    static func id(_ id: RequestID) -> JSONItem { .integer(Int64(clamping: id.rawValue)) }

    private static func retry(_ policy: RetryPolicy) -> JSONItem {
        .object([
            ("attempts", .integer(Int64(policy.attempts))), ("backOff", .seconds(policy.base)),
            ("longest", .seconds(policy.longest)),
        ])
    }

    private static func repetition(_ repetition: Repetition) -> JSONItem {
        var members: [(key: String, value: JSONItem)]
        switch repetition.rule {
        case .every(let interval):
            members = [("every", .seconds(interval)), ("cron", .null), ("local", .bool(false))]
        case .cron(let schedule, let isLocal):
            members = [
                ("every", .null), ("cron", .text(schedule.text)),
                ("local", .bool(isLocal && schedule.zone == nil)),
            ]
        }
        members += [
            ("catchUp", .text(repetition.catchUp.name)), ("jitter", .seconds(repetition.jitter)),
        ]
        return .object(members)
    }

    static func item(_ attempt: Attempt) -> JSONItem {
        .object(
            [
                ("launch", .integer(Int64(clamping: attempt.launch))),
                ("number", .integer(Int64(attempt.number))),
                ("process", .integer(Int64(attempt.host.process))),
                ("started", DateText.item(attempt.startedAt)),
                ("ended", DateText.item(attempt.endedAt)),
                ("outcome", .text(orNull: attempt.outcome?.name)),
                ("reason", .text(orNull: attempt.reason?.name)), ("error", .text(attempt.error)),
            ] + members(attempt.record))
    }

    private static func members(_ record: AttemptRecord) -> [(key: String, value: JSONItem)] {
        func bytes(_ count: UInt64) -> JSONItem { .integer(Int64(clamping: count)) }
        let usage = record.usage.map { usage in
            JSONItem.object([
                ("user", .seconds(usage.user)), ("system", .seconds(usage.system)),
                ("memory", bytes(usage.memory)), ("read", bytes(usage.read)),
                ("written", bytes(usage.written)),
            ])
        }
        return [
            ("exitStatus", record.exit.map { $0 < 0 ? .null : .integer(Int64($0)) } ?? .null),
            ("signal", record.exit.map { $0 < 0 ? .integer(-Int64($0)) : .null } ?? .null),
            ("log", .list(record.log.lines.map { .text($0) })),
            ("logDropped", bytes(record.log.dropped)), ("result", .text(record.result)),
            ("resultBytes", bytes(record.resultBytes)),
            ("progress", record.progress.map { .number($0) } ?? .null),
            ("progressText", .text(record.progressText)),
            ("cpu", record.processorTime == 0 ? .null : .seconds(record.processorTime)),
            ("usage", usage ?? .null),
        ]
    }

    /// The members of an attempt, for help.
    static let attemptRows: [(term: String, text: String)] = [
        (
            "runsIn",
            "the host in which it runs: host, process, machine; null where it does not run, or one host at a time uses the store"
        ),
        (
            "attemptList",
            "the last 100 launches, each with launch, number, process, started, ended, outcome, "
                + "reason, error, and what its task left: exitStatus or signal (of a program), "
                + "log (its last lines: 50, and 8 KiB) and logDropped (lines before them), result "
                + "(4 KiB of it, if it is text) and resultBytes, progress and progressText (the "
                + "last), cpu (seconds, or null), usage (of a program: user and system in seconds, "
                + "memory, read and written in bytes; or null)"
        ),
    ]

    static func item(_ entry: JournalEntry) -> JSONItem {
        .object([
            ("sequence", .integer(Int64(clamping: entry.sequence))),
            ("at", DateText.item(entry.at)),
            ("what", .text(entry.what.name)), ("request", entry.request.map(id) ?? .null),
            ("identifier", .text(orNull: entry.identifier.isEmpty ? nil : entry.identifier)),
            ("launch", entry.launch == 0 ? .null : .integer(Int64(clamping: entry.launch))),
            ("detail", .text(entry.detail)),
        ])
    }

    static func item(_ host: HostPresence?) -> JSONItem {
        guard let host else { return .null }
        return .object([
            ("process", host.process.map { .integer(Int64($0)) } ?? .null),
            ("since", DateText.item(host.since)),
        ])
    }

    static func item(_ report: FactorReport) -> JSONItem {
        .object([
            ("factor", .text(report.factor.name)), ("state", .text(report.state.name)),
            ("holds", .bool(report.holds)), ("source", .text(report.source)),
            ("detail", .text(report.detail)), ("since", DateText.item(report.since)),
            ("until", DateText.item(report.until)), ("change", .text(report.change)),
        ])
    }
}
