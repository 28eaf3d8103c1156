// SPDX-License-Identifier: Apache-2.0
import CSystem
import Curfew
import Scheduling

/// `curfew lift`
enum LiftCommand {
    static let command = Command(
        name: "lift", summary: "let a parked request be launched again",
        operands: "REQUEST", operandCount: 1...1, operandSort: .request,
        options: [.store, .json],
        details: [
            """
            A request is parked when the process of its host ended several times in a row
            while its task ran: it might take the next one down too. Lift it once its
            handler is mended, or cancel it.
            """
        ],
        exits: [
            ExitMeaning(.ok, "it is pending again"), ExitMeaning.unwritten, ExitMeaning.usage,
            ExitMeaning.missing, ExitMeaning.denied, ExitMeaning.storeUnavailable,
            ExitMeaning(.conflict, "it is not parked; nothing was done"),
        ],
        examples: ["curfew lift 12"]
    ) { arguments, console throws(CommandError) in
        let place = try StorePlace(arguments)
        let id = try RequestArgument.value(arguments.operands[0])
        let store = try place.open()
        let now = csys_realtime_ns()
        let (isLifted, request) = try StorePlace.translated { () throws(StoreFault) in
            try store.write { (ledger, transaction) throws(StoreFault) in
                (try ledger.lift(id, at: now, transaction), try transaction.request(id))
            }
        }
        guard let request else { throw RequestArgument.unknown(id, place) }
        guard isLifted else {
            throw CommandError(
                .conflict, "request \(id) is not parked, it is \(RequestText.state(request))",
                notes: ["nothing was done"], help: ["curfew show \(id)\(place.option)"])
        }
        if arguments.has(.json) {
            console.out.line(RequestItem.item(request).written)
        } else {
            console.out.line(
                "\(id)  \(Shown.line(request.description.identifier))  pending again, and may begin at once"
            )
            HostNote.print(store, console.errors)
        }
        return .ok
    }
}
