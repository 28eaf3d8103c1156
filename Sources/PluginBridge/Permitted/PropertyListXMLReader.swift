// SPDX-License-Identifier: Apache-2.0

/// Reads property lists in XML: the elements of Apple's document type and as much of XML as they
/// need.
///
/// Such a file has no declarations: a document type with declarations and entities other than the
/// five of XML are refused, and with them every way to make a small file expand.
struct PropertyListXMLReader {
    /// A tag, from its `<` to its `>`.
    private struct Tag {
        enum Form {
            case opening
            case closing
            /// `<name/>`: both in one.
            case empty
        }

        let name: String
        let form: Form
        let position: JSONPosition
        let width: Int

        var place: PropertyListPlace { .text(position, width: width) }
        /// The tag as written, without attributes.
        var text: String {
            switch form {
            case .opening: "<\(name)>"
            case .closing: "</\(name)>"
            case .empty: "<\(name)/>"
            }
        }
    }

    private let source: DiagnosticSource
    /// The offset of the first byte that is not UTF-8, or the size of the text.
    private let validEnd: Int
    private var offset = 0
    private var line = 1
    private var column = 1
    private var depth = 0
    private var faults: [Diagnostic] = []

    private init(_ source: DiagnosticSource) {
        self.source = source
        validEnd = source.bytes.withUnsafeBufferPointer { JSONReader.validPrefix(of: $0) }
    }

    static func read(
        _ source: DiagnosticSource
    ) -> (value: PropertyListValue?, faults: [Diagnostic]) {
        var reader = PropertyListXMLReader(source)
        do throws(Diagnostic) {
            let value = try reader.document()
            return (value, reader.faults)
        } catch {
            return (nil, reader.faults + [error])
        }
    }

    // MARK: Moving

    private var position: JSONPosition { JSONPosition(line: line, column: column, offset: offset) }

    /// The byte at the current place, or nil at the end of the text.
    private func peek() throws(Diagnostic) -> UInt8? {
        guard offset < source.bytes.count else { return nil }
        guard offset < validEnd else {
            throw fault(
                .encoding, at: position, "the byte \(source.bytes[offset]) is not UTF-8",
                help: "save the file as UTF-8")
        }
        let byte = source.bytes[offset]
        // Control characters, and the two that are no characters: XML has no way to write them.
        let isNone =
            byte == 0xEF
            && (isAhead([0xEF, 0xBF, 0xBE]) || isAhead([0xEF, 0xBF, 0xBF]))
        guard byte >= 0x20 || Self.isSpace(byte), !isNone else {
            throw fault(
                .encoding, at: position, "a character that XML does not have", help: "remove it")
        }
        return byte
    }

    private mutating func advance(_ count: Int = 1) {
        for _ in 0..<count {
            let byte = source.bytes[offset]
            offset += 1
            if byte == UInt8(ascii: "\n") {
                line += 1
                column = 1
            } else if byte & 0xC0 != 0x80 {
                column += 1
            }
        }
    }

    private func isAhead(_ text: some Sequence<UInt8>) -> Bool {
        source.bytes[offset..<validEnd].starts(with: text)
    }

