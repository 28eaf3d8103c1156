// SPDX-License-Identifier: Apache-2.0
import CXML

/// The elements of a document as far as it is well-formed XML, read by libxml2.
///
/// The parser loads nothing, and stops at its own limits of depth and length.
struct XMLTree: ~Copyable {
    private let document: xmlDocPtr
    /// The first place where the document stops being XML, or nil.
    let fault: String?
    /// The fault comes after the root's end, so every element is complete.
    let isComplete: Bool

    private static let isReady: Bool = {
        xmlInitParser()
        return true
    }()

    /// - Parameters:
    ///   - text: UTF-8; the encoding that it declares is ignored.
    ///   - address: the base of relative links; empty for none.
    init(_ text: [UInt8], address: String) throws {
        _ = XMLTree.isReady
        let parser = text.withUnsafeBytes { text in
            xmlCreateMemoryParserCtxt(
                text.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(clamping: text.count))
        }
        guard let parser else { throw FeedProblem("the document is empty") }
        defer { xmlFreeParserCtxt(parser) }
        let options = [
            XML_PARSE_NONET, XML_PARSE_NOERROR, XML_PARSE_NOWARNING, XML_PARSE_IGNORE_ENC,
            XML_PARSE_NOCDATA, XML_PARSE_COMPACT,
        ]
        xmlCtxtUseOptions(parser, Int32(options.reduce(0) { $0 | $1.rawValue }))
        xmlSwitchEncoding(parser, XML_CHAR_ENCODING_UTF8)
        xmlParseDocument(parser)
        guard let document = parser.pointee.myDoc else {
            throw FeedProblem(
                "the document is no XML\(XMLTree.fault(of: parser).map { ": \($0)" } ?? "")")
        }
        // libxml2 owns this copy, and frees it with the document.
        if !address.isEmpty { document.pointee.URL = UnsafePointer(xmlStrdup(address)) }
        self.document = document
        let isWellFormed = parser.pointee.wellFormed != 0
        fault = isWellFormed ? nil : XMLTree.fault(of: parser) ?? "no reason is known"
        isComplete =
            isWellFormed || parser.pointee.errNo == Int32(XML_ERR_DOCUMENT_END.rawValue)
    }

    deinit { xmlFreeDoc(document) }

    var root: XMLElement? { xmlDocGetRootElement(document).map { XMLElement(node: $0) } }

    private static func fault(of parser: xmlParserCtxtPtr) -> String? {
        guard let error = xmlCtxtGetLastError(parser), let text = error.pointee.message else {
            return nil
        }
        let words = String(cString: text).split(whereSeparator: \.isWhitespace)
        return "line \(error.pointee.line): \(words.joined(separator: " "))"
    }
}
