// SPDX-License-Identifier: Apache-2.0
import PluginBridge

/// `curfew explain`
enum ExplainCommand {
    static let command = Command(
        name: "explain", summary: "explain the code of an error, a log line or a status",
        operands: "[CODE|NAME]", operandCount: 0...1, operandSort: .fault,
        options: [.json],
        details: [
            """
            CODE is in the brackets of an error, or at the beginning of a log line: CF0704,
            or 704. NAME is the rule beside it, undeclared-event, or a status of the
            headers, CURFEW_BUSY. Without an operand the command lists all codes.
            """
        ],
        exits: [
            ExitMeaning(.ok, "success"), ExitMeaning.unwritten,
            ExitMeaning(.usage, "there is no such code, or the command line is wrong"),
        ],
        examples: ["curfew explain CF0212", "curfew explain manifest-duration"]
    ) { arguments, console throws(CommandError) in
        let out = console.out
        guard let word = arguments.operands.first else {
            if arguments.has(.json) {
                out.line(JSONItem.object([("faults", .list(Fault.all.map(item)))]).written)
            } else {
                list(out)
            }
            return .ok
        }
        guard let fault = find(word) else { throw unknown(word) }
        if arguments.has(.json) {
            out.line(item(fault).written)
        } else {
            explain(fault, out)
        }
        return .ok
    }

    /// The title of the page that explains a fault.
    private static func title(of fault: Fault) -> String? {
        FaultPage.all.first { $0.faults.contains(fault) }?.title
    }

    private static func find(_ word: String) -> Fault? {
        Fault.coded(word) ?? Fault.named(word.lowercased().replacing("_", with: "-"))
            ?? Fault.named(name(word))
    }

    /// Returns the name of a rule or status, as a constant of the headers has it.
    private static func name(_ word: String) -> String {
        let name = word.lowercased().replacing("_", with: "-")
        return name.hasPrefix("curfew-") ? String(name.dropFirst(7)) : name
    }

    private static func unknown(_ word: String) -> CommandError {
        var help = ["curfew explain"]
        let digits = word.lowercased().hasPrefix("cf") ? word.dropFirst(2) : word[...]
        let near =
            if let number = Int(digits), number > 0 {
                Fault.all.min { abs(Int($0.number) - number) < abs(Int($1.number) - number) }?.code
            } else {
                Suggestion.nearest(to: name(word), among: Fault.all.map(\.name))
            }
        if let near { help.insert("did you mean `\(near)`?", at: 0) }
        return CommandError(.usage, "there is no code and no rule `\(word)`", help: help)
    }

    // MARK: Text

    private static var width: Int { 80 }

    private static func explain(_ fault: Fault, _ out: Output) {
        out.line(out.paint(fault.code, .strong) + "  " + out.paint(fault.name, .strong))
        let columns = min(width, out.columns ?? width)
        for line in Shown.wrapped(fault.text, columns) { out.line(line) }
        out.line()
        for line in Shown.wrapped(fault.explanation, columns) { out.line(line) }
        guard let answer = fault.answer, let constant = answer.constant else { return }
        out.line()
        if let status = Fault.of(answer), status != fault {
            out.line(
                "the call answers \(constant): "
                    + out.paint("curfew explain \(status.code)", .accent))
        } else {
            out.line("in the headers: \(constant), \(answer.rawValue)")
        }
    }

    private static func list(_ out: Output) {
        let columns = min(width, out.columns ?? width)
        for (index, page) in FaultPage.all.enumerated() {
            if index > 0 { out.line() }
            out.line(out.paint(page.title + ":", .strong))
            let lines = TermList.lines(
                page.faults.map { ($0.code + "  " + $0.name, $0.text) }, columns: columns
            ) { term in
                out.paint(String(term.prefix(6)), .accent) + term.dropFirst(6)
            }
            for line in lines { out.line(line) }
        }
        out.line()
        out.line("`curfew explain CODE` explains one")
    }

    // MARK: JSON

    private static func item(_ fault: Fault) -> JSONItem {
        .object([
            ("code", .text(fault.code)), ("name", .text(fault.name)),
            ("group", .text(orNull: title(of: fault))), ("text", .text(fault.text)),
            ("explanation", .text(fault.explanation)),
            ("status", .text(orNull: fault.answer?.constant)),
            ("statusValue", fault.answer.map { .integer(Int64($0.rawValue)) } ?? .null),
        ])
    }
}
