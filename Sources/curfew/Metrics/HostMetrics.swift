// SPDX-License-Identifier: Apache-2.0
import CCurfew
import CSystem
import Conformance
import Curfew
import PluginBridge
import Runner
import Scheduling

/// What a host can be measured by: counts since it was started, and how many requests wait in its store.
///
/// Times are in seconds, parts from 0 to 1. Identifiers are told apart up to `StoredRollup.identifierLimit`; what others do
/// is the task `other`.
enum HostMetrics {
    private static let other = "other"

    /// - Parameter isOpen: in the format of OpenMetrics.
    static func text(
        _ host: Host, _ store: StoreClient, isOpen: Bool, sendsTraces: Bool
    ) throws(CommandError) -> String {
        var text = MetricsText(isOpen: isOpen)
        text.gauge(
            "curfew_build_info", "The version of the host; always 1.",
            [([("version", CURFEW_VERSION_STRING)], 1)])
        text.gauge(
            "curfew_drained", "Whether the host launches nothing because a person wants that.",
            [([], host.drainedSince == nil ? 0 : 1)])
        let statistics = host.requestStatistics
        let launches = isOpen ? try lastLaunches(store, sendsTraces) : []
        addTasks(of: host, statistics, launches, to: &text)
        addWaiting(try waiting(store), to: &text)
        let counts = host.counts
        text.gauge(
            "curfew_worker_threads", "Worker threads by what they do; stuck ones do not return.",
            counts.workerStates.map { ([("state", $0.state)], Double($0.count)) })
        addPlugins(of: host, to: &text)
        text.counter(
            "curfew_lease_lost_total",
            "How often other hosts have taken over the requests of this one.",
            [([], Int64(statistics.lostLeases))])
        text.histogram(
            "curfew_store_commit_seconds", "How long transactions of the store took.",
            [([], statistics.commits)])
        return text.written
    }

    // MARK: Tasks

    private static func task(_ identifier: String) -> MetricsText.Labels {
        [("task", identifier.isEmpty ? other : identifier)]
    }

    private static func addTasks(
        of host: Host, _ statistics: RequestStatistics, _ launches: [EndedLaunch],
        to text: inout MetricsText
    ) {
        var all = statistics.totals
        for handler in host.handlers
        where all[handler.identifier] == nil && all.count < StoredRollup.identifierLimit {
            // A series that is there before its first event has a rate at that.
            all[handler.identifier] = Rollup()
        }
        let totals = all.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        func counter(_ name: String, _ help: String, _ number: (Rollup) -> Int64) {
            text.counter(name, help, totals.map { (task($0.key), number($0.value)) })
        }
        func histogram(
            _ name: String, _ help: String, _ measure: Rollup.Measure,
            exemplars: [[MetricsText.Exemplar]] = []
        ) {
            text.histogram(
                name, help, totals.map { (task($0.key), Histogram($0.value, measure)) },
                exemplars: exemplars)
        }
        counter(
            "curfew_requests_submitted_total",
            "Requests that were submitted by way of this host, and not into the store's file.",
            \.submitted)
        text.counter(
            "curfew_launches_total", "Launches that are over, by their outcome.",
            totals.flatMap { identifier, rollup in
                Outcome.allCases.map {
                    (task(identifier) + [("outcome", $0.name)], rollup.ended($0))
                }
            })
        counter(
            "curfew_launches_expected_total", "Dates on which a launch was due.", \.promised)
        counter(
            "curfew_launches_missed_total",
            "Dates on which nothing was launched within a minute, once the launch comes or is given up."
        ) { $0.missed + $0.late }
        text.counter(
            "curfew_expirations_total",
            "Tasks that were told to stop, by whether they answered within their grace.",
            totals.flatMap { identifier, rollup in
                [
                    (task(identifier) + [("answered", "yes")], rollup.ended(.expired)),
                    (task(identifier) + [("answered", "no")], rollup.unanswered),
                ]
            })
        histogram(
            "curfew_launch_delay_seconds", "The time from the date of a request to its launch.",
            .delay)
        let examples = Dictionary(grouping: launches) {
            let identifier = $0.request.description.identifier
            return all[identifier] == nil ? "" : identifier
        }
        histogram(
            "curfew_run_duration_seconds", "The time for which tasks ran.", .duration,
            exemplars: totals.map { (examples[$0.key] ?? []).compactMap(exemplar) })
        histogram(
            "curfew_budget_used_ratio",
            "The part of their budget that tasks used; more than 1 if they expired.", .budget)
    }

    /// The most launches whose traces are looked for.
    private static let launchLimit = 100

