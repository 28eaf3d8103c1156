// SPDX-License-Identifier: Apache-2.0
import CSystem
import Curfew
import Scheduling

/// A change of requests by a person: of all that a command names, or of none.
struct RequestChange {
    /// The past participle of the change, for messages: `retried`.
    let done: String
    /// Why a request is not changed, after its state: `a request that is over is retried`.
    let rule: String
    /// The text of the line about a changed request.
    let text: (Request) -> String
    let change:
        (Request, RequestLedger, Int64, any StoreTransaction) throws(StoreFault) ->
            RequestLedger.Change

    static let exits = [
        ExitMeaning.unwritten, ExitMeaning.usage, ExitMeaning.missing, ExitMeaning.denied,
        ExitMeaning.storeUnavailable,
    ]
    /// The JSON that is printed, for help.
    static let section = HelpSection(
        title: "with --json",
        text: "One object a line for each request, as `curfew show --json` has it, without "
            + "attemptList and journal.",
        rows: [])

    /// Changes the requests of the operands, and prints what they are now.
    func run(_ arguments: Arguments, _ console: Console) throws(CommandError) {
        let place = try StorePlace(arguments)
        let selection = try RequestSelection(arguments.operands)
        let store = try place.open()
        let requests = try changed(selection, store, place)
        for request in requests {
            if arguments.has(.json) {
                console.out.line(RequestItem.item(request).written)
                continue
            }
            let head = "\(request.id)  \(Shown.line(request.description.identifier))  "
            console.out.line(
                head + console.out.wrapped(text(request), after: Shown.width(head), indent: 4))
        }
        if !arguments.has(.json) { HostNote.print(store, place, console.errors) }
    }

    private func changed(
        _ selection: RequestSelection, _ store: StoreClient, _ place: StorePlace
    ) throws(CommandError) -> [Request] {
        let now = csys_realtime_ns()
        let isAlone = HostNote.isAlone(store)
        let answer = try StorePlace.translated { () throws(StoreFault) in
            try store.write(
                if: { (answer: ([Request], CommandError?)) in answer.1 == nil }
            ) { (ledger, transaction) throws(StoreFault) in
                let (found, missing) = try selection.find(in: transaction)
                if let missing { return ([], RequestArgument.unknown(missing, place)) }
                var changed: [Request] = []
                for request in found {
                    switch try change(request, ledger, now, transaction) {
                    case .changed(let request): changed.append(request)
                    case .wrongState(let request): return ([], wrongState(request, place, isAlone))
                    case .refused(let refusal):
                        return (
                            [],
                            CommandError(
                                refusal, request.description, place, note: "nothing was done")
                        )
                    case .unknown:
                        return ([], RequestArgument.unknown("\(request.id)", place))
                    }
                }
                return (changed, nil)
            }
        }
        if let error = answer.1 { throw error }
        return answer.0
    }

    private func wrongState(
        _ request: Request, _ place: StorePlace, _ isAlone: Bool
    ) -> CommandError {
        CommandError(
            .conflict,
            "request \(request.id) is \(RequestText.state(request, isAlone: isAlone)), and was not \(done)",
            notes: [rule, "nothing was done"],
            help: (request.state == .pending
                ? ["to launch it now: curfew launch \(request.id)\(place.option)"] : [])
                + ["curfew show \(request.id)\(place.option)"])
    }
}
