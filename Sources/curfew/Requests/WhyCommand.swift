// SPDX-License-Identifier: Apache-2.0
import CSystem
import Curfew
import Scheduling

/// `curfew why`
enum WhyCommand {
    private static let history = CommandOption(
        name: "history", summary: "print when it was due and launched, and what held it")

    static let command = Command(
        name: "why", summary: "print why a request has not run: all reasons at once",
        operands: "REQUEST|IDENTIFIER…", operandCount: 1...10_000, operandSort: .request,
        options: [history, SubmitForm.kind, SubmitForm.needs, .plugins, .store, .socket, .json],
        details: [
            """
            For a request id, prints every factor that the request waits for, the factors
            that allow the launch, the earliest possible launch, and the journal. For an
            identifier, does so for its first pending request, or for a request with --kind
            and --needs. 3-7 names all requests with these numbers.
            """,
            """
            The answer is that of the host that uses the store: a host writes into it what
            it reads of the machine (power, battery, heat, load, network, sessions), and
            which handlers it has loaded, found, paused and quarantined, and the answer says
            how old that is. Without a host the command reads the machine itself. How often
            a host launched a handler, and what it has spent of the daily budget, stays
            unknown.
            """,
            """
            With --history, prints each date on which a request was to be launched, when it was,
            which factors held it meanwhile and for how long, and how its task ended: the last
            50 that the journal still has. A schedule is named by its name as well, unless that is
            a number.
            """,
        ],
        exits: ExitMeaning.looking,
        sections: [
            HelpSection(
                title: "with --json", text: "One object a line for each.", rows: WhyAnswer.rows),
            HelpSection(
                title: "with --history --json", text: "One object a line for each.",
                rows: RequestHistory.rows),
        ],
        examples: [
            "curfew why 12", "curfew why org.curfew.feed --needs network",
            "curfew why --history 12",
        ]
    ) { arguments, console throws(CommandError) in
        if let host = try RemoteHost(arguments) {
            try host.refuse([SubmitForm.kind, SubmitForm.needs, .plugins], arguments)
            let path = arguments.has(history) ? "history" : "why"
            try host.each(try RequestSelection(arguments.operands)) {
                (id, isFirst) throws(CommandError) in
                try host.show(
                    RemoteHost.Target("/v1/requests/\(id)/\(path)"), console,
                    isJSON: arguments.has(.json), isFirst: isFirst)
            }
            return .ok
        }
        let place = try StorePlace(arguments)
        let store = try place.open()
        let now = Moment(wall: csys_realtime_ns(), span: csys_boottime_ns())
        if arguments.has(history) {
            try printHistories(arguments, store, place, at: now.wall, console.out)
            return .ok
        }
        var found: [WhyAnswer] = []
        for text in arguments.operands {
            found += try answers(text, arguments, store, place, at: now)
        }
        for (index, answer) in found.enumerated() {
            if arguments.has(.json) {
                console.out.line(answer.item.written)
                continue
            }
            if index > 0 { console.out.line() }
            print(answer, place, console.out)
            if answer.isUnhandled {
                try FoundKind(answer.identifier, arguments).note(
                    answer.identifier, isKindNamed: true, console.errors)
            }
        }
        return .ok
    }

    private static func printHistories(
        _ arguments: Arguments, _ store: StoreClient, _ place: StorePlace, at now: Int64,
        _ out: Output
    ) throws(CommandError) {
        for option in [SubmitForm.kind, SubmitForm.needs] where arguments.has(option) {
            throw CommandError(
                .usage, "`--\(option.name)` is about a request to come, which has no history",
                help: ["leave it out"])
        }
        var isFirst = true
        for text in arguments.operands {
            for id in try requests(text, store, place) {
                guard let history = try RequestHistory(id, store, at: now) else {
                    throw RequestArgument.unknown(id, place)
                }
                if arguments.has(.json) {
                    out.line(history.item.written)
                } else {
                    if !isFirst { out.line() }
                    history.print(out)
                }
                isFirst = false
            }
        }
    }

    /// The requests that an operand names: numbers, the name of a schedule, or an identifier, of which the last ones.
    private static func requests(
        _ text: String, _ store: StoreClient, _ place: StorePlace
    ) throws(CommandError) -> [RequestID] {
        let schedule = try StorePlace.translated { () throws(StoreFault) in
            try store.read { (transaction) throws(StoreFault) in
                // A number is that of a request.
                Schedule.isStoredName(text) && UInt64(text) == nil
                    ? try transaction.schedule(text) : nil
            }
        }
        if let schedule {
            guard let id = schedule.request else {
                throw CommandError(
                    .missing, "the schedule `\(text)` has no request",
                    help: ["curfew schedules" + place.option])
            }
            return [id]
        }
        guard HandlerDescription.isIdentifier(text) else {
            return try RequestSelection([text]).ids(in: store, place)
        }
        let found = try StorePlace.translated { () throws(StoreFault) in
            try store.read { (transaction) throws(StoreFault) in
                try transaction.overview(RequestFilter(identifier: text, limit: 20))
            }
        }
        guard !found.requests.isEmpty else {
            throw CommandError(
                .missing, "there is no request of `\(text)`", help: ["curfew ps" + place.option])
        }
        return found.requests.map(\.id)
    }

