// SPDX-License-Identifier: Apache-2.0
import PluginBridge
import Service

/// The JSON object of a call's body, whose members are texts.
struct ControlBody {
    private var texts: [String: String] = [:]

    /// - Parameter keys: the members that it may have.
    init(_ body: [UInt8], _ keys: [String]) throws(HTTPFault) {
        guard case .object(let members) = try SubmissionBody.value(of: body).kind else {
            throw Self.refused("the body has to be an object", keys)
        }
        for member in members {
            guard keys.contains(member.key) else {
                throw Self.refused(
                    "the body has no member `\(Shown.fitted(Shown.line(member.key), 64))`", keys)
            }
            guard case .string(let text) = member.value.kind else {
                throw Self.refused(
                    "`\(member.key)` has to be text, not \(member.value.noun)", keys)
            }
            texts[member.key] = text
        }
    }

    subscript(_ key: String) -> String? { texts[key] }

    /// One of a few words; nil where the member is left out.
    func word<Word>(_ key: String, _ words: [(name: String, word: Word)]) throws(HTTPFault) -> Word?
    {
        guard let text = texts[key] else { return nil }
        guard let found = words.first(where: { $0.name == text }) else {
            throw HTTPFault(
                422, "refused", "`\(key)` is `\(Shown.fitted(Shown.line(text), 64))`",
                help: ["write one of \(words.map(\.name).joined(separator: ", "))"])
        }
        return found.word
    }

    private static func refused(_ message: String, _ keys: [String]) -> HTTPFault {
        HTTPFault(422, "refused", message, help: ["it has \(keys.joined(separator: ", "))"])
    }
}
