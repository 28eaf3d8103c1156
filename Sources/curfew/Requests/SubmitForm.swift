// SPDX-License-Identifier: Apache-2.0
import Runner
import Scheduling

/// The options that describe a request, and what they make of it.
enum SubmitForm {
    static let at = CommandOption(
        name: "at", value: "DATE",
        summary:
            "launch it after this date: 2026-12-24T18:00, with or without a zone; or 18:00, the next one"
    )
    static let after = CommandOption(
        name: "after", value: "SPAN", summary: "launch it after this delay: 90s, 15min, 2h, 1d")
    static let latest = CommandOption(
        name: "latest", value: "DATE", summary: "drop it if it was not launched by this date")
    static let every = CommandOption(
        name: "every", value: "SPAN", summary: "repeat it at this interval")
    static let cron = CommandOption(
        name: "cron", value: "FIELDS",
        summary: "repeat it as in crontab(5): '30 4 * * 1', @daily")
    static let local = CommandOption(
        name: "local", summary: "dates are in the machine's zone, which is the default")
    static let utc = CommandOption(
        name: "utc",
        summary: "dates are in UTC, in place of the machine's zone")
    static let catchUp = CommandOption(
        name: "catch-up", value: "DATES", sort: .words(Repetition.CatchUp.allCases.map(\.name)),
        summary: "dates missed while no host ran: skip, one (for all) or all")
    static let jitter = CommandOption(
        name: "jitter", value: "SPAN",
        summary: "delay each date of a repetition by a random time up to this")
    static let needs = CommandOption(
        name: "needs", value: "LIST", sort: .list(["network", "external-power"]),
        summary: "conditions: network, external-power, or both")
    static let when = CommandOption(
        name: "when", value: "STATE", sort: .words(["due", "calm", "idle"]),
        summary:
            "once due, wait: until the machine is idle, or calm; default due, which does not wait")
    static let atMost = CommandOption(
        name: "at-most", value: "SPAN",
        summary: "the longest wait of --when, after which it is launched anyway")
    static let priority = CommandOption(
        name: "priority", value: "LEVEL", sort: .words(RequestPriority.allCases.map(\.name)),
        summary: "low, normal or high: the order of requests that are due")
    static let kind = CommandOption(
        name: "kind", value: "KIND", sort: .words(TaskKind.allCases.map(\.name)),
        summary: "app-refresh, processing, health-research or continued-processing; the manifest's "
            + "without it")
    static let key = CommandOption(
        name: "key", value: "TEXT",
        summary: "idempotency key: submitting it again returns the existing request")
    static let onPending = CommandOption(
        name: "on-pending", value: "WHAT",
        sort: .words(RequestDescription.OnPending.allCases.map(\.name)),
        summary:
            "if one of the identifier is pending: add this one (default), replace it, or keep it")
    static let attempts = CommandOption(
        name: "attempts", value: "N", summary: "attempts until it succeeds; default 1")
    static let backOff = CommandOption(
        name: "back-off", value: "SPAN",
        summary: "delay before the second attempt; default 30s, at least 1s; doubles each time")
    static let pendingLimit = CommandOption(
        name: "pending-limit", value: "N",
        summary: "limit of pending requests of the identifier; default 10000")

    static let trace = CommandOption(
        name: "trace", value: "TRACEPARENT",
        summary: "the place in a W3C trace that its tasks go on with; default: TRACEPARENT")

    static let options = [
        at, after, latest, every, cron, local, utc, catchUp, jitter, needs, when, atMost, priority,
        kind,
        RunRequest.payloadOption, key, onPending, attempts, backOff, pendingLimit,
        trace,
    ]

    /// The value of an option; that of the trace may be in the environment, as programs pass it on.
    static func value(of option: CommandOption, _ arguments: Arguments) -> String? {
        if let value = arguments.value(option) { return value }
        guard option.name == trace.name, let text = Environment.value("TRACEPARENT"),
            TraceContext(text) != nil
        else { return nil }
        return text
    }

    /// The range of `--pending-limit`.
    static let pendingRange: ClosedRange<UInt64> = 1...1_000_000

    /// - Parameters:
    ///   - kind: where the options name none.
    ///   - now: nanoseconds since 1970 in UTC.
    static func description(
        _ identifier: String, kind: TaskKind, at now: Int64, _ values: SubmitValues
    ) throws(CommandError) -> RequestDescription {
        var description = RequestDescription(identifier, kind: kind)
        if let named = try Self.kind(values) { description.kind = named }
        description.earliest = try earliest(at: now, values)
        if let text = values(latest) {
            let date = try Self.date(text, latest, at: now, values)
            guard date > now else {
                throw fault(
                    "`\(values.typed(latest, text))` has passed: it would be missed at once",
                    DateArgument.help(for: values.lead(latest), at: now))
            }
            description.latest = date
        }
        description.needs = try needs(values)
        (description.opportunistic, description.atMost) = try wish(values)
        if let priority = try word(RequestPriority.self, Self.priority, values, { $0.name }) {
            description.priority = priority
        }
        if let onPending = try word(
            RequestDescription.OnPending.self, Self.onPending, values, { $0.name })
        {
            description.onPending = onPending
        }
        description.key = values(key)
        description.retry = try retry(values)
        description.repetition = try repetition(values)
        if let text = values(trace) {
            guard let context = TraceContext(text) else {
                throw fault(
                    "`\(values.typed(trace, text))` is no place in a trace",
                    ["write one such as 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"])
            }
            description.trace = context
        }
        if let text = description.fault { throw fault(text, ["curfew help submit"]) }
        return description
    }

