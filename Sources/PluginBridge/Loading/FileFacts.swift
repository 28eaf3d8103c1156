// SPDX-License-Identifier: Apache-2.0

/// The owner and the permissions of a file, a directory or a link.
struct FileFacts: Hashable, Sendable {
    /// The role of a file for a plugin.
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
    /// With an access list, the bits of the group may also be those of other users.
    var hasAccessList = false
}
