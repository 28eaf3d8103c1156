// SPDX-License-Identifier: Apache-2.0

/// Reads JSON exactly as RFC 8259 defines it, and records the position of every value.
///
/// Continues after a fault that leaves the rest unambiguous, such as an extra comma or a duplicate
/// key, so that one reading finds all faults; stops at others. It is stricter where the standard
/// leaves a choice: keys are unique, a byte order mark is refused, and size and nesting are
/// limited.
package struct JSONReader {
    /// The largest text that is read, in bytes.
    package static var sizeLimit: Int { 256 * 1024 }
    /// The maximum nesting of arrays and objects.
    package static var depthLimit: Int { 32 }

    private let source: DiagnosticSource
    /// The text, in place while it is read.
    private let bytes: UnsafeBufferPointer<UInt8>
    /// The offset of the first byte that is not UTF-8, or the size of the text. The reader stops
    /// there, so that the rest of it may assume valid text.
    private let validEnd: Int
    private var offset = 0
    private var line = 1
    /// The offset of column 1 of the line, and the number of continuation bytes since then.
    private var lineStart = 0
    private var continuations = 0
    private var depth = 0
    private var faults: [Diagnostic] = []

    private init(_ source: DiagnosticSource, _ bytes: UnsafeBufferPointer<UInt8>) {
        self.source = source
        self.bytes = bytes
        validEnd = JSONReader.validPrefix(of: bytes)
    }

    /// Reads one value that takes the whole text. `file` is only shown in the fault.
    package static func read(_ bytes: [UInt8], file: String) throws(Diagnostic) -> JSONValue {
        try read(DiagnosticSource(file: file, bytes: bytes))
    }

    /// Reads one value that takes the whole text, or throws the first fault.
    package static func read(_ source: DiagnosticSource) throws(Diagnostic) -> JSONValue {
        let (value, faults) = readAll(source)
        guard faults.isEmpty, let value else {
            throw faults.min { ($0.line, $0.column) < ($1.line, $1.column) }!
        }
        return value
    }

    /// Reads one value that takes the whole text, and notes all faults it meets; then what it
    /// returns is the text as it was probably meant, or nil where there is no telling. Without a
    /// fault there is a value.
    package static func readAll(
        _ source: DiagnosticSource
    ) -> (value: JSONValue?, faults: [Diagnostic]) {
        source.bytes.withUnsafeBufferPointer { bytes in
            var reader = JSONReader(source, bytes)
            do throws(Diagnostic) {
                let value = try reader.document()
                return (value, reader.faults)
            } catch {
                return (nil, reader.faults + [error])
            }
        }
    }

    private mutating func document() throws(Diagnostic) -> JSONValue {
        guard bytes.count <= Self.sizeLimit else {
            throw source.diagnostic(
                rule: JSONRule.size.rawValue,
                message: "the file has more than \(Self.sizeLimit) bytes",
                help: "keep the file within \(Self.sizeLimit / 1024) KiB")
        }
        guard !bytes.isEmpty else {
            throw source.diagnostic(
                rule: JSONRule.empty.rawValue, message: "the file is empty",
                help: "write one JSON object: { … }")
        }
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
            try note(
                fault(
                    .byteOrderMark, at: .start, "the file begins with a byte order mark",
                    help: "save it as UTF-8 without a byte order mark"))
            // No editor counts it.
            offset = 3
            lineStart = 3
        }
        try skipSpace()
        if isAtEnd {
            throw fault(
                .empty, at: .start, "the file holds nothing but white space",
                help: "write one JSON object: { … }")
        }
        let value = try value()
        try skipSpace()
        guard isAtEnd else {
            throw fault(
                .trailingText, at: position, "text after the end of the document",
                help: "remove everything after the value that begins at line"
                    + " \(value.position.line), column \(value.position.column)")
        }
        return value
    }

    /// Keeps a fault and lets the reader go on; the one that fills the list ends the reading.
    private mutating func note(_ fault: Diagnostic) throws(Diagnostic) {
        guard faults.count + 1 < Manifest.faultLimit else { throw fault }
        faults.append(fault)
    }

    // MARK: Moving

    /// Counted in characters: the bytes since the line began, without those within a character.
    private var column: Int { offset - lineStart - continuations + 1 }

    private var position: JSONPosition { JSONPosition(line: line, column: column, offset: offset) }

    private var isAtEnd: Bool { offset == bytes.count }

    /// The byte at the current place, or nil at the end of the text.
    @inline(__always)
    private func peek() throws(Diagnostic) -> UInt8? {
        if offset < validEnd { return bytes[offset] }
        if isAtEnd { return nil }
        throw notText()
    }

    @inline(never)
    private func notText() -> Diagnostic {
        fault(
            .encoding, at: position, "the byte 0x\(hex(bytes[offset])) is not UTF-8",
            help: "save the file as UTF-8")
    }

    /// Steps over the current byte; a column is counted at the first byte of a character.
    @inline(__always)
    private mutating func advance() {
        let byte = bytes[offset]
        offset += 1
        if byte == UInt8(ascii: "\n") {
            line += 1
            lineStart = offset
            continuations = 0
        } else if byte & 0xC0 == 0x80 {
            continuations += 1
        }
    }

    private mutating func skipSpace() throws(Diagnostic) {
        while let byte = try peek() {
            switch byte {
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"):
                advance()
            case UInt8(ascii: "/"):
                try note(
                    fault(
                        .comment, at: position, "JSON has no comments", help: "remove the comment"))
                try skipComment()
            default: return
            }
        }
    }

    /// Steps over `// …` to the end of the line, or `/* … */`; over one slash where it is neither.
    private mutating func skipComment() throws(Diagnostic) {
        advance()
        switch try peek() {
        case UInt8(ascii: "/"):
            while let byte = try peek(), byte != UInt8(ascii: "\n") { advance() }
        case UInt8(ascii: "*"):
            advance()
            var last: UInt8 = 0
            while let byte = try peek() {
                advance()
                if last == UInt8(ascii: "*"), byte == UInt8(ascii: "/") { return }
                last = byte
            }
        default: break
        }
    }

    /// Steps over what belongs to an unquoted text or a number that went wrong.
    private mutating func skipUnquoted() throws(Diagnostic) {
        while let byte = try peek(),
            isWord(byte) || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
        { advance() }
    }

    // MARK: Values

    private mutating func value() throws(Diagnostic) -> JSONValue {
        let start = position
        guard let byte = try peek() else { throw unfinished("a value") }
        let kind: JSONValue.Kind
        switch byte {
        case UInt8(ascii: "{"):
            try open()
            kind = .object(try members())
            depth -= 1
            return JSONValue(kind: kind, position: start, width: 1)
        case UInt8(ascii: "["):
            try open()
            kind = .array(try elements())
            depth -= 1
            return JSONValue(kind: kind, position: start, width: 1)
        case UInt8(ascii: "\""):
            let noted = faults.count
            let text = try string()
            kind = faults.count == noted ? .string(text) : .unreadable
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            kind = try number().map { .number($0) } ?? .unreadable
        default:
            kind = try word()
        }
        return JSONValue(kind: kind, position: start, width: column - start.column)
    }

    /// Steps over an opening bracket or brace.
    private mutating func open() throws(Diagnostic) {
        guard depth < JSONReader.depthLimit else {
            throw fault(
                .depth, at: position, "nested more than \(JSONReader.depthLimit) levels deep",
                help: "use fewer levels of arrays and objects")
        }
        depth += 1
        advance()
    }

    private mutating func members() throws(Diagnostic) -> [JSONMember] {
        var members: [JSONMember] = []
        var keys = JSONKeys()
        var comma: JSONPosition?
        while true {
            try skipSpace()
            guard let byte = try peek() else { throw unfinished("`}`") }
            if byte == UInt8(ascii: "}") {
                if let comma { try note(trailingComma(at: comma)) }
                advance()
                return members
            }
            guard byte == UInt8(ascii: "\"") else { throw notAKey(byte) }
            let keyPosition = position
            let key = try string()
            let keyWidth = column - keyPosition.column
            let first = keys.take(key, in: members).map { members[$0].keyPosition }
            if let first {
                try note(
                    fault(
                        .duplicateKey, at: keyPosition, width: keyWidth,
                        "the key \(DiagnosticText.quoted(key)) stands twice in one object; the"
                            + " first is at line \(first.line), column \(first.column)",
                        help: "keep one of the two"))
            }
            try skipSpace()
            guard let colon = try peek() else { throw unfinished("`:`") }
            guard colon == UInt8(ascii: ":") else {
                throw fault(
                    .syntax, at: position, "expected `:` after a key, found \(try describe())",
                    help: "write \"key\": value")
            }
            advance()
            try skipSpace()
            let value = try value()
            if first == nil {
                if members.isEmpty { members.reserveCapacity(4) }
                members.append(
                    JSONMember(
                        key: key, keyPosition: keyPosition, keyWidth: keyWidth, value: value))
            }
            comma = try separator(closing: UInt8(ascii: "}"))
        }
    }

    private mutating func elements() throws(Diagnostic) -> [JSONValue] {
        var elements: [JSONValue] = []
        var comma: JSONPosition?
        while true {
            try skipSpace()
            guard let byte = try peek() else { throw unfinished("`]`") }
            if byte == UInt8(ascii: "]") {
                if let comma { try note(trailingComma(at: comma)) }
                advance()
                return elements
            }
            elements.append(try value())
            comma = try separator(closing: UInt8(ascii: "]"))
        }
    }

    /// Steps over a comma and returns its place; returns nil before the closing bracket.
    private mutating func separator(closing: UInt8) throws(Diagnostic) -> JSONPosition? {
        try skipSpace()
        let byte = try peek()
        if byte == closing { return nil }
        guard byte == UInt8(ascii: ",") else {
            let bracket = String(UnicodeScalar(closing))
            guard let byte else { throw unfinished("`,` or `\(bracket)`") }
            let missing = fault(
                .syntax, at: position, "expected `,` or `\(bracket)`, found \(try describe())",
                help: "write a comma between two values, or close with `\(bracket)`")
            // If a value begins here, only the comma is missing: go on with that value.
            guard
                byte == UInt8(ascii: "\"")
                    || closing == UInt8(ascii: "]")
                        && (byte == UInt8(ascii: "{") || byte == UInt8(ascii: "["))
            else { throw missing }
            try note(missing)
            return nil
        }
        let comma = position
        advance()
        return comma
    }

    // MARK: Plain values

    private mutating func word() throws(Diagnostic) -> JSONValue.Kind {
        let start = position
        let text = upcomingWord()
        let kinds: [(String, JSONValue.Kind)] = [
            ("true", .bool(true)), ("false", .bool(false)), ("null", .null),
        ]
        for (word, kind) in kinds where word == text {
            for _ in word.utf8 { advance() }
            return kind
        }
        let width = max(text.utf8.count, 1)
        let kind: JSONValue.Kind
        switch text {
        case "NaN", "nan", "Infinity", "inf":
            try note(
                fault(
                    .number, at: start, width: width, "`\(text)` is not a number of JSON",
                    help: "write a finite number, or leave the key out"))
            kind = .unreadable
        case "True", "False", "TRUE", "FALSE", "Null", "NULL", "None", "nil":
            let right = text.hasPrefix("N") || text == "nil" ? "null" : text.lowercased()
            try note(
                fault(
                    .syntax, at: start, width: width, "`\(text)` is not a word of JSON",
                    help: "write \(right)"))
            kind = .unreadable
        case "":
            throw fault(
                .syntax, at: start, width: width, "expected a value, found \(try describe())",
                help: "write text in double quotes, a number, true, false, null, [ … ] or { … }")
        default:
            try note(
                fault(
                    .syntax, at: start, width: width, "expected a value, found \(try describe())",
                    help: "write \"\(text)\" if it is text"))
            kind = .unreadable
        }
        try skipUnquoted()
        return kind
    }

    /// The letters, digits and underscores ahead, at most 32 of them.
    private func upcomingWord() -> String {
        var end = offset
        while end < validEnd, end - offset < 32, isWord(bytes[end]) { end += 1 }
        return String(decoding: UnsafeBufferPointer(rebasing: bytes[offset..<end]), as: UTF8.self)
    }

    /// Nil for what is noted as a fault.
    private mutating func number() throws(Diagnostic) -> JSONNumber? {
        let start = position
        let noted = faults.count
        if try peek() == UInt8(ascii: "-") { advance() }
        let first = try peek()
        let whole = try digits()
        if whole == 0 {
            try note(
                fault(
                    .number, at: start, width: max(column - start.column, 1),
                    "expected a digit after `-`, found \(try describe())",
                    help: "write -1, or \"-\""))
        } else if first == UInt8(ascii: "0"), whole > 1 {
            try note(
                fault(
                    .number, at: start, width: column - start.column, "a number begins with 0",
                    help: "write it without the leading zero"))
        }
        if faults.count == noted, try peek() == UInt8(ascii: ".") {
            advance()
            if try digits() == 0 {
                try note(
                    fault(
                        .number, at: start, width: column - start.column,
                        "expected a digit after `.`, found \(try describe())",
                        help: "write 1.0, or leave out the point"))
            }
        }
        if faults.count == noted, let byte = try peek(), byte | 0x20 == UInt8(ascii: "e") {
            advance()
            if let sign = try peek(), sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") {
                advance()
            }
            if try digits() == 0 {
                try note(
                    fault(
                        .number, at: start, width: column - start.column,
                        "expected a digit in the exponent, found \(try describe())",
                        help: "write 1e3, or leave out the exponent"))
            }
        }
        if faults.count == noted, let byte = try peek(),
            isWord(byte) || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
        {
            try note(
                fault(
                    .number, at: position, "a number continues with \(try describe())",
                    help: "write the number alone, or put quotes around the whole text"))
        }
        guard faults.count == noted else {
            try skipUnquoted()
            return nil
        }
        return JSONNumber(literal: text(from: start.offset))
    }

    private mutating func digits() throws(Diagnostic) -> Int {
        var count = 0
        while let byte = try peek(), (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
            advance()
            count += 1
        }
        return count
    }

    // MARK: Strings

    /// The text from a place up to here.
    private func text(from start: Int) -> String {
        String(decoding: UnsafeBufferPointer(rebasing: bytes[start..<offset]), as: UTF8.self)
    }

    /// Skips unescaped characters of a string.
    @inline(__always)
    private mutating func skipPlain() {
        while offset < validEnd {
            let byte = bytes[offset]
            if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { return }
            if byte & 0xC0 == 0x80 { continuations += 1 }
            offset += 1
        }
    }

    private mutating func string() throws(Diagnostic) -> String {
        let start = position
        advance()
        skipPlain()
        if offset < validEnd, bytes[offset] == UInt8(ascii: "\"") {
            defer { advance() }
            return text(from: start.offset + 1)
        }
        return try rest(of: start)
    }

    /// Reads on in a text with more than plain characters in it, which begins at `start`.
    private mutating func rest(of start: JSONPosition) throws(Diagnostic) -> String {
        var text = Array(bytes[(start.offset + 1)..<offset])
        while true {
            guard let byte = try peek() else {
                throw fault(
                    .unfinished, at: start, "text without a closing quote",
                    help: "put a double quote at its end")
            }
            switch byte {
            case UInt8(ascii: "\""):
                advance()
                return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"):
                try escape(into: &text)
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
                throw fault(
                    .controlCharacter, at: position, "text goes over the end of the line",
                    help: "close it with a double quote, or write \\n for a line feed")
            case 0..<0x20:
                try note(
                    fault(
                        .controlCharacter, at: position,
                        "the control character 0x\(hex(byte)) is in a text",
                        help: byte == UInt8(ascii: "\t") ? "write \\t" : "write \\u00\(hex(byte))"))
                advance()
            default:
                let from = offset
                skipPlain()
                text.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[from..<offset]))
            }
        }
    }

    private mutating func escape(into text: inout [UInt8]) throws(Diagnostic) {
        let start = position
        advance()
        guard let letter = try peek() else { throw unfinished("the rest of an escape") }
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(letter)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"):
            advance()
            text.append(contentsOf: String(try unicodeEscape(from: start)).utf8)
            return
        default:
            try note(
                fault(
                    .escape, at: start, width: 2, "`\\` before \(try describe()) means nothing",
                    help: "write \\\\ for a backslash; the escapes are \\\" \\\\ \\/ \\b \\f \\n"
                        + " \\r \\t \\u0000"))
            // Continues as if the backslash were missing.
            return
        }
        advance()
    }

    /// Reads four hexadecimal digits, and a second escape where the first is half of a pair.
    private mutating func unicodeEscape(from start: JSONPosition) throws(Diagnostic)
        -> Unicode.Scalar
    {
        guard let high = try hexadecimal(from: start) else { return "\u{FFFD}" }
        if let scalar = Unicode.Scalar(high) { return scalar }
        if high < 0xDC00, bytes[offset..<validEnd].starts(with: "\\u".utf8) {
            let second = position
            advance()
            advance()
            guard let low = try hexadecimal(from: second) else { return "\u{FFFD}" }
            if (0xDC00..<0xE000).contains(low),
                let scalar = Unicode.Scalar(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00))
            {
                return scalar
            }
        }
        try note(
            fault(
                .surrogate, at: start, width: 6, "half of a surrogate pair without the other half",
                help: "write both, high one first, as \\uD83D\\uDE00, or the character itself"))
        return "\u{FFFD}"
    }

    /// Nil for what is noted as a fault.
    private mutating func hexadecimal(from start: JSONPosition) throws(Diagnostic) -> UInt32? {
        var number: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = try peek() else { throw unfinished("four hexadecimal digits") }
            let digit: UInt8
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte - UInt8(ascii: "A") + 10
            default:
                try note(
                    fault(
                        .escape, at: start, width: column - start.column,
                        "expected four hexadecimal digits after `\\u`, found \(try describe())",
                        help: "write \\u and four digits, as \\u00e9"))
                return nil
            }
            number = number << 4 | UInt32(digit)
            advance()
        }
        return number
    }

    // MARK: Faults

    private func fault(
        _ rule: JSONRule, at position: JSONPosition, width: Int = 1, _ message: String,
        help: String
    ) -> Diagnostic {
        source.diagnostic(
            at: position, width: width, rule: rule.rawValue, message: message, help: help)
    }

    private func unfinished(_ what: String) -> Diagnostic {
        fault(
            .unfinished, at: position, "the file ends where \(what) should be",
            help: "write the rest; the file may have been cut off")
    }

    private func trailingComma(at comma: JSONPosition) -> Diagnostic {
        fault(.trailingComma, at: comma, "a comma after the last value", help: "remove the comma")
    }

    private func notAKey(_ byte: UInt8) -> Diagnostic {
        do throws(Diagnostic) {
            let word = upcomingWord()
            return fault(
                .syntax, at: position, width: max(word.utf8.count, 1),
                "expected a key in double quotes, found \(try describe())",
                help: word.isEmpty ? "write \"key\": value, or close with `}`" : "write \"\(word)\""
            )
        } catch {
            return error
        }
    }

    /// Describes the current character, for messages.
    private func describe() throws(Diagnostic) -> String {
        guard try peek() != nil else { return "the end of the file" }
        let word = upcomingWord()
        if !word.isEmpty { return "`\(word)`" }
        let character = String(
            decoding: UnsafeBufferPointer(rebasing: bytes[offset..<min(offset + 4, validEnd)]),
            as: UTF8.self)
        let first = character.unicodeScalars.first.map { String($0) } ?? ""
        return first == "\n" || first == "\r" ? "the end of the line" : DiagnosticText.quoted(first)
    }

    private func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    private func hex(_ byte: UInt8) -> String {
        (byte < 0x10 ? "0" : "") + String(byte, radix: 16)
    }
}
