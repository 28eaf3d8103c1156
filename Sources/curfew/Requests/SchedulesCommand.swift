// SPDX-License-Identifier: Apache-2.0
import CSystem
import Curfew
import Scheduling

/// `curfew schedules`
enum SchedulesCommand {
    private static let restartOption = CommandOption(
        name: "restart", summary: "make the requests of the named schedules pending again")
    private static let nothing = "nothing was done"
    private static let launchOption = CommandOption(
        name: "launch", summary: "make the requests of the named schedules due now")

    static let command = Command(
        name: "schedules", summary: "list the schedules of the configuration",
        operands: "[NAME…]", operandCount: 0...10_000,
        options: [launchOption, restartOption, .store, .json],
        details: [
            """
            Lists the schedules that `curfew serve` has read from its configuration when it
            started last, by name, or those named. Each has one request, which `curfew show`,
            `why` and `log` are about.
            """,
            """
            A schedule whose request was cancelled by hand stays so, also when the host is started
            again; --restart makes the request pending again, at its next date.
            """,
            """
            --launch launches the named schedules once more than their rules say, as `curfew launch`
            does with the number of a request; their next dates stay.
            """,
        ],
        exits: [
            ExitMeaning(.ok, "success"), ExitMeaning.unwritten, ExitMeaning.usage,
            ExitMeaning(.missing, "there is no such schedule, or no store"), ExitMeaning.denied,
            ExitMeaning.storeUnavailable,
            ExitMeaning(
                .conflict, "one of the schedules cannot be restarted or launched; nothing was done"),
        ],
        sections: [
            HelpSection(
                title: "states",
                rows: [
                    ("pending, running, parked", "as of its request"),
                    ("off", "`\"enabled\": false` in the configuration"),
                    ("cancelled", "by hand"),
                    ("finished", "there is no further date"),
                    ("gone", "its request was over, and is not kept any more"),
                ]),
            HelpSection(
                title: "with --json",
                rows: [
                    ("schedules", "name, state, rule, request, next, last (an outcome), source")
                ]),
        ],
        examples: [
            "curfew schedules", "curfew schedules --restart nightly-backup",
            "curfew schedules --launch tidy",
        ]
    ) { arguments, console throws(CommandError) in
        let place = try StorePlace(arguments)
        let store = try place.open()
        let wanted = [launchOption, restartOption].filter { arguments.has($0) }
        guard let option = wanted.first else {
            try list(store, place, arguments, console)
            return .ok
        }
        guard wanted.count == 1 else {
            throw CommandError(
                .usage, "`--launch` and `--restart` are two changes", notes: [nothing],
                help: ["leave one of them out"])
        }
        guard !arguments.operands.isEmpty else {
            throw CommandError(
                .usage, "`--\(option.name)` needs the name of a schedule",
                notes: [nothing], help: ["curfew schedules" + place.option])
        }
        var seen: Set<String> = []
        let names = arguments.operands.filter { seen.insert($0).inserted }
        if arguments.has(restartOption) {
            try restart(names, store, place, console)
        } else {
            try launch(names, store, place, console)
        }
        return .ok
    }

    // MARK: Launching

    /// Returns the number of the pending request of a schedule.
    static func pendingRequest(
        of name: String, _ store: StoreClient, _ place: StorePlace
    ) throws(CommandError) -> RequestID {
        let (stored, request) = try StorePlace.translated { () throws(StoreFault) in
            try store.read { (store) throws(StoreFault) in
                let stored = try store.schedule(name)
                let request = try stored?.request.flatMap { (id) throws(StoreFault) in
                    try store.request(id)
                }
                return (stored, request)
            }
        }
        guard let stored else { throw error(name, .unknown, place, nothing) }
        guard let id = stored.request else { throw error(name, .off, place, nothing) }
        guard request?.state == .pending else { throw error(name, request, place, nothing) }
        return id
    }

