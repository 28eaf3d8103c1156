// SPDX-License-Identifier: Apache-2.0

/// A build of a plugin that hosts do not run.
package struct QuarantinedPlugin: Hashable, Sendable {
    /// The digest of its manifest and library: 64 lower-case hexadecimal digits. Another build of the
    /// plugin has another one, so that it is run.
    package let content: String
    /// The id of the plugin; "" if it is unknown.
    package let plugin: String
    /// The reason, as a clause that begins in lower case.
    package let reason: String
    /// The date of the quarantine, in nanoseconds since 1970 in UTC.
    package let at: Int64
    /// A person has quarantined it, not a host.
    package let isByHand: Bool

    /// The maximum number of bytes of a reason; a longer one is cut.
    package static let reasonLimit = 512

    package init(content: String, plugin: String, reason: String, at: Int64, isByHand: Bool) {
        self.content = content
        self.plugin = plugin
        self.reason = Self.plain(reason).cut(to: Self.reasonLimit)
        self.at = at
        self.isByHand = isByHand
    }

    /// Returns whether a text can be the digest of a plugin's content.
    package static func isContent(_ text: String) -> Bool {
        text.utf8.count == 64
            && text.utf8.allSatisfy {
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
            }
    }

    // MARK: In a store

    private static let tab = UInt8(ascii: "\t")

    /// The text without control characters, which separate words and lines.
    private static func plain(_ text: String) -> String {
        String(decoding: text.utf8.map { $0 < 0x20 ? UInt8(ascii: " ") : $0 }, as: UTF8.self)
    }

    /// One line: content, date, who, plugin and reason, with tabs between them.
    var line: String {
        "\(content)\t\(at)\t\(isByHand ? "person" : "host")\t\(Self.plain(plugin))\t\(reason)"
    }

    /// Reads the form of `line`; returns nil if it is malformed.
    init?(line: some Collection<UInt8>) {
        let words = line.split(separator: Self.tab, omittingEmptySubsequences: false).compactMap {
            String(validating: $0, as: UTF8.self)
        }
        guard words.count == 5, Self.isContent(words[0]), let at = Int64(words[1]),
            words[2] == "person" || words[2] == "host"
        else { return nil }
        self.init(
            content: words[0], plugin: words[3], reason: words[4], at: at,
            isByHand: words[2] == "person")
    }
}
