// SPDX-License-Identifier: Apache-2.0

internal import CCurfew
internal import Scheduling

/// Turns a parsed document into a manifest, or into the list of all its faults.
///
/// Every check notes what is wrong and goes on, so a function that returns nil has noted why.
struct ManifestChecker {
    /// The number of the plugin ABI this host speaks.
    static var hostABI: UInt32 { UInt32(CURFEW_ABI_VERSION) }

    /// Looks for the library beside the manifest, and returns what is wrong with it.
    typealias LibraryProblem = (_ name: String) -> (message: String, help: String)?

    private let source: DiagnosticSource
    private let libraryProblem: LibraryProblem
    private var faults: [Diagnostic]
    private var unlisted = 0

    /// Checks a document, or lists what is noted of a text that could not be read to its end.
    ///
    /// - Parameters:
    ///   - document: what was read; nil where the reading broke off.
    ///   - faults: what was noted while reading.
    static func check(
        _ document: JSONValue?, faults: [Diagnostic], source: DiagnosticSource,
        libraryProblem: @escaping LibraryProblem
    ) -> Result<Manifest, ManifestFaults> {
        var checker = ManifestChecker(
            source: source, libraryProblem: libraryProblem, faults: faults)
        let manifest = document.flatMap { checker.manifest($0) }
        if checker.faults.isEmpty, let manifest { return .success(manifest) }
        return .failure(ManifestFaults(checker.sortedFaults()))
    }

    private mutating func manifest(_ document: JSONValue) -> Manifest? {
        guard let fields = fields(of: .manifest, in: document) else { return nil }
        let id = fields[ManifestKey.id.name].flatMap { identifier($0, key: .id) }
        let version = fields[ManifestKey.version.name].flatMap { self.version($0) }
        let abi = fields[ManifestKey.abi.name].flatMap { self.abi($0) }
        let library = fields[ManifestKey.library.name]
        let libraryName = library.flatMap { self.library($0) }
        let pin = fields[ManifestKey.sha256.name]
        let sha256 = pin.flatMap { self.sha256($0) }
        let needs = fields[ManifestKey.needs.name].map { self.needs($0) }
        let handlers = fields[ManifestKey.handlers.name].map { self.handlers($0) }
        checkUse(of: library, pin, by: fields[ManifestKey.handlers.name], in: document)
        checkFresh(fields[ManifestKey.handlers.name])
        guard let id, let version, let abi, let handlers, library == nil || libraryName != nil
        else { return nil }
        return Manifest(
            id: id, version: version, abi: abi, library: libraryName,
            libraryPosition: library?.position ?? document.position,
            libraryWidth: library?.width ?? document.width, sha256: sha256,
            sha256Position: pin?.position, needs: needs ?? nil, handlers: handlers, source: source)
    }

    /// Checks that there is a library if and only if a handler uses it. Considers the text, so that
    /// handlers with faults count.
    private mutating func checkUse(
        of library: JSONValue?, _ pin: JSONValue?, by handlers: JSONValue?, in document: JSONValue
    ) {
        let isUsed = Self.isUsed(by: handlers)
        if let library, !isUsed {
            fault(
                .library, at: library,
                "no handler uses `library`: all of them run programs or call functions of the system's libraries",
                help: "remove it")
        } else if library == nil, isUsed {
            fault(
                .missingKey, at: document, "a manifest must have the key `library`",
                help: "add \(ManifestKey.library.usage)"
                    + (Self.hasCalls(handlers)
                        ? "; or, for a function of the system's, \(ManifestKey.callLibrary.usage) in `call`"
                        : ""))
        } else if let pin, !isUsed {
            fault(
                .pin, at: pin, "`sha256` pins a library, and there is none", help: "remove it")
        }
    }

