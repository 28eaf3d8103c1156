// SPDX-License-Identifier: Apache-2.0
import Scheduling

/// `curfew release`
enum ReleaseCommand {
    static let command = Command(
        name: "release", summary: "make parked requests pending again",
        operands: "REQUEST…", operandCount: 1...10_000, operandSort: .request,
        options: [.store, .json],
        details: [
            """
            A host parks a request whose task ran when the process crashed, several times in
            a row: the task may have caused the crashes. Release the request once its
            handler is mended, or cancel it.
            """,
            """
            3-7 names all requests with these numbers. All named requests are released, or
            none.
            """,
        ],
        exits: [ExitMeaning(.ok, "they are pending again")] + RequestChange.exits + [
            ExitMeaning(.conflict, "one of them is not parked; nothing was done")
        ],
        sections: [RequestChange.section],
        examples: ["curfew release 12"]
    ) { arguments, console throws(CommandError) in
        try RequestChange(
            done: "released", rule: "only a parked request can be released",
            text: { _ in "pending again, and may be launched at once" },
            change: { (request, ledger, now, store) throws(StoreFault) in
                guard try ledger.release(request.id, at: now, store).value,
                    let released = try store.request(request.id)
                else { return .wrongState(request) }
                return .changed(released)
            }
        ).run(arguments, console)
        return .ok
    }
}
