// SPDX-License-Identifier: Apache-2.0
import CSystem
import Curfew
import PluginBridge
import Scheduling

/// `curfew submit`
enum SubmitCommand {
    private static let waitOption = CommandOption(
        name: "wait", summary: "wait until it is over, and exit as it ended, like curfew wait")
    private static let dryRunOption = CommandOption(
        name: "dry-run", summary: "print what would be stored and when it would run first, no more")

    static let command = Command(
        name: "submit", summary: "submit a request: launch a handler after a date, on conditions",
        operands: "IDENTIFIER", operandCount: 1...1, operandSort: .handler,
        takesProgram: true,
        options: SubmitForm.options + [
            waitOption, WaitCommand.timeoutOption, dryRunOption, .plugins, .store, .socket, .json,
        ] + ProgramRequest.storedOptions,
        details: [
            """
            Stores a request, and prints its id once it is on the disk. The host that has
            the store open launches it when its date has come and its conditions hold.
            Without a host the request waits for one.
            """,
            """
            A date is in the machine's zone, or with --utc in UTC, unless it names another:
            2026-12-24,
            2026-12-24T18:00, 2026-12-24T18:00:30Z, 2026-12-24T18:00+01:00. A time alone,
            18:00 or 18:00Z, is the next one. If TZ names an unknown zone, dates are in
            UTC, and a note says so. A span is a number and one of ms, s, min, h and d.
            """,
            """
            --cron 'CRON_TZ=Asia/Tokyo 30 4 * * 1' has dates of that zone. Minutes that the clock skips when daylight saving time
            begins are launched once, at the end of the gap. Minutes that it shows twice
            when daylight saving time ends are launched the first time, or both times if
            the expression names every hour.
            """,
            """
            The kind is that of the plugin that declares IDENTIFIER, if one is found, or
            app-refresh. No plugin is loaded.
            """,
            """
            After -- a program stands in place of IDENTIFIER, with its arguments. A host that
            permits programs, as `curfew serve`, runs it in this directory, or that of
            --directory, with the PATH, LANG, LC_* and TZ of now and the variables of --env,
            which every reader of the store can read. Such requests have the identifier
            org.curfew.command, the kind processing, and the budget of --budget.
            """,
            """
            A payload that begins with @ names a file, and - is standard input; every other
            payload is the text itself. With a key, submitting the request again returns
            the existing one: a script that does not know whether its submission succeeded
            repeats it.
            """,
            """
            --dry-run applies all rules, the limits and the key included, and stores nothing.
            """,
        ],
        exits: [
            ExitMeaning(.ok, "it is in the store, or one that stands for it was"),
            ExitMeaning.unwritten, ExitMeaning.usage,
            ExitMeaning(.missing, "the directory of the store cannot be made"),
            ExitMeaning.denied, ExitMeaning.storeUnavailable,
            ExitMeaning(
                .conflict,
                "the key is another request's, or as many are pending as may be; nothing was done"),
        ] + WaitCommand.exits,
        sections: [
            HelpSection(
                title: "with --json",
                rows: [
                    ("id", "the number of the request that stands for it"),
                    ("status", "queued, duplicate-pending or duplicate-key"),
                    ("replaced", "the numbers of those it took the place of"),
                    ("request", "as `curfew show --json` has it"),
                    ("store", "the directory of the store"),
                    ("host", "who launches it, with process and since, or null"),
                    (
                        "dryRun, earliest",
                        "whether nothing was stored; then the id of a new request is null, and earliest "
                            + "is its first possible launch, or null if that is unknown"
                    ),
                ])
        ],
        examples: [
            "curfew submit --cron '0 3 * * *' -- cp -r in copy",
            "curfew submit --every 1h --directory /tmp --env D=2 -- sh -c 'du -d $D'",
            "curfew submit org.curfew.mirror --after 15min --payload @job.json",
            "curfew submit org.curfew.feed --every 1h --needs network --attempts 3",
            "curfew submit org.curfew.sync --cron '30 4 * * 1' --needs external-power",
        ]
    ) { arguments, console throws(CommandError) in
        let program = try ProgramRequest(
            arguments, options: ProgramRequest.storedOptions, variables: ProgramRequest.isStored,
            failingWith: .usage)
        let identifier = program == nil ? arguments.operands[0] : CommandPayload.identifier
        if !HandlerDescription.isIdentifier(identifier) {
            throw CommandError(
                .usage, "`\(identifier)` is not an identifier", notes: ["nothing was submitted"],
                help: [
                    "write a reverse-DNS name such as org.example.tidy",
                    "or, for a program: curfew submit -- \(ShellWord.quoted(identifier))",
                ])
        }
        if program != nil, let rule = arguments.value(SubmitForm.onPending), rule != "add" {
            throw CommandError(
                .usage,
                "`--on-pending \(rule)` is about requests of one identifier, and all programs have the same",
                notes: ["nothing was submitted"],
                help: ["to submit a program only once, give it a key: --key backup"])
        }
        if let host = try RemoteHost(arguments) {
            try host.refuse(
                [waitOption, WaitCommand.timeoutOption, dryRunOption, SubmitForm.pendingLimit],
                arguments)
            try submit(identifier, program, arguments, host, console)
            return .ok
        }
        let place = try StorePlace(arguments)
        let found = try FoundKind(identifier, arguments)
        let now = csys_realtime_ns()
        let values = SubmitValues { SubmitForm.value(of: $0, arguments) }
        var description = try SubmitForm.description(
            identifier, kind: program == nil ? found.kind ?? .appRefresh : .processing, at: now,
            values)
        let limits = try SubmitForm.limits(values)
        if program != nil, arguments.has(RunRequest.payloadOption) {
            throw CommandError(
                .usage, "`--payload` is for a handler, and this is a program",
                notes: ["nothing was submitted"],
                help: ["name a file among its arguments, or set a variable: --env NAME=VALUE"])
        }
        let payload = if let program { program.payload } else { try payload(arguments) }
        let budget = program.map { _ in
            CommandPayload(payload)?.budget ?? description.kind.defaultBudget
        }
        try check(arguments, description)
        let timeout = try WaitCommand.timeout(arguments)
        if arguments.has(dryRunOption) {
            let rehearsal = try SubmitRehearsal(
                description, payload, limits, found, at: now, place)
            for note in SubmitForm.notes(description, at: now, values) { console.errors.note(note) }
            if arguments.has(.json) {
                console.out.line(item(rehearsal).written)
            } else {
                print(rehearsal, budget, place, at: now, console.out)
                if program == nil {
                    found.note(
                        identifier, isKindNamed: arguments.has(SubmitForm.kind), console.errors)
                }
            }
            rehearsal.handler?.noteClosed(place, console.errors)
            return .ok
        }
        // On a server only a host makes the tables. With a mistake in the URL, no host would see the request.
        let store: StoreClient
        do throws(CommandError) {
            store = try place.isOnServer ? place.open() : place.make()
        } catch {
            var error = error
            if error.notes.isEmpty { error.notes = ["nothing was stored"] }
            throw error
        }
        let (submission, request) = try submit(
            description, payload, limits, at: now, store, place)
        if case .queued = submission {
            for note in SubmitForm.notes(description, at: now, values) { console.errors.note(note) }
        }
        if arguments.has(.json) {
            console.out.line(item(submission, request, store).written)
        } else {
            print(submission, request, budget, store, place, at: now, console.out)
            if program == nil {
                found.note(
                    identifier, isKindNamed: request != nil && arguments.has(SubmitForm.kind),
                    console.errors)
            }
            if !arguments.has(waitOption) { HostNote.print(store, place, console.errors) }
        }
        let handler = try StorePlace.translated { () throws(StoreFault) in
            try found.handler(store)
        }
        handler?.noteClosed(place, console.errors)
        guard arguments.has(waitOption), let request else { return .ok }
        do throws(CommandError) {
            return try RequestWait(store, place, console, isJSON: arguments.has(.json)).run(
                [request], timeout: timeout)
        } catch {
            guard error.code == .storeUnavailable else { throw error }
            var error = error
            error.notes = ["request \(request.id) is stored, and goes on: do not submit it again"]
            error.help = ["curfew wait \(request.id)\(place.option)"]
            throw error
        }
    }

