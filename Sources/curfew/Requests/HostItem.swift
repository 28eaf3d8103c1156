// SPDX-License-Identifier: Apache-2.0
import Curfew
import Scheduling

/// A host of a store, as commands show it.
enum HostItem {
    /// `host 2 (process 8482 on db1)`
    static func name(_ host: HostView) -> String {
        let process = host.presence.process.map { "process \($0)" } ?? "an unknown process"
        let machine = host.presence.machine
        let place = machine.isEmpty ? "" : " on \(Shown.line(machine))"
        return host.record.map { "host \($0.id) (\(process)\(place))" } ?? process + place
    }

    /// `works`, `drained`, `leaving` or `silent`.
    static func state(_ host: HostView) -> String {
        if host.isSilent { return "silent" }
        if host.record?.isDrained == true || host.drainedSince != nil { return "drained" }
        return host.report?.leavingSince == nil ? "works" : "leaving"
    }

    /// The state, and what is to be said of it.
    static func stateText(_ host: HostView, at now: Int64) -> String {
        let state = state(host)
        switch state {
        case "silent":
            let silence = host.record?.silence ?? 0
            return "silent for \(TimeText.limit(silence / 1_000_000_000 * 1_000_000_000))"
        case "drained":
            return host.drainedSince.map { "drained \(DateText.relative($0, at: now))" }
                ?? "drained, which it has not seen yet"
        case "leaving": return "leaving: its machine is about to sleep or to be shut down"
        default: return state
        }
    }

    /// The members that say which host it is.
    static func identity(_ host: HostView) -> [(key: String, value: JSONItem)] {
        [
            ("host", host.record.map { .integer($0.id) } ?? .null),
            ("process", host.presence.process.map { .integer(Int64($0)) } ?? .null),
            ("machine", .text(orNull: host.presence.machine.isEmpty ? nil : host.presence.machine)),
        ]
    }

    static func item(_ host: HostView) -> JSONItem {
        let record = host.record
        let release = record?.release ?? ""
        return .object(
            identity(host) + [
                ("state", .text(state(host))), ("since", DateText.item(host.presence.since)),
                ("drained", DateText.item(host.drainedSince)),
                (
                    "lease",
                    record.flatMap { $0.lease == 0 ? nil : .seconds($0.lease) } ?? .null
                ), ("silence", record?.silence.map { .seconds($0) } ?? .null),
                ("requests", .list(host.running.map(RequestItem.id))),
                ("places", host.report.map { .integer(Int64($0.places)) } ?? .null),
                (
                    "handlers",
                    host.report.map { .list($0.handlers.keys.sorted().map { .text($0) }) } ?? .null
                ), ("version", .text(orNull: release.isEmpty ? nil : release)),
            ])
    }
}
