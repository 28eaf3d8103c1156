// SPDX-License-Identifier: Apache-2.0
import CurfewValues
import Runner
import Scheduling
import Service

/// A threshold of a host's requests, which `--threshold NAME=VALUE` sets.
///
/// The names are those of C's fields without units, so that one table of the documentation serves
/// both.
struct HostThreshold: Sendable {
    private enum Unit { case count, span, percent }
    private typealias Configuration = RequestConfiguration

    static let option = CommandOption(
        name: "threshold", value: "NAME=VALUE", isRepeated: true,
        summary: "set a threshold of this host, one of those below")

    private let name: String
    private let summary: String
    private let unit: Unit
    private let range: ClosedRange<UInt64>
    /// Nil: no limit.
    private let get: @Sendable (RequestConfiguration) -> UInt64?
    private let set: @Sendable (inout RequestConfiguration, UInt64) -> Void

    /// Changes the thresholds that the command line names.
    static func set(
        _ arguments: Arguments, in configuration: inout RequestConfiguration
    ) throws(CommandError) {
        for word in arguments.values(option) {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let threshold = all.first(where: { $0.name == parts[0] }) else {
                let meant = Suggestion.nearest(to: String(parts[0]), among: all.map(\.name))
                throw CommandError(
                    .usage, "there is no threshold `\(parts[0])`", notes: ["nothing was done"],
                    help: [
                        meant.map { "did you mean `\($0)`?" }
                            ?? "`curfew help serve` lists the thresholds"
                    ])
            }
            guard parts.count == 2 else {
                throw CommandError(
                    .usage, "the threshold `\(threshold.name)` has no value",
                    notes: ["nothing was done"],
                    help: ["write `--threshold=\(threshold.name)=VALUE`"])
            }
            threshold.set(&configuration, try threshold.value(String(parts[1])))
        }
    }

    /// The thresholds that the command line names.
    static func names(_ arguments: Arguments) -> Set<String> {
        Set(arguments.values(option).compactMap { $0.split(separator: "=").first.map(String.init) })
    }

    /// Changes the thresholds that a configuration names, which have no `fault`.
    static func set(_ named: [String: String], in configuration: inout RequestConfiguration) {
        for threshold in all {
            guard let text = named[threshold.name] else { continue }
            if let value = try? threshold.value(text) { threshold.set(&configuration, value) }
        }
    }

    /// Checks a threshold of a configuration; returns the fault, or nil.
    @Sendable static func fault(
        _ name: String, _ value: String
    ) -> ServiceConfiguration.ThresholdFault? {
        guard let threshold = all.first(where: { $0.name == name }) else {
            let meant = Suggestion.nearest(to: name, among: all.map(\.name))
            return ServiceConfiguration.ThresholdFault(
                "there is no threshold `\(Shown.fitted(Shown.line(name), 64))`",
                help: meant.map { "did you mean `\($0)`?" }
                    ?? "`curfew help serve` lists the thresholds", isName: true)
        }
        guard (try? threshold.value(value)) == nil else { return nil }
        let (least, most) = (threshold.range.lowerBound, threshold.range.upperBound)
        let help =
            switch threshold.unit {
            case .count: "write a number from \(least) to \(most)"
            case .span: "write a number and one of ms, s, min, h, d: \"15min\""
            case .percent: "write a share from \(least)% to \(most)%: \"80%\""
            }
        return ServiceConfiguration.ThresholdFault(
            "the threshold `\(name)` cannot be `\(Shown.fitted(Shown.line(value), 64))`",
            help: help, isName: false)
    }

    /// The names with their defaults, for help.
    static let rows: [(String, String)] = all.map {
        ($0.name, "\($0.summary); default \($0.text(RequestConfiguration()))")
    }

    private func value(_ text: String) throws(CommandError) -> UInt64 {
        let lead = "--threshold=\(name)="
        switch unit {
        case .count: return try NumberArgument.value(text, for: lead, range: range)
        case .span: return try SpanArgument.value(text, for: lead, range: range)
        case .percent:
            let number = text.hasSuffix("%") ? String(text.dropLast()) : text
            return try NumberArgument.value(number, for: lead, range: range)
        }
    }

    private func text(_ configuration: RequestConfiguration) -> String {
        guard let value = get(configuration) else { return "none" }
        switch unit {
        case .count: return Shown.number(value)
        case .span where value == 0: return "none"
        case .span where value > Self.day && value.isMultiple(of: Self.day):
            return "\(value / Self.day) days"
        case .span: return TimeText.limit(value)
        case .percent: return "\(value) %"
        }
    }

    // MARK: The list

    private static let day: UInt64 = 86_400_000_000_000
    private static let year = 366 * day