    private func isAhead(_ text: String) -> Bool { isAhead(text.utf8) }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }

    private mutating func skipSpace() throws(Diagnostic) {
        while let byte = try peek(), Self.isSpace(byte) { advance() }
    }

    /// Steps over white space and comments.
    private mutating func skipMiscellany() throws(Diagnostic) {
        try skipSpace()
        while isAhead("<!--") {
            try skipComment()
            try skipSpace()
        }
    }

    private mutating func skipComment() throws(Diagnostic) {
        let start = position
        advance(4)
        while try peek() != nil {
            if isAhead("-->") { return advance(3) }
            if isAhead("--") {
                throw fault(
                    .syntax, at: position, width: 2, "two hyphens stand inside a comment",
                    help: "write one, or end the comment with -->")
            }
            advance()
        }
        throw fault(
            .unfinished, at: start, width: 4, "a comment without an end", help: "end it with -->")
    }

    // MARK: The document

    private mutating func document() throws(Diagnostic) -> PropertyListValue {
        try declaration()
        try skipMiscellany()
        if isAhead("<!DOCTYPE") {
            try documentType()
            try skipMiscellany()
        }
        let root = try tag(within: "the file")
        guard root.name == "plist", root.form != .closing else {
            throw fault(
                .element, at: root.place, "the file holds \(root.text), expected <plist>",
                help: "write <plist version=\"1.0\"> … </plist> around the list")
        }
        try skipMiscellany()
        guard root.form == .opening, !isAhead("</") else {
            throw fault(
                .element, at: root.place, "the list is empty",
                help: "write a <dict> … </dict> into it")
        }
        let value = try value(try tag(within: "<plist>"))
        try skipMiscellany()
        let end = try tag(within: "<plist>")
        guard end.name == "plist", end.form == .closing else {
            throw fault(
                .element, at: end.place, "the list continues with \(end.text) after its value",
                help: "keep one value, and close with </plist>")
        }
        try skipMiscellany()
        guard try peek() == nil else {
            throw fault(
                .trailingText, at: position, "text after the end of the list",
                help: "remove everything after </plist>")
        }
        return value
    }

    /// Reads `<?xml version="1.0" encoding="UTF-8"?>`, if present.
    private mutating func declaration() throws(Diagnostic) {
        guard isAhead("<?xml") else { return }
        let start = position
        advance(5)
        var attributes = try attributes()
        guard isAhead("?>") else {
            throw fault(
                .syntax, at: position, "the XML declaration does not end here",
                help: "write <?xml version=\"1.0\" encoding=\"UTF-8\"?>")
        }
        advance(2)
        let version = attributes.removeValue(forKey: "version")
        let encoding = attributes.removeValue(forKey: "encoding")?.lowercased() ?? "utf-8"
        let standalone = attributes.removeValue(forKey: "standalone") ?? "yes"
        guard version == "1.0", attributes.isEmpty, ["yes", "no"].contains(standalone) else {
            throw fault(
                .syntax, at: start, width: 5, "the XML declaration is not one of XML 1.0",
                help: "write <?xml version=\"1.0\" encoding=\"UTF-8\"?>")
        }
        guard ["utf-8", "us-ascii"].contains(encoding) else {
            throw fault(
                .encoding, at: start, width: 5, "the file says it is not UTF-8",
                help: "save it as UTF-8 and write encoding=\"UTF-8\"")
        }
    }

    /// Reads the document type, which may name a definition but have none.
    private mutating func documentType() throws(Diagnostic) {
        let start = position
        advance(9)
        var words: [String] = []
        // XML 1.0, productions 28 and 75: white space precedes each part.
        var isApart = false
        while let byte = try peek() {
            if Self.isSpace(byte) {
                advance()
                isApart = true
                continue
            }
            guard isApart || "[<>".utf8.contains(byte) else {
                throw fault(
                    .syntax, at: position, "no space stands before this part of the document type",
                    help: "put one before it")
            }
            isApart = false
            switch byte {
            case UInt8(ascii: ">"):
                advance()
                guard
                    [["plist"], ["plist", "PUBLIC", "\"", "\""], ["plist", "SYSTEM", "\""]]
                        .contains(words)
                else {
                    throw fault(
                        .syntax, at: start, width: 9, "the document type is not that of a plist",
                        help: "write <!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\""
                            + " \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">")
                }
                return
            case UInt8(ascii: "["), UInt8(ascii: "<"):
                throw fault(
                    .documentType, at: position, "the document type declares something",
                    help: "end it before the bracket; no property list needs declarations")
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                let start = position
                let text = try quoted()
                // Some readers take the first > for the end, whatever is around it.
                guard !text.utf8.contains(where: { "[<>]".utf8.contains($0) }) else {
                    throw fault(
                        .syntax, at: start, "a bracket is in the document type",
                        help: "remove it")
                }
                words.append("\"")
            default:
                let word = try name()
                guard !word.isEmpty, words.count < 4 else {
                    throw fault(
                        .syntax, at: position, "the document type cannot continue so",
                        help: "end it with >")
                }
                words.append(word)
            }
        }
        throw fault(
            .unfinished, at: start, width: 9, "the document type has no end", help: "write >")
    }

    // MARK: Tags

    /// Reads a tag; only <plist> may have an attribute, `version`.
    private mutating func tag(within place: String) throws(Diagnostic) -> Tag {
        let start = position
        guard let byte = try peek() else {
            throw fault(
                .unfinished, at: start, "the file ends within \(place)",
                help: "write the rest; the file may have been cut off")
        }
        guard byte == UInt8(ascii: "<") else {
            throw fault(
                .syntax, at: start, "text stands where a tag should be, within \(place)",
                help: "put text into <string> … </string>")
        }
        advance()
        if isAhead("!") || isAhead("?") {
            throw fault(
                .syntax, at: start, width: 2, "a property list has no such markup within \(place)",
                help: "remove it")
        }
        var form = Tag.Form.opening
        if isAhead("/") {
            advance()
            form = .closing
        }
        let name = try name()
        guard !name.isEmpty else {
            throw fault(
                .syntax, at: start, "a `<` without the name of an element",
                help: "write &lt; where the character itself is meant")
        }
        let attributes = try attributes()
        if isAhead("/"), form == .opening {
            advance()
            form = .empty
        }
        guard let closing = try peek() else {
            throw fault(
                .unfinished, at: start, "the file ends inside a tag",
                help: "write the rest; the file may have been cut off")
        }
        guard closing == UInt8(ascii: ">") else {
            throw fault(
                .syntax, at: position,
                "the tag of \(DiagnosticText.quoted(name)) does not end here",
                help: "close it with >")
        }
        advance()
        let width = line == start.line ? column - start.column : 1
        let tag = Tag(name: name, form: form, position: start, width: width)
        let isVersion =
            form != .closing && name == "plist"
            && attributes.allSatisfy { $0 == ("version", "1.0") }
        guard attributes.isEmpty || isVersion else {
            throw fault(
                .element, at: tag.place, "\(DiagnosticText.quoted(name)) has an attribute",
                help: "remove it; only <plist version=\"1.0\"> has one")
        }
        return tag
    }

    /// Letters, digits and what else XML allows in ASCII; no element has a longer name than this.
    private mutating func name() throws(Diagnostic) -> String {
        let start = offset
        while let byte = try peek(), offset - start < 64 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"),
                UInt8(ascii: ":"), UInt8(ascii: "."):
                advance()
            default: return String(decoding: source.bytes[start..<offset], as: UTF8.self)
            }
        }
        return String(decoding: source.bytes[start..<offset], as: UTF8.self)
    }

    /// Reads ` name="value"` repeatedly.
    private mutating func attributes() throws(Diagnostic) -> [String: String] {
        var attributes: [String: String] = [:]
        while let byte = try peek(), Self.isSpace(byte) {
            try skipSpace()
            let start = position
            let name = try name()
            if name.isEmpty { break }
            try skipSpace()
            guard try peek() == UInt8(ascii: "=") else {
                throw fault(
                    .syntax, at: position, "an attribute has no value", help: "write name=\"value\""
                )
            }
            advance()
            try skipSpace()
            let value = try quoted()
            guard attributes.updateValue(value, forKey: name) == nil, attributes.count <= 8 else {
                throw fault(
                    .syntax, at: start, "an attribute stands twice, or there are too many",
                    help: "remove it")
            }
        }
        return attributes
    }

    /// Reads text in double or single quotes, in which nothing has a meaning.
    private mutating func quoted() throws(Diagnostic) -> String {
        let start = position
        guard let quote = try peek(), quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'")
        else {
            throw fault(
                .syntax, at: start, "a value stands without quotes", help: "put quotes around it")
        }
        advance()
        let first = offset
        while let byte = try peek() {
            advance()
            if byte == quote {
                return String(decoding: source.bytes[first..<(offset - 1)], as: UTF8.self)
            }
        }
        throw fault(
            .unfinished, at: start, "a quote that is not closed", help: "close it")
    }

    // MARK: Values

    private mutating func value(_ tag: Tag) throws(Diagnostic) -> PropertyListValue {
        guard tag.form != .closing else {
            throw fault(
                .element, at: tag.place, "\(tag.text) stands where a value should be",
                help: "write a value, as <string> … </string>")
        }
        let kind: PropertyListValue.Kind
        switch tag.name {
        case "dict":
            kind = .dictionary(try nested(tag) { r, t throws(Diagnostic) in try r.members(t) })
        case "array":
            kind = .array(try nested(tag) { r, t throws(Diagnostic) in try r.elements(t) })
        case "string": kind = .string(try text(of: tag))
        case "true", "false":
            let content = try text(of: tag)
            try check(
                content.isEmpty, tag, "\(tag.name) has content", help: "write <\(tag.name)/>")
            kind = .other(tag.name)
        case "integer":
            let digits = try text(of: tag)
            try check(
                PropertyListXMLValue.isInteger(digits), tag,
                "\(DiagnosticText.quoted(digits)) is not a whole number of 64 bits",
                help: "write <integer>12</integer>")
            kind = .other("a number")
        case "real":
            let digits = try text(of: tag)
            try check(
                PropertyListXMLValue.isReal(digits), tag,
                "\(DiagnosticText.quoted(digits)) is not a number",
                help: "write <real>1.5</real>")
            kind = .other("a number")
        case "date":
            let date = try text(of: tag)
            try check(
                PropertyListXMLValue.isDate(date), tag,
                "\(DiagnosticText.quoted(date)) is not a date",
                help: "write <date>2026-01-31T12:00:00Z</date>")
            kind = .other("a date")
        case "data":
            try check(
                PropertyListXMLValue.isBase64(try text(of: tag)), tag,
                "the data is not written in base64", help: "write <data>AAEC</data>")
            kind = .other("data")
        default:
            throw fault(
                .element, at: tag.place,
                "a property list has no element \(DiagnosticText.quoted(tag.name))"
                    + (tag.name == "key" ? " outside of a dictionary, or without its value" : ""),
                help: "write one of dict, array, string, integer, real, true, false, date, data")
        }
        return PropertyListValue(kind: kind, place: tag.place)
    }

    private mutating func check(
        _ isSound: Bool, _ tag: Tag, _ message: @autoclosure () -> String, help: String
    ) throws(Diagnostic) {
        if !isSound { try note(fault(.value, at: tag.place, message(), help: help)) }
    }

    private mutating func nested<Content: RangeReplaceableCollection>(
        _ tag: Tag, _ read: (inout PropertyListXMLReader, Tag) throws(Diagnostic) -> Content
    ) throws(Diagnostic) -> Content {
        if tag.form == .empty { return Content() }
        guard depth < PropertyListReader.depthLimit else {
            throw fault(
                .depth, at: tag.place,
                "nested more than \(PropertyListReader.depthLimit) levels deep",
                help: "use fewer levels of arrays and dictionaries")
        }
        depth += 1
        let content = try read(&self, tag)
        depth -= 1
        return content
    }

    private mutating func members(_ tag: Tag) throws(Diagnostic) -> [PropertyListMember] {
        var members: [PropertyListMember] = []
        // Keyed by bytes: comparing text by canonical equivalence can be made very slow.
        var places: [[UInt8]: JSONPosition] = [:]
        while true {
            try skipMiscellany()
            let next = try self.tag(within: "<dict>")
            if next.form == .closing {
                try expect(next, closes: tag)
                return members
            }
            guard next.name == "key" else {
                throw fault(
                    .element, at: next.place, "\(next.text) stands where a <key> should be",
                    help: "write <key> … </key> before each value of a <dict>")
            }
            let key = try text(of: next)
            try skipMiscellany()
            let value = try value(try self.tag(within: "<dict>"))
            if let first = places[Array(key.utf8)] {
                try note(
                    fault(
                        .duplicateKey, at: next.place,
                        "the key \(DiagnosticText.quoted(key)) stands twice in one dictionary; the"
                            + " first is at line \(first.line), column \(first.column)",
                        help: "keep one of the two"))
            } else {
                places[Array(key.utf8)] = next.position
                members.append(PropertyListMember(key: key, value: value))
            }
        }
    }

    private mutating func elements(_ tag: Tag) throws(Diagnostic) -> [PropertyListValue] {
        var elements: [PropertyListValue] = []
        while true {
            try skipMiscellany()
            let next = try self.tag(within: "<array>")
            if next.form == .closing {
                try expect(next, closes: tag)
                return elements
            }
            elements.append(try value(next))
        }
    }

    private func expect(_ end: Tag, closes tag: Tag) throws(Diagnostic) {
        guard end.name == tag.name else {
            throw fault(
                .syntax, at: end.place,
                "\(end.text) closes \(tag.text), which began at line \(tag.position.line), column"
                    + " \(tag.position.column)",
                help: "write </\(tag.name)> first")
        }
    }

    // MARK: Text

    /// Reads text up to the closing tag, and that tag.
    private mutating func text(of tag: Tag) throws(Diagnostic) -> String {
        if tag.form == .empty { return "" }
        var text: [UInt8] = []
        while let byte = try peek() {
            switch byte {
            case UInt8(ascii: "<"):
                if isAhead("<!--") {
                    try skipComment()
                } else if isAhead("<![CDATA[") {
                    try characterData(into: &text)
                } else {
                    let end = try self.tag(within: "<\(tag.name)>")
                    guard end.form == .closing else {
                        throw fault(
                            .element, at: end.place, "\(end.text) stands inside <\(tag.name)>",
                            help: "close <\(tag.name)> first, or write &lt; for the character")
                    }
                    try expect(end, closes: tag)
                    return String(decoding: text, as: UTF8.self)
                }
            case UInt8(ascii: "&"): try reference(into: &text)
            case 0x0D:
                // XML: every end of a line is one line feed.
                advance()
                if !isAhead("\n") { text.append(0x0A) }
            default:
                if byte == UInt8(ascii: "]"), isAhead("]]>") {
                    throw fault(
                        .syntax, at: position, width: 3, "`]]>` is in a text",
                        help: "write ]]&gt;")
                }
                text.append(byte)
                advance()
            }
        }
        throw fault(
            .unfinished, at: tag.place, "\(tag.text) is not closed",
            help: "write </\(tag.name)>; the file may have been cut off")
    }

    private mutating func characterData(into text: inout [UInt8]) throws(Diagnostic) {
        let start = position
        advance(9)
        while let byte = try peek() {
            if isAhead("]]>") { return advance(3) }
            advance()
            if byte != 0x0D {
                text.append(byte)
            } else if !isAhead("\n") {
                text.append(0x0A)
            }
        }
        throw fault(
            .unfinished, at: start, width: 9, "a CDATA section without an end",
            help: "end it with ]]>")
    }

    /// Reads `&lt;` and the like, or the number of a character.
    private mutating func reference(into text: inout [UInt8]) throws(Diagnostic) {
        let start = position
        advance()
        let first = offset
        while let byte = try peek(), offset - first < 12, byte != UInt8(ascii: ";"),
            byte > 0x20, byte < 0x7F, byte != UInt8(ascii: "<"), byte != UInt8(ascii: "&")
        { advance() }
        let name = String(decoding: source.bytes[first..<offset], as: UTF8.self)
        let width = column - start.column
        guard isAhead(";") else {
            throw fault(
                .entity, at: start, width: width, "`&` does not begin an entity",
                help: "write &amp; where the character itself is meant")
        }
        advance()
        guard let scalar = PropertyListXMLValue.character(named: name) else {
            throw fault(
                .entity, at: start, width: width + 1,
                "XML has no entity \(DiagnosticText.quoted("&\(name);"))",
                help: "write the character itself; only &lt; &gt; &amp; &quot; &apos; and numbers"
                    + " of characters are known")
        }
        text.append(contentsOf: Array(String(scalar).utf8))
    }

    // MARK: Faults

    private func fault(
        _ rule: PropertyListRule, at position: JSONPosition, width: Int = 1, _ message: String,
        help: String
    ) -> Diagnostic {
        fault(rule, at: .text(position, width: width), message, help: help)
    }

    private func fault(
        _ rule: PropertyListRule, at place: PropertyListPlace, _ message: String, help: String
    ) -> Diagnostic {
        source.diagnostic(at: place, rule: rule.rawValue, message: message, help: help)
    }

    /// Keeps a fault and lets the reader go on; the one that fills the list ends the reading.
    private mutating func note(_ fault: Diagnostic) throws(Diagnostic) {
        guard faults.count + 1 < PropertyListReader.faultLimit else { throw fault }
        faults.append(fault)
    }
}
