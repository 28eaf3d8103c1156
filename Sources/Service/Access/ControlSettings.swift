// SPDX-License-Identifier: Apache-2.0

/// What a configuration says about the control socket; nil where the default holds.
package struct ControlSettings: Hashable, Sendable {
    /// The absolute path of the socket; nil for the one in the directory of the store.
    package var socket: String?
    /// The permissions of the socket at that path.
    package var mode: UInt32?
    /// Who has each role.
    package var roles: [Role: Members] = [:]
    /// Submissions a second of each user who is no administrator.
    package var submitRate: Int?

    package init() {}

    /// The users and groups that have a role.
    package struct Members: Hashable, Sendable {
        /// Names or numbers.
        package var users: [String] = []
        /// Names or numbers.
        package var groups: [String] = []
        /// What the role `submit` may submit: identifiers, or beginnings of them with `*` at the end.
        package var identifiers: [String] = []
    }

    /// Without what counts as soon as it is read.
    package var needingStart: ControlSettings {
        var settings = self
        (settings.roles, settings.submitRate) = ([:], nil)
        return settings
    }
}
