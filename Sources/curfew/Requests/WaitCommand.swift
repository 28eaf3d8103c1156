// SPDX-License-Identifier: Apache-2.0
import Curfew
import Scheduling

/// `curfew wait`
enum WaitCommand {
    static let timeoutOption = CommandOption(
        name: "timeout", value: "SPAN", summary: "give up after this time: 90s, 15min, 2h")

    /// The outcomes of a wait, for help.
    static let exits = [
        ExitMeaning(.timedOut, "they were not over before --timeout; they go on"),
        ExitMeaning(.failed, "a task failed"),
        ExitMeaning(.misuse, "a plugin released its task without completing it"),
        ExitMeaning(.expired, "a task used up its budget"),
        ExitMeaning(.host, "a request ended without a task: replaced, or missed"),
        ExitMeaning(.signal(2), "a request was cancelled"),
    ]

    static let command = Command(
        name: "wait", summary: "wait until requests are over, and exit as they ended",
        operands: "REQUEST…", operandCount: 1...10_000, operandSort: .request,
        options: [timeoutOption, .store, .json],
        details: [
            """
            Waits until all named requests are over, with all their attempts, and prints how
            each ended. Of several exit statuses it takes the greatest. A repeated request
            is over once it is cancelled. The wait itself changes nothing: ended by a signal
            or --timeout, it leaves the requests as they are. A server that the store is on
            may be away for a minute meanwhile.
            """,
            """
            3-7 names all requests with these numbers.
            """,
        ],
        exits: [
            ExitMeaning(.ok, "their last tasks succeeded"), ExitMeaning.unwritten,
            ExitMeaning.usage, ExitMeaning.missing, ExitMeaning.denied,
            ExitMeaning.storeUnavailable,
        ] + exits,
        sections: [RequestChange.section],
        examples: ["curfew wait 12", "curfew wait 12 --timeout 15min"]
    ) { arguments, console throws(CommandError) in
        let place = try StorePlace(arguments)
        let selection = try RequestSelection(arguments.operands)
        let timeout = try timeout(arguments)
        let store = try place.open()
        let (requests, missing) = try StorePlace.translated { () throws(StoreFault) in
            try store.read { (transaction) throws(StoreFault) in
                try selection.find(in: transaction)
            }
        }
        if let missing { throw RequestArgument.unknown(missing, place) }
        return try RequestWait(store, place, console, isJSON: arguments.has(.json)).run(
            requests, timeout: timeout)
    }

    /// Returns the nanoseconds of `--timeout`; nil without it.
    static func timeout(_ arguments: Arguments) throws(CommandError) -> UInt64? {
        guard let text = arguments.value(timeoutOption) else { return nil }
        return try SpanArgument.value(
            text, for: "--timeout", range: 1...Repetition.intervalRange.upperBound)
    }
}
