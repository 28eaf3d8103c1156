// SPDX-License-Identifier: Apache-2.0
import CXML

/// Mends the most common faults of feeds, and removes the entities that they define.
///
/// libxml2's own recovery loses text: after the first fault it drops every `&amp;` that follows.
enum FeedMarkup {
    /// The document with every `&` a reference to a character, and without control characters and
    /// document type.
    ///
    /// Entities of HTML become characters; all others, which only a document itself could define,
    /// stay as text. So there is nothing to expand, and nothing that could grow. Attributes that a
    /// document type gives to elements are gone with it. Throws where libxml2 would take seconds for
    /// one element, see ``FeedMarkupLimits``.
    static func mended(_ text: [UInt8]) throws -> [UInt8] {
        var mended: [UInt8] = []
        var limits = FeedMarkupLimits()
        mended.reserveCapacity(text.count + text.count / 16)
        var index = 0
        while index < text.count {
            let byte = text[index]
            switch byte {
            case UInt8(ascii: "<"):
                if let end = documentTypeEnd(text, index) {
                    // Faults are reported with their line.
                    mended += text[index..<end].filter { $0 == UInt8(ascii: "\n") }
                    index = end
                    continue
                }
                // In these, a "&" is literal.
                let verbatim = verbatimEnd(text, index)
                if verbatim == nil { try limits.check(tag: text[index...]) }
                let end = verbatim ?? index + 1
                for byte in text[index..<end] where isText(byte) { mended.append(byte) }
                index = end
            case UInt8(ascii: "&"):
                let (reference, length) = reference(text[index...])
                mended += reference
                index += length
            default:
                if isText(byte) { mended.append(byte) }
                index += 1
            }
        }
        return mended
    }

    private static func isText(_ byte: UInt8) -> Bool {
        byte >= 0x20 || byte == 0x09 || byte == 0x0a || byte == 0x0d
    }

    /// Returns the end of the comment, CDATA section or instruction that begins here, or nil.
    private static func verbatimEnd(_ text: [UInt8], _ start: Int) -> Int? {
        for (opening, closing) in [("<![CDATA[", "]]>"), ("<!--", "-->"), ("<?", "?>")] {
            guard text[start...].starts(with: opening.utf8) else { continue }
            let closing = Array(closing.utf8)
            var index = start + opening.utf8.count
            while index < text.count {
                if text[index] == closing[0], text[index...].starts(with: closing) {
                    return index + closing.count
                }
                index += 1
            }
            return text.count
        }
        return nil
    }

    /// Returns the end of the document type that begins here, or nil.
    private static func documentTypeEnd(_ text: [UInt8], _ start: Int) -> Int? {
        guard text[start...].starts(with: "<!DOCTYPE".utf8) else { return nil }
        var index = start + 1
        var quote: UInt8?
        var isInside = false
        while index < text.count {
            let byte = text[index]
            if let open = quote {
                if byte == open { quote = nil }
            } else if let end = verbatimEnd(text, index) {
                index = end
                continue
            } else {
                switch byte {
                case UInt8(ascii: "\""), UInt8(ascii: "'"): quote = byte
                case UInt8(ascii: "["): isInside = true
                case UInt8(ascii: "]"): isInside = false
                case UInt8(ascii: ">") where !isInside: return index + 1
                default: break
                }
            }
            index += 1
        }
        return text.count
    }

    /// Returns the replacement of the `&` that the text begins with, and the length it replaces.
    private static func reference(_ text: ArraySlice<UInt8>) -> (bytes: [UInt8], length: Int) {
        let bare = (Array("&amp;".utf8), 1)
        let name = text.dropFirst().prefix(32).prefix { $0 != UInt8(ascii: ";") }
        let length = name.count + 2
        guard !name.isEmpty, text.count >= length,
            text[text.startIndex + length - 1] == UInt8(ascii: ";")
        else { return bare }
        if name.first == UInt8(ascii: "#") {
            let digits = String(decoding: name.dropFirst(), as: UTF8.self)
            let isHex = digits.first == "x" || digits.first == "X"
            guard !digits.contains("+"), !digits.contains("-"),
                let code = isHex ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
            else { return bare }
            // A reference to a character that XML forbids does not refuse the whole document.
            return (Array("&#\(isCharacter(code) ? code : 0xfffd);".utf8), length)
        }
        if ["amp", "lt", "gt", "quot", "apos"].contains(where: { name.elementsEqual($0.utf8) }) {
            return (Array(text.prefix(length)), length)
        }
        guard let entity = htmlEntityLookup(Array(name) + [0]) else { return bare }
        return (Array("&#\(entity.pointee.value);".utf8), length)
    }

    private static func isCharacter(_ code: UInt32) -> Bool {
        switch code {
        case 0x9, 0xa, 0xd, 0x20...0xd7ff, 0xe000...0xfffd, 0x10000...0x10ffff: true
        default: false
        }
    }
}
