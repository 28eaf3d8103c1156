// SPDX-License-Identifier: Apache-2.0

/// Who owns a file, a directory or a link, and who may change it.
struct FileFacts: Hashable, Sendable {
    /// What a plugin has to do with it.
    enum Role: Hashable, Sendable {
        /// A directory on the way to the plugin's.
        case passage
        /// A symbolic link on the way.
        case link
        /// The plugin's directory.
        case folder
        /// A file in it.
        case file
    }

    let path: String
    let owner: UInt32
    let group: UInt32
    /// The permissions and the sticky bit.
    let mode: UInt32
    /// What the group may do can then be said of others as well.
    var hasAccessList = false
}
