// SPDX-License-Identifier: Apache-2.0

/// A finding of `curfew doctor` about one part of the machine.
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

    static func ok(_ part: String, _ text: String) -> Finding {
        Finding(part: part, state: .ok, text: text, mend: nil)
    }

    static func warn(_ part: String, _ text: String, mend: String? = nil) -> Finding {
        Finding(part: part, state: .warn, text: text, mend: mend)
    }

    static func fail(_ part: String, _ text: String, mend: String? = nil) -> Finding {
        Finding(part: part, state: .fail, text: text, mend: mend)
    }
}
