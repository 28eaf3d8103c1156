// SPDX-License-Identifier: Apache-2.0
import CSystem
import Curfew
import PluginBridge
import Scheduling

/// `curfew ps`
enum ListCommand {
    private static let allOption = CommandOption(
        name: "all", summary: "also list finished requests, which are kept for a week by default")
    private static let historyOption = CommandOption(
        name: "history", summary: "list only finished requests, the last first")
    private static let identifierOption = CommandOption(
        name: "identifier", value: "ID", sort: .handler,
        summary: "list only requests of this identifier")
    private static let stateOption = CommandOption(
        name: "state", value: "LIST",
        summary: "list only requests in these states: pending, failed, …")
    private static let watchOption = CommandOption(
        name: "watch", summary: "print the list again with each change, until a signal")

    static let command = Command(
        name: "ps", summary: "list running and pending requests",
        options: [
            allOption, historyOption, stateOption, identifierOption, watchOption, .limit, .store,
            .socket, .json,
        ],
        details: [
            """
            Lists running requests, then parked ones, then pending ones by date. DUE and AT
            say when a pending request may be launched; for other states, since when it has
            the state, which in a pipe is in AT alone for a request that is over. TRIES counts attempts and their limit; for a finished request, its
            launches.
            """,
            """
            On a terminal the first line names the host of the store, and a request that runs
            a program has its command line for an identifier. In a pipe no cell contains a
            blank.
            """,
            """
            A task that reports how far it is has that on a terminal, beside its state. Where a
            request has been due for 10 s, the last column is WAITS FOR there, and says for
            what; `curfew why` says more.
            """,
            """
            --state takes the words of the column STATE, with commas between them; host-gone
            are requests that ran when the last host ended. --watch
            draws the list anew on a terminal; elsewhere an empty line comes before each
            further list, and with --json each list is one line. A server that the store is
            on may be away for a minute meanwhile.
            """,
        ],
        exits: ExitMeaning.looking,
        sections: [
            HelpSection(
                title: "with --json",
                rows: [
                    ("store, host", "its directory; process and since of its host, or null"),
                    (
                        "requests",
                        "in the same order, each as `curfew show --json` has it, and with waitsFor: the factors that hold one that is due, as far as its host has noted any"
                    ),
                    ("more", "the number of further requests"),
                ])
        ],
        examples: [
            "curfew ps", "curfew ps --state failed,expired --limit 5",
            "curfew ps --json | jq .requests",
        ]
    ) { arguments, console throws(CommandError) in
        let query = try Query(arguments)
        if let host = try RemoteHost(arguments) {
            try host.refuse([watchOption], arguments)
            try host.show(target(arguments), console, isJSON: arguments.has(.json))
            return .ok
        }
        let place = try StorePlace(arguments)
        let store = try place.open()
        guard arguments.has(watchOption) else {
            try show(query, arguments, store, place, console)
            return .ok
        }
        let stop = try StopSignals()
        let changes = try StoreChanges(store, stop: stop.descriptor, console)
        let isDrawn = console.out.isRich
        var isFirst = true
        repeat {
            if isDrawn {
                console.out.write("\u{1B}[H\u{1B}[J")
            } else if !isFirst, !arguments.has(.json) {
                console.out.line()
            }
            isFirst = false
            let shown: Void? = try changes.reading { () throws(CommandError) in
                try show(query, arguments, store, place, console)
            }
            guard shown != nil else { return .ok }
            // On a terminal the distances to dates change as well.
        } while try changes.next(
            until: isDrawn ? csys_monotonic_ns() + 1_000_000_000 : .max) != .stopped
        return .ok
    }

    /// The call to a host that lists what the options say.
    private static func target(_ arguments: Arguments) throws(CommandError) -> RemoteHost.Target {
        var target = RemoteHost.Target("/v1/requests")
        if let states = arguments.value(stateOption) {
            target.add("state", states)
        } else if !arguments.has(allOption) {
            target.add("view", arguments.has(historyOption) ? "history" : "live")
        }
        if let identifier = arguments.value(identifierOption) {
            target.add("identifier", identifier)
        }
        target.add("limit", String(min(try NumberArgument.limit(arguments), 1_000)))
        return target
    }

    /// The requests to list.
    struct Query {
        private var filter: RequestFilter
        /// Those of finished requests; empty for all.
        var outcomes: Set<Outcome> = []
        /// Requests that ran when the last host ended are listed, too.
        private var includesHostGone = false
        let namesStates: Bool
        /// The schedule whose request is listed; nil: all.
        var schedule: String?
        /// The number of the host in which the listed requests run; nil: all.
        var host: Int64?
        /// The user whose requests are listed; nil: all.
        var owner: UInt32?
        var identifier: String? { filter.identifier }
        var isHistory: Bool { filter.states.allSatisfy { !$0.isLive } && !filter.states.isEmpty }