    /// The last launches of this host that are over, the newest first. Only those whose traces can be found: this host sends
    /// them to a collector, or their request was submitted with a trace.
    private static func lastLaunches(
        _ store: StoreClient, _ sendsTraces: Bool
    ) throws(CommandError) -> [EndedLaunch] {
        try StorePlace.translated { () throws(StoreFault) in
            let own = try StoreClient.ownIdentity()
            return try store.read { (transaction) throws(StoreFault) in
                try transaction.lastEndedLaunches(launchLimit).filter {
                    $0.attempt.host == own && $0.trace.isRecorded
                        && (sendsTraces || $0.request.description.trace != nil)
                }
            }
        }
    }

    private static func exemplar(_ launch: EndedLaunch) -> MetricsText.Exemplar? {
        launch.attempt.duration.map {
            MetricsText.Exemplar(
                value: Double($0) / 1e9, date: launch.end, trace: launch.trace.traceText)
        }
    }

    // MARK: Requests that wait

    private struct Waiting {
        var counts: [LiveCount] = []
        /// The date of the first request that is due and that the machine does not hold, by identifier.
        var oldest: [String: Int64] = [:]
        let now: Int64
    }

    /// The most queues that are looked at.
    private static let queueLimit = 1_000
    private static let machine = Set(Factor.allCases.filter(\.isSettable).map(\.name))

    private static func waiting(_ store: StoreClient) throws(CommandError) -> Waiting {
        try StorePlace.translated { () throws(StoreFault) in
            try store.read { (transaction) throws(StoreFault) in
                var waiting = Waiting(now: csys_realtime_ns())
                waiting.counts = try transaction.liveCounts()
                for (queue, head) in try transaction.heads(of: nil, limit: queueLimit)
                where head.notBefore <= waiting.now {
                    let hold = try transaction.lastEntry(of: head.id).flatMap {
                        LaunchHistory.Hold($0)
                    }
                    if let hold, !machine.isDisjoint(with: hold.factors) { continue }
                    let first = waiting.oldest[queue.identifier] ?? .max
                    waiting.oldest[queue.identifier] = min(first, head.notBefore)
                }
                return waiting
            }
        }
    }

    private static func addWaiting(_ waiting: Waiting, to text: inout MetricsText) {
        // The first identifiers by name stay the same from one time to the next.
        let names = Set(waiting.counts.map(\.identifier)).sorted {
            $0.utf8.lexicographicallyPrecedes($1.utf8)
        }
        let known = Set(names.prefix(StoredRollup.identifierLimit))
        var sums: [String: [RequestState: Int]] = [:]
        for count in waiting.counts {
            let name = known.contains(count.identifier) ? count.identifier : ""
            sums[name, default: [:]][count.state, default: 0] += count.count
        }
        let states: [RequestState] = [.pending, .running, .parked]
        text.gauge(
            "curfew_requests", "Requests of the store that are not over, by state.",
            sums.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.flatMap {
                name, counts in
                states.map { (task(name) + [("state", $0.name)], Double(counts[$0] ?? 0)) }
            })
        var ages: [String: Double] = [:]
        for (name, date) in waiting.oldest {
            let name = known.contains(name) ? name : ""
            ages[name] = max(ages[name] ?? 0, Double(waiting.now - date) / 1e9)
        }
        text.gauge(
            "curfew_oldest_eligible_age_seconds",
            "For how long the first request is due that the machine does not hold.",
            sums.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.map {
                (task($0), ages[$0] ?? 0)
            })
    }

    // MARK: Plugins

    private static func addPlugins(of host: Host, to text: inout MetricsText) {
        var seen: Set<String> = []
        let plugins = host.plugins.filter { !$0.id.isEmpty && seen.insert($0.id).inserted }
        text.gauge(
            "curfew_plugin_ready", "Whether a plugin is loaded and not quarantined.",
            plugins.map { plugin in
                let isHeld = host.handlers.contains {
                    $0.plugin == plugin.id && $0.quarantineReason != nil
                }
                return ([("plugin", plugin.id)], plugin.status == .ready && !isHeld ? 1 : 0)
            })
        text.counter(
            "curfew_plugin_crashes_total",
            "Ends of the processes of a plugin for which nobody had asked, by signal.",
            plugins.flatMap { plugin in
                plugin.crashCounts.sorted { $0.key < $1.key }.map { number, count in
                    let name = number == 0 ? "exit" : ProcessFacts.name(ofSignal: number)
                    return (
                        [("plugin", plugin.id), ("signal", name)], Int64(clamping: count)
                    )
                }
            })
    }
}
