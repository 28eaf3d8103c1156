// SPDX-License-Identifier: Apache-2.0

/// A file that is there when an example is tried.
public struct ManifestExampleFile: Hashable, Sendable {
    /// What a file has in it.
    public enum Content: Hashable, Sendable {
        /// This text, and nothing else.
        case text(String)
        /// So many bytes, all of them zero: a file with a hole, which takes no room.
        case zeros(UInt64)
    }

    /// Below the directory the example is tried in: no part of it is empty, `.` or `..`.
    public let path: String
    /// What the file has in it.
    public let content: Content

    public init(path: String, _ content: Content) {
        self.path = path
        self.content = content
    }
}
