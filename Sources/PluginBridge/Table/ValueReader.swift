// SPDX-License-Identifier: Apache-2.0
package import CCurfew
package import Scheduling

/// Reads an array of `curfew_value` into values of the host's own.
package enum ValueReader {
    /// The longest text of an event parameter, in bytes; longer ones are cut.
    package static let textLimit = 64 * 1024
    /// Up to and with `text_bytes`, which every version has.
    private static let least = 40

    /// The values, and the defect of a text that was accepted all the same.
    struct Values {
        var values: [EventValue] = []
        var flaw: PluginText.Flaw?
    }

    /// Why nothing was read: to be put after "its parameters", or "its parameter 2".
    struct Fault: Error {
        var rule = ContractRule.eventTypes
        let text: String
    }

    /// Returns nil for a value of an unknown type or one that does not fit it, a NULL text, or an
    /// impossible size.
    package static func read(_ values: UnsafePointer<curfew_value>?, count: Int) -> [EventValue]? {
        try? check(values, count: count).values
    }

    /// Checks the values and returns the fault.
    static func check(
        _ values: UnsafePointer<curfew_value>?, count: Int
    ) throws(Fault) -> Values {
        var result = Values()
        guard count > 0 else { return result }
        guard count <= EventSelector.arityLimit else {
            throw Fault(
                rule: .eventName,
                text: "there are \(count) parameters, and the limit is \(EventSelector.arityLimit)")
        }
        guard let values else {
            throw Fault(text: "the parameters are NULL, and \(count) were announced")
        }
        let stride = Int(values.pointee.struct_size)
        guard stride >= least, stride <= 4096, stride % 8 == 0 else {
            throw Fault(
                rule: .structSize, text: "curfew_value.struct_size is \(stride), that of no version"
            )
        }
        result.values.reserveCapacity(count)
        for index in 0..<count {
            let value = (UnsafeRawPointer(values) + index * stride).load(as: curfew_value.self)
            try read(value, index + 1, into: &result)
        }
        return result
    }

    private static func read(
        _ value: curfew_value, _ number: Int, into result: inout Values
    ) throws(Fault) {
        switch EventType(rawValue: value.type) {
        case .bool: result.values.append(.bool(value.integer != 0))
        case .int32:
            guard let integer = Int32(exactly: value.integer) else {
                throw Fault(text: "parameter \(number) is \(value.integer), which is no int32")
            }
            result.values.append(.int32(integer))
        case .int64: result.values.append(.int64(value.integer))
        case .double: result.values.append(.double(value.number))
        case .text:
            guard let start = value.text else {
                throw Fault(text: "parameter \(number) is a text that is NULL")
            }
            guard value.text_bytes <= UInt64(Int.max) else {
                throw Fault(
                    text:
                        "parameter \(number) is a text of \(value.text_bytes) bytes, more than any memory has"
                )
            }
            let text = PluginText(start, value.text_bytes, limit: textLimit)
            result.values.append(.text(text.text))
            if result.flaw == nil { result.flaw = text.flaw }
        case nil: throw Fault(text: "parameter \(number) has the unknown type \(value.type)")
        }
    }
}
