// SPDX-License-Identifier: Apache-2.0
import CSystem
import Curfew
import Scheduling

/// `curfew release`
enum ReleaseCommand {
    static let command = Command(
        name: "release", summary: "make a parked request pending again",
        operands: "REQUEST", operandCount: 1...1, operandSort: .request,
        options: [.store, .json],
        details: [
            """
            A host parks a request whose task ran when the process crashed, several times in
            a row: the task may have caused the crashes. Release the request once its
            handler is mended, or cancel it.
            """
        ],
        exits: [
            ExitMeaning(.ok, "it is pending again"), ExitMeaning.unwritten, ExitMeaning.usage,
            ExitMeaning.missing, ExitMeaning.denied, ExitMeaning.storeUnavailable,
            ExitMeaning(.conflict, "it is not parked; nothing was done"),
        ],
        examples: ["curfew release 12"]
    ) { arguments, console throws(CommandError) in
        let place = try StorePlace(arguments)
        let id = try RequestArgument.value(arguments.operands[0])
        let store = try place.open()
        let now = csys_realtime_ns()
        let (isReleased, request) = try StorePlace.translated { () throws(StoreFault) in
            try store.write { (ledger, transaction) throws(StoreFault) in
                (try ledger.release(id, at: now, transaction).value, try transaction.request(id))
            }
        }
        guard let request else { throw RequestArgument.unknown(id, place) }
        guard isReleased else {
            throw CommandError(
                .conflict, "request \(id) is not parked, it is \(RequestText.state(request))",
                notes: ["nothing was done"], help: ["curfew show \(id)\(place.option)"])
        }
        if arguments.has(.json) {
            console.out.line(RequestItem.item(request).written)
        } else {
            console.out.line(
                "\(id)  \(Shown.line(request.description.identifier))  pending again, and may be launched at once"
            )
            HostNote.print(store, console.errors)
        }
        return .ok
    }
}
