// SPDX-License-Identifier: Apache-2.0

/// One thing that can be wrong, as a person looks it up: `curfew explain CF0203`.
///
/// The number and the name are for ever: neither is given to anything else, also when the fault
/// itself is gone.
public struct Fault: Hashable, Sendable {
    /// 1…9999, by hundreds: statuses 00, JSON 01, manifests 02, loading 03, lists of what is
    /// permitted 04, misbehaviour of plugins 07, the cases of conform 08.
    public let number: UInt16
    /// The name of the rule in diagnostics and JSON, `json-trailing-comma`.
    public let name: String
    /// What is wrong, in general: one line, lower case, no full stop.
    public let text: String
    /// Why the rule is there, and how to mend what breaks it: a few sentences.
    public let explanation: String
    /// What a call answers that meets it, where that is one status; of a status, itself.
    public let answer: Status?

    init(
        _ number: UInt16, _ name: String, _ text: String, _ explanation: String,
        answer: Status? = nil
    ) {
        self.number = number
        self.name = name
        self.text = text
        self.explanation = explanation
        self.answer = answer
    }

    /// `CF` and four digits.
    public var code: String {
        let digits = String(number)
        return "CF" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }

    /// The fault of a rule's name; every rule has one.
    public static func named(_ name: String) -> Fault? { byName[name] }

    /// The fault of a code, however it is written: `CF0203`, `cf203`, `203`.
    public static func coded(_ code: String) -> Fault? {
        let digits = code.lowercased().hasPrefix("cf") ? code.dropFirst(2) : code[...]
        guard digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let number = UInt16(digits)
        else { return nil }
        return all.first { $0.number == number }
    }

    /// The fault of a status; OK and numbers that are no status have none.
    public static func of(_ status: Status) -> Fault? {
        UInt16(exactly: status.rawValue).flatMap { number in
            all.first { $0.number == number && $0.number < 100 }
        }
    }

    private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })
}