    /// Checks that no handler made of subs is to have a process for each task.
    private mutating func checkFresh(_ handlers: JSONValue?) {
        guard case .array(let elements) = handlers?.kind,
            let fresh = elements.lazy.compactMap({ Self.member(.isolation, of: $0) })
                .first(where: { $0.kind == .string(Isolation.fresh.name) }),
            elements.contains(where: {
                Self.member(.form, of: $0)?.kind == .string(ManifestForm.subs.rawValue)
            })
        else { return }
        fault(
            .isolation, at: fresh,
            "`isolation` cannot be `fresh` in a plugin with a handler made of subs, which share what they know from one event to the next",
            help: "write \(ManifestKey.isolation.usage)")
    }

    private static func member(_ key: ManifestKey, of value: JSONValue?) -> JSONValue? {
        guard case .object(let members) = value?.kind else { return nil }
        return members.first { $0.key == key.name }?.value
    }

    private static func hasCalls(_ handlers: JSONValue?) -> Bool {
        guard case .array(let elements) = handlers?.kind else { return false }
        return elements.contains {
            guard case .object(let members) = $0.kind else { return false }
            return members.contains { $0.key == ManifestKey.call.name }
        }
    }

    private static func isUsed(by handlers: JSONValue?) -> Bool {
        guard case .array(let elements) = handlers?.kind, !elements.isEmpty else { return true }
        return elements.contains { handler in
            switch member(.form, of: handler)?.kind {
            case .string(ManifestForm.command.rawValue): false
            case .string(ManifestForm.call.rawValue):
                member(.callLibrary, of: member(.call, of: handler)) == nil
            default: true
            }
        }
    }

    // MARK: Faults

    mutating func fault(
        _ rule: ManifestRule, at value: JSONValue, _ message: @autoclosure () -> String,
        help: @autoclosure () -> String
    ) {
        fault(rule, at: value.position, width: value.width, message(), help: help())
    }

    /// Notes a fault. The texts are only made while faults are listed, which bounds the work.
    mutating func fault(
        _ rule: ManifestRule, at position: JSONPosition, width: Int,
        _ message: @autoclosure () -> String, help: @autoclosure () -> String
    ) {
        guard faults.count < Manifest.faultLimit else {
            unlisted += 1
            return
        }
        faults.append(
            source.diagnostic(
                at: position, width: width, rule: rule.rawValue, message: message(), help: help()))
    }

    private func sortedFaults() -> [Diagnostic] {
        // The place in the list decides between equals: the sort of the library is not stable by
        // promise.
        var sorted = faults.enumerated().sorted { left, right in
            (left.element.line, left.element.column, left.offset)
                < (right.element.line, right.element.column, right.offset)
        }.map(\.element)
        if unlisted > 0 {
            sorted.append(
                source.diagnostic(
                    rule: ManifestRule.faultLimit.rawValue,
                    message: "\(unlisted) more faults are not listed",
                    help: "mend the first \(Manifest.faultLimit) and check again"))
        }
        return sorted
    }

    // MARK: Objects and types

    /// Returns the values of an object by key, once it has no unknown and all required ones noted.
    mutating func fields(of object: ManifestObject, in value: JSONValue) -> ManifestFields? {
        guard case .object(let members) = value.kind else {
            if value.kind == .unreadable { return nil }
            fault(
                .type, at: value, "\(object.noun) must be an object, found \(value.noun)",
                help: "write { \(object.keys[0].usage), … }")
            return nil
        }
        for member in members where !object.hasKey(named: member.key) {
            fault(
                .unknownKey, at: member.keyPosition, width: member.keyWidth,
                "\(object.noun) has no key \(DiagnosticText.quoted(member.key))",
                help: ManifestChecker.help(forUnknown: member.key, in: object))
        }
        let fields = ManifestFields(members)
        for key in object.keys where key.isRequired && fields[key.name] == nil {
            fault(
                .missingKey, at: value, "\(object.noun) must have the key `\(key.name)`",
                help: "add \(key.usage)")
        }
        return fields
    }