        /// As a call to a host has it.
        ///
        /// - Parameters:
        ///   - states: words of the column STATE, with commas between them; nil for all of the view.
        ///   - view: "live" or "history"; nil for both.
        ///   - text: a part of an identifier or a key; nil for all.
        ///   - skipped: how many are left out before.
        init(
            states: String?, view: String? = nil, identifier: String?, text: String? = nil,
            skipped: Int = 0, limit: Int
        ) throws(CommandError) {
            filter = RequestFilter(identifier: identifier, limit: limit)
            filter.text = text
            filter.skipped = skipped
            namesStates = states != nil
            if let states {
                filter.states = try read(states)
            } else if let view {
                filter.states = Set(RequestState.allCases.filter { $0.isLive == (view == "live") })
            }
        }

        fileprivate init(_ arguments: Arguments) throws(CommandError) {
            let given = [allOption, historyOption, stateOption].filter(arguments.has)
            guard given.count < 2 else {
                throw CommandError(
                    .usage,
                    given[0].name == allOption.name && given[1].name == historyOption.name
                        ? "`--all` includes `--history`"
                        : "`--\(given[0].name)` and `--\(given[1].name)` both name states",
                    help: ["leave one of them out"])
            }
            filter = RequestFilter(
                identifier: arguments.value(identifierOption),
                limit: try NumberArgument.limit(arguments))
            namesStates = arguments.has(stateOption)
            if let text = arguments.value(stateOption) {
                filter.states = try read(text)
            } else if !arguments.has(allOption) {
                let wantsHistory = arguments.has(historyOption)
                filter.states = Set(RequestState.allCases.filter { $0.isLive != wantsHistory })
            }
        }

        /// Returns the filter of requests whose column STATE has one of the words; nil if none can
        /// have one, which depends on whether a host uses the store.
        func filter(isAlone: Bool) -> RequestFilter? {
            guard namesStates else { return filter }
            var filter = filter
            if isAlone {
                filter.states.remove(.running)
                if includesHostGone { filter.states.insert(.running) }
            }
            return filter.states.isEmpty ? nil : filter
        }

        /// Returns the requests that are listed, and the number of all that match.
        ///
        /// - Parameter states: those among which they are; nil for all.
        func overview(
            in store: any StoreTransaction, isAlone: Bool, among states: Set<RequestState>? = nil
        ) throws(StoreFault) -> RequestOverview {
            guard var filter = filter(isAlone: isAlone) else { return RequestOverview() }
            if let states {
                filter.states =
                    filter.states.isEmpty ? states : filter.states.intersection(states)
                if filter.states.isEmpty { return RequestOverview() }
            }
            if let few = try few(store) {
                let seen = few.filter { owner == nil || $0.owner == owner }
                return RequestOverview(seen, filter, outcomes)
            }
            if let owner {
                return try store.overview(filter, outcomes: outcomes, ownedBy: owner)
            }
            return try store.overview(filter, outcomes: outcomes)
        }

        /// The requests of a schedule, or those in a host; nil where all are meant.
        private func few(_ store: any StoreTransaction) throws(StoreFault) -> [Request]? {
            var few: [Request]?
            if let host {
                let record = try store.hosts().first { $0.id == host }
                few =
                    try record.map { (host) throws(StoreFault) in
                        try store.running(in: host.identity)
                    } ?? []
            }
            guard let schedule else { return few }
            let id = try store.schedule(schedule)?.request
            if let known = few { return known.filter { $0.id == id } }
            guard let id, let request = try store.request(id) else { return [] }
            return [request]
        }

        var skipped: Int { filter.skipped }

        /// Reads words of the column STATE: a state, or the outcome of a finished request.
        private mutating func read(_ text: String) throws(CommandError) -> Set<RequestState> {
            var states: Set<RequestState> = []
            var isAnyOutcome = false
            for word in text.split(separator: ",", omittingEmptySubsequences: false) {
                if let state = RequestState.allCases.first(where: { $0.name == word }) {
                    states.insert(state)
                    if state == .finished { isAnyOutcome = true }
                } else if let outcome = Outcome.allCases.first(where: { $0.name == word }) {
                    states.insert(.finished)
                    outcomes.insert(outcome)
                } else if word == RequestText.hostGone {
                    includesHostGone = true
                } else {
                    let names = RequestState.allCases.map(\.name) + [RequestText.hostGone]
                    let outcomes = Outcome.allCases.map(\.name).filter { !names.contains($0) }
                    var help = ["write one or more of " + (names + outcomes).joined(separator: ",")]
                    if let meant = Suggestion.nearest(to: String(word), among: names + outcomes) {
                        help.insert("did you mean `--state \(meant)`?", at: 0)
                    }
                    throw CommandError(
                        .usage, "`\(word)` is not the state of a request", help: help)
                }
            }
            if isAnyOutcome { outcomes = [] }
            return states
        }
    }

    private static func show(
        _ query: Query, _ arguments: Arguments, _ store: StoreClient, _ place: StorePlace,
        _ console: Console
    ) throws(CommandError) {
        let list = try List(query, store)
        if arguments.has(.json) {
            console.out.line(list.item(store).written)
            return
        }
        print(
            list, place, console, query,
            shares: shares(list.overview.requests, list.host, place, console.out))
        if list.overview.requests.isEmpty, let identifier = query.identifier {
            try RequestArgument.suggest(identifier, "ps --identifier", store, place, console)
        }
    }

