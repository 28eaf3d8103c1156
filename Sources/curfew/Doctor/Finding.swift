// SPDX-License-Identifier: Apache-2.0
import PluginBridge

/// What `curfew doctor` finds about a part of the machine, and `curfew health` about a part of a host.
struct Finding {
    enum State: String {
        case ok, warn, fail

        var colour: Colour {
            switch self {
            case .ok: .good
            case .warn: .warning
            case .fail: .alarm
            }
        }
    }

    /// The part: "store".
    let part: String
    let state: State
    /// The finding: lower case, no full stop. It may quote untrusted text.
    let text: String
    /// The command that mends it; nil if there is none.
    let mend: String?

    private init(part: String, state: State, text: String, mend: String?) {
        (self.part, self.state, self.text, self.mend) = (part, state, text, mend)
    }

    static func ok(_ part: String, _ text: String) -> Finding {
        Finding(part: part, state: .ok, text: text, mend: nil)
    }

    static func warn(_ part: String, _ text: String, mend: String? = nil) -> Finding {
        Finding(part: part, state: .warn, text: text, mend: mend)
    }

    static func fail(_ part: String, _ text: String, mend: String? = nil) -> Finding {
        Finding(part: part, state: .fail, text: text, mend: mend)
    }

    /// Reads the form of `item`; nil for something else.
    init?(_ item: JSONValue) {
        guard let part = item["part"]?.text, let text = item["text"]?.text,
            let state = item["state"]?.text.flatMap(State.init)
        else { return nil }
        self.init(part: part, state: state, text: text, mend: item["mend"]?.text)
    }

    // MARK: Showing

    /// The width of the word and the part, with two blanks after each.
    private static let start = 4 + 2 + 13 + 2

    /// Prints what was found, and what mends it below.
    func print(_ out: Output) {
        let word = Shown.padded(state.rawValue, 4)
        out.line(
            out.paint(word, state.colour) + "  " + Shown.padded(Shown.line(part), 13) + "  "
                + out.wrapped(Shown.line(text), after: Self.start, indent: Self.start))
        guard let mend else { return }
        // A command is not wrapped, so that it can be copied.
        out.line(String(repeating: " ", count: Self.start) + "help: " + Shown.line(mend))
    }

    var item: JSONItem {
        .object([
            ("part", .text(part)), ("state", .text(state.rawValue)), ("text", .text(text)),
            ("mend", .text(orNull: mend)),
        ])
    }
}
