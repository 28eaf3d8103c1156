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

    static func unknown(_ id: RequestID, _ place: StorePlace) -> CommandError {
        unknown("\(id)", place)
    }

    /// - Parameter text: a number, or a range of them.
    static func unknown(_ text: String, _ place: StorePlace) -> CommandError {
        CommandError(
            .missing, "there is no request \(text)",
            notes: ["searched \(place.directory), which keeps finished requests for a week"],
            help: ["curfew ps --all" + place.option])
    }
}
