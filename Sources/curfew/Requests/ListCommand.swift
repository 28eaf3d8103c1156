// SPDX-License-Identifier: Apache-2.0
import CSystem
import Curfew
import Scheduling

/// `curfew ps`
enum ListCommand {
    private static let allOption = CommandOption(
        name: "all", summary: "also list finished requests, which are kept for a week")
    private static let historyOption = CommandOption(
        name: "history", summary: "list only finished requests, the last first")
    private static let identifierOption = CommandOption(
        name: "identifier", value: "ID", sort: .handler,
        summary: "list only requests of this identifier")

    static let command = Command(
        name: "ps", summary: "list running and pending requests",
        options: [allOption, historyOption, identifierOption, .limit, .store, .json],
        details: [
            """
            Lists running requests, then parked ones, then pending ones by date. DUE and AT
            say when a pending request may be launched; for other states, since when it has
            the state. TRIES counts attempts and their limit; for a finished request, its
            launches.
            """,
            """
            On a terminal the first line names the host of the store. In a pipe no cell
            contains a blank.
            """,
        ],
        exits: ExitMeaning.looking,
        sections: [
            HelpSection(
                title: "with --json",
                rows: [
                    ("store, host", "its directory; process and since of its host, or null"),
                    ("requests", "in the same order, each as `curfew show --json` has it"),
                    ("more", "the number of further requests"),
                ])
        ],
        examples: ["curfew ps", "curfew ps --history --limit 5", "curfew ps --json | jq .requests"]
    ) { arguments, console throws(CommandError) in
        let place = try StorePlace(arguments)
        guard !arguments.has(allOption) || !arguments.has(historyOption) else {
            throw CommandError(
                .usage, "`--all` includes `--history`", help: ["leave one of them out"])
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
                isHistory ? "no request is finished" : "no request is pending or running")
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
