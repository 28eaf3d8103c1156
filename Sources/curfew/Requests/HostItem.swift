// SPDX-License-Identifier: Apache-2.0
import Curfew
import Scheduling

/// A host of a store, as commands show it.
enum HostItem {
    /// `host 2 (process 8482 on db1)`
    static func name(_ host: HostView) -> String {
        if let record = host.record { return name(record) }
        return place(host.presence.process, host.presence.machine)
    }

    static func name(_ host: HostRecord) -> String {
        "host \(host.id) (\(place(host.identity.process, host.machine)))"
    }

    private static func place(_ process: Int32?, _ machine: String) -> String {
        (process.map { "process \($0)" } ?? "an unknown process")
            + (machine.isEmpty ? "" : " on \(Shown.line(machine))")
    }

    /// The state, and what is to be said of it.
    static func stateText(_ host: HostView, at now: Int64) -> String {
        switch host.phase {
        case .silent:
            let silence = host.record?.silence ?? 0
            return "silent for \(TimeText.limit(silence / 1_000_000_000 * 1_000_000_000))"
        case .drained:
            return host.drainedSince.map { "drained \(DateText.relative($0, at: now))" }
                ?? "drained, which it has not seen yet"
        case .leaving: return "leaving: its machine is about to sleep or to be shut down"
        case .works: return host.phase.name
        }
    }

    /// The members that say which host it is.
    static func identity(_ host: HostView) -> [(key: String, value: JSONItem)] {
        identity(host.record?.id, host.presence.process, host.presence.machine)
    }

    static func identity(_ host: HostRecord) -> [(key: String, value: JSONItem)] {
        identity(host.id, host.identity.process, host.machine)
    }

    private static func identity(
        _ id: Int64?, _ process: Int32?, _ machine: String
    ) -> [(key: String, value: JSONItem)] {
        [
            ("host", id.map { .integer($0) } ?? .null),
            ("process", process.map { .integer(Int64($0)) } ?? .null),
            ("machine", .text(orNull: machine.isEmpty ? nil : machine)),
        ]
    }

    static func item(_ host: HostView) -> JSONItem {
        let record = host.record
        let release = record?.release ?? ""
        return .object(
            identity(host) + [
                ("state", .text(host.phase.name)), ("since", DateText.item(host.presence.since)),
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