    /// Submits to a host of another user.
    private static func submit(
        _ identifier: String, _ program: ProgramRequest?, _ arguments: Arguments,
        _ host: RemoteHost, _ console: Console
    ) throws(CommandError) {
        let payload = if let program { program.payload } else { try payload(arguments) }
        let answer = try host.submit(
            try SubmissionBody.item(
                identifier, program: program == nil ? nil : CommandPayload(payload),
                payload: payload
            ) { SubmitForm.value(of: $0, arguments) })
        guard !arguments.has(.json) else { return console.out.line(answer.text) }
        let (word, id) = (answer["status"]?.text ?? "queued", answer["id"]?.digits ?? "")
        let replaced = (answer["replaced"]?.items ?? []).compactMap(\.digits)
        let colour: Colour = word == "queued" ? .good : .warning
        let indent = String(repeating: " ", count: word.count + 2)
        console.out.line(
            console.out.paint(word, colour) + "  " + console.out.paint(id, .strong) + "  "
                + Shown.line(identifier))
        if !replaced.isEmpty {
            console.out.line(indent + "takes the place of \(replaced.joined(separator: ", "))")
        }
        console.out.line(indent + "follow it: curfew show \(id)\(host.option)")
    }

    /// Refuses options that make no sense together.
    private static func check(
        _ arguments: Arguments, _ description: RequestDescription
    ) throws(CommandError) {
        func refused(_ why: String, _ help: String) -> CommandError {
            CommandError(.usage, why, notes: ["nothing was submitted"], help: [help])
        }
        guard arguments.has(waitOption) else {
            guard !arguments.has(WaitCommand.timeoutOption) else {
                throw refused("`--timeout` is about `--wait`", "write `--wait` too")
            }
            return
        }
        if arguments.has(dryRunOption) {
            throw refused("`--dry-run` stores nothing to wait for", "leave `--wait` out")
        }
        if description.repetition != nil {
            throw refused(
                "a repeated request is not over after a launch, so `--wait` would not end",
                "leave `--wait` out")
        }
    }

