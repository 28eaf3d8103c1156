// SPDX-License-Identifier: Apache-2.0
import CSystem
import Curfew
import Scheduling

/// `curfew hosts`
enum HostsCommand {
    static let command = Command(
        name: "hosts", summary: "list the hosts that use the store",
        options: [.store, .json],
        details: [
            """
            Lists the hosts that launch the requests of a store: one, where the store is a directory,
            and any number, where it is a URL. `curfew drain HOST` has one of them launch nothing more.
            """,
            """
            A host of a store on a server shows that it lives a few times within its lease. One that was
            silent for all of it is taken for dead by the others, which launch again what ran in it.
            """,
        ],
        exits: [
            ExitMeaning(.ok, "success, also if there is no host"), ExitMeaning.unwritten,
            ExitMeaning.usage, ExitMeaning(.missing, "there is no store"), ExitMeaning.denied,
            ExitMeaning.storeUnavailable,
        ],
        sections: [
            HelpSection(
                title: "states",
                rows: [
                    ("works", "it launches requests"),
                    ("drained", "it launches none, and what runs ends by itself"),
                    ("leaving", "its machine is about to sleep or to be shut down"),
                    ("silent", "it has not shown for its lease that it lives"),
                ]),
            HelpSection(
                title: "with --json",
                rows: [
                    (
                        "hosts",
                        "each with host (its number), process, machine, state, since, drained (since when), lease and silence (seconds), requests (that run in it), places, handlers and version; null where it is unknown"
                    )
                ]),
        ],
        examples: ["curfew hosts", "curfew hosts --json"]
    ) { arguments, console throws(CommandError) in
        let place = try StorePlace(arguments)
        let store = try place.open()
        guard !arguments.has(.json) else {
            console.out.line(try item(store).written)
            return .ok
        }
        let hosts = try StorePlace.translated { () throws(StoreFault) in try store.hosts() }
        guard !hosts.isEmpty else {
            console.errors.line(HostNote.alone(place))
            return .ok
        }
        print(hosts, console.out)
        return .ok
    }

    /// All hosts, as `--json` prints them.
    static func item(_ store: StoreClient) throws(CommandError) -> JSONItem {
        let hosts = try StorePlace.translated { () throws(StoreFault) in try store.hosts() }
        return .object([("hosts", .list(hosts.map(HostItem.item)))])
    }

    private static func print(_ hosts: [HostView], _ out: Output) {
        let now = csys_realtime_ns()
        let isPlain = out.columns == nil
        let heads = ["HOST", "MACHINE", "PROCESS", "SINCE", "RUNS", "HANDLERS", "STATE"]
        let rows = hosts.map { host in
            let number = host.record.map { "\($0.id)" }
            let machine = host.presence.machine
            let process = host.presence.process.map { "\($0)" }
            let since = host.presence.since.map {
                isPlain ? DateText.word($0) : DateText.relative($0, at: now)
            }
            let handlers = host.report.map { "\($0.handlers.count)" + ($0.isCut ? "+" : "") }
            let state = isPlain ? host.phase.name : HostItem.stateText(host, at: now)
            return [
                number ?? "-", machine.isEmpty ? "-" : word(machine, isPlain), process ?? "-",
                since ?? "-", "\(host.running.count)", handlers ?? "-", state,
            ]
        }
        TextTable(heads, rows).print(out)
    }

    /// A name of a machine, without blanks in a pipe.
    private static func word(_ name: String, _ isPlain: Bool) -> String {
        let line = Shown.line(name)
        return isPlain ? line.split(separator: " ").joined(separator: "-") : Shown.fitted(line, 24)
    }
}
