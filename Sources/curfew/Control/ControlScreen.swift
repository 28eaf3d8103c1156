// SPDX-License-Identifier: Apache-2.0
import Service

/// An answer as a command prints it, for a terminal or a pipe: what goes to standard output and to standard error.
struct ControlScreen: Sendable {
    private let columns: Int?
    private let isRich: Bool

    /// Nil where the answer is JSON. `screen` of the query is the number of columns, or 0 for a pipe.
    init?(_ query: ControlQuery) throws(HTTPFault) {
        guard let columns = try query.number("screen", 0...1_000) else {
            guard query["colour"] == nil else {
                throw HTTPFault(400, "query", "`colour` is for a `screen`", help: ["leave it out"])
            }
            return nil
        }
        guard query["colour"] == nil || query["colour"] == "true" else {
            throw HTTPFault(400, "query", "`colour` can only be true", help: ["leave it out"])
        }
        self.columns = columns == 0 ? nil : Int(max(columns, 20))
        isRich = query["colour"] != nil
    }

    func item(
        _ print: (Console) throws(CommandError) -> Void
    ) throws(CommandError) -> JSONItem {
        let console = Console(
            Output(columns: columns, isRich: isRich), Output(columns: columns, isRich: isRich))
        try print(console)
        return .object([
            ("output", .text(console.out.text)), ("notes", .text(console.errors.text)),
        ])
    }
}
