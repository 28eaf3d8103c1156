// SPDX-License-Identifier: Apache-2.0
import CSystem
import PluginBridge
import Scheduling

/// What a host does at a moment, for one screen. Dates are nanoseconds since 1970 in UTC, spans seconds.
struct TopSnapshot {
    /// What became of the requests of an identifier.
    struct Task {
        let identifier: String
        var pending = 0
        var running = 0
        /// Of the last hour.
        var launched = 0
        var promised = 0
        var missed = 0
        /// Below which 95 of 100 are, in the last 24 h; nil without any.
        var delay: Double?
        var budget: Double?
        /// Of the last 24 h, by outcome.
        var ends: [String: Int] = [:]
    }

    struct Running {
        let request: UInt64
        let identifier: String
        let title: String
        let elapsed: Double
        let budget: Double
        /// How far it is, from 0 to 1; nil if it says nothing.
        let share: Double?
        /// Why it was told to stop; nil if it was not.
        let stopping: String?
    }

    struct Waiting {
        let request: UInt64
        let identifier: String
        let title: String
        let due: Int64
        let isParked: Bool
        /// The factors that hold it, as far as the host has noted any.
        let reasons: [String]
    }

    struct End {
        let request: UInt64
        let identifier: String
        let title: String
        let at: Int64
        let outcome: String
        /// Seconds; nil if the date of its end is unknown.
        let duration: Double?
    }

    private(set) var version = ""
    private(set) var store = ""
    private(set) var since: Int64?
    private(set) var drained: Int64?
    /// Seconds below which 99 of 100 commits took.
    private(set) var commit: Double?
    private(set) var workers: [String: Int] = [:]
    private(set) var tasks: [Task] = []
    private(set) var running: [Running] = []
    /// Those that are due, the longest waiting first; parked ones before.
    private(set) var waiting: [Waiting] = []
    /// Those that are not due yet, the soonest first.
    private(set) var next: [Waiting] = []
    private(set) var ends: [End] = []
    /// What is wrong, for people.
    private(set) var alerts: [String] = []
    let now: Int64

    /// Asks a host.
    init(_ client: ControlClient) throws(CommandError) {
        func ask(_ path: String, _ member: String) throws(CommandError) -> ControlAnswer {
            try client.call("GET", "/v1/" + path, having: member, statuses: [200, 503])
        }
        now = csys_realtime_ns()
        read(host: try ask("host", "version"))
        let live = try ask("requests?view=live&limit=200", "requests")["requests"]?.items ?? []
        let over = try ask("requests?view=history&limit=30", "requests")["requests"]?.items ?? []
        let titles = Dictionary(
            (live + over).compactMap { request in
                Self.number(request["id"]).map { ($0, Self.title(request)) }
            }, uniquingKeysWith: { first, _ in first })
        func title(_ value: JSONValue) -> String {
            Self.number(value["request"]).flatMap { titles[$0] } ?? Self.title(value)
        }
        running = (try ask("tasks", "tasks")["tasks"]?.items ?? []).compactMap {
            running($0, title($0))
        }
        ends = (try ask("ends?limit=30", "ends")["ends"]?.items ?? []).compactMap {
            Self.end($0, title($0))
        }
        let waits = live.compactMap(waiting)
        waiting = waits.filter { $0.isParked || $0.due <= now }
        next = waits.filter { !$0.isParked && $0.due > now }
        let health = try ask("health", "findings")
        alerts = (health["findings"]?.items ?? []).compactMap { finding in
            finding["state"]?.text == "ok" ? nil : finding["text"]?.text
        }
        readTasks(
            counts: try ask("counts", "counts"),
            day: try ask("statistics?step=hour&by=identifier", "series"),
            hour: try ask(
                "statistics?step=minute&by=identifier&from=\(Self.text(now - Self.hour))", "series")
        )
    }

    private static let hour: Int64 = 3_600_000_000_000

    private static func text(_ date: Int64) -> String { DateText.utc(date) }

    // MARK: Reading answers