    /// Returns notes about options that are valid but may be unintended.
    static func notes(
        _ description: RequestDescription, at now: Int64, _ values: SubmitValues
    ) -> [String] {
        [zoneNote(values), passedNote(description, at: now, values)].compactMap { $0 }
    }

    /// Says that the zone of its dates is not that which was named.
    private static func zoneNote(_ values: SubmitValues) -> String? {
        guard
            values(utc) == nil,
            values(cron) != nil
                || [at, latest].compactMap({ values($0) }).contains(where: DateArgument.isLocal),
            let name = LocalZone.unknownName
        else { return nil }
        return "TZ is `\(name)`, which is no time zone of this machine: dates are in UTC"
    }

    /// Says that the date of a request has passed, and what comes of it; nil where it has not.
    private static func passedNote(
        _ description: RequestDescription, at now: Int64, _ values: SubmitValues
    ) -> String? {
        guard let earliest = description.earliest, earliest < now else { return nil }
        let text =
            "\(DateText.full(earliest)) has passed, \(DateText.relative(earliest, at: now)): "
        guard let repetition = description.repetition else {
            return text + "the request may begin at once"
        }
        return text
            + "the dates of its repetition begin there, and those that passed are treated as "
            + "`\(values.typed(catchUp, repetition.catchUp.name))` has it"
    }

    /// Returns the kind that the options name; nil if they name none.
    static func kind(_ values: SubmitValues) throws(CommandError) -> TaskKind? {
        try word(TaskKind.self, kind, values) { $0.name }
    }

    /// Returns the limits of pending requests.
    static func limits(_ values: SubmitValues) throws(CommandError) -> RequestLimits {
        var limits = RequestLimits()
        guard let text = values(pendingLimit) else { return limits }
        let count = Int(
            try NumberArgument.value(text, for: values.lead(pendingLimit), range: pendingRange))
        limits.pendingPerIdentifier = count
        return limits
    }

    private static func earliest(at now: Int64, _ values: SubmitValues) throws(CommandError)
        -> Int64?
    {
        if let text = values(at) {
            guard values(after) == nil else { throw both(at, after, values) }
            return try date(text, at, at: now, values)
        }
        guard let span = try span(after, 0...Repetition.intervalRange.upperBound, values) else {
            return nil
        }
        let (date, overflow) = now.addingReportingOverflow(Int64(clamping: span))
        return overflow ? .max : date
    }

    private static func date(
        _ text: String, _ option: CommandOption, at now: Int64, _ values: SubmitValues
    ) throws(CommandError) -> Int64 {
        try DateArgument.value(
            text, for: values.lead(option), at: now, isUTC: values(utc) != nil)
    }

    /// Reads the wish, and the longest wait for it.
    private static func wish(
        _ values: SubmitValues
    ) throws(CommandError) -> (RequestWish, atMost: UInt64?) {
        let wish = try word(RequestWish.self, when, values) { $0 == .no ? "due" : $0.name } ?? .no
        let range = RequestDescription.atMostRange
        guard let longest = try span(atMost, range, values) else { return (wish, nil) }
        guard wish != .no else {
            throw fault(
                "`\(values.name(atMost))` is about a request that waits for a state of the machine",
                ["write `\(values.typed(when, "idle"))` too, or leave it out"])
        }
        return (wish, longest)
    }

    private static func needs(_ values: SubmitValues) throws(CommandError) -> RequestNeeds {
        var found: RequestNeeds = []
        guard let text = values(needs) else { return found }
        // In a step of `simulate` the comma separates options.
        for word in text.split(
            omittingEmptySubsequences: false, whereSeparator: { ",+".contains($0) })
        {
            switch word {
            case "network", "net": found.insert(.network)
            case "power", "external-power": found.insert(.externalPower)
            default:
                throw fault(
                    "`\(word)` is nothing that a request can need",
                    [
                        "write `\(values.typed(needs, "network"))`, `\(values.typed(needs, "external-power"))`"
                            + " or `\(values.typed(needs, values.list(["network", "external-power"])))`"
                    ])
            }
        }
        return found
    }