    private static func help(forUnknown key: String, in object: ManifestObject) -> String {
        let names = object.keys.map(\.name)
        if let other = ManifestObject.allCases.first(where: { $0.hasKey(named: key) }) {
            return "`\(key)` belongs into \(other.noun)"
        }
        if let name = ManifestSpelling.nearest(to: key, among: names) { return "write `\(name)`" }
        return "remove it; the keys are " + names.joined(separator: ", ")
    }

    mutating func text(_ value: JSONValue, key: ManifestKey) -> String? {
        if case .string(let text) = value.kind { return text }
        wrongType(value, key: key, expected: "text")
        return nil
    }

    mutating func array(_ value: JSONValue, key: ManifestKey) -> [JSONValue]? {
        if case .array(let elements) = value.kind { return elements }
        wrongType(value, key: key, expected: "an array")
        return nil
    }

    /// Returns the members of an object whose keys are the author's own.
    mutating func members(_ value: JSONValue, key: ManifestKey) -> [JSONMember]? {
        if case .object(let members) = value.kind { return members }
        wrongType(value, key: key, expected: "an object")
        return nil
    }

    /// Returns a whole number; one that 64 bits cannot hold becomes the nearest that they can.
    mutating func integer(_ value: JSONValue, key: ManifestKey) -> Int64? {
        if case .number(let number) = value.kind {
            if let integer = number.integer { return integer }
            if number.literal.utf8.allSatisfy({ $0 != UInt8(ascii: ".") && $0 | 0x20 != 0x65 }) {
                return number.literal.hasPrefix("-") ? .min : .max
            }
            fault(
                .type, at: value,
                "`\(key.name)` must be a whole number, found `\(Self.literal(value))`",
                help: "write \(key.usage)")
            return nil
        }
        wrongType(value, key: key, expected: "a whole number")
        return nil
    }

    private mutating func wrongType(_ value: JSONValue, key: ManifestKey, expected: String) {
        if value.kind == .unreadable { return }
        fault(
            .type, at: value, "`\(key.name)` must be \(expected), found \(value.noun)",
            help: "write \(key.usage)")
    }

    // MARK: The plugin

    /// Reads a reverse-DNS name.
    mutating func identifier(_ value: JSONValue, key: ManifestKey) -> String? {
        guard let text = text(value, key: key) else { return nil }
        guard text.utf8.count <= Manifest.identifierLimit else {
            fault(
                .identifier, at: value,
                "`\(key.name)` has \(text.utf8.count) bytes, the limit is"
                    + " \(Manifest.identifierLimit)",
                help: "write a shorter name, as \(key.example)")
            return nil
        }
        guard isReverseDNS(text) else {
            fault(
                .identifier, at: value,
                "\(DiagnosticText.quoted(text)) is not a reverse-DNS name",
                help: "write two or more parts of letters, digits and hyphens with a point between"
                    + " two, as \(key.example)")
            return nil
        }
        return text
    }

    private mutating func version(_ value: JSONValue) -> String? {
        guard let text = text(value, key: .version) else { return nil }
        guard text.utf8.count <= Manifest.versionLimit else {
            fault(
                .version, at: value,
                "`version` has \(text.utf8.count) bytes, the limit is \(Manifest.versionLimit)",
                help: "write a shorter one, as \(ManifestKey.version.example)")
            return nil
        }
        guard isVersion(text) else {
            fault(
                .version, at: value, "\(DiagnosticText.quoted(text)) is not a version",
                help:
                    "write three numbers, and a suffix if there is one: \"1.0.0\", \"1.0.0-beta.2\""
            )
            return nil
        }
        return text
    }

    private mutating func abi(_ value: JSONValue) -> UInt32? {
        guard let number = integer(value, key: .abi) else { return nil }
        let host = ManifestChecker.hostABI
        guard number == Int64(host) else {
            fault(
                .abi, at: value,
                "the plugin is for ABI \(Self.literal(value)), this host speaks ABI \(host)",
                help: "rebuild the plugin with this host's headers and write \"abi\": \(host)")
            return nil
        }
        return host
    }

