// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// One item of a feed, as it is written.
struct FeedItem: Codable {
    /// By which the item is known in later documents.
    let id: String
    let title: String
    let link: String
    let published: String
    let summary: String

    /// Texts are cut to this many bytes; one item cannot fill a disk.
    static var idLimit: Int { 1_024 }
    static var titleLimit: Int { 1_024 }
    static var linkLimit: Int { 4_096 }
    static var dateLimit: Int { 100 }
    static var summaryLimit: Int { 262_144 }

    /// The line of the output, with its end.
    func line(_ encoder: JSONEncoder) throws -> [UInt8] {
        Array(try encoder.encode(self)) + [UInt8(ascii: "\n")]
    }

    /// The id in a line of the output; nil for one that is none.
    static func id(ofLine line: ArraySlice<UInt8>) -> String? {
        try? JSONDecoder().decode(FeedItem.self, from: Data(line)).id
    }
}

extension String {
    /// The text without a character that would go past that many bytes.
    func cut(to limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var end = utf8.index(startIndex, offsetBy: limit)
        while end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
        return String(self[..<end])
    }
}