    /// The answer of a store to a query.
    private struct List {
        let host: HostPresence?
        let overview: RequestOverview
        /// Those of requests that run programs.
        private(set) var programs: [RequestID: CommandPayload] = [:]
        /// The factors that hold requests which are due, as far as the journal says so.
        private(set) var holders: [RequestID: [String]] = [:]

        init(_ query: Query, _ store: StoreClient) throws(CommandError) {
            self = try StorePlace.translated { () throws(StoreFault) in
                let host = try store.host()
                return try store.read { (transaction) throws(StoreFault) in
                    try List(query, host, transaction)
                }
            }
        }

        private init(
            _ query: Query, _ host: HostPresence?, _ store: any StoreTransaction
        ) throws(StoreFault) {
            self.host = host
            overview = try query.overview(in: store, isAlone: host == nil)
            let now = csys_realtime_ns()
            for request in overview.requests {
                if request.description.identifier == CommandPayload.identifier {
                    programs[request.id] = CommandPayload(try store.payload(of: request.id))
                }
                guard request.state == .pending, request.notBefore <= now else { continue }
                holders[request.id] =
                    try store.lastEntry(of: request.id).flatMap { LaunchHistory.Hold($0)?.factors }
            }
        }

        func item(_ store: StoreClient) -> JSONItem { .object(members(store)) }

        /// - Parameter skipped: how many were left out before these.
        func members(
            _ store: StoreClient, after skipped: Int = 0
        ) -> [(key: String, value: JSONItem)] {
            [
                ("store", .text(store.directory)), ("host", RequestItem.item(host)),
                (
                    "requests",
                    .list(
                        overview.requests.map {
                            .object(
                                RequestItem.members($0, isAlone: host == nil) + [
                                    RequestItem.argv(programs[$0.id]),
                                    (
                                        "waitsFor",
                                        .list((holders[$0.id] ?? []).map { .text($0) })
                                    ),
                                ])
                        })
                ),
                (
                    "more",
                    .integer(Int64(max(0, overview.count - skipped - overview.requests.count)))
                ),
            ]
        }
    }

    /// The most requests that pages lead to: who wants others asks with a filter.
    static let pageLimit = 10_000

    /// The answer to a query, as `--json` prints it, and where the next page begins.
    static func item(_ query: Query, _ store: StoreClient) throws(CommandError) -> JSONItem {
        let list = try List(query, store)
        let end = query.skipped + list.overview.requests.count
        let isLast = end >= min(list.overview.count, pageLimit)
        return .object(
            list.members(store, after: query.skipped) + [
                ("next", isLast ? .null : .text("\(end)"))
            ])
    }

    /// Prints the answer to a query, without how far tasks are.
    static func print(
        _ query: Query, _ store: StoreClient, _ place: StorePlace, _ console: Console
    ) throws(CommandError) {
        print(try List(query, store), place, console, query, shares: [:])
    }

    private static func print(
        _ list: List, _ place: StorePlace, _ console: Console, _ query: Query,
        shares: [RequestID: Double]
    ) {
        let (host, overview) = (list.host, list.overview)
        let now = csys_realtime_ns()
        let out = console.out
        if out.columns != nil {
            let text =
                host.map { "host: " + HostNote.text($0, at: now) }
                ?? HostNote.alone(place)
            out.line(
                out.paint(out.wrapped(text, after: 0, indent: 2), host == nil ? .warning : .faint))
        }
        if overview.requests.isEmpty {
            console.errors.line(
                query.namesStates
                    ? "no request is in such a state"
                    : query.isHistory
                        ? "no request is finished" : "no request is pending or running")
            console.errors.line(
                "  = help: " + (query.isHistory ? "curfew ps" : "curfew ps --all") + place.option)
            return
        }
        RequestTable(
            overview.requests, list.programs.mapValues(ShellWord.shortLine), shares, list.holders,
            isAlone: host == nil, at: now, out
        ).print()
        let more = overview.count - overview.requests.count
        guard more > 0 else { return }
        console.errors.note("\(more) more; --limit \(overview.count) shows all")
    }

    /// How far running tasks are, which the host alone knows, where it can be asked.
    private static func shares(
        _ requests: [Request], _ host: HostPresence?, _ place: StorePlace, _ out: Output
    ) -> [RequestID: Double] {
        guard host != nil, out.columns != nil, requests.contains(where: { $0.state == .running }),
            let answer = try? ControlClient(place).call(
                "GET", "/v1/tasks", patience: 500_000_000, having: "tasks")
        else { return [:] }
        var shares: [RequestID: Double] = [:]
        for task in answer["tasks"]?.items ?? [] {
            guard let id = task["request"]?.digits.flatMap(RequestArgument.parse),
                let share = task["progress"]?.number
            else { continue }
            shares[id] = share
        }
        return shares
    }
}