    private mutating func library(_ value: JSONValue) -> String? {
        guard let text = text(value, key: .library) else { return nil }
        let bytes = text.utf8
        let problem: String
        if bytes.isEmpty {
            problem = "`library` is empty"
        } else if bytes.count > Manifest.libraryLimit {
            problem = "`library` has \(bytes.count) bytes, the limit is \(Manifest.libraryLimit)"
        } else if bytes.contains(UInt8(ascii: "/")) || hasTwoPoints(text) {
            problem = "\(DiagnosticText.quoted(text)) is a path, not the name of a file"
        } else if bytes.contains(where: { $0 < 0x20 || $0 == 0x7F }) {
            problem = "\(DiagnosticText.quoted(text)) has a control character in it"
        } else if !bytes.reversed().starts(with: ".so".utf8.reversed()) || bytes.count == 3 {
            problem = "\(DiagnosticText.quoted(text)) does not name a shared object"
        } else {
            guard let (problem, help) = libraryProblem(text) else { return text }
            fault(.library, at: value, problem, help: help)
            return nil
        }
        fault(
            .library, at: value, problem,
            help: "write the name of a file beside the manifest that ends in .so, as"
                + " \(ManifestKey.library.example)")
        return nil
    }

    /// Reads the pin of the library: 64 hexadecimal digits, returned in small letters.
    private mutating func sha256(_ value: JSONValue) -> String? {
        guard let text = text(value, key: .sha256) else { return nil }
        let isHexDigit = { (byte: UInt8) in
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20)
        }
        guard text.utf8.count == 64, text.utf8.allSatisfy(isHexDigit) else {
            let count = text.utf8.count
            fault(
                .pin, at: value,
                count == 64
                    ? "`sha256` has something other than hexadecimal digits in it"
                    : "`sha256` has \(count) \(count == 1 ? "byte" : "bytes"), expected 64 digits",
                help: "write the 64 digits that `sha256sum` prints for the library")
            return nil
        }
        return text.lowercased()
    }

    /// A number as it was written, cut to what can be shown.
    static func literal(_ value: JSONValue) -> String {
        guard case .number(let number) = value.kind else { return value.noun }
        return number.literal.utf8.count <= 24 ? number.literal : number.literal.prefix(24) + "…"
    }
}

/// Whether it is two or more names with a point between two.
private func isReverseDNS(_ text: String) -> Bool {
    var points = 0
    var length = 0
    for byte in text.utf8 {
        if byte == UInt8(ascii: ".") {
            if length == 0 { return false }
            points += 1
            length = 0
        } else {
            guard isLetterDigitOrHyphen(byte) else { return false }
            length += 1
        }
    }
    return points > 0 && length > 0
}

/// Whether it is three numbers with a point between two, and a suffix after a hyphen or none.
private func isVersion(_ text: String) -> Bool {
    var points = 0
    var length = 0
    var hasSuffix = false
    for byte in text.utf8 {
        if hasSuffix {
            guard isLetterDigitOrHyphen(byte) || byte == UInt8(ascii: ".") else { return false }
        } else if isDigit(byte) {
            // Falls through to be counted.
        } else {
            guard length > 0 else { return false }
            if byte == UInt8(ascii: ".") {
                points += 1
            } else {
                guard byte == UInt8(ascii: "-"), points == 2 else { return false }
                hasSuffix = true
            }
            length = 0
            continue
        }
        length += 1
    }
    return points == 2 && length > 0
}

private func hasTwoPoints(_ text: String) -> Bool {
    var last = UInt8(0)
    for byte in text.utf8 {
        if byte == UInt8(ascii: "."), last == byte { return true }
        last = byte
    }
    return false
}

private func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
}

private func isLetterDigitOrHyphen(_ byte: UInt8) -> Bool {
    isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
        || byte == UInt8(ascii: "-")
}
