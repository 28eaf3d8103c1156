// SPDX-License-Identifier: Apache-2.0
import CTags

/// The threads and states in which each function of the host's table may be called, from the
/// headers.
struct HeaderTags: Sendable {
    struct Tag: Hashable, Sendable {
        let thread: String
        let state: String
    }

    /// The tags by the name of the member, `register_handler`.
    let functions: [String: Tag]

    /// The tags of the headers that this program was built with.
    static let current = HeaderTags(header(ctags_plugin_header) + header(ctags_subs_header))

    private static func header(
        _ text: (UnsafeMutablePointer<UInt64>) -> UnsafePointer<CChar>?
    ) -> String {
        var count: UInt64 = 0
        let start = text(&count)
        return String(
            decoding: UnsafeRawBufferPointer(start: start, count: Int(count)), as: UTF8.self)
    }

    /// Reads members such as `curfew_status (*keep)(…) CURFEW_TAG(any, running);`.
    init(_ header: String) {
        var functions: [String: Tag] = [:]
        var text = Self.withoutComments(header)[...]
        while let start = text.firstRange(of: "(*") {
            text = text[start.upperBound...]
            let name = text.prefix { $0.isLetter || $0 == "_" }
            let declaration = text.prefix { $0 != ";" }
            text = text[declaration.endIndex...]
            guard let tag = declaration.firstRange(of: "CURFEW_TAG(") else { continue }
            let words = declaration[tag.upperBound...].prefix { $0 != ")" }
                .split(separator: ",").map { $0.filter { !$0.isWhitespace } }
            guard words.count == 2, !name.hasPrefix("curfew_") else { continue }
            functions[String(name)] = Tag(thread: words[0], state: words[1])
        }
        self.functions = functions
    }

    private static func withoutComments(_ text: String) -> String {
        var result = ""
        var rest = text[...]
        while let start = rest.firstRange(of: "/*") {
            result += rest[..<start.lowerBound]
            guard let end = rest[start.upperBound...].firstRange(of: "*/") else { return result }
            rest = rest[end.upperBound...]
        }
        return result + rest
    }
}
