// SPDX-License-Identifier: Apache-2.0
package import Scheduling

/// Reads the parts of a message between a host and a plugin's process. Nothing that it says is trusted:
/// each function returns nil once a part does not fit, and then for all that follow.
///
/// The bytes are private memory of the reading process.
package struct ChannelReader {
    private var rest: UnsafeRawBufferPointer
    private var isSound = true

    package init(_ bytes: UnsafeRawBufferPointer) { rest = bytes }

    /// Whether everything was read, and nothing was missing.
    package var isComplete: Bool { isSound && rest.isEmpty }

    package mutating func number<Number: FixedWidthInteger>(_: Number.Type) -> Number? {
        guard let part = take(MemoryLayout<Number>.size) else { return nil }
        return Number(littleEndian: part.loadUnaligned(as: Number.self))
    }

    package mutating func double() -> Double? { number(UInt64.self).map(Double.init(bitPattern:)) }

    package mutating func flag() -> Bool? { number(UInt8.self).map { $0 != 0 } }

    /// The bytes are valid as long as the message.
    package mutating func raw() -> UnsafeRawBufferPointer? {
        guard let count = number(UInt64.self), count <= UInt64(rest.count) else {
            isSound = false
            return nil
        }
        return take(Int(count))
    }

    /// Returns a text; what is no UTF-8 is repaired.
    package mutating func text() -> String? { raw().map { String(decoding: $0, as: UTF8.self) } }

    /// Returns an error, or nil inside when there is none.
    package mutating func error() -> BridgeError?? {
        guard let status = number(Int32.self), let message = text(), let rule = text() else {
            return nil
        }
        guard status != 0 else { return .some(nil) }
        return BridgeError(Status(rawValue: status), message, rule: rule.isEmpty ? nil : rule)
    }

    package mutating func selector() -> EventSelector? {
        guard let name = text(), let arity = number(UInt8.self) else { return nil }
        return EventSelector(name: name, arity: Int(arity))
    }

    package mutating func values() -> [EventValue]? {
        guard let count = number(UInt8.self), count <= EventSelector.arityLimit else { return nil }
        var values: [EventValue] = []
        for _ in 0..<count {
            let value: EventValue? =
                switch number(UInt8.self) {
                case 1: flag().map { .bool($0) }
                case 2: number(Int32.self).map { .int32($0) }
                case 3: number(Int64.self).map { .int64($0) }
                case 4: double().map { .double($0) }
                case 5: text().map { .text($0) }
                default: nil
                }
            guard let value else { return nil }
            values.append(value)
        }
        return values
    }

    /// Copies everything that was not read.
    package mutating func takeRest() -> [UInt8] {
        defer { rest = UnsafeRawBufferPointer(start: nil, count: 0) }
        return Array(rest)
    }

    private mutating func take(_ count: Int) -> UnsafeRawBufferPointer? {
        guard isSound, count <= rest.count else {
            isSound = false
            return nil
        }
        defer { rest = UnsafeRawBufferPointer(rebasing: rest[count...]) }
        return UnsafeRawBufferPointer(rebasing: rest[..<count])
    }
}
