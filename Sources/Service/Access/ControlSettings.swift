// SPDX-License-Identifier: Apache-2.0

/// The settings of the control socket in a configuration. Nil means the default.
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

    /// The settings that count from the next start of the host; the others count as soon as they are read.
    package var needingStart: ControlSettings {
        var settings = self
        (settings.roles, settings.submitRate) = ([:], nil)
        return settings
    }
}
