// SPDX-License-Identifier: Apache-2.0

/// An error code with its explanation, as `curfew explain CF0203` prints it.
///
/// The number and the name are permanent: neither is reused, even after the fault itself is removed.
package struct Fault: Hashable, Sendable {
    /// 1…9999. The hundreds are the family: status codes 00, manifest syntax 01, manifest values 02,
    /// loading 03, permitted handlers 04, configuration 05, plugin contract 07, conformance cases 08.
    package let number: UInt16
    /// The name of the rule in diagnostics and JSON, `json-trailing-comma`.
    package let name: String
    /// The fault in one line, lower case, without a full stop.
    package let text: String
    /// The reason of the rule, and how to mend what breaks it: a few sentences, one paragraph.
    package let explanation: String
    /// The status that a call returns for the fault, where there is one; for a status, itself.
    package let answer: Status?

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

    /// All faults, by ascending number.
    package static let all: [Fault] = FaultPage.all.flatMap(\.faults)

    /// `CF` and four digits.
    package var code: String {
        let digits = String(number)
        return "CF" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }

    /// Returns the fault that a rule's name leads to. Every rule has one.
    package static func named(_ name: String) -> Fault? { byName[name] }

    /// Returns the fault of a code, in any of the forms `CF0203`, `cf203`, `203`.
    package static func coded(_ code: String) -> Fault? {
        let digits = code.lowercased().hasPrefix("cf") ? code.dropFirst(2) : code[...]
        guard digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let number = UInt16(digits)
        else { return nil }
        return all.first { $0.number == number }
    }

    /// Returns the fault of a status. `CURFEW_OK` and numbers that are no status have none.
    package static func of(_ status: Status) -> Fault? {
        UInt16(exactly: status.rawValue).flatMap { number in
            all.first { $0.number == number && $0.number < 100 }
        }
    }

    private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })
}