    private static func retry(_ values: SubmitValues) throws(CommandError) -> RetryPolicy {
        guard let text = values(attempts) else {
            guard values(backOff) == nil else {
                throw fault(
                    "`\(values.name(backOff))` without `\(values.name(attempts))`: there is only one attempt",
                    ["write `\(values.typed(attempts, "3"))` too"])
            }
            return .none
        }
        let range = RetryPolicy.attemptsRange
        let count = try NumberArgument.value(
            text, for: values.lead(attempts),
            range: UInt64(range.lowerBound)...UInt64(range.upperBound))
        guard count > 1 else { return .none }
        var policy = RetryPolicy(attempts: UInt32(count))
        if let pause = try span(backOff, RetryPolicy.pauseRange, values) {
            policy.base = pause
            policy.longest = max(policy.longest, policy.base)
        }
        return policy
    }

    private static func repetition(_ values: SubmitValues) throws(CommandError) -> Repetition? {
        guard let rule = try rule(values) else {
            for option in [catchUp, jitter] where values(option) != nil {
                throw fault(
                    "`\(values.name(option))` is about a request that is repeated",
                    [
                        values(latest) == nil
                            ? "write `\(values.typed(every, "1h"))` or "
                                + "`\(values.typed(cron, "30 4 * * *"))` too, or leave it out"
                            : "leave it out: a request with `\(values.name(latest))` is not repeated"
                    ])
            }
            return nil
        }
        var repetition = Repetition(rule)
        if let catchUp = try word(Repetition.CatchUp.self, Self.catchUp, values, { $0.name }) {
            repetition.catchUp = catchUp
        }
        if let span = try span(jitter, 0...Repetition.intervalRange.upperBound, values) {
            repetition.jitter = span
        }
        return repetition
    }

    private static func rule(_ values: SubmitValues) throws(CommandError) -> Repetition.Rule? {
        if values(every) != nil, values(cron) != nil { throw both(every, cron, values) }
        if values(local) != nil, values(utc) != nil {
            throw fault(
                "`\(values.name(local))` and `\(values.name(utc))` name two zones",
                ["leave one of them out"])
        }
        if values(local) != nil, values(cron) == nil, values(at) == nil, values(latest) == nil {
            let canRepeat = values(every) == nil && values(latest) == nil
            throw fault(
                "`\(values.name(local))` is about the dates of `\(values.name(cron))`, `\(values.name(at))` and `\(values.name(latest))`",
                [
                    (canRepeat ? "write `\(values.typed(cron, "30 4 * * *"))` too, or " : "")
                        + "leave `\(values.name(local))` out"
                ])
        }
        if let interval = try span(every, Repetition.intervalRange, values) {
            return .every(interval)
        }
        guard let text = values(cron) else { return nil }
        let shown = text.utf8.count > 100 ? Shown.fitted(Shown.line(text), 100) : text
        let schedule: CronSchedule
        do throws(CronFault) {
            schedule = try CronSchedule(text)
        } catch {
            let field = error.field.map { "the \($0.rawValue)" } ?? "the expression"
            throw fault(
                "`\(values.typed(cron, shown))`: \(field): \(error.message)", [error.help])
        }
        if schedule.zone != nil, let other = [utc, local].first(where: { values($0) != nil }) {
            throw fault(
                "`\(values.typed(cron, shown))` and `\(values.name(other))` name two zones",
                ["leave `\(values.name(other))` out"])
        }
        if let zone = schedule.zone, LocalZone().named(zone) == nil {
            let (message, help) = LocalZone.missing(zone)
            throw fault("`\(values.typed(cron, shown))`: \(message)", [help])
        }
        return .cron(schedule, isLocal: values(utc) == nil)
    }

    private static func both(
        _ one: CommandOption, _ other: CommandOption, _ values: SubmitValues
    ) -> CommandError {
        fault(
            "`\(values.name(one))` and `\(values.name(other))` say the same thing in two ways",
            ["leave one of them out"])
    }

    private static func fault(_ message: String, _ help: [String]) -> CommandError {
        CommandError(.usage, message, notes: ["nothing was submitted"], help: help)
    }

    /// Returns the span that an option names, in nanoseconds; nil if it is not given.
    private static func span(
        _ option: CommandOption, _ range: ClosedRange<UInt64>, _ values: SubmitValues
    ) throws(CommandError) -> UInt64? {
        guard let text = values(option) else { return nil }
        return try SpanArgument.value(text, for: values.lead(option), range: range)
    }

    /// Returns one of the words that an option takes.
    private static func word<Word: CaseIterable>(
        _: Word.Type, _ option: CommandOption, _ values: SubmitValues, _ name: (Word) -> String
    ) throws(CommandError) -> Word? {
        guard let text = values(option) else { return nil }
        if let found = Word.allCases.first(where: { name($0) == text }) { return found }
        let names = Word.allCases.map(name)
        var help = ["write `\(values.lead(option))` and one of " + names.joined(separator: ", ")]
        if let meant = Suggestion.nearest(to: text, among: names) {
            help.append("did you mean `\(values.typed(option, meant))`?")
        }
        throw fault("`\(values.typed(option, text))` is not known", help)
    }
}
