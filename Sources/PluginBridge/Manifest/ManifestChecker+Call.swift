// SPDX-License-Identifier: Apache-2.0

extension ManifestChecker {
    /// Reads `call`, which a handler has if and only if its form is `call`. `form` nil: it is not
    /// known which.
    mutating func call(
        _ fields: ManifestFields, form: ManifestForm?, of handler: JSONValue
    ) -> ManifestCall? {
        guard let value = fields[ManifestKey.call.name] else {
            if form == .call {
                fault(
                    .call, at: fields[ManifestKey.form.name] ?? handler,
                    "a handler of form `call` must have the key `call`",
                    help: "add \(ManifestKey.call.usage)")
            }
            return nil
        }
        if let form, form != .call {
            fault(
                .call, at: value,
                "a handler of form `\(form.rawValue)` calls nothing by itself",
                help: "write \"form\": \"call\", or remove `call`")
        }
        return call(value)
    }

    private mutating func call(_ value: JSONValue) -> ManifestCall? {
        guard let fields = fields(of: .call, in: value) else { return nil }
        let place = fields[ManifestKey.function.name]
        let isForeign = fields[ManifestKey.callLibrary.name] != nil
        let function = place.flatMap { self.function($0, key: .function, isForeign: isForeign) }
        let library = fields[ManifestKey.callLibrary.name].map { systemLibrary($0) }
        let signature = fields[ManifestKey.signature.name].flatMap { self.signature($0) }
        let arguments = signature.flatMap {
            self.arguments(fields[ManifestKey.arguments.name], for: $0, of: value)
        }
        let verdict = signature.flatMap {
            self.verdict(fields[ManifestKey.result.name], of: $0, in: value)
        }
        let keep = signature.map { signature in
            fields[ManifestKey.keep.name].map { self.keep($0, of: signature) }
        }
        let free = fields[ManifestKey.free.name].map {
            self.function($0, key: .free, isForeign: isForeign)
        }
        guard let place, let function, library ?? "" != nil, let signature, let arguments,
            let verdict, let keep, free ?? "" != nil
        else { return nil }
        let kept = keep ?? (verdict == .value ? .returned : nil)
        if let value = fields[ManifestKey.keep.name], verdict == .value, kept != .returned {
            fault(
                .result, at: value,
                "`\(ManifestKey.result.usage(of: "value"))` keeps what is returned, and `keep`"
                    + " something else",
                help: "write \"result\": \"non-zero\", or what it is, and leave `keep`")
            return nil
        }
        if let value = fields[ManifestKey.free.name], !isFreeable(signature, verdict, kept) {
            fault(
                .result, at: value, "there is no text that could be freed",
                help: "remove `free`: it is for a text that is returned, or kept from an `out text`"
            )
            return nil
        }
        return ManifestCall(
            systemLibrary: library ?? nil, function: function, signature: signature,
            arguments: arguments, verdict: verdict, keep: kept, free: free ?? nil,
            functionPosition: place.position, functionWidth: place.width)
    }

    private func isFreeable(
        _ signature: CallSignature, _ verdict: CallVerdict, _ keep: CallKeep?
    ) -> Bool {
        if case .out(let index) = keep, signature.parameters[index] == .out(.text) { return true }
        return signature.result == .text
    }

    // MARK: The function

