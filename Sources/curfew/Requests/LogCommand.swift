// SPDX-License-Identifier: Apache-2.0
import CSystem
import Curfew
import Glibc
import Scheduling

/// `curfew log`
enum LogCommand {
    private static let followOption = CommandOption(
        name: "follow", letter: "f", summary: "wait for new entries, until a signal")
    private static let afterOption = CommandOption(
        name: "after", value: "N", summary: "print the entries after this number")
    private static let limitOption = CommandOption(
        name: "limit", value: "N", summary: "print at most N, the last ones; default 100")

    static let command = Command(
        name: "log", summary: "print the journal of requests, one line an entry",
        operands: "[REQUEST…]", operandCount: 0...10_000, operandSort: .request,
        options: [followOption, afterOption, limitOption, .store, .json],
        details: [
            """
            Prints the journal of a store: the number of the entry, its time, the request,
            the change, and details. The numbers have no gaps; if some are missing, old
            entries were removed. With requests, only their entries are printed; 3-7 names
            all requests with these numbers.
            """,
            """
            --after N prints all entries after N, unless --limit is given: a program that
            stores the last number misses no entry. --follow ends with SIGINT, or when its
            reader is gone. A server that the store is on may be away for a minute meanwhile.
            """,
        ],
        exits: ExitMeaning.looking,
        sections: [
            HelpSection(
                title: "with --json", text: "One object a line.",
                rows: [
                    ("sequence", "the number of the entry"), ("at", "when, in UTC"),
                    (
                        "what",
                        JournalEntry.What.allCases.map(\.name).joined(separator: ", ") + "; or gap"
                    ),
                    ("request, identifier, launch", "its subject, or null"),
                    ("detail", "more about it, for people"),
                    ("missing", "for a gap: the number of missing entries"),
                ])
        ],
        examples: ["curfew log", "curfew log 12 --follow", "curfew log --after 1500 --json"]
    ) { arguments, console throws(CommandError) in
        let place = try StorePlace(arguments)
        let after = try arguments.value(afterOption).map { (text) throws(CommandError) in
            try NumberArgument.value(text, for: "--after", range: 0...UInt64(Int64.max))
        }
        let limit = try arguments.value(limitOption).map { (text) throws(CommandError) in
            Int(try NumberArgument.value(text, for: "--limit", range: 1...10_000_000))
        }
        let store = try place.open()
        var ids: Set<RequestID> = []
        for text in arguments.operands { ids.formUnion(try requests(text, store, place)) }
        let reader = JournalReader(
            store, of: ids,
            JournalLines(console.out, isJSON: arguments.has(.json), isOfOne: ids.count == 1))
        if let after {
            try reader.show(after: after, limit: limit ?? .max)
        } else {
            try reader.showLast(limit ?? 100)
        }
        if arguments.has(followOption) { try reader.follow(console) }
        return .ok
    }

    /// - Parameter text: an operand.
    private static func requests(
        _ text: String, _ store: StoreClient, _ place: StorePlace
    ) throws(CommandError) -> [RequestID] {
        let selection = try RequestSelection([text])
        if let id = RequestArgument.parse(text) {
            // Its journal may be kept longer than itself.
            let hasEntries = try StorePlace.translated { () throws(StoreFault) in
                try store.read { (transaction) throws(StoreFault) in
                    try !transaction.journal(after: 0, of: id, limit: 1).isEmpty
                }
            }
            if hasEntries { return [id] }
        }
        return try selection.ids(in: store, place)
    }
}
