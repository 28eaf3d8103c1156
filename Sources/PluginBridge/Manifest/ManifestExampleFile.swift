// SPDX-License-Identifier: Apache-2.0

/// A file that is there when an example is tried.
public struct ManifestExampleFile: Hashable, Sendable {
    /// Below the directory the example is tried in: no part of it is empty, `.` or `..`.
    public let path: String
    /// What the file has in it.
    public let text: String

    public init(path: String, text: String) {
        self.path = path
        self.text = text
    }
}
