// SPDX-License-Identifier: Apache-2.0
import PluginBridge

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
        // More than a short answer has, which would otherwise be moved three times.
        result.reserveCapacity(128)
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
        case .text(let text): JSONText.append(text, to: &result)
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
                JSONText.append(member.key, to: &result)
                result += ":"
                member.value.write(to: &result)
            }
            result += "}"
        }
    }
}