    /// Reads the name of a C function.
    ///
    /// - Parameter isForeign: of a library of the system, about some of whose functions more is known.
    private mutating func function(
        _ value: JSONValue, key: ManifestKey, isForeign: Bool
    ) -> String? {
        guard let text = text(value, key: key) else { return nil }
        let bytes = Array(text.utf8)
        let isName = bytes.allSatisfy {
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0 | 0x20)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: "_")
        }
        guard (1...Manifest.functionLimit).contains(bytes.count), isName,
            !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[0])
        else {
            fault(
                .function, at: value,
                "\(DiagnosticText.quoted(text)) is not the name of a C function",
                help: "write the name the library exports, as \(key.example); `nm -D` lists them")
            return nil
        }
        if isForeign, let reason = RefusedFunction.reason(for: text) {
            fault(
                .function, at: value, "\(reason); it cannot be called from a manifest",
                help: "write a function of your own that calls it, and name that")
            return nil
        }
        return text
    }

    private mutating func systemLibrary(_ value: JSONValue) -> String? {
        guard let fields = fields(of: .systemLibrary, in: value),
            let place = fields[ManifestKey.system.name],
            let text = text(place, key: .system)
        else { return nil }
        guard SystemLibrary.isName(text) else {
            fault(
                .library, at: place,
                "\(DiagnosticText.quoted(text)) is not the soname of a library",
                help: "write the name that programs are linked with, without a directory, as"
                    + " \(ManifestKey.system.example); `objdump -p` shows it")
            return nil
        }
        return text
    }

    private mutating func signature(_ value: JSONValue) -> CallSignature? {
        guard let text = text(value, key: .signature) else { return nil }
        guard text.utf8.count <= Manifest.signatureLimit else {
            fault(
                .signature, at: value,
                "`signature` has \(text.utf8.count) bytes, the limit is \(Manifest.signatureLimit)",
                help: "write it as \(ManifestKey.signature.example)")
            return nil
        }
        do throws(CallSignature.Fault) {
            return try CallSignature(text)
        } catch {
            // Without escapes in the text, columns correspond to its characters.
            let isPlain = value.width == text.utf8.count + 2
            let position =
                isPlain
                ? JSONPosition(
                    line: value.position.line, column: value.position.column + 1 + error.offset,
                    offset: value.position.offset + 1 + error.offset)
                : value.position
            fault(
                error.isVariadic ? .function : .signature, at: position,
                width: isPlain ? error.width : value.width, error.message, help: error.help)
            return nil
        }
    }

    // MARK: The result

    private mutating func verdict(
        _ value: JSONValue?, of signature: CallSignature, in call: JSONValue
    ) -> CallVerdict? {
        let type = signature.result
        guard let value else {
            if type == .void { return CallVerdict.none }
            fault(
                .result, at: call,
                "it is not said what the \(type.rawValue) that is returned means",
                help: "add \"result\": \(Self.list(Self.verdicts(for: type)))")
            return nil
        }
        let names = CallVerdict.allCases.map(\.rawValue)
        guard let name = word(value, key: .result, rule: .result, among: names),
            let verdict = CallVerdict(rawValue: name)
        else { return nil }
        guard Self.verdicts(for: type).contains(verdict) else {
            fault(
                .result, at: value, "a \(type.rawValue) cannot mean `\(name)`",
                help: "write \(Self.list(Self.verdicts(for: type)))")
            return nil
        }
        return verdict
    }

    /// Returns the verdicts that a result of the type can have.
    private static func verdicts(for type: CallType) -> [CallVerdict] {
        switch type {
        case .void: [.none]
        case .text: [.done, .nonZero, .errno, .value]
        case .bool, .float, .double: [.zero, .nonZero, .value]
        default: type.isSigned ? [.zero, .nonZero, .errno, .value] : [.zero, .nonZero, .value]
        }
    }

    private static func list(_ verdicts: [CallVerdict]) -> String {
        verdicts.map { "\"\($0.rawValue)\"" }.joined(separator: " or ")
    }

    private mutating func keep(_ value: JSONValue, of signature: CallSignature) -> CallKeep? {
        switch value.kind {
        case .string:
            guard word(value, key: .keep, rule: .result, among: ["returned"]) != nil else {
                return nil
            }
            guard signature.result != .void else {
                fault(
                    .result, at: value, "nothing is returned that could be kept",
                    help: "remove `keep`, or name an argument the function writes to")
                return nil
            }
            return .returned
        case .number:
            return index(value, key: .keep, in: signature).flatMap {
                keep(argument: $0, length: nil, of: signature, at: value)
            }
        case .object:
            guard let fields = fields(of: .kept, in: value),
                let place = fields[ManifestKey.keptArgument.name],
                let index = index(place, key: .keptArgument, in: signature)
            else { return nil }
            return keep(
                argument: index, length: fields[ManifestKey.keptLength.name], of: signature,
                at: place)
        default:
            fault(
                .type, at: value, "`keep` must be \"returned\", a number or an object",
                help: "write \"returned\", the number of an argument that is written to, or"
                    + " {\"argument\": 1, \"length\": 2}")
            return nil
        }
    }

    private mutating func keep(
        argument index: Int, length: JSONValue?, of signature: CallSignature, at value: JSONValue
    ) -> CallKeep? {
        switch (signature.parameters[index], length) {
        case (.out, nil): return .out(index)
        case (.buffer, nil): return .bufferText(index)
        case (.buffer, let length?):
            if case .string = length.kind {
                guard word(length, key: .keptLength, rule: .result, among: ["returned"]) != nil
                else { return nil }
                guard signature.result.isInteger else {
                    fault(
                        .result, at: length, "what is returned is no length",
                        help: "name the argument that gets it")
                    return nil
                }
                return .buffer(index, length: nil)
            }
            guard let place = self.index(length, key: .keptLength, in: signature) else {
                return nil
            }
            guard case .out(let type) = signature.parameters[place], type.isInteger else {
                fault(
                    .result, at: length,
                    "argument \(place + 1) is no whole number the function writes to",
                    help: "name one of type `out uint64`, or write \"returned\"")
                return nil
            }
            return .buffer(index, length: place)
        case (.out, _?):
            fault(
                .result, at: value, "only a buffer has a length of its own",
                help: "write the number of the argument alone")
            return nil
        case (.value, _):
            fault(
                .result, at: value, "argument \(index + 1) is not written to",
                help: "name one of type `out …` or `buffer`")
            return nil
        }
    }

    /// Reads the number of an argument, from 1, as an index from 0.
    mutating func index(
        _ value: JSONValue, key: ManifestKey, in signature: CallSignature
    ) -> Int? {
        guard let number = integer(value, key: key) else { return nil }
        guard number >= 1, number <= signature.parameters.count else {
            let count = signature.parameters.count
            fault(
                .argument, at: value, "there is no argument \(Self.literal(value))",
                help: count == 0
                    ? "the signature has no parameters" : "write a number from 1 to \(count)")
            return nil
        }
        return Int(number) - 1
    }
}