    /// Why the request of a schedule cannot be launched now.
    private static func error(
        _ name: String, _ request: Request?, _ place: StorePlace, _ note: String
    ) -> CommandError {
        let state =
            switch request?.state {
            case nil: "it is over, and its request is not kept any more"
            case .running?: "its request \(request!.id) runs"
            case let state?: "its request \(request!.id) is \(state.name)"
            }
        let help =
            switch request?.state {
            case .running: "curfew wait \(request!.id)"
            case .parked: "curfew release \(request!.id)"
            default: "curfew schedules --restart \(name)"
            }
        return CommandError(
            .conflict, "schedule `\(name)` cannot be launched: \(state)",
            notes: [note], help: [help + place.option])
    }

    private static func launch(
        _ names: [String], _ store: StoreClient, _ place: StorePlace, _ console: Console
    ) throws(CommandError) {
        let now = csys_realtime_ns()
        let note = names.count > 1 ? "no schedule was launched" : nothing
        let answer = try StorePlace.translated { () throws(StoreFault) in
            try store.write(
                if: { (answer: ([Request], CommandError?)) in answer.1 == nil }
            ) { (ledger, store) throws(StoreFault) in
                var launched: [Request] = []
                for name in names {
                    guard let stored = try store.schedule(name) else {
                        return ([], error(name, .unknown, place, note))
                    }
                    guard let id = stored.request else {
                        return ([], error(name, .off, place, note))
                    }
                    switch try ledger.launchNow(id, at: now, store).value {
                    case .changed(let request): launched.append(request)
                    case .wrongState(let request):
                        return ([], error(name, request, place, note))
                    case .unknown, .refused:
                        return ([], error(name, nil, place, note))
                    }
                }
                return (launched, nil)
            }
        }
        if let error = answer.1 { throw error }
        for (name, request) in zip(names, answer.0) {
            console.out.line("launched  \(name)  request \(request.id), due now")
        }
        HostNote.print(store, place, console.errors)
    }

    // MARK: Restarting

    /// Makes the request of a schedule pending again. Returns the schedule, as `--json` prints it.
    static func restarted(
        _ name: String, _ store: StoreClient, _ place: StorePlace
    ) throws(CommandError) -> JSONItem {
        _ = try restart([name], store, place, at: csys_realtime_ns())
        return item(try rows([name], store))
    }

    private static func restart(
        _ names: [String], _ store: StoreClient, _ place: StorePlace, at now: Int64
    ) throws(CommandError) -> [(String, RequestLedger.ScheduleRestart)] {
        let results = try StorePlace.translated { () throws(StoreFault) in
            try store.write(if: { $0.allSatisfy { isDone($0.1) } }) {
                (ledger, store) throws(StoreFault) in
                var results: [(String, RequestLedger.ScheduleRestart)] = []
                for name in names {
                    results.append((name, try ledger.restart(name, at: now, store).value))
                }
                return results
            }
        }
        for (name, result) in results where !isDone(result) {
            let note = names.count > 1 ? "no schedule was restarted" : nothing
            throw error(name, result, place, note)
        }
        return results
    }

    private static func restart(
        _ names: [String], _ store: StoreClient, _ place: StorePlace, _ console: Console
    ) throws(CommandError) {
        let now = csys_realtime_ns()
        for (name, result) in try restart(names, store, place, at: now) {
            switch result {
            case .pending(let request):
                console.out.line(
                    "restarted  \(name)  request \(request.id), due \(DateText.both(request.notBefore, at: now))"
                )
            default:
                console.out.line(
                    "restarted  \(name)  gets another request when `curfew serve` reads its configuration next"
                )
            }
        }
    }

    private static func isDone(_ result: RequestLedger.ScheduleRestart) -> Bool {
        switch result {
        case .pending, .withConfiguration: true
        case .live, .off, .unknown: false
        }
    }

