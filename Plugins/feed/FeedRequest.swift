// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// The payload of a feed task.
struct FeedRequest: Decodable {
    let from: String
    let to: String

    static var payloadLimit: Int { 65_536 }

    private static let form =
        #"the payload must be JSON such as {"from": "https://example.org/feed.xml", "#
        + #""to": "/srv/feeds/example.jsonl"}"#

    init(payload: [UInt8]) throws {
        guard payload.count <= FeedRequest.payloadLimit else {
            throw FeedProblem(
                "\(FeedRequest.form); it has more than \(FeedRequest.payloadLimit) bytes")
        }
        do {
            self = try JSONDecoder().decode(FeedRequest.self, from: Data(payload))
        } catch DecodingError.keyNotFound(let key, _) {
            throw FeedProblem("\(FeedRequest.form); \"\(key.stringValue)\" is missing")
        } catch DecodingError.typeMismatch(_, let context) where !context.codingPath.isEmpty {
            let key = context.codingPath.map(\.stringValue).joined(separator: ".")
            throw FeedProblem("\(FeedRequest.form); \"\(key)\" is not a text")
        } catch {
            throw FeedProblem("\(FeedRequest.form); it is not a JSON object with two texts")
        }
        guard isWeb || FeedRequest.isPath(from) else {
            throw FeedProblem(
                "the payload's \"from\" is neither an address of http or https nor an absolute "
                    + "path: '\(source)'")
        }
        guard FeedRequest.isPath(to), to.utf8.last != UInt8(ascii: "/") else {
            throw FeedProblem("the payload's \"to\" is not the absolute path of a file: '\(to)'")
        }
    }

    /// The document comes from a server, not from a file.
    var isWeb: Bool {
        let start = from.prefix(8).lowercased()
        return !from.utf8.contains(0) && (start.hasPrefix("http://") || start == "https://")
    }

    /// The source as shown to users: shortened, and without an address's password.
    var source: String { FeedRequest.shown(from) }

    /// Returns an address without the parts that must not be logged.
    static func shown(_ address: String) -> String {
        var shown = address
        if let scheme = shown.firstRange(of: "://") {
            let end = shown[scheme.upperBound...].firstIndex { "/?#".contains($0) }
            let authority = shown[scheme.upperBound..<(end ?? shown.endIndex)]
            if let at = authority.lastIndex(of: "@") {
                shown.removeSubrange(scheme.upperBound...at)
            }
        }
        return shown.count > 200 ? "\(shown.prefix(200))…" : shown
    }

    private static func isPath(_ text: String) -> Bool {
        text.utf8.first == UInt8(ascii: "/") && !text.utf8.contains(0)
    }
}
