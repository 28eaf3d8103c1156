// SPDX-License-Identifier: Apache-2.0
package import Scheduling

/// Appends the parts of a message between a host and a plugin's process; `ChannelReader` reads them in
/// the same order.
package struct ChannelWriter {
    package private(set) var bytes: [UInt8] = []

    package init() {}

    package mutating func add(_ number: some FixedWidthInteger) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }

    package mutating func add(_ number: Double) { add(number.bitPattern) }

    package mutating func add(_ flag: Bool) { add(flag ? UInt8(1) : 0) }

    package mutating func add(_ raw: UnsafeRawBufferPointer) {
        add(UInt64(raw.count))
        bytes.append(contentsOf: raw)
    }

    package mutating func add(_ text: String) {
        var text = text
        text.withUTF8 { add(UnsafeRawBufferPointer($0)) }
    }

    package mutating func add(_ error: BridgeError?) {
        add(error?.status.rawValue ?? 0)
        add(error?.message ?? "")
        add(error?.rule ?? "")
    }

    package mutating func add(_ selector: EventSelector) {
        add(selector.name)
        add(UInt8(selector.arity))
    }

    package mutating func add(_ values: [EventValue]) {
        add(UInt8(values.count))
        for value in values {
            switch value {
            case .bool(let flag):
                add(UInt8(1))
                add(flag)
            case .int32(let number):
                add(UInt8(2))
                add(number)
            case .int64(let number):
                add(UInt8(3))
                add(number)
            case .double(let number):
                add(UInt8(4))
                add(number)
            case .text(let text):
                add(UInt8(5))
                add(text)
            }
        }
    }
}
