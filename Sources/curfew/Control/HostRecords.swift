// SPDX-License-Identifier: Apache-2.0
import Curfew
import PluginBridge
import Runner
import Scheduling

/// What a host has in memory, as JSON for the control socket. Dates are texts in UTC, spans are seconds.
enum HostRecords {
    static func item(_ handler: HandlerInfo) -> JSONItem {
        func count(_ number: Int) -> JSONItem { .integer(Int64(number)) }
        return .object([
            ("identifier", .text(handler.identifier)), ("kind", .text(handler.kind.name)),
            ("plugin", .text(orNull: handler.plugin.isEmpty ? nil : handler.plugin)),
            ("budget", .seconds(handler.description.budget)),
            ("grace", .seconds(handler.description.grace)), ("queued", count(handler.queued)),
            ("active", count(handler.active)), ("lost", count(handler.lost)),
            ("paused", .bool(handler.isPaused)),
            ("quarantined", .text(orNull: handler.quarantineReason)),
            (
                "ended",
                .object(Outcome.allCases.map { ($0.name, count(handler.ended($0))) })
            ),
        ])
    }

    /// - Parameter quarantined: the plugins that are not run.
    static func item(_ plugin: PluginInfo, _ quarantined: [QuarantinedPlugin]) -> JSONItem {
        let entry = quarantined.last {
            plugin.content.map($0.content.elementsEqual) ?? ($0.plugin == plugin.id)
        }
        return .object([
            ("id", .text(plugin.id)), ("version", .text(plugin.version)),
            ("directory", .text(plugin.directory)), ("status", .text(name(plugin.status))),
            ("reason", .text(orNull: plugin.reason.isEmpty ? nil : plugin.reason)),
            ("isolation", .text(orNull: plugin.isolation?.name)),
            ("process", plugin.process.map { .integer(Int64($0)) } ?? .null),
            ("starts", .integer(Int64(plugin.starts))),
            ("lastEnd", .text(orNull: plugin.lastEnd.isEmpty ? nil : plugin.lastEnd)),
            ("notInForce", .list(plugin.notInForce.map { .text($0) })),
            ("sha256", .text(orNull: plugin.content)), ("signer", .text(orNull: plugin.signer)),
            (
                "crashes",
                .list(
                    plugin.crashes.map {
                        .object([("at", DateText.item($0.at)), ("text", .text($0.text))])
                    })
            ),
            (
                "quarantine",
                entry.map {
                    .object([("since", DateText.item($0.at)), ("reason", .text($0.reason))])
                } ?? .null
            ),
        ])
    }

    /// How long commits take, and what the workers do.
    static func statistics(_ host: Host) -> JSONItem {
        let commits = host.requestStatistics.commits
        func seconds(_ part: Double) -> JSONItem {
            commits.quantile(part).map { .number($0) } ?? .null
        }
        let counts = host.counts
        return .object([
            ("commits", .object([("p50", seconds(0.5)), ("p99", seconds(0.99))])),
            (
                "workers",
                .object(counts.workerStates.map { ($0.state, .integer(Int64($0.count))) })
            ),
        ])
    }

    private static func name(_ status: PluginInfo.Status) -> String {
        switch status {
        case .validated: "validated"
        case .ready: "ready"
        case .retired: "retired"
        case .failed: "failed"
        case .shadowed: "shadowed"
        }
    }

    static func item(_ factor: Factor, _ entry: FactorBoard.Entry) -> JSONItem {
        .object([
            ("name", .text(factor.name)), ("state", .text(entry.reading.state.name)),
            ("source", .text(entry.reading.source)), ("detail", .text(entry.reading.detail)),
            ("since", DateText.item(entry.since)),
        ])
    }

    /// A factor that no source tells of.
    static func unread(_ factor: Factor) -> JSONItem {
        .object([
            ("name", .text(factor.name)), ("state", .text(FactorState.unknown.name)),
            ("source", .text("")), ("detail", .text("no source tells")), ("since", .null),
        ])
    }

    static func item(_ task: RequestTask) -> JSONItem {
        let progress = task.state.progress
        return .object([
            ("request", RequestItem.id(task.request)),
            ("launch", .integer(Int64(clamping: task.launch))),
            ("identifier", .text(task.state.handler.description.identifier)),
            ("phase", .text(phase(task.state.phase).name)),
            ("attempt", .integer(Int64(task.state.attempt))),
            ("started", DateText.item(task.startedAt)), ("deadline", DateText.item(task.deadline)),
            ("budget", .seconds(task.state.budget)),
            ("progress", progress > 0 ? .number(progress) : .null),
            ("stopping", .text(orNull: task.state.reason?.name)),
        ])
    }

    /// A program runs, although the function that has started it has returned.
    private static func phase(_ phase: TaskPhase) -> TaskPhase {
        phase == .pending ? .running : phase
    }

    static func tasks(_ host: Host) throws(CurfewError) -> JSONItem {
        let tasks = try host.requestTasks()
        return .list(tasks.map(item))
    }
}
