// SPDX-License-Identifier: Apache-2.0
import CSystem
import Curfew
import Glibc
import Scheduling

/// `curfew log`
enum LogCommand {
    private static let followOption = CommandOption(
        name: "follow", letter: "f", summary: "go on with what happens, until it is told to stop")
    private static let afterOption = CommandOption(
        name: "after", value: "N", summary: "begin with the entry after that number")
    private static let limitOption = CommandOption(
        name: "limit", value: "N", summary: "at most so many, the last ones; 100 without it")

    static let command = Command(
        name: "log", summary: "what happened to requests, one line each",
        operands: "[REQUEST]", operandCount: 0...1, operandSort: .request,
        options: [followOption, afterOption, limitOption, .store, .json],
        details: [
            """
            The journal of a store: the number of the entry, when, which request, what
            happened, and more about it. Numbers without a gap are the whole story; where
            some are missing, what was there was removed because it was old.
            """,
            """
            --after N begins with the entry after N, and shows all there are unless --limit
            says otherwise: who keeps the last number misses nothing. --follow ends with
            Ctrl-C, or when nobody reads any more.
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
                    ("request, identifier, launch", "what it is about, or null"),
                    ("detail", "more about it, for people"),
                    ("missing", "of a gap: how many entries are not there"),
                ])
        ],
        examples: ["curfew log", "curfew log 12 --follow", "curfew log --after 1500 --json"]
    ) { arguments, console throws(CommandError) in
        let place = try StorePlace(arguments)
        let id = try arguments.operands.first.map { (text) throws(CommandError) in
            try RequestArgument.value(text)
        }
        let after = try arguments.value(afterOption).map { (text) throws(CommandError) in
            try NumberArgument.value(text, for: "--after", range: 0...UInt64(Int64.max))
        }
        let limit = try arguments.value(limitOption).map { (text) throws(CommandError) in
            Int(try NumberArgument.value(text, for: "--limit", range: 1...10_000_000))
        }
        let store = try place.open()
        if let id {
            let isKnown = try StorePlace.translated { () throws(StoreFault) in
                try store.read { (transaction) throws(StoreFault) in
                    // Its journal may be kept longer than itself.
                    if try transaction.request(id) != nil { return true }
                    return try !transaction.journal(after: 0, of: id, limit: 1).isEmpty
                }
            }
            guard isKnown else { throw RequestArgument.unknown(id, place) }
        }
        let reader = JournalReader(
            store, of: id,
            JournalLines(console.out, isJSON: arguments.has(.json), isOfOne: id != nil))
        if let after {
            try reader.show(after: after, limit: limit ?? .max)
        } else {
            try reader.showLast(limit ?? 100)
        }
        if arguments.has(followOption) { try reader.follow() }
        return .ok
    }
}
