// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// One item of a feed, as it is written to the output.
struct FeedItem: Codable {
    /// Identifies the item in later documents.
    let id: String
    let title: String
    let link: String
    let published: String
    let summary: String

    /// The most bytes of a text; longer ones are truncated, so that one item cannot fill a disk.
    static var idLimit: Int { 1_024 }
    static var titleLimit: Int { 1_024 }
    static var linkLimit: Int { 4_096 }
    static var dateLimit: Int { 100 }
    static var summaryLimit: Int { 262_144 }

    /// The output's line, with its newline.
    func line(_ encoder: JSONEncoder) throws -> [UInt8] {
        Array(try encoder.encode(self)) + [UInt8(ascii: "\n")]
    }

    /// Returns the id in a line of the output, or nil if it is not such a line.
    static func id(ofLine line: ArraySlice<UInt8>) -> String? {
        try? JSONDecoder().decode(FeedItem.self, from: Data(line)).id
    }
}

extension String {
    /// Truncates the text to whole characters within that many bytes.
    func cut(to limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var end = utf8.index(startIndex, offsetBy: limit)
        while end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
        return String(self[..<end])
    }
}