    private static func payload(_ arguments: Arguments) throws(CommandError) -> [UInt8] {
        do throws(CommandError) {
            return try RunRequest.payload(arguments.value(RunRequest.payloadOption))
        } catch {
            throw CommandError(
                .usage, error.message, notes: ["nothing was submitted"], help: error.help)
        }
    }

    private static func submit(
        _ description: RequestDescription, _ payload: [UInt8], _ limits: RequestLimits,
        at now: Int64, _ store: StoreClient, _ place: StorePlace
    ) throws(CommandError) -> (Submission, Request?) {
        let answer = try StorePlace.translated { () throws(StoreFault) in
            try store.write(limits: limits) { (ledger, transaction) throws(StoreFault) in
                let answer = try ledger.submit(
                    description, payload: payload, at: now, transaction
                ).value
                let id = try? answer.get().id
                return (
                    answer,
                    try id.flatMap { (id) throws(StoreFault) in
                        try transaction.request(id)
                    }
                )
            }
        }
        switch answer.0 {
        case .success(let submission): return (submission, answer.1)
        case .failure(let refusal): throw CommandError(refusal, description, place)
        }
    }

    // MARK: Text

    private static func print(
        _ submission: Submission, _ request: Request?, _ budget: UInt64?, _ store: StoreClient,
        _ place: StorePlace,
        at now: Int64, _ out: Output
    ) {
        let (word, colour): (String, Colour) =
            switch submission {
            case .queued: ("queued", .good)
            case .duplicatePending: ("duplicate-pending", .warning)
            case .duplicateKey: ("duplicate-key", .accent)
            }
        let head = "\(word)  \(submission.id)  "
        let indent = word.count + 2
        func more(_ text: String) {
            out.line(
                String(repeating: " ", count: indent)
                    + out.wrapped(text, after: indent, indent: indent + 2))
        }
        out.line(
            out.paint(word, colour) + "  " + out.paint(String(submission.id.rawValue), .strong)
                + "  "
                + out.wrapped(
                    request.map { headline($0, at: now) } ?? "", after: head.count, indent: indent))
        switch submission {
        case .queued(_, let replaced):
            for line in request.map({ conditions($0, budget) }) ?? [] { more(line) }
            if !replaced.isEmpty {
                more("takes the place of \(replaced.map(\.description).joined(separator: ", "))")
            }
        case .duplicatePending: more("it was already pending and stays; nothing was added")
        case .duplicateKey: more("it was submitted before under this key; nothing was added")
        }
        more("stored in \(Shown.line(store.directory))")
        out.line(
            String(repeating: " ", count: indent)
                + "follow it: curfew show \(submission.id)\(place.option)")
    }

    private static func print(
        _ rehearsal: SubmitRehearsal, _ budget: UInt64?, _ place: StorePlace, at now: Int64,
        _ out: Output
    ) {
        func more(_ text: String) {
            out.line("  " + out.wrapped(Shown.line(text), after: 2, indent: 4))
        }
        switch rehearsal.submission {
        case .queued(_, let replaced):
            out.line(
                out.paint("would be queued", .good) + "  "
                    + out.wrapped(
                        rehearsal.request.map { headline($0, at: now) } ?? "", after: 17, indent: 2)
            )
            for line in rehearsal.request.map({ conditions($0, budget) }) ?? [] { more(line) }
            if !replaced.isEmpty {
                more(
                    "would take the place of \(replaced.map(\.description).joined(separator: ", "))"
                )
            }
            more("would run first: \(rehearsal.firstRun(at: now))")
        case .duplicatePending(let id):
            out.line("duplicate-pending  \(id)  it is pending and stays; nothing would be added")
        case .duplicateKey(let id):
            out.line("duplicate-key  \(id)  it has this key; nothing would be added")
        }
        more(
            "nothing was stored in \(place.directory)"
                + (rehearsal.isStoreThere ? "" : ", which does not exist yet"))
    }

