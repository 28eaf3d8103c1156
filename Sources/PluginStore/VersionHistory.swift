// SPDX-License-Identifier: Apache-2.0
internal import PluginBridge

/// The versions that a plugin has had, the last one last.
///
/// It is written before a version takes its place, so after a crash it may name one more than was
/// ever installed. Therefore the version that is installed is looked for in it, and what comes after
/// that does not count.
struct VersionHistory: Hashable {
    private(set) var versions: [StoredVersion]

    /// The maximum number of versions that are kept of a plugin.
    static var limit: Int { 8 }
    /// The maximum number of bytes of the file.
    static var sizeLimit: Int { 4_096 }

    init(_ versions: [StoredVersion] = []) { self.versions = versions }

    /// Reads the text of a file; nil where it is none.
    init?(text: String) {
        versions = []
        for line in text.utf8.split(separator: UInt8(ascii: "\n")) {
            let words = line.split(
                separator: UInt8(ascii: " "), omittingEmptySubsequences: false
            ).map { String(Substring($0)) }
            guard words.count == 2, words[0].utf8.starts(with: "sha256-".utf8),
                LibraryDigest.isDigest(String(words[0].dropFirst(7))), !words[1].isEmpty
            else { return nil }
            versions.append(StoredVersion(digest: words[0], version: words[1]))
        }
    }

    /// As its file has it.
    var text: String { versions.map { "\($0.digest) \($0.version)\n" }.joined() }

    /// The history once a version is installed over another one.
    func installing(_ new: StoredVersion, over current: StoredVersion?) -> VersionHistory {
        var kept = upTo(current)
        if let current, kept.last?.digest != current.digest { kept.append(current) }
        // One that was removed, and is installed again, is not the version before itself.
        while kept.last?.digest == new.digest { kept.removeLast() }
        kept.append(new)
        return VersionHistory(kept.suffix(Self.limit))
    }

    /// The history up to a version, which is added where it is not in it.
    func ending(with current: StoredVersion) -> VersionHistory {
        let kept = upTo(current)
        return VersionHistory(
            kept.last?.digest == current.digest ? kept : (kept + [current]).suffix(Self.limit))
    }

    /// The history once a version before was brought back.
    func returning(to version: StoredVersion, from current: String?) -> VersionHistory {
        guard let place = place(before: current) else { return self }
        return VersionHistory(Array(versions[...place]))
    }

    /// The version before the one that is installed; where none is installed, the last one.
    func version(before current: String?) -> StoredVersion? {
        place(before: current).map { versions[$0] }
    }

    func has(_ digest: String) -> Bool { versions.contains { $0.digest == digest } }

    /// Whether an installed content is a version: it is in the list, or there is no list yet.
    func isOf(_ digest: String) -> Bool { versions.isEmpty || has(digest) }

    private func place(before current: String?) -> Int? {
        guard let current else { return versions.indices.last }
        // One that is not in the list was changed in its place: before it comes the last one.
        guard let place = versions.lastIndex(where: { $0.digest == current }) else {
            return versions.indices.last
        }
        return place > 0 ? place - 1 : nil
    }

    private func upTo(_ current: StoredVersion?) -> [StoredVersion] {
        guard let current,
            let place = versions.lastIndex(where: { $0.digest == current.digest })
        else { return versions }
        return Array(versions[...place])
    }
}
