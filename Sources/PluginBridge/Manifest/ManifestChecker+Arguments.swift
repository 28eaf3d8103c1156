// SPDX-License-Identifier: Apache-2.0

extension ManifestChecker {
    /// Reads the arguments of a call, each against its parameter.
    mutating func arguments(
        _ value: JSONValue?, for signature: CallSignature, of call: JSONValue
    ) -> [CallArgument]? {
        let parameters = signature.parameters
        var elements: [JSONValue] = []
        if let value {
            guard let written = array(value, key: .arguments) else { return nil }
            elements = written
        }
        guard elements.count == parameters.count else {
            let (has, wants) = (elements.count, parameters.count)
            fault(
                .argument, at: value ?? call,
                "there \(has == 1 ? "is 1 argument" : "are \(has) arguments"), and the signature"
                    + " has \(wants) parameter\(wants == 1 ? "" : "s")",
                help: "write one for each: "
                    + (parameters.isEmpty ? "none" : parameters.map(\.name).joined(separator: ", "))
            )
            return nil
        }
        let arguments = elements.indices.map {
            argument(elements[$0], number: $0 + 1, parameters[$0], signature)
        }
        guard arguments.allSatisfy({ $0 != nil }) else { return nil }
        let all = arguments.compactMap(\.self)
        // The argument of a length is known only now.
        for (place, argument) in all.enumerated() {
            guard case .length(let other) = argument else { continue }
            switch all[other] {
            case .text, .bytes, .buffer: continue
            case .payload:
                if case .value(let type) = parameters[other], type == .text || type == .bytes {
                    continue
                }
            default: break
            }
            fault(
                .argument, at: elements[place],
                "argument \(other + 1) has no length",
                help: "name one that passes text, bytes, the payload or a buffer")
            return nil
        }
        return all
    }

    private mutating func argument(
        _ value: JSONValue, number: Int, _ parameter: CallParameter, _ signature: CallSignature
    ) -> CallArgument? {
        if case .object = value.kind {
            return source(value, number: number, parameter, signature)
        }
        guard case .value(let type) = parameter else {
            let wanted =
                parameter == .buffer
                ? "{\(ManifestKey.buffer.usage)}" : "{\(ManifestKey.out.usage)}"
            doesNotFit(value, number, parameter, help: "write \(wanted)")
            return nil
        }
        switch (value.kind, type) {
        case (.unreadable, _): return nil
        case (.null, .text), (.null, .bytes): return .null
        case (.bool(let flag), .bool): return .integer(flag ? 1 : 0)
        case (.string(let text), .text):
            guard !text.utf8.contains(0) else {
                fault(
                    .argument, at: value, "argument \(number) has a zero byte in it, where C ends",
                    help: "cut it there, or pass it as bytes")
                return nil
            }
            return .text(text)
        case (.string(let text), .bytes): return .bytes(Array(text.utf8))
        case (.number(let literal), .float), (.number(let literal), .double):
            return floating(literal, at: value, number: number, type).map { .number($0) }
        case (.number, _) where type.isInteger:
            return whole(value, number: number, type).map { .integer($0) }
        default:
            doesNotFit(
                value, number, parameter,
                help: "write \(Self.example(of: type)), or {\(ManifestKey.from.usage)}")
            return nil
        }
    }

    private static func example(of type: CallType) -> String {
        switch type {
        case .bool: "true or false"
        case .text, .bytes: "text in quotes"
        case .float, .double: "a number"
        default: "a whole number"
        }
    }

    private mutating func doesNotFit(
        _ value: JSONValue, _ number: Int, _ parameter: CallParameter, help: String
    ) {
        fault(
            .argument, at: value,
            "argument \(number) is \(value.noun), and the signature has `\(parameter.name)` there",
            help: help)
    }

    /// Reads a number that is finite as a value of the type.
    private mutating func floating(
        _ literal: JSONNumber, at value: JSONValue, number: Int, _ type: CallType
    ) -> Double? {
        if let double = literal.double, type == .double || Float(double).isFinite { return double }
        fault(
            .argument, at: value, "argument \(number) is too large for a \(type.rawValue)",
            help: "write a number that fits")
        return nil
    }