    private static func headline(_ request: Request, at now: Int64) -> String {
        var text =
            "\(Shown.line(request.description.identifier)), \(request.description.kind.name), "
        switch request.state {
        case .pending where request.notBefore <= now: text += "due now"
        case .pending: text += "due \(DateText.both(request.notBefore, at: now))"
        default: text += RequestText.state(request)
        }
        return text
    }

    private static func conditions(_ request: Request, _ budget: UInt64?) -> [String] {
        let description = request.description
        var lines: [String] = []
        if !description.needs.isEmpty {
            lines.append("needs " + RequestText.needs(description.needs))
        }
        if let wish = RequestText.wish(description) {
            lines.append("once due, waits until " + wish)
        }
        if let repetition = description.repetition {
            lines.append(RequestText.repetition(repetition))
        }
        if description.retry.attempts > 1 { lines.append(RequestText.retry(description.retry)) }
        if let latest = description.latest { lines.append("missed after \(DateText.full(latest))") }
        if description.priority != .normal {
            lines.append("priority \(description.priority.name)")
        }
        if let budget { lines.append("budget \(TimeText.limit(budget))") }
        return lines
    }

    // MARK: JSON

    private static func item(_ rehearsal: SubmitRehearsal) -> JSONItem {
        var isNew = false
        if case .queued = rehearsal.submission { isNew = true }
        var request = rehearsal.request.map(RequestItem.members) ?? []
        if isNew, let index = request.firstIndex(where: { $0.key == "id" }) {
            request[index].value = .null
        }
        return .object(
            members(
                rehearsal.submission, id: isNew ? .null : RequestItem.id(rehearsal.submission.id))
                + [
                    ("request", request.isEmpty ? .null : .object(request)),
                    ("store", .text(rehearsal.directory)),
                    ("host", RequestItem.item(rehearsal.host)), ("dryRun", .bool(true)),
                    ("earliest", DateText.item(rehearsal.answer?.earliest)),
                ])
    }

    private static func item(
        _ submission: Submission, _ request: Request?, _ store: StoreClient
    ) -> JSONItem {
        .object(
            members(submission) + [
                ("request", request.map(RequestItem.item) ?? .null),
                ("store", .text(store.directory)), ("host", RequestItem.item(try? store.host())),
                ("dryRun", .bool(false)), ("earliest", .null),
            ])
    }

    /// The members of an answer to a submission: id, status and replaced.
    static func members(_ submission: Submission) -> [(key: String, value: JSONItem)] {
        members(submission, id: RequestItem.id(submission.id))
    }

    private static func members(
        _ submission: Submission, id: JSONItem
    ) -> [(key: String, value: JSONItem)] {
        var replaced: [RequestID] = []
        let status: String
        switch submission {
        case .queued(_, let others): (status, replaced) = ("queued", others)
        case .duplicatePending: status = "duplicate-pending"
        case .duplicateKey: status = "duplicate-key"
        }
        return [
            ("id", id), ("status", .text(status)),
            ("replaced", .list(replaced.map(RequestItem.id))),
        ]
    }
}

extension CommandError {
    /// Translates the refusal of a submission.
    init(
        _ refusal: RequestRefusal, _ description: RequestDescription, _ place: StorePlace,
        note: String = "nothing was submitted"
    ) {
        let notes = [note]
        switch refusal {
        case .tooMany(let scope, let limit):
            var canRaise = SubmitForm.pendingRange.contains(UInt64(limit) + 1)
            if scope == .all { canRaise = false }
            self.init(
                .conflict, scope.reached(limit), notes: notes,
                help: [
                    canRaise ? "raise it with --pending-limit, or cancel one:" : "cancel one:",
                    "curfew ps" + place.option,
                ])
        case .keyTaken(let id):
            self.init(
                .conflict,
                "request \(id) has the key `\(description.key ?? "")`, and asks for something else",
                notes: notes
                    + (description.identifier == CommandPayload.identifier
                        ? [
                            "the directory and the variables that a program gets, as PATH and TZ, count"
                        ] : []),
                help: ["give this one another key", "curfew show \(id)\(place.option)"])
        case .tooLarge(let bytes, let limit):
            self.init(
                .usage, "the payload has \(bytes) bytes, and the limit is \(limit)", notes: notes,
                help: ["put it into a file, and submit the file's name"])
        case .invalid(let why):
            self.init(.usage, why, notes: notes, help: ["curfew help submit"])
        }
    }
}