    private static func error(
        _ name: String, _ result: RequestLedger.ScheduleRestart, _ place: StorePlace,
        _ note: String
    ) -> CommandError {
        switch result {
        case .live(let request):
            let help =
                switch request.state {
                case .parked: "curfew release \(request.id)"
                case .running: "curfew wait \(request.id)"
                default: "to run it now: curfew launch \(request.id)"
                }
            return CommandError(
                .conflict,
                "schedule `\(name)` is not over: its request \(request.id) is \(request.state.name)",
                notes: [note],
                help: [help + place.option])
        case .off:
            return CommandError(
                .conflict, "schedule `\(name)` is off in the configuration, or has no date",
                notes: [note], help: ["write \"enabled\": true, and have `curfew serve` read it"])
        default:
            return CommandError(
                .missing, "there is no schedule `\(Shown.line(name))`", notes: [note],
                help: ["curfew schedules" + place.option])
        }
    }

    // MARK: Listing

    private struct Row {
        let schedule: StoredSchedule
        let request: Request?

        var state: String {
            guard schedule.request != nil else { return "off" }
            guard let request else { return "gone" }
            return request.state.name
        }
        var next: Int64? {
            guard let request, request.state == .pending else { return nil }
            return request.notBefore
        }
        var rule: String? {
            request?.description.repetition.map { RequestText.repetition($0) }
        }
    }

    /// - Parameter names: those of the schedules; empty for all.
    private static func rows(
        _ names: Set<String>, _ store: StoreClient
    ) throws(CommandError) -> [Row] {
        try StorePlace.translated { () throws(StoreFault) in
            try store.read { (store) throws(StoreFault) in
                var rows: [Row] = []
                for schedule in try store.schedules()
                where names.isEmpty || names.contains(schedule.name) {
                    let request = try schedule.request.flatMap { (id) throws(StoreFault) in
                        try store.request(id)
                    }
                    rows.append(Row(schedule: schedule, request: request))
                }
                return rows
            }
        }
    }

    /// All schedules, as `--json` prints them.
    static func item(_ store: StoreClient) throws(CommandError) -> JSONItem {
        item(try rows([], store))
    }

    private static func item(_ rows: [Row]) -> JSONItem {
        .object([("schedules", .list(rows.map(item)))])
    }

    private static func list(
        _ store: StoreClient, _ place: StorePlace, _ arguments: Arguments, _ console: Console
    ) throws(CommandError) {
        let rows = try rows(Set(arguments.operands), store)
        let found = Set(rows.map(\.schedule.name))
        if let missing = arguments.operands.first(where: { !found.contains($0) }) {
            throw error(missing, .unknown, place, nothing)
        }
        guard !arguments.has(.json) else {
            console.out.line(item(rows).written)
            return
        }
        guard !rows.isEmpty else {
            console.out.line(
                "the store has no schedules: the configuration of `curfew serve` has them")
            return
        }
        table(rows, console.out)
    }

    private static func item(_ row: Row) -> JSONItem {
        .object([
            ("name", .text(row.schedule.name)), ("state", .text(row.state)),
            ("rule", .text(orNull: row.rule)),
            (
                "request",
                row.schedule.request.map { .integer(Int64(clamping: $0.rawValue)) } ?? .null
            ),
            ("next", DateText.item(row.next)),
            ("last", .text(orNull: row.request?.outcome?.name)),
            ("source", .text(row.schedule.source)),
        ])
    }

    private static func table(_ rows: [Row], _ out: Output) {
        let now = csys_realtime_ns()
        let isPlain = out.columns == nil
        let heads = ["NAME", "STATE", "NEXT", "LAST", "REQUEST", "RULE"]
        let cells = rows.map { row in
            [
                row.schedule.name, row.state,
                row.next.map { isPlain ? DateText.word($0) : DateText.relative($0, at: now) }
                    ?? "-",
                row.request?.outcome?.name ?? "-",
                row.schedule.request.map { "\($0)" } ?? "-", row.rule ?? "-",
            ]
        }
        TextTable(heads, cells).print(out)
    }
}