    /// - Parameter text: an operand.
    private static func answers(
        _ text: String, _ arguments: Arguments, _ store: StoreClient, _ place: StorePlace,
        at now: Moment
    ) throws(CommandError) -> [WhyAnswer] {
        if HandlerDescription.isIdentifier(text) {
            return [try answer(text, arguments, store, at: now)]
        }
        guard let first = text.utf8.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first)
        else {
            throw CommandError(
                .usage, "`\(text)` is neither the number of a request nor an identifier",
                help: ["curfew ps" + place.option])
        }
        for option in [SubmitForm.kind, SubmitForm.needs] where arguments.has(option) {
            throw CommandError(
                .usage, "`--\(option.name)` is about an identifier; request \(text) has its own",
                help: ["leave it out"])
        }
        return try RequestSelection([text]).ids(in: store, place).map {
            (id) throws(CommandError) in
            guard let record = try RequestRecord(id, store) else {
                throw RequestArgument.unknown(id, place)
            }
            let found = try FoundKind(record.request.description.identifier, arguments)
            return try about(record, store, at: now, handler: found.handler)
        }
    }

    private static func answer(
        _ text: String, _ arguments: Arguments, _ store: StoreClient, at now: Moment
    ) throws(CommandError) -> WhyAnswer {
        let found = try FoundKind(text, arguments)
        let isAsked = arguments.has(SubmitForm.kind) || arguments.has(SubmitForm.needs)
        if !isAsked, let id = try first(of: text, store), let record = try RequestRecord(id, store)
        {
            return try about(record, store, at: now, handler: found.handler)
        }
        let description = try SubmitForm.description(
            text, kind: found.kind ?? .appRefresh, at: now.wall,
            SubmitValues {
                [SubmitForm.kind.name, SubmitForm.needs.name].contains($0.name)
                    ? arguments.value($0) : nil
            })
        let queue = description.queue
        let hosts = try StorePlace.translated { () throws(StoreFault) in
            try store.why(queue, found.handler(store), at: now)
        }
        return WhyAnswer(
            identifier: text, request: nil, hosts: hosts, journal: [], ahead: 0, now: now.wall)
    }

    /// The first one that waits, or runs.
    private static func first(
        of identifier: String, _ store: StoreClient
    ) throws(CommandError) -> RequestID? {
        try StorePlace.translated { () throws(StoreFault) in
            try store.read { (transaction) throws(StoreFault) in
                let live = try transaction.requests(
                    RequestFilter(
                        states: [.pending, .parked, .running], identifier: identifier, limit: 1_000)
                )
                return
                    (live.filter { $0.state != .running }.min {
                        ($0.notBefore, $0.id) < ($1.notBefore, $1.id)
                    } ?? live.first)?.id
            }
        }
    }

    /// - Parameter handler: the state of its handler as far as it is known without the host.
    static func about(
        _ record: RequestRecord, _ store: StoreClient, at now: Moment,
        handler: (StoreClient) throws(StoreFault) -> HandlerState?
    ) throws(CommandError) -> WhyAnswer {
        let request = record.request
        let (hosts, ahead) = try StorePlace.translated { () throws(StoreFault) in
            guard request.state.isLive, request.state != .running else {
                return ([HostAnswer](), 0)
            }
            return (
                try store.why(request, handler(store), at: now),
                request.state == .pending ? try Self.ahead(of: request, store) : 0
            )
        }
        return WhyAnswer(
            identifier: request.description.identifier, request: request, hosts: hosts,
            journal: record.journal.suffix(8),
            isOrphan: request.state == .running && HostNote.isAlone(store),
            runner: record.runner, ahead: ahead, now: now.wall)
    }

    /// Returns the number of requests of the same queue with an earlier date.
    private static func ahead(
        of request: Request, _ store: StoreClient
    ) throws(StoreFault) -> Int {
        try store.read { (transaction) throws(StoreFault) in
            try transaction.ahead(of: request, limit: 10_000)
        }
    }

    /// Prints an answer as the command does.
    static func print(_ answer: WhyAnswer, _ place: StorePlace, _ out: Output) {
        WhyScreen(answer, out).print(next: next(answer, place))
    }

    private static func next(_ answer: WhyAnswer, _ place: StorePlace) -> String {
        guard let request = answer.request else {
            return "curfew submit \(ShellWord.quoted(answer.identifier))\(place.option)"
        }
        switch request.state {
        case .parked: return "curfew release \(request.id)\(place.option)"
        case .pending
        where answer.holding.contains { $0.factor == .enablement || $0.factor == .refreshSetting }:
            return "curfew settings\(place.option)"
        default: return "curfew show \(request.id)\(place.option)"
        }
    }
}
