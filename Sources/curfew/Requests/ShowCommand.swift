// SPDX-License-Identifier: Apache-2.0
import CSystem
import Curfew
import Glibc
import Scheduling

/// `curfew show`
enum ShowCommand {
    private static let payloadOption = CommandOption(
        name: "payload", summary: "print the bytes of its payload, and nothing else")

    private static let pictureOption = CommandOption(
        name: "svg", summary: "print a picture of its waits and launches, in SVG, for one request")

    static let command = Command(
        name: "show", summary: "print everything about requests",
        operands: "REQUEST…", operandCount: 1...10_000, operandSort: .request,
        options: [payloadOption, pictureOption, .store, .socket, .json],
        details: [
            """
            Prints the request as submitted, its state, the end of each attempt, and its
            journal. The payload appears by its size; --payload prints its bytes. 3-7 names
            all requests with these numbers.
            """,
            """
            For the last attempt, and the last one that did not succeed, it also prints what
            the task left: the last lines of its log (at most 50, and 8 KiB), its result (at
            most 4 KiB), its last progress, and the resources it used. A host that is killed
            leaves nothing of the tasks that ran.
            """,
        ],
        exits: ExitMeaning.looking,
        sections: [
            HelpSection(
                title: "with --json",
                text: "One object a line for each request. Dates are in UTC, spans are seconds.",
                rows: RequestItem.rows + RequestItem.attemptRows + [
                    ("journal", "its last entries, as `curfew log --json` has them")
                ])
        ],
        examples: [
            "curfew show 12", "curfew show 12 --payload | jq .",
            "curfew show 12 --svg >request.svg",
        ]
    ) { arguments, console throws(CommandError) in
        let selection = try RequestSelection(arguments.operands)
        if let host = try RemoteHost(arguments) {
            try host.refuse([payloadOption, pictureOption], arguments)
            try host.each(selection) { (id, isFirst) throws(CommandError) in
                try host.show(
                    RemoteHost.Target("/v1/requests/\(id)"), console, isJSON: arguments.has(.json),
                    isFirst: isFirst)
            }
            return .ok
        }
        let place = try StorePlace(arguments)
        guard !arguments.has(payloadOption) || !arguments.has(.json) else {
            throw CommandError(
                .usage, "`--payload` and `--json` both want standard output",
                help: ["leave one of them out"])
        }
        let store = try place.open()
        if arguments.has(pictureOption) {
            try writePicture(selection, arguments, store, place, console.out)
            return .ok
        }
        for (index, id) in try selection.ids(in: store, place).enumerated() {
            if arguments.has(payloadOption) {
                try writePayload(id, store, place, console.out)
                continue
            }
            guard let record = try RequestRecord(id, store) else {
                throw RequestArgument.unknown(id, place)
            }
            let isAlone = HostNote.isAlone(store)
            if arguments.has(.json) {
                console.out.line(record.item(isAlone: isAlone).written)
            } else {
                if index > 0 { console.out.line() }
                RequestScreen(record, place, isAlone: isAlone, console.out).print()
            }
        }
        return .ok
    }

    private static func writePicture(
        _ selection: RequestSelection, _ arguments: Arguments, _ store: StoreClient,
        _ place: StorePlace, _ out: Output
    ) throws(CommandError) {
        guard !arguments.has(payloadOption), !arguments.has(.json) else {
            throw CommandError(
                .usage, "`--svg` and another option both want standard output",
                help: ["leave one of them out"])
        }
        let ids = try selection.ids(in: store, place)
        guard ids.count == 1, let id = ids.first else {
            throw CommandError(
                .usage, "`--svg` is a picture of one request", help: ["name one of them"])
        }
        guard let record = try RequestRecord(id, store),
            let history = try RequestHistory(id, store, at: csys_realtime_ns())
        else { throw RequestArgument.unknown(id, place) }
        out.write(RequestPicture(record, history).text)
    }

    private static func writePayload(
        _ id: RequestID, _ store: StoreClient, _ place: StorePlace, _ out: Output
    ) throws(CommandError) {
        let payload = try StorePlace.translated { () throws(StoreFault) in
            try store.read { (transaction) throws(StoreFault) -> [UInt8]? in
                guard try transaction.request(id) != nil else { return nil }
                return try transaction.payload(of: id)
            }
        }
        guard let payload else { throw RequestArgument.unknown(id, place) }
        out.write(bytes: payload)
    }
}