    private mutating func read(host: ControlAnswer) {
        version = host["version"]?.text ?? ""
        store = host["store"]?.text ?? ""
        since = date(host["since"])
        commit = host["statistics"]?["commits"]?["p99"]?.number
        for state in ["busy", "idle", "stuck"] {
            workers[state] = Self.count(host["statistics"]?["workers"]?[state])
        }
    }

    private func date(_ value: JSONValue?) -> Int64? {
        guard let text = value?.text else { return nil }
        return try? DateArgument.value(text, for: "", at: now, isUTC: true)
    }

    private static func number(_ value: JSONValue?) -> UInt64? {
        value?.digits.flatMap { UInt64($0) }
    }

    private static func count(_ value: JSONValue?) -> Int {
        value?.digits.flatMap { Int($0) } ?? 0
    }

    /// What it does: the command line of a program, or the identifier.
    private static func title(_ request: JSONValue) -> String {
        let words = request["argv"]?.items.compactMap(\.text) ?? []
        return words.isEmpty
            ? request["identifier"]?.text ?? "" : words.map(ShellWord.quoted).joined(separator: " ")
    }

    private func running(_ task: JSONValue, _ title: String) -> Running? {
        guard let request = Self.number(task["request"]), let started = date(task["started"]) else {
            return nil
        }
        return Running(
            request: request, identifier: task["identifier"]?.text ?? "", title: title,
            elapsed: max(0, Double(now - started) / 1e9), budget: task["budget"]?.number ?? 0,
            share: task["progress"]?.number, stopping: task["stopping"]?.text)
    }

    private func waiting(_ request: JSONValue) -> Waiting? {
        let state = request["state"]?.text
        guard let id = Self.number(request["id"]), state == "pending" || state == "parked",
            let due = date(request["due"]) ?? date(request["changed"])
        else { return nil }
        return Waiting(
            request: id, identifier: request["identifier"]?.text ?? "",
            title: Self.title(request), due: due, isParked: state == "parked",
            reasons: request["waitsFor"]?.items.compactMap(\.text) ?? [])
    }

    private static func end(_ end: JSONValue, _ title: String) -> End? {
        guard let request = number(end["request"]), let text = end["at"]?.text,
            let at = try? DateArgument.value(text, for: "", at: 0, isUTC: true)
        else { return nil }
        return End(
            request: request, identifier: end["identifier"]?.text ?? "", title: title, at: at,
            outcome: end["outcome"]?.text ?? "", duration: end["duration"]?.number)
    }

    private mutating func readTasks(
        counts: ControlAnswer, day: ControlAnswer, hour: ControlAnswer
    ) {
        var found: [String: Task] = [:]
        func change(_ identifier: String, _ body: (inout Task) -> Void) {
            body(&found[identifier, default: Task(identifier: identifier)])
        }
        for count in counts["counts"]?.items ?? [] {
            let number = Self.count(count["count"])
            change(count["identifier"]?.text ?? "") { task in
                switch count["state"]?.text {
                case "pending": task.pending += number
                case "running": task.running += number
                default: break
                }
            }
        }
        for series in hour["series"]?.items ?? [] {
            let points = series["points"]?.items ?? []
            change(series["identifier"]?.text ?? "") { task in
                for point in points {
                    task.launched += Self.count(point["launched"])
                    task.promised += Self.count(point["promised"])
                    task.missed += Self.count(point["missed"])
                }
            }
        }
        for series in day["series"]?.items ?? [] {
            let points = series["points"]?.items ?? []
            change(series["identifier"]?.text ?? "") { task in
                task.delay = Self.most(points, "delay", day["delayBounds"])
                task.budget = Self.most(points, "budget", day["budgetBounds"])
                for point in points {
                    for outcome in Outcome.allCases {
                        task.ends[outcome.name, default: 0] += Self.count(
                            point["ends"]?[outcome.name])
                    }
                }
            }
        }
        tasks = found.values.sorted {
            ($1.running, $1.pending, $0.identifier) < ($0.running, $0.pending, $1.identifier)
        }
    }

