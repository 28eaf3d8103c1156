// SPDX-License-Identifier: Apache-2.0

/// The value of one member of a line that the harness prints.
enum JSONField {
    case text(String)
    case number(Int64)
    case bool(Bool)
    case numbers([String: Int64])

    /// As JSON; texts are cut after 1,000 characters, their length in bytes being told elsewhere.
    var json: String {
        switch self {
        case .text(let text): Self.quoted(text)
        case .number(let number): String(number)
        case .bool(let bool): bool ? "true" : "false"
        case .numbers(let numbers):
            "{"
                + numbers.sorted { $0.key < $1.key }
                .map { "\(Self.quoted($0.key)):\($0.value)" }.joined(separator: ",") + "}"
        }
    }

    static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars.prefix(1_000) {
            switch scalar {
            case "\"", "\\":
                result += "\\"
                result.unicodeScalars.append(scalar)
            case "\u{0}"..<"\u{20}":
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
