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
        options: [identifierOption, allOption, dryRunOption, .store, .json],
        details: [
            """
            Cancels pending requests, so that they are not launched. To cancel a running
            one, name its id: its host stops the task, and the request ends with it;
            --identifier and --all skip running tasks, and work in portions, so that others
            can use the store meanwhile. All named requests are cancelled in one step: if
            one id is unknown, none is.
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
        examples: ["curfew cancel 12 13", "curfew cancel --identifier org.curfew.feed --dry-run"]
    ) { arguments, console throws(CommandError) in
        let place = try StorePlace(arguments)
        let chosen = try Chosen(arguments)
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
        }
        return .ok
    }

    /// Which requests are meant.
    private enum Chosen {
        case named([RequestID])
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
            var ids: [RequestID] = []
            for text in arguments.operands {
                let id = try RequestArgument.value(text)
                if !ids.contains(id) { ids.append(id) }
            }
            self = .named(ids)
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
        let found = try StorePlace.translated { () throws(StoreFault) in
            try store.read { (transaction) throws(StoreFault) in
                try requests(chosen, transaction)
            }
        }
        return try known(chosen, found, place).map(Done.init)
    }

    private static func cancel(
        _ chosen: Chosen, _ store: StoreClient, _ place: StorePlace
    ) throws(CommandError) -> [Done] {
        let now = csys_realtime_ns()
        if case .waiting(let identifier) = chosen {
            return try cancelWaiting(of: identifier, at: now, store)
        }
        let found = try StorePlace.translated { () throws(StoreFault) in
            try store.write { (ledger, transaction) throws(StoreFault) in
                let found = try requests(chosen, transaction)
                // All or nothing: an unknown number is likely a wrong one.
                if case .named(let ids) = chosen, found.count < ids.count { return found }
                for request in found { _ = try ledger.cancel(request.id, at: now, transaction) }
                return found
            }
        }
        return try known(chosen, found, place).map(Done.init)
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

    /// As they were before.
    private static func requests(
        _ chosen: Chosen, _ store: any StoreTransaction
    ) throws(StoreFault) -> [Request] {
        switch chosen {
        case .named(let ids):
            var found: [Request] = []
            for id in ids {
                if let request = try store.request(id) { found.append(request) }
            }
            return found
        case .waiting(let identifier):
            return try store.requests(
                RequestFilter(
                    states: [.pending, .parked], identifier: identifier, limit: .max))
        }
    }

    private static func known(
        _ chosen: Chosen, _ found: [Request], _ place: StorePlace
    ) throws(CommandError) -> [Request] {
        guard case .named(let ids) = chosen,
            let unknown = ids.first(where: { id in !found.contains { $0.id == id } })
        else { return found }
        var error = RequestArgument.unknown(unknown, place)
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
                    isDry
                        ? "runs, and would be stopped"
                        : "runs: its task is stopped, and the request ends with it"
                } else {
                    isDry ? "would be cancelled" : "cancelled"
                }
            let head = "\(done.request.id)  \(Shown.line(done.request.description.identifier))  "
            out.line(head + out.wrapped(word, after: Shown.width(head), indent: 4))
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