    /// Returns the value below which 95 of 100 are.
    private static func most(
        _ points: [JSONValue], _ measure: String, _ bounds: JSONValue?
    ) -> Double? {
        let bounds = bounds?.items.compactMap(\.number) ?? []
        var counts = [Int64](repeating: 0, count: bounds.count + 1)
        for point in points {
            for (index, value) in (point[measure]?["counts"]?.items ?? []).enumerated()
            where index < counts.count {
                counts[index] += value.digits.flatMap { Int64($0) } ?? 0
            }
        }
        let sum = points.reduce(0.0) { $0 + ($1[measure]?["sum"]?.number ?? 0) }
        return Histogram(bounds, counts: counts, sum: sum).quantile(0.95)
    }

    // MARK: JSON

    var item: JSONItem {
        func seconds(_ value: Double?) -> JSONItem { value.map { .number($0) } ?? .null }
        func id(_ id: UInt64) -> JSONItem { .integer(Int64(clamping: id)) }
        func list(_ waiting: [Waiting]) -> JSONItem {
            .list(
                waiting.map {
                    .object([
                        ("request", id($0.request)), ("identifier", .text($0.identifier)),
                        ("due", DateText.item($0.due)), ("parked", .bool($0.isParked)),
                        ("waitsFor", .list($0.reasons.map { .text($0) })),
                    ])
                })
        }
        return .object([
            ("at", DateText.item(now)), ("version", .text(version)), ("store", .text(store)),
            ("since", DateText.item(since)), ("alerts", .list(alerts.map { .text($0) })),
            ("commit", seconds(commit)),
            (
                "workers",
                .object(
                    ["busy", "idle", "stuck"].map { ($0, .integer(Int64(workers[$0] ?? 0))) })
            ),
            (
                "tasks",
                .list(
                    tasks.map { task in
                        .object([
                            ("identifier", .text(task.identifier)),
                            ("pending", .integer(Int64(task.pending))),
                            ("running", .integer(Int64(task.running))),
                            ("promised", .integer(Int64(task.promised))),
                            ("launched", .integer(Int64(task.launched))),
                            ("missed", .integer(Int64(task.missed))),
                            ("delay", seconds(task.delay)), ("budget", seconds(task.budget)),
                            (
                                "ends",
                                .object(
                                    Outcome.allCases.map {
                                        ($0.name, .integer(Int64(task.ends[$0.name] ?? 0)))
                                    })
                            ),
                        ])
                    })
            ),
            (
                "running",
                .list(
                    running.map {
                        .object([
                            ("request", id($0.request)), ("identifier", .text($0.identifier)),
                            ("elapsed", .number($0.elapsed)), ("budget", .number($0.budget)),
                            ("progress", seconds($0.share)),
                            ("stopping", .text(orNull: $0.stopping)),
                        ])
                    })
            ), ("waiting", list(waiting)), ("next", list(next)),
            (
                "ends",
                .list(
                    ends.map {
                        .object([
                            ("request", id($0.request)), ("identifier", .text($0.identifier)),
                            ("at", DateText.item($0.at)), ("outcome", .text($0.outcome)),
                            ("duration", seconds($0.duration)),
                        ])
                    })
            ),
        ])
    }

    /// The members of the JSON, for help.
    static let rows: [(term: String, text: String)] = [
        ("at, version, store, since", "when it was asked; the host"),
        ("alerts", "what is wrong, in words: see `curfew health`"),
        (
            "commit, workers",
            "seconds below which 99 of 100 commits took, or null; busy, idle, stuck"
        ),
        (
            "tasks",
            "each with identifier, pending and running; promised, launched and missed in the last hour; delay and budget, below which 95 of 100 were in 24 h; and ends by outcome in 24 h"
        ),
        (
            "running",
            "each with request, identifier, elapsed, budget, progress (0 to 1) and stopping (why it was told to)"
        ),
        (
            "waiting, next",
            "due or parked, and not yet due: request, identifier, due, parked, waitsFor"
        ),
        ("ends", "the last: request, identifier, at, outcome, duration"),
    ]
}
