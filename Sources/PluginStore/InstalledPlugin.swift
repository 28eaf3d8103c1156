// SPDX-License-Identifier: Apache-2.0

/// A plugin among the plugins, as its files are now.
package struct InstalledPlugin: Sendable {
    package let id: String
    package let directory: String
    package let version: StoredVersion
    let tree: FileTree
}
