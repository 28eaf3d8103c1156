// SPDX-License-Identifier: Apache-2.0

/// Estimates the work that libxml2 does for each element, and limits it.
///
/// libxml2 compares each attribute of an element with all before it, and searches all namespaces of
/// the enclosing elements for a prefix: 80,000 attributes took 20 s, and so did 4,000 namespaces
/// around many small elements. The task cannot be stopped meanwhile.
struct FeedMarkupLimits {
    private static let attributes = 256
    private static let namespaces = 256
    /// The nesting depth that libxml2 accepts.
    private static let depth = 256

    /// The namespaces that each open element declares.
    private var open: [Int] = []
    private var inUse = 0

    /// Counts the tag that begins at the text's first character, "<".
    mutating func check(tag text: ArraySlice<UInt8>) throws {
        switch text.dropFirst().first {
        case UInt8(ascii: "/"): inUse -= open.popLast() ?? 0
        case UInt8(ascii: "!"), UInt8(ascii: "?"), nil: break
        default: try check(start: text.dropFirst())
        }
    }

    private mutating func check(start text: ArraySlice<UInt8>) throws {
        var (attributes, namespaces) = (0, 0)
        var quote: UInt8?
        var index = text.startIndex
        while index < text.endIndex {
            let byte = text[index]
            if byte == quote {
                quote = nil
            } else if quote == nil {
                switch byte {
                case UInt8(ascii: "\""), UInt8(ascii: "'"):
                    quote = byte
                    attributes += 1
                case UInt8(ascii: "x") where text[index...].starts(with: "xmlns".utf8):
                    namespaces += 1
                case UInt8(ascii: ">"), UInt8(ascii: "<"):
                    return try add(
                        attributes, namespaces, isEmpty: text[index - 1] == UInt8(ascii: "/"))
                default: break
                }
            } else if byte == UInt8(ascii: "<") {
                // Outside of a value: not XML from here on.
                return try add(attributes, namespaces, isEmpty: true)
            }
            index += 1
        }
    }

    private mutating func add(_ attributes: Int, _ namespaces: Int, isEmpty: Bool) throws {
        guard attributes <= Self.attributes else {
            throw FeedProblem("an element has more than \(Self.attributes) attributes")
        }
        guard inUse + namespaces <= Self.namespaces else {
            throw FeedProblem("more than \(Self.namespaces) namespaces are in use at one place")
        }
        guard !isEmpty, open.count <= Self.depth else { return }
        open.append(namespaces)
        inUse += namespaces
    }
}