    private static let all: [HostThreshold] =
        limits + pauses + days + kept + machine
        + pressure("processor", "some task waits for a processor", \.processorPressure)
        + pressure("memory", "all tasks wait for memory", \.memoryPressure)
        + pressure("disk", "all tasks wait for disks", \.diskPressure)

    private static let limits =
        [
            count(
                "identifier-limit", "pending requests of an identifier",
                \.limits.pendingPerIdentifier),
            count("pending-limit", "pending requests in all", \.limits.pendingInAll),
        ]
        + TaskKind.allCases.map { kind in
            HostThreshold(
                name: "\(kind.name)-limit", summary: "pending requests of this kind", unit: .count,
                range: 1...UInt64(UInt32.max), get: { $0.limits.pending[kind].map(UInt64.init) },
                set: { $0.limits.pending[kind] = Int($1) })
        } + [count("place-limit", "tasks at a time, of short and of long kinds each", \.places)]

    private static let pauses = [
        span(
            "debounce", "time that a change of a factor lasts before it counts", 0...day,
            \.debounceNanoseconds),
        span("spacing", "time between two launches of a handler", 0...year, \.rate.spacing),
        span(
            "penalty", "pause after a task that was not completed in time; it doubles up to 24 h",
            0...day, \.rate.penalty),
        HostThreshold(
            name: "throttle", summary: "longest pause between launches without a date",
            unit: .span, range: 0...year, get: { $0.floor ?? Configuration.usualFloor },
            set: { $0.floor = $1 }),
    ]

    private static let days = [
        HostThreshold(
            name: "day-launches", summary: "launches in a day", unit: .count,
            range: 0...UInt64(UInt32.max), get: { $0.dayBudget.limits.launches },
            set: { $0.dayBudget.limits.launches = $1 }),
        HostThreshold(
            name: "day-wall", summary: "running time in a day", unit: .span, range: 0...year,
            get: { $0.dayBudget.limits.wall }, set: { $0.dayBudget.limits.wall = $1 }),
        HostThreshold(
            name: "day-cpu", summary: "processor time in a day", unit: .span, range: 0...year,
            get: { $0.dayBudget.limits.cpu }, set: { $0.dayBudget.limits.cpu = $1 }),
    ]

    private static let kept = [
        HostThreshold(
            name: "crash-limit", summary: "crashes in a row that park a request",
            unit: .count, range: 1...UInt64(UInt32.max), get: { UInt64($0.limits.crashes) },
            set: { $0.limits.crashes = UInt32($1) }),
        span(
            "history", "time for which requests are kept after they are over", 1...100 * year,
            \.limits.historyAge),
        count("history-limit", "requests that are kept after they are over", \.limits.historyCount),
    ]

    private static let machine = [
        HostThreshold(
            name: "idle-after",
            summary: "time without a key at any terminal until the machine is idle", unit: .span,
            range: 1...year, get: { $0.machineThresholds.idleAfter.inNanoseconds },
            set: { $0.machineThresholds.idleAfter = Duration(inNanoseconds: $1) }),
        HostThreshold(
            name: "low-battery", summary: "charge below which a battery is nearly empty",
            unit: .percent, range: 1...100, get: { UInt64($0.machineThresholds.lowBattery) },
            set: { $0.machineThresholds.lowBattery = Int($1) }),
    ]

    private static func count(
        _ name: String, _ summary: String,
        _ path: any WritableKeyPath<Configuration, Int> & Sendable
    ) -> HostThreshold {
        HostThreshold(
            name: name, summary: summary, unit: .count, range: 1...UInt64(UInt32.max),
            get: { UInt64($0[keyPath: path]) }, set: { $0[keyPath: path] = Int($1) })
    }

    private static func span(
        _ name: String, _ summary: String, _ range: ClosedRange<UInt64>,
        _ path: any WritableKeyPath<Configuration, UInt64> & Sendable
    ) -> HostThreshold {
        HostThreshold(
            name: name, summary: summary, unit: .span, range: range,
            get: { $0[keyPath: path] }, set: { $0[keyPath: path] = $1 })
    }

    private static func pressure(
        _ name: String, _ summary: String,
        _ path: any WritableKeyPath<MachineThresholds, PressureLimit> & Sendable
    ) -> [HostThreshold] {
        let averages: [(String, String, any WritableKeyPath<PressureLimit, Double> & Sendable)] = [
            ("10s", "10 s", \.tenSeconds), ("60s", "a minute", \.minute),
        ]
        return averages.map { suffix, time, average in
            HostThreshold(
                name: "\(name)-pressure-\(suffix)",
                summary: "share of \(time) in which \(summary)", unit: .percent,
                range: 1...100,
                get: { UInt64($0.machineThresholds[keyPath: path][keyPath: average]) },
                set: { $0.machineThresholds[keyPath: path][keyPath: average] = Double($1) })
        }
    }
}
