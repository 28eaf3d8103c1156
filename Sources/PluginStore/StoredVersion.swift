// SPDX-License-Identifier: Apache-2.0

/// A version of a plugin in the store.
package struct StoredVersion: Hashable, Sendable {
    /// The name of its directory in the store, as ``FileTree/digest``.
    package let digest: String
    /// The version that its manifest tells; `-` where that could not be read.
    package let version: String

    package init(digest: String, version: String) {
        self.digest = digest
        self.version = version
    }
}
