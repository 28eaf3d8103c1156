// SPDX-License-Identifier: Apache-2.0
import CSystem
import Curfew
import Scheduling

/// `curfew cancel`
enum CancelCommand {
    private static let identifierOption = CommandOption(
        name: "identifier", value: "ID", sort: .handler,
        summary: "cancel all pending requests of this identifier")
    private static let allOption = CommandOption(
        name: "all", summary: "cancel all pending requests")
    private static let dryRunOption = CommandOption(
        name: "dry-run", summary: "print what would be cancelled, and change nothing")

    static let command = Command(
        name: "cancel", summary: "cancel requests by id, or all pending ones",
        operands: "REQUEST…", operandCount: 0...10_000, operandSort: .request,
        options: [identifierOption, allOption, dryRunOption, .store, .socket, .json],
        details: [
            """
            Cancels pending requests, so that they are not launched. To cancel a running
            one, name its id: its host stops the task, and the request ends with it;
            --identifier and --all skip running tasks, and work in portions, so that others
            can use the store meanwhile. All named requests are cancelled in one step: if
            one id is unknown, none is. 3-7 names all requests with these numbers.
            """
        ],
        exits: [
            ExitMeaning(.ok, "they are cancelled, or were over before"), ExitMeaning.unwritten,
            ExitMeaning.usage, ExitMeaning.missing, ExitMeaning.denied,
            ExitMeaning.storeUnavailable,
        ],
        sections: [
            HelpSection(
                title: "with --json",
                rows: [
                    (
                        "requests",
                        "each with id, identifier, became (cancelled, stopping while its task runs, "
                            + "or the state in which it was over) and wasOver"
                    ), ("dryRun", "whether nothing was changed"),
                ])
        ],
        examples: [
            "curfew cancel 12 13", "curfew cancel 3-7",
            "curfew cancel --identifier org.curfew.feed --dry-run",
        ]
    ) { arguments, console throws(CommandError) in
        let chosen = try Chosen(arguments)
        if let host = try RemoteHost(arguments) {
            try host.refuse([dryRunOption, identifierOption, allOption, .json], arguments)
            guard case .named(let selection) = chosen else { return .ok }
            try host.each(selection) { (id, _) throws(CommandError) in
                let answer = try host.change(id, "cancel")
                let word =
                    switch answer["state"]?.text {
                    case RequestState.cancelled.name: "cancelled"
                    case RequestState.running.name: runs
                    case let state: "had finished before: \(state ?? "")"
                    }
                line(id, answer["identifier"]?.text ?? "", word, console.out)
            }
            return .ok
        }
        let place = try StorePlace(arguments)
        let isDry = arguments.has(dryRunOption)
        let store = try place.open()
        let done: [Done]
        if isDry {
            done = try look(chosen, store, place)
        } else {
            done = try cancel(chosen, store, place)
        }
        if arguments.has(.json) {
            console.out.line(
                JSONItem.object([
                    ("requests", .list(done.map(item))), ("dryRun", .bool(isDry)),
                ]).written)
        } else {
            print(done, chosen, isDry: isDry, store, console)
            if done.isEmpty, case .waiting(let identifier?) = chosen {
                try RequestArgument.suggest(
                    identifier, "cancel --identifier", store, place, console)
            }
        }
        return .ok
    }

    /// Which requests are meant.
    private enum Chosen {
        case named(RequestSelection)
        /// With nil, the requests of every identifier.
        case waiting(String?)

        init(_ arguments: Arguments) throws(CommandError) {
            let identifier = arguments.value(identifierOption)
            let ways =
                (arguments.operands.isEmpty ? 0 : 1) + (identifier == nil ? 0 : 1)
                + (arguments.has(allOption) ? 1 : 0)
            guard ways == 1 else {
                throw CommandError(
                    .usage,
                    ways == 0
                        ? "`curfew cancel` needs the requests to cancel"
                        : "`curfew cancel` takes ids, `--identifier` or `--all`, not two of them",
                    notes: ["nothing was done"],
                    help: [
                        "write numbers, or `--identifier ID`, or `--all`", "curfew help cancel",
                    ])
            }
            guard !arguments.operands.isEmpty else {
                self = .waiting(identifier)
                return
            }
            self = .named(try RequestSelection(arguments.operands))
        }
    }

