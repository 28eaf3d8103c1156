// SPDX-License-Identifier: Apache-2.0

/// A file to create for an example.
package struct ManifestExampleFile: Hashable, Sendable {
    /// The content of a file.
    package enum Content: Hashable, Sendable {
        /// This text, and nothing else.
        case text(String)
        /// A number of zero bytes: a sparse file, which takes no space.
        case zeros(UInt64)
    }

    /// Below the directory the example is tried in: no part of it is empty, `.` or `..`.
    package let path: String
    /// The content of the file.
    package let content: Content

    package init(path: String, _ content: Content) {
        self.path = path
        self.content = content
    }
}
