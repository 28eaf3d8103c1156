// SPDX-License-Identifier: Apache-2.0

/// A public key of minisign whose signatures count, for the plugins that it may sign.
///
/// The first line of its file says which those are, each behind `prefix=`:
///
///     untrusted comment: minisign public key 8C5D… prefix=org.example prefix=com.you.tool
///
/// minisign ignores that comment, so one file serves both. The comment is as trusted as the file,
/// which only root and the host's user can change. Without a prefix the key may sign nothing.
package struct TrustedKey: Hashable, Sendable {
    package let key: MinisignKey
    /// The path of its file.
    package let file: String
    package let prefixes: [IdentifierPrefix]

    /// The word before each prefix.
    package static var word: String { "prefix=" }

    package var id: MinisignKeyID { key.id }

    /// Throws where the comment names something that is no prefix, or none at all.
    init(_ key: MinisignKey, file: String) throws(BridgeError) {
        self.key = key
        self.file = file
        var prefixes: [IdentifierPrefix] = []
        for word in PathText.split(key.comment, at: " ") where PathText.hasPrefix(word, Self.word) {
            let text = String(Substring(word.utf8.dropFirst(Self.word.utf8.count)))
            guard let prefix = IdentifierPrefix(text) else {
                throw BridgeError(
                    .signatureFile,
                    "\(file): \(DiagnosticText.quoted(text)) is not the beginning of an id; write prefix=org.example into its first line"
                )
            }
            prefixes.append(prefix)
        }
        guard !prefixes.isEmpty else {
            throw BridgeError(
                .signatureFile,
                "\(file) does not say what the key may sign; append prefix=org.example to its first line, or add the key with `curfew trust add`"
            )
        }
        self.prefixes = prefixes
    }

    package func covers(_ id: String) -> Bool { prefixes.contains { $0.covers(id) } }
}
