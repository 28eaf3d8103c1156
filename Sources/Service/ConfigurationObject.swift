// SPDX-License-Identifier: Apache-2.0
import PluginBridge

/// An object of a configuration while it is read: its known members, and the faults that are noted.
///
/// Each reading function returns nil where there is no such member, or where it has noted what is wrong.
struct ConfigurationObject {
    /// The faults of one file.
    final class Faults {
        let source: DiagnosticSource
        fileprivate(set) var all: [Diagnostic]

        init(_ source: DiagnosticSource, _ all: [Diagnostic] = []) {
            self.source = source
            self.all = all
        }

        func note(
            _ rule: ConfigurationRule, at value: JSONValue, _ message: String, help: String
        ) {
            note(rule, at: value.position, width: value.width, message, help: help)
        }

        func note(
            _ rule: ConfigurationRule, at position: JSONPosition, width: Int, _ message: String,
            help: String
        ) {
            guard all.count < Manifest.faultLimit else { return }
            all.append(
                source.diagnostic(
                    at: position, width: width, rule: rule.rawValue, message: message, help: help))
        }
    }

    let value: JSONValue
    /// How it is called in messages: "the configuration", "a schedule".
    let name: String
    let faults: Faults
    private let members: [String: JSONValue]

    /// Returns nil, and notes it, where the value is no object; notes unknown members.
    init?(_ value: JSONValue, _ name: String, keys: [String], _ faults: Faults) {
        guard case .object(let members) = value.kind else {
            if value.kind != .unreadable {
                faults.note(
                    .type, at: value, "\(name) must be an object, not \(value.noun)",
                    help: "write { \"\(keys[0])\": … }")
            }
            return nil
        }
        self.value = value
        self.name = name
        self.faults = faults
        var known: [String: JSONValue] = [:]
        for member in members {
            guard keys.contains(where: { $0.utf8.elementsEqual(member.key.utf8) }) else {
                let meant = ManifestSpelling.nearest(to: member.key, among: keys)
                faults.note(
                    .unknownKey, at: member.keyPosition, width: member.keyWidth,
                    "\(name) has no key `\(Self.shown(member.key))`",
                    help: meant.map { "did you mean `\($0)`?" }
                        ?? "the keys are \(keys.joined(separator: ", "))")
                continue
            }
            known[member.key] = member.value
        }
        self.members = known
    }

    /// A text from the file, cut.
    static func shown(_ text: String) -> String {
        text.unicodeScalars.count > 64
            ? String(String.UnicodeScalarView(text.unicodeScalars.prefix(64))) + "…" : text
    }

    subscript(_ key: String) -> JSONValue? { members[key] }

    func has(_ key: String) -> Bool { members[key] != nil }

    private func wrongType(_ key: String, _ value: JSONValue, _ noun: String, _ example: String) {
        // The reader has noted an unreadable value already.
        guard value.kind != .unreadable else { return }
        faults.note(
            .type, at: value, "`\(key)` must be \(noun), not \(value.noun)",
            help: "write \"\(key)\": \(example)")
    }

    /// A text without NUL, of which the system could not be told.
    func text(_ key: String, example: String) -> String? {
        guard let value = members[key] else { return nil }
        guard case .string(let text) = value.kind else {
            wrongType(key, value, "text", example)
            return nil
        }
        guard !text.utf8.contains(0) else {
            faults.note(
                .value, at: value, "`\(key)` has a NUL character", help: "remove it")
            return nil
        }
        return text
    }

    func flag(_ key: String) -> Bool? {
        guard let value = members[key] else { return nil }
        guard case .bool(let flag) = value.kind else {
            wrongType(key, value, "true or false", "true")
            return nil
        }
        return flag
    }

    func integer(_ key: String, _ range: ClosedRange<Int64>) -> Int64? {
        guard let value = members[key] else { return nil }
        guard case .number(let number) = value.kind else {
            wrongType(key, value, "a whole number", "\(range.lowerBound)")
            return nil
        }
        guard let integer = number.integer else {
            faults.note(
                .value, at: value,
                "`\(key)` is \(Self.shown(number.literal)), which is no whole number",
                help: "write a number in \(range.lowerBound)…\(range.upperBound)")
            return nil
        }
        guard range.contains(integer) else {
            faults.note(
                .value, at: value,
                "`\(key)` is \(integer), and must be in \(range.lowerBound)…\(range.upperBound)",
                help: "write a number in these bounds")
            return nil
        }
        return integer
    }

    /// A share from 0 to 1.
    func share(_ key: String) -> Double? {
        guard let value = members[key] else { return nil }
        guard case .number(let number) = value.kind, let share = number.double else {
            wrongType(key, value, "a number", "0.2")
            return nil
        }
        guard (0...1).contains(share) else {
            faults.note(
                .value, at: value, "`\(key)` is \(number.literal), and must be in 0…1",
                help: "write a share, such as 0.2")
            return nil
        }
        return share
    }

    /// An amount of memory such as `512MiB`, in bytes.
    func size(_ key: String) -> UInt64? {
        guard let value = members[key], let text = text(key, example: "\"2GB\"") else { return nil }
        guard let bytes = ManifestNeeds.bytes(of: text), ManifestNeeds.memoryRange.contains(bytes)
        else {
            faults.note(
                .value, at: value,
                "`\(key)` is `\(Self.shown(text))`, which is no amount from 64MB to 1000GB",
                help: "write a whole number and MB, GB, MiB or GiB: \"2GB\"")
            return nil
        }
        return bytes
    }