    /// Reads a whole number of a type, as 64 bits.
    private mutating func whole(_ value: JSONValue, number: Int, _ type: CallType) -> UInt64? {
        guard case .number(let written) = value.kind, let range = type.range else { return nil }
        if let signed = Int64(written.literal) {
            if signed < 0 ? signed >= range.least : UInt64(signed) <= range.greatest {
                return UInt64(bitPattern: signed)
            }
        } else if let unsigned = UInt64(written.literal), unsigned <= range.greatest {
            return unsigned
        }
        fault(
            .argument, at: value,
            "argument \(number) is \(Self.literal(value)), which is no \(type.rawValue)",
            help: "write a whole number from \(range.least) to \(range.greatest)")
        return nil
    }

    /// Reads an argument that is written as an object: where its value comes from, or where it goes.
    private mutating func source(
        _ value: JSONValue, number: Int, _ parameter: CallParameter, _ signature: CallSignature
    ) -> CallArgument? {
        guard let fields = fields(of: .argument, in: value) else { return nil }
        let known = fields.known(to: .argument)
        guard known.count == 1, let (key, inner) = known.first.map({ ($0.key, $0.value) }) else {
            fault(
                .argument, at: value, "argument \(number) must have one key",
                help: "write one of "
                    + ManifestObject.argument.keys.map { "{\($0.usage)}" }.joined(separator: ", "))
            return nil
        }
        switch (key, parameter) {
        case (ManifestKey.from.name, .value):
            return word(inner, key: .from, rule: .argument, among: ["payload"]).map { _ in .payload
            }
        case (ManifestKey.lengthOf.name, .value(let type)) where type.isInteger:
            guard let other = index(inner, key: .lengthOf, in: signature) else { return nil }
            return .length(of: other)
        case (ManifestKey.hex.name, .value(.bytes)):
            guard let text = text(inner, key: .hex) else { return nil }
            guard let bytes = Self.bytes(hex: text) else {
                fault(
                    .argument, at: inner, "\(DiagnosticText.quoted(text)) is not hexadecimal",
                    help: "write two digits for each byte, as \(ManifestKey.hex.example)")
                return nil
            }
            return .bytes(bytes)
        case (ManifestKey.out.name, .out(let type)):
            return initial(inner, number: number, type).map { .out($0) }
        case (ManifestKey.buffer.name, .buffer):
            guard let size = integer(inner, key: .buffer) else { return nil }
            guard size >= 1, size <= Manifest.bufferLimit else {
                fault(
                    .argument, at: inner, "a buffer of \(Self.literal(inner)) bytes cannot be made",
                    help: "write a number from 1 to \(Manifest.bufferLimit)")
                return nil
            }
            return .buffer(Int(size))
        default:
            fault(
                .argument, at: value,
                "`\(key)` does not give what the signature has there, `\(parameter.name)`",
                help: Self.help(for: parameter))
            return nil
        }
    }

    private static func help(for parameter: CallParameter) -> String {
        switch parameter {
        case .out: "write {\(ManifestKey.out.usage)}"
        case .buffer: "write {\(ManifestKey.buffer.usage)}"
        case .value(.bytes), .value(.text):
            "write text, null, or {\(ManifestKey.from.usage)}"
        case .value(let type):
            "write \(example(of: type))"
                + (type.isInteger ? ", {\(ManifestKey.lengthOf.usage)}" : "")
                + " or {\(ManifestKey.from.usage)}"
        }
    }

    /// Returns the initial value of an `out` argument, as 64 bits.
    private mutating func initial(_ value: JSONValue, number: Int, _ type: CallType) -> UInt64? {
        switch (value.kind, type) {
        case (.unreadable, _): return nil
        case (.null, .text): return 0
        case (.bool(let flag), .bool): return flag ? 1 : 0
        case (.number(let literal), .float):
            return floating(literal, at: value, number: number, type)
                .map { UInt64(Float($0).bitPattern) }
        case (.number(let literal), .double):
            return floating(literal, at: value, number: number, type).map(\.bitPattern)
        case (.number, _) where type.isInteger: return whole(value, number: number, type)
        default:
            fault(
                .argument, at: value,
                "`out` is \(value.noun), and the signature has `out \(type.rawValue)` there",
                help: type == .text
                    ? "write null" : "write \(Self.example(of: type)): its initial content")
            return nil
        }
    }

    private static func bytes(hex text: String) -> [UInt8]? {
        let digits = text.utf8.map { Character(UnicodeScalar($0)).hexDigitValue }
        guard digits.count % 2 == 0, digits.allSatisfy({ $0 != nil }) else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map {
            UInt8(digits[$0]! << 4 | digits[$0 + 1]!)
        }
    }
}