    /// The effect of cancelling a request, by its former state.
    private struct Done {
        let request: Request
        var isStopping: Bool { request.state == .running }
        var isOver: Bool { !request.state.isLive }

        init(_ request: Request) { self.request = request }
    }

    private static func look(
        _ chosen: Chosen, _ store: StoreClient, _ place: StorePlace
    ) throws(CommandError) -> [Done] {
        let (found, missing) = try StorePlace.translated { () throws(StoreFault) in
            try store.read { (transaction) throws(StoreFault) in
                try requests(chosen, transaction)
            }
        }
        try check(missing, place)
        return found.map(Done.init)
    }

    private static func cancel(
        _ chosen: Chosen, _ store: StoreClient, _ place: StorePlace
    ) throws(CommandError) -> [Done] {
        let now = csys_realtime_ns()
        if case .waiting(let identifier) = chosen {
            return try cancelWaiting(of: identifier, at: now, store)
        }
        let (found, missing) = try StorePlace.translated { () throws(StoreFault) in
            try store.write { (ledger, transaction) throws(StoreFault) in
                let found = try requests(chosen, transaction)
                // All or nothing: an unknown number is likely a wrong one.
                if found.missing != nil { return found }
                for request in found.requests {
                    _ = try ledger.cancel(request.id, at: now, transaction)
                }
                return found
            }
        }
        try check(missing, place)
        return found.map(Done.init)
    }

    private static func cancelWaiting(
        of identifier: String?, at now: Int64, _ store: StoreClient
    ) throws(CommandError) -> [Done] {
        var done: [Done] = []
        do throws(CommandError) {
            try StorePlace.translated { () throws(StoreFault) in
                try store.cancelWaiting(of: identifier, at: now) { done += $0.map(Done.init) }
            }
        } catch {
            var error = error
            if !done.isEmpty {
                error.notes.append(
                    "\(done.count) requests were cancelled, the others are pending: run it again")
            }
            throw error
        }
        return done
    }

    /// As they were before, and the first operand that names none.
    private static func requests(
        _ chosen: Chosen, _ store: any StoreTransaction
    ) throws(StoreFault) -> (requests: [Request], missing: String?) {
        switch chosen {
        case .named(let selection): return try selection.find(in: store)
        case .waiting(let identifier):
            let filter = RequestFilter(
                states: [.pending, .parked], identifier: identifier, limit: .max)
            return (try store.requests(filter), nil)
        }
    }

    private static func check(_ missing: String?, _ place: StorePlace) throws(CommandError) {
        guard let missing else { return }
        var error = RequestArgument.unknown(missing, place)
        error.notes.append("nothing was cancelled")
        throw error
    }

    private static func print(
        _ done: [Done], _ chosen: Chosen, isDry: Bool, _ store: StoreClient, _ console: Console
    ) {
        let out = console.out
        for done in done {
            let word =
                if done.isOver {
                    "had finished before: \(RequestText.state(done.request))"
                } else if done.isStopping {
                    isDry ? "runs, and would be stopped" : runs
                } else {
                    isDry ? "would be cancelled" : "cancelled"
                }
            line(done.request.id, done.request.description.identifier, word, out)
        }
        if done.isEmpty {
            if case .waiting(let identifier) = chosen {
                console.errors.note(
                    identifier.map { "no request of \($0) is pending; nothing was cancelled" }
                        ?? "no request is pending; nothing was cancelled")
            }
            return
        }
        guard !isDry, done.contains(where: \.isStopping) else { return }
        if HostNote.isAlone(store) {
            console.errors.note(
                "no host uses this store: the running requests ended with their host, and are cancelled when the next one starts"
            )
        }
    }

    private static let runs = "runs: its task is stopped, and the request ends with it"

    private static func line(_ id: RequestID, _ identifier: String, _ word: String, _ out: Output) {
        let head = "\(id)  \(Shown.line(identifier))  "
        out.line(head + out.wrapped(word, after: Shown.width(head), indent: 4))
    }

    private static func item(_ done: Done) -> JSONItem {
        .object([
            ("id", RequestItem.id(done.request.id)),
            ("identifier", .text(done.request.description.identifier)),
            (
                "became",
                .text(
                    done.isOver
                        ? done.request.state.name : done.isStopping ? "stopping" : "cancelled")
            ), ("wasOver", .bool(done.isOver)),
        ])
    }
}