    /// A span of time such as `15min`, in nanoseconds.
    func span(_ key: String, _ range: ClosedRange<UInt64>, example: String) -> UInt64? {
        guard let value = members[key], let text = text(key, example: "\"\(example)\"") else {
            return nil
        }
        guard let span = ManifestDuration.span(text), range.contains(span) else {
            let isSpan = ManifestDuration.span(text) != nil
            faults.note(
                .value, at: value,
                isSpan
                    ? "`\(key)` is out of bounds"
                    : "`\(Self.shown(text))` is not a span of time",
                help: isSpan
                    ? "write a span from \(ManifestDuration.spanText(range.lowerBound)) to \(ManifestDuration.spanText(range.upperBound))"
                    : "write a number and one of ms, s, min, h, d: \"\(example)\"")
            return nil
        }
        return span
    }

    /// A list of names, of which each may be a number.
    func names(_ key: String, example: String) -> [String]? {
        guard case .array(let elements)? = members[key]?.kind,
            elements.contains(where: { if case .number = $0.kind { true } else { false } })
        else { return texts(key, example: example)?.map(\.text) }
        var names: [String] = []
        for element in elements {
            switch element.kind {
            case .string(let text) where !text.utf8.contains(0): names.append(text)
            case .number(let number) where number.integer.map { $0 >= 0 } ?? false:
                names.append(number.literal)
            case .unreadable: break
            default:
                faults.note(
                    .type, at: element,
                    "`\(key)` is a list of names and numbers, and this is neither",
                    help: "write \"\(key)\": \(example)")
            }
        }
        return names.count == elements.count ? names : nil
    }

    /// One of a few words.
    func word<Word>(_ key: String, _ words: [(name: String, word: Word)]) -> Word? {
        guard let value = members[key] else { return nil }
        guard let text = text(key, example: "\"\(words[0].name)\"") else { return nil }
        guard let found = words.first(where: { $0.name.utf8.elementsEqual(text.utf8) }) else {
            note(unknown: text, of: words.map(\.name), key, at: value)
            return nil
        }
        return found.word
    }

    /// A list of a few words.
    func words<Word>(_ key: String, _ words: [(name: String, word: Word)]) -> [Word]? {
        guard let texts = texts(key, example: "[\"\(words[0].name)\"]") else { return nil }
        var found: [Word] = []
        for (value, text) in texts {
            guard let word = words.first(where: { $0.name.utf8.elementsEqual(text.utf8) }) else {
                note(unknown: text, of: words.map(\.name), key, at: value)
                continue
            }
            found.append(word.word)
        }
        return found
    }

    private func note(
        unknown text: String, of words: [String], _ key: String, at value: JSONValue
    ) {
        let meant = ManifestSpelling.nearest(to: text, among: words)
        faults.note(
            .value, at: value, "`\(key)` cannot be `\(Self.shown(text))`",
            help: meant.map { "did you mean `\($0)`?" }
                ?? "write one of \(words.joined(separator: ", "))")
    }

    /// A list of texts, each with its place; nil if one of them is none.
    func texts(_ key: String, example: String) -> [(value: JSONValue, text: String)]? {
        guard let value = members[key] else { return nil }
        guard case .array(let elements) = value.kind else {
            wrongType(key, value, "a list of texts", example)
            return nil
        }
        var texts: [(value: JSONValue, text: String)] = []
        for element in elements {
            guard case .string(let text) = element.kind, !text.utf8.contains(0) else {
                if case .string = element.kind {
                    faults.note(
                        .value, at: element, "a text of `\(key)` has a NUL character",
                        help: "remove it")
                } else if element.kind != .unreadable {
                    faults.note(
                        .type, at: element, "`\(key)` is a list of texts, and this is none",
                        help: "write \"\(key)\": \(example)")
                }
                continue
            }
            texts.append((element, text))
        }
        return texts.count == elements.count ? texts : nil
    }

    /// Variables with their values.
    func variables(_ key: String) -> [String: String]? {
        guard let value = members[key] else { return nil }
        guard case .object(let members) = value.kind else {
            wrongType(key, value, "an object of variables", "{ \"LANG\": \"C\" }")
            return nil
        }
        var variables: [String: String] = [:]
        for member in members {
            let isName =
                !member.key.isEmpty && !member.key.utf8.contains(UInt8(ascii: "="))
                && !member.key.utf8.contains(0)
            guard isName, case .string(let text) = member.value.kind, !text.utf8.contains(0) else {
                if member.value.kind != .unreadable {
                    faults.note(
                        .value, at: member.value,
                        isName
                            ? "the variable `\(Self.shown(member.key))` in `\(key)` must be text without NUL"
                            : "`\(Self.shown(member.key))` in `\(key)` is no name of a variable",
                        help: "write \"\(key)\": { \"LANG\": \"C\" }")
                }
                continue
            }
            variables[member.key] = text
        }
        return variables
    }

    /// Notes that a key is missing.
    func missing(_ key: String, help: String) {
        faults.note(.missingKey, at: value, "\(name) must have the key `\(key)`", help: help)
    }
}
