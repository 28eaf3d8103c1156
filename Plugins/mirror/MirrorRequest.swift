// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// The payload of a mirror task.
struct MirrorRequest: Decodable {
    let from: String
    let to: String

    static var payloadLimit: Int { 65_536 }

    private static let form =
        #"the payload must be JSON such as {"from": "/srv/a", "to": "/backup/a"}"#

    init(payload: [UInt8]) throws {
        guard payload.count <= MirrorRequest.payloadLimit else {
            throw MirrorProblem(
                "\(MirrorRequest.form); it has more than \(MirrorRequest.payloadLimit) bytes")
        }
        do {
            self = try JSONDecoder().decode(MirrorRequest.self, from: Data(payload))
        } catch DecodingError.keyNotFound(let key, _) {
            throw MirrorProblem("\(MirrorRequest.form); \"\(key.stringValue)\" is missing")
        } catch DecodingError.typeMismatch(_, let context) where !context.codingPath.isEmpty {
            let key = context.codingPath.map(\.stringValue).joined(separator: ".")
            throw MirrorProblem("\(MirrorRequest.form); \"\(key)\" is not a text")
        } catch {
            throw MirrorProblem("\(MirrorRequest.form); it is not a JSON object with two texts")
        }
        for (key, path) in [("from", from), ("to", to)] {
            guard path.utf8.first == UInt8(ascii: "/"), !path.utf8.contains(0) else {
                throw MirrorProblem("the payload's \"\(key)\" is not an absolute path: '\(path)'")
            }
        }
    }
}
