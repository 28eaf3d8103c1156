// SPDX-License-Identifier: Apache-2.0
internal import CSystem
internal import Glibc

/// The usual directories of trusted keys: the system's, and the user's.
package enum TrustPlaces {
    /// The directory whose keys count for every user of the machine.
    package static var system: String { "/etc/curfew/trusted.d" }

    /// Returns the directory of the user's own keys: `$XDG_CONFIG_HOME/curfew/trusted.d`, by default
    /// below `~/.config`. Returns nil where it is not known; a path that is not absolute is ignored,
    /// as the XDG Base Directory Specification demands.
    ///
    /// - Parameters:
    ///   - environment: the value of a variable, or nil.
    ///   - isTrusted: false where the process has rights that its caller has not: such a caller must
    ///     not choose whose plugins are loaded.
    package static func user(
        environment: (String) -> String?, isTrusted: Bool
    ) -> String? {
        guard isTrusted else { return nil }
        let below = "/curfew/trusted.d"
        if let place = environment("XDG_CONFIG_HOME"), PathText.isAbsolute(place) {
            return place + below
        }
        guard let home = environment("HOME"), PathText.isAbsolute(home) else { return nil }
        return home + "/.config" + below
    }

    /// The user's directory of this process, as its environment is now.
    package static var user: String? {
        user(
            environment: { name in getenv(name).flatMap { String(validatingCString: $0) } },
            isTrusted: !csys_has_more_rights())
    }

    /// Those of this process.
    package static var directories: [String] { [system] + (user.map { [$0] } ?? []) }
}
