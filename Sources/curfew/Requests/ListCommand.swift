// SPDX-License-Identifier: Apache-2.0
import CSystem
import Curfew
import Scheduling

/// `curfew ps`
enum ListCommand {
    private static let allOption = CommandOption(
        name: "all", summary: "those that are over too, which are kept for a week")
    private static let historyOption = CommandOption(
        name: "history", summary: "only those that are over, the last first")
    private static let identifierOption = CommandOption(
        name: "identifier", value: "ID", sort: .handler, summary: "only those of this identifier")

    static let command = Command(
        name: "ps", summary: "list the requests that run and wait",
        options: [allOption, historyOption, identifierOption, .limit, .store, .json],
        details: [
            """
            What runs comes first, then what is parked, then what waits, in the order of
            its dates. DUE and AT say when a request may begin; of one that does not wait,
            since when it is what it is. TRIES counts attempts and how many there may be;
            of what is over, how often it was launched.
            """,
            """
            On a terminal the first line names the host that has the store. In a pipe no
            cell has a blank in it.
            """,
        ],
        exits: ExitMeaning.looking,
        sections: [
            HelpSection(
                title: "with --json",
                rows: [
                    ("store, host", "its directory; process and since of its host, or null"),
                    ("requests", "in the same order, each as `curfew show --json` has it"),
                    ("more", "how many there are besides"),
                ])
        ],
        examples: ["curfew ps", "curfew ps --history --limit 5", "curfew ps --json | jq .requests"]
    ) { arguments, console throws(CommandError) in
        let place = try StorePlace(arguments)
        guard !arguments.has(allOption) || !arguments.has(historyOption) else {
            throw CommandError(
                .usage, "`--all` has what `--history` has", help: ["leave one of them out"])
        }
        var filter = RequestFilter(
            identifier: arguments.value(identifierOption),
            limit: try NumberArgument.limit(arguments))
        if !arguments.has(allOption) {
            let wantsHistory = arguments.has(historyOption)
            filter.states = Set(RequestState.allCases.filter { $0.isLive != wantsHistory })
        }
        let store = try place.open()
        let overview = try StorePlace.translated { () throws(StoreFault) in
            try store.read { (transaction) throws(StoreFault) in
                try transaction.overview(filter)
            }
        }
        let host = try StorePlace.translated { () throws(StoreFault) in try store.host() }
        if arguments.has(.json) {
            console.out.line(item(overview, store, host).written)
        } else {
            print(overview, host, place, console, isHistory: arguments.has(historyOption))
        }
        return .ok
    }

    private static func print(
        _ overview: RequestOverview, _ host: HostPresence?, _ place: StorePlace,
        _ console: Console, isHistory: Bool
    ) {
        let now = csys_realtime_ns()
        let out = console.out
        if out.columns != nil {
            let text =
                host.map { "host: " + HostNote.text($0, at: now) }
                ?? "no host uses this store: nothing is launched until one does"
            out.line(
                out.paint(out.wrapped(text, after: 0, indent: 2), host == nil ? .warning : .faint))
        }
        if overview.requests.isEmpty {
            console.errors.line(
                isHistory ? "no request is over" : "no request waits or runs")
            console.errors.line(
                "  = help: " + (isHistory ? "curfew ps" : "curfew ps --all") + place.option)
            return
        }
        RequestTable(overview.requests, at: now, out).print()
        let more = overview.count - overview.requests.count
        guard more > 0 else { return }
        console.errors.note("\(more) more; --limit \(overview.count) shows all")
    }

    private static func item(
        _ overview: RequestOverview, _ store: StoreClient, _ host: HostPresence?
    ) -> JSONItem {
        .object([
            ("store", .text(store.directory)), ("host", RequestItem.item(host)),
            ("requests", .list(overview.requests.map(RequestItem.item))),
            ("more", .integer(Int64(overview.count - overview.requests.count))),
        ])
    }
}
