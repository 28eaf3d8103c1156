// SPDX-License-Identifier: Apache-2.0

/// The one content that the library of a plugin may have, by the embedder's word.
public struct PluginPin: Hashable, Sendable {
    /// The plugin's id.
    package let plugin: String
    /// 64 lower-case hexadecimal digits.
    package let sha256: String

    /// Returns nil when the digest is not one; upper-case digits are taken as well.
    public init?(plugin: String, sha256: String) {
        let digest = sha256.lowercased()
        guard digest.utf8.count == 64,
            digest.utf8.allSatisfy({
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
            })
        else { return nil }
        self.plugin = plugin
        self.sha256 = digest
    }
}
