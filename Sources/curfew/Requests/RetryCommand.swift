// SPDX-License-Identifier: Apache-2.0
import Scheduling

/// `curfew retry`
enum RetryCommand {
    static let command = Command(
        name: "retry", summary: "make requests that are over pending again, payload and all",
        operands: "REQUEST…", operandCount: 1...10_000, operandSort: .history,
        options: [.store, .socket, .json],
        details: [
            """
            Makes a request that failed, finished or was cancelled pending again. It is the
            same request: it keeps its number, its payload, its key and its history, and
            has all its attempts again. It may be launched at once; what it needs still
            holds. A latest date that has passed is dropped, and a repeated request
            continues with its next date.
            """,
            """
            3-7 names all requests with these numbers. All named requests are retried in one
            step, or none.
            """,
        ],
        exits: [ExitMeaning(.ok, "they are pending again")] + RequestChange.exits + [
            ExitMeaning(
                .conflict,
                "one of them is not over, or as many are pending as may be; nothing was done")
        ],
        sections: [RequestChange.section],
        examples: ["curfew retry 12", "curfew retry 3-7 12"]
    ) { arguments, console throws(CommandError) in
        let text = "pending again, and may be launched at once"
        if let host = try RemoteHost(arguments) {
            try host.each(try RequestSelection(arguments.operands)) {
                (id, _) throws(CommandError) in
                let answer = try host.change(id, "retry")
                guard !arguments.has(.json) else { return console.out.line(answer.text) }
                let head = "\(id)  \(Shown.line(answer["identifier"]?.text ?? ""))  "
                console.out.line(
                    head + console.out.wrapped(text, after: Shown.width(head), indent: 4))
            }
            return .ok
        }
        try RequestChange(
            done: "retried", rule: "only a request that is over can be retried",
            text: { _ in text },
            change: { (request, ledger, now, store) throws(StoreFault) in
                try ledger.retry(request.id, at: now, store).value
            }
        ).run(arguments, console)
        return .ok
    }
}
