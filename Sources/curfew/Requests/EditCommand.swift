// SPDX-License-Identifier: Apache-2.0
import CSystem
import Scheduling

/// `curfew edit`
enum EditCommand {
    private static let options = [
        SubmitForm.at, SubmitForm.after, SubmitForm.latest, SubmitForm.every, SubmitForm.cron,
        SubmitForm.local, SubmitForm.utc, SubmitForm.catchUp, SubmitForm.jitter,
        SubmitForm.needs, SubmitForm.when, SubmitForm.atMost, SubmitForm.priority,
        SubmitForm.key, SubmitForm.attempts, SubmitForm.backOff,
    ]
    /// The options that take a word in place of a value, which clears the member.
    private static let clearing = [
        (SubmitForm.at, "now"), (SubmitForm.latest, "none"), (SubmitForm.needs, "none"),
        (SubmitForm.key, "none"), (SubmitForm.every, "none"), (SubmitForm.cron, "none"),
        (SubmitForm.atMost, "none"),
    ]

    static let command = Command(
        name: "edit", summary: "change pending requests: date, needs, priority, …",
        operands: "REQUEST…", operandCount: 1...10_000, operandSort: .request,
        options: options + [.store, .json],
        details: [
            """
            Changes what the options name, and leaves the rest as it is. The options are
            those of curfew submit; --at now clears the date, and the word none clears
            --latest, --needs, --at-most, --key, --every and --cron. A new date or repetition sets the
            date of the next launch.
            """,
            """
            The identifier, the kind and the payload of a request cannot be changed: cancel
            it and submit another one. 3-7 names all requests with these numbers. All named
            requests are changed in one step, or none.
            """,
        ],
        exits: [ExitMeaning(.ok, "they are changed")] + RequestChange.exits + [
            ExitMeaning(
                .conflict,
                "one of them is not pending, or the key is another request's; nothing was done")
        ],
        sections: [RequestChange.section],
        examples: [
            "curfew edit 12 --after 2h --priority high", "curfew edit 3-7 --needs none",
        ]
    ) { arguments, console throws(CommandError) in
        let now = csys_realtime_ns()
        let edits = try edits(arguments, at: now)
        try RequestChange(
            done: "changed", rule: "only a pending request can be changed",
            text: { request in
                request.notBefore <= now
                    ? "changed, and may be launched at once"
                    : "changed, and due \(DateText.both(request.notBefore, at: now))"
            },
            change: { (request, ledger, now, store) throws(StoreFault) in
                try ledger.edit(request.id, at: now, store, edits).value
            }
        ).run(arguments, console)
        return .ok
    }

    private static func edits(
        _ arguments: Arguments, at now: Int64
    ) throws(CommandError) -> (inout RequestDescription) -> Void {
        guard options.contains(where: arguments.has) else {
            throw CommandError(
                .usage, "`curfew edit` needs something to change", notes: ["nothing was done"],
                help: ["write an option, such as `--after 2h`", "curfew help edit"])
        }
        if let zone = [SubmitForm.utc, SubmitForm.local].first(where: arguments.has),
            ![SubmitForm.at, SubmitForm.latest, SubmitForm.cron].contains(where: arguments.has)
        {
            throw CommandError(
                .usage,
                "`--\(zone.name)` says in which zone the dates of other options are, and there is none of them",
                notes: ["nothing was done"],
                help: [
                    "write the expression too, `--cron '30 4 * * *' --\(zone.name)`",
                    "curfew help edit",
                ])
        }
        let cleared = Set(
            clearing.filter { arguments.value($0.0) == $0.1 }.map(\.0.name))
        func isGiven(_ any: CommandOption...) -> Bool { any.contains(where: arguments.has) }
        // The description of a request that nothing but the options describes.
        let new: RequestDescription
        do throws(CommandError) {
            new = try SubmitForm.description(
                "org.example.edited", kind: .processing, at: now,
                SubmitValues { cleared.contains($0.name) ? nil : arguments.value($0) })
        } catch {
            throw CommandError(
                .usage, error.message, notes: ["nothing was done"], help: error.help)
        }
        return { description in
            if isGiven(SubmitForm.at, SubmitForm.after) { description.earliest = new.earliest }
            if isGiven(SubmitForm.latest) { description.latest = new.latest }
            if isGiven(SubmitForm.needs) { description.needs = new.needs }
            if isGiven(SubmitForm.when) { description.opportunistic = new.opportunistic }
            if isGiven(SubmitForm.atMost) || description.opportunistic == .no {
                description.atMost = new.atMost
            }
            if isGiven(SubmitForm.priority) { description.priority = new.priority }
            if isGiven(SubmitForm.key) { description.key = new.key }
            if isGiven(SubmitForm.attempts) { description.retry = new.retry }
            guard isGiven(SubmitForm.every, SubmitForm.cron) else { return }
            var repetition = new.repetition
            if let old = description.repetition {
                if !isGiven(SubmitForm.catchUp) { repetition?.catchUp = old.catchUp }
                if !isGiven(SubmitForm.jitter) { repetition?.jitter = old.jitter }
            }
            description.repetition = repetition
            // A date from which the old one was to begin; the new one has its own.
            if repetition != nil, !isGiven(SubmitForm.at, SubmitForm.after) {
                description.earliest = nil
            }
        }
    }
}
