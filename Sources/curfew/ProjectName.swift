// SPDX-License-Identifier: Apache-2.0
import PluginBridge

/// The name of a new plugin, and the names derived from it.
struct ProjectName {
    /// The maximum number of bytes.
    static var limit: Int { 64 }

    /// The name of the directory and the library: `my-feed`.
    let text: String
    /// The reverse-DNS name of its handler; the plugin's own has `-plugin` after it.
    let identifier: String

    /// The prefix of its events and C functions: `my_feed`.
    var symbol: String { text.replacing("-", with: "_") }

    /// The prefix of its Swift types: `MyFeed`.
    var type: String {
        text.split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }

    /// Fails with the rule that the name or the identifier breaks.
    ///
    /// - Parameter identifier: nil: one is made of the name.
    init(
        _ text: String, identifier: String?, language: PluginLanguage
    ) throws(CommandError) {
        guard ProjectName.isUsable(text) else {
            throw ProjectName.unusable(
                text,
                "a name is small letters, digits and `-`, a letter first, at most \(Self.limit)"
                    + " bytes")
        }
        guard !text.hasPrefix("curfew") else {
            throw ProjectName.unusable(text, "names that begin with `curfew` are Curfew's own")
        }
        guard language != .swift || text != "task" else {
            throw ProjectName.unusable(
                text, "its handler would be called TaskHandler, as the protocol of CurfewPlugin is")
        }
        self.text = text
        self.identifier = identifier ?? "org.example." + text
        try checkIdentifier()
    }

    private func checkIdentifier() throws(CommandError) {
        let parts = identifier.split(separator: ".", omittingEmptySubsequences: false)
        let last = parts[parts.count - 1]
        let isSound =
            parts.count > 1
            && parts.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy(Self.isIdentifierByte) }
        guard isSound, last.utf8.first.map(Self.isLetter) ?? false, last.utf8.count <= Self.limit,
            identifier.utf8.count <= Manifest.identifierLimit - "-plugin".utf8.count
        else {
            throw CommandError(
                .usage, "`\(identifier)` cannot be the identifier of a handler",
                notes: [
                    "it is a reverse-DNS name: letters, digits and `-` with dots between them; its"
                        + " last part begins with a letter and has at most \(Self.limit) bytes, all"
                        + " of it at most \(Manifest.identifierLimit - "-plugin".utf8.count)"
                ], help: ["--id org.example.\(text)"])
        }
        guard !last.lowercased().hasPrefix("curfew") else {
            throw CommandError(
                .usage, "`\(identifier)` cannot be the identifier of a handler",
                notes: ["its events would begin with `curfew`, and those are Curfew's own"],
                help: ["--id org.example.\(text)"])
        }
    }

    private static func unusable(_ text: String, _ rule: String) -> CommandError {
        CommandError(
            .usage, "`\(text)` cannot be the name of a plugin", notes: [rule],
            help: ["curfew new " + suggestion(for: text)])
    }

    /// A name that can be used and is near to what was typed.
    static func suggestion(for text: String) -> String {
        var words: [String] = [""]
        for byte in text.lowercased().utf8 {
            if isSmallLetter(byte) || isDigit(byte) {
                words[words.count - 1].unicodeScalars.append(Unicode.Scalar(byte))
            } else if words.last != "" {
                words.append("")
            }
        }
        let joined = words.filter { !$0.isEmpty }.joined(separator: "-")
        guard let first = joined.utf8.first else { return "my-plugin" }
        let isTaken = !isSmallLetter(first) || joined.hasPrefix("curfew") || joined == text
        return String(((isTaken ? "my-" : "") + joined).prefix(limit))
    }

    private static func isUsable(_ text: String) -> Bool {
        (1...limit).contains(text.utf8.count) && text.utf8.first.map(isSmallLetter) == true
            && text.utf8.allSatisfy {
                isSmallLetter($0) || isDigit($0) || $0 == UInt8(ascii: "-")
            }
    }

    private static func isIdentifierByte(_ byte: UInt8) -> Bool {
        isLetter(byte) || isDigit(byte) || byte == UInt8(ascii: "-")
    }

    private static func isLetter(_ byte: UInt8) -> Bool { isSmallLetter(byte | 0x20) }

    private static func isSmallLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
