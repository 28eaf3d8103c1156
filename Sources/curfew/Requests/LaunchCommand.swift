// SPDX-License-Identifier: Apache-2.0
import Scheduling

/// `curfew launch`
enum LaunchCommand {
    static let command = Command(
        name: "launch", summary: "make pending requests due now, whatever their dates",
        operands: "REQUEST…", operandCount: 1...10_000, operandSort: .request,
        options: [.store, .json],
        details: [
            """
            Launches a pending request before its date, or before the end of a pause between
            attempts. Everything else still holds: what it needs, a place for its task, and
            the settings. To launch it without a network, change what it needs first, with
            curfew edit --needs none. A repeated request is launched once more than its rule
            says, and keeps its next date.
            """,
            """
            3-7 names all requests with these numbers. All named requests are launched, or
            none.
            """,
        ],
        exits: [ExitMeaning(.ok, "they are due now")] + RequestChange.exits + [
            ExitMeaning(.conflict, "one of them is not pending; nothing was done")
        ],
        sections: [RequestChange.section],
        examples: ["curfew launch 12"]
    ) { arguments, console throws(CommandError) in
        try RequestChange(
            done: "launched", rule: "only a pending request can be launched",
            text: { request in
                let needs = RequestText.needs(request.description.needs)
                return "due now" + (needs.isEmpty ? "" : ", and still needs \(needs)")
            },
            change: { (request, ledger, now, store) throws(StoreFault) in
                try ledger.launchNow(request.id, at: now, store).value
            }
        ).run(arguments, console)
        return .ok
    }
}
