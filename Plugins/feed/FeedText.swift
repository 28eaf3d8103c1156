// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Decodes the bytes of a document into UTF-8.
enum FeedText {
    /// Returns the text without a byte order mark; malformed sequences become U+FFFD.
    ///
    /// The encoding is that of the byte order mark, else the server's, else the document's
    /// (RFC 7303), else UTF-8.
    static func utf8(of document: FeedDocument) throws -> [UInt8] {
        let bytes = document.bytes
        let (mark, name) = encoding(of: document)
        guard name != "utf-8" else {
            return Array(String(decoding: bytes.dropFirst(mark), as: UTF8.self).utf8)
        }
        let isName = name.utf8.allSatisfy {
            (0x30...0x39).contains($0) || (0x61...0x7a).contains($0) || "-_.:".utf8.contains($0)
        }
        guard isName, name.utf8.count <= 40, let converted = convert(bytes.dropFirst(mark), name)
        else {
            throw FeedProblem(
                "the document says that it is in '\(name.prefix(40))', an encoding that is not "
                    + "known here")
        }
        return converted
    }

    /// Returns the mark's length, and the encoding's name in lower case.
    private static func encoding(of document: FeedDocument) -> (mark: Int, name: String) {
        let start = document.bytes.prefix(4)
        if start.starts(with: [0xef, 0xbb, 0xbf]) { return (3, "utf-8") }
        if start.starts(with: [0xfe, 0xff]) { return (2, "utf-16be") }
        if start.starts(with: [0xff, 0xfe]) { return (2, "utf-16le") }
        let declared = parameter("charset", in: document.contentType[...])
        if declared?.hasPrefix("utf-16") != false {
            // "<" without a mark; "UTF-16" alone would leave open which one it is.
            if start.starts(with: [0, 0x3c]) { return (0, "utf-16be") }
            if start.starts(with: [0x3c, 0]) { return (0, "utf-16le") }
        }
        let head = String(decoding: document.bytes.prefix(256), as: UTF8.self)
        var name = declared ?? "utf-8"
        if declared == nil, head.hasPrefix("<?xml"), let end = head.firstRange(of: "?>") {
            name = parameter("encoding", in: head[..<end.lowerBound]) ?? name
        }
        switch name {
        // Latin-1 means windows-1252 in practice (WHATWG Encoding): quotes and dashes.
        case "iso-8859-1", "iso8859-1", "latin1", "latin-1", "us-ascii", "ascii":
            return (0, "windows-1252")
        // A document in UTF-16 could not have been read this far.
        case "utf8", "utf-16", "utf-16le", "utf-16be", "unicode": return (0, "utf-8")
        default: return (0, name)
        }
    }

    /// Returns the value after `name=`, without quotes, in lower case.
    private static func parameter(_ name: String, in text: Substring) -> String? {
        let text = text.lowercased()
        guard let found = text.firstRange(of: name) else { return nil }
        let rest = text[found.upperBound...].drop { $0 == " " }
        guard rest.first == "=" else { return nil }
        let value = rest.dropFirst().drop { " \"'".contains($0) }.prefix { !" \"';".contains($0) }
        return value.isEmpty ? nil : String(value)
    }

    /// Returns nil if the encoding is unknown.
    private static func convert(_ bytes: ArraySlice<UInt8>, _ name: String) -> [UInt8]? {
        guard let converter = iconv_open("UTF-8", name), Int(bitPattern: converter) != -1 else {
            return nil
        }
        defer { iconv_close(converter) }
        let unit = name.hasPrefix("utf-16") ? 2 : 1
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count * 2)
        var input = Array(bytes)
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        input.withUnsafeMutableBytes { input in
            var next = input.baseAddress?.assumingMemoryBound(to: CChar.self)
            var left = input.count
            // An incomplete character at the end is left out.
            while left > 0 {
                let (made, error) = piece.withUnsafeMutableBytes { piece in
                    var output = piece.baseAddress?.assumingMemoryBound(to: CChar.self)
                    var room = piece.count
                    let answer = iconv(converter, &next, &left, &output, &room)
                    return (piece.count - room, answer == -1 ? errno : 0)
                }
                result += piece[..<made]
                guard error == EILSEQ || error == EINVAL else { continue }
                result += Array("\u{fffd}".utf8)
                if error == EINVAL || left < unit { return }
                next = next?.advanced(by: unit)
                left -= unit
            }
        }
        return result
    }
}
