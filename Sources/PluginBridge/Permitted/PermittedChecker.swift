// SPDX-License-Identifier: Apache-2.0

/// Turns a property list into a list of permitted handlers, or into the list of all its faults.
struct PermittedChecker {
    private let source: DiagnosticSource
    private(set) var faults: [Diagnostic]

    init(source: DiagnosticSource, faults: [Diagnostic]) {
        self.source = source
        self.faults = faults
    }

    /// In the order of the text; of a binary list in that of finding.
    var sortedFaults: [Diagnostic] {
        faults.enumerated().sorted { left, right in
            (left.element.line, left.element.column, left.offset)
                < (right.element.line, right.element.column, right.offset)
        }.map(\.element)
    }

    mutating func list(_ value: PropertyListValue) -> PermittedHandlers? {
        guard case .dictionary(let members) = value.kind else {
            fault(
                .type, at: value, "the list must be a dictionary, found \(value.noun)",
                help: "write <dict> with the key \(PermittedHandlers.identifiersKey)")
            return nil
        }
        let identifiers = texts(
            of: PermittedHandlers.identifiersKey, in: members, of: value,
            example: "org.example.mirror")
        let modes = texts(
            of: PermittedHandlers.modesKey, in: members, of: value, example: "processing")
        for (text, place) in identifiers ?? [] where !Self.isIdentifier(text) {
            fault(
                .identifier, at: place,
                "\(DiagnosticText.quoted(text)) is not an identifier, nor one that ends in .*",
                help: "write letters, digits, points, hyphens and underscores, as"
                    + " org.example.mirror or org.example.*")
        }
        guard faults.isEmpty, let identifiers, let modes else { return nil }
        return PermittedHandlers(
            file: source.file, identifiers: identifiers.map(\.text), modes: modes.map(\.text))
    }

    /// Reads the texts of an array that must be there.
    private mutating func texts(
        of key: String, in members: [PropertyListMember], of list: PropertyListValue,
        example: String
    ) -> [(text: String, place: PropertyListValue)]? {
        let member = members.first { $0.key.utf8.elementsEqual(key.utf8) }
        guard let value = member?.value else {
            fault(
                .missingKey, at: list, "the list has no key \(key)",
                help: "add <key>\(key)</key><array><string>\(example)</string></array>")
            return nil
        }
        guard case .array(let elements) = value.kind else {
            fault(
                .type, at: value, "\(key) must be an array, found \(value.noun)",
                help: "write <array><string>\(example)</string></array>")
            return nil
        }
        guard elements.count <= PermittedHandlers.identifiersLimit else {
            fault(
                .limit, at: value,
                "\(key) has \(elements.count) elements, the limit is"
                    + " \(PermittedHandlers.identifiersLimit)",
                help: "use wildcards, as org.example.*")
            return nil
        }
        return elements.compactMap { element in
            if case .string(let text) = element.kind { return (text, element) }
            fault(
                .type, at: element, "an element of \(key) must be text, found \(element.noun)",
                help: "write <string>\(example)</string>")
            return nil
        }
    }

    /// Also accepts what an app may have and no handler here can be called, so that the app's own
    /// list will do.
    private static func isIdentifier(_ text: String) -> Bool {
        guard text.utf8.count <= Manifest.identifierLimit else { return false }
        let name = text.hasSuffix(".*") ? text.dropLast(2) : text[...]
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        return parts.allSatisfy { part in
            !part.isEmpty
                && part.utf8.allSatisfy { byte in
                    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                        || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
                        || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                        || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
                }
        }
    }

    /// Notes a fault, unless the list of them is full.
    private mutating func fault(
        _ rule: PermittedRule, at value: PropertyListValue, _ message: @autoclosure () -> String,
        help: @autoclosure () -> String
    ) {
        guard faults.count < PropertyListReader.faultLimit else { return }
        faults.append(
            source.diagnostic(
                at: value.place, rule: rule.rawValue, message: message(), help: help()))
    }
}
