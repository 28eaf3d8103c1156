// SPDX-License-Identifier: Apache-2.0
import Curfew
import Scheduling

/// Reads the numbers of requests, and finds what they name.
enum RequestArgument {
    static func value(_ text: String) throws(CommandError) -> RequestID {
        guard let id = parse(text) else {
            throw CommandError(
                .usage, "`\(text)` is not the number of a request",
                notes: ["nothing was done"],
                help: ["`curfew ps` shows the numbers: 1, 2, 3, …", "curfew ps --all"])
        }
        return id
    }

    /// Returns nil if the text is no id.
    static func parse(_ text: String) -> RequestID? {
        // Ids of a store have 63 bits.
        guard let number = NumberArgument.parse(text), number > 0, number <= UInt64(Int64.max)
        else { return nil }
        return RequestID(rawValue: number)
    }

    /// Prints the identifier that may be meant by one of which the store has no request.
    ///
    /// - Parameter words: the command and the option.
    static func suggest(
        _ identifier: String, _ words: String, _ store: StoreClient, _ place: StorePlace,
        _ console: Console
    ) throws(CommandError) {
        let found = try StorePlace.translated { () throws(StoreFault) in
            try store.read { (transaction) throws(StoreFault) in
                try transaction.overview(RequestFilter(limit: searched)).requests
            }
        }
        let identifiers = Set(found.map(\.description.identifier))
        guard !identifiers.contains(identifier),
            let meant = Suggestion.identifier(near: identifier, among: identifiers.sorted())
        else { return }
        console.errors.line(
            "  = help: did you mean `curfew \(words) \(ShellWord.quoted(meant))\(place.option)`?")
    }

    /// The maximum number of requests among whose identifiers one is searched.
    private static var searched: Int { 1_000 }

    static func unknown(_ id: RequestID, _ place: StorePlace) -> CommandError {
        unknown("\(id)", place)
    }

    /// - Parameter text: a number, or a range of them.
    static func unknown(_ text: String, _ place: StorePlace) -> CommandError {
        CommandError(
            .missing, "there is no request \(text)",
            notes: [
                "searched \(place.directory), which keeps finished requests for a week by default"
            ],
            help: ["curfew ps --all" + place.option])
    }
}
