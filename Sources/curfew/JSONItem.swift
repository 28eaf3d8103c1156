// SPDX-License-Identifier: Apache-2.0

/// A value to be written as JSON, on one line and as RFC 8259 has it. Members keep their order.
enum JSONItem {
    case null
    case bool(Bool)
    case integer(Int64)
    /// `null` unless it is finite: JSON has no other numbers.
    case number(Double)
    /// Nanoseconds, written as seconds without loss.
    case seconds(UInt64)
    case text(String)
    case list([JSONItem])
    case object([(key: String, value: JSONItem)])

    static func text(orNull text: String?) -> JSONItem { text.map { .text($0) } ?? .null }

    var written: String {
        var result = ""
        write(to: &result)
        return result
    }

    private func write(to result: inout String) {
        switch self {
        case .null: result += "null"
        case .bool(let value): result += value ? "true" : "false"
        case .integer(let value): result += String(value)
        case .number(let value): result += value.isFinite ? String(value) : "null"
        case .seconds(let nanoseconds):
            var text = TimeText.seconds(nanoseconds, decimals: 9)
            while text.hasSuffix("0"), !text.hasSuffix(".0") { text.removeLast() }
            result += text
        case .text(let text): JSONItem.write(text, to: &result)
        case .list(let items):
            result += "["
            for (index, item) in items.enumerated() {
                if index > 0 { result += "," }
                item.write(to: &result)
            }
            result += "]"
        case .object(let members):
            result += "{"
            for (index, member) in members.enumerated() {
                if index > 0 { result += "," }
                JSONItem.write(member.key, to: &result)
                result += ":"
                member.value.write(to: &result)
            }
            result += "}"
        }
    }

    /// Control characters, also those beyond ASCII that a terminal would obey, go as escapes: what
    /// is written can be looked at.
    private static func write(_ text: String, to result: inout String) {
        result += "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            default:
                switch scalar.value {
                case 0..<0x20, 0x7F..<0xA0, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069:
                    let digits = String(scalar.value, radix: 16)
                    result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                default: result.unicodeScalars.append(scalar)
                }
            }
        }
        result += "\""
    }
}
