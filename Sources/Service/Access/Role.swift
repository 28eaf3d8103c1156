// SPDX-License-Identifier: Apache-2.0

/// What other users than the host's own may do with it over its socket. A user has all roles that name the user or a
/// group of the user.
package enum Role: String, Sendable, CaseIterable {
    /// Looks at everything but payloads.
    case read
    /// Submits requests, and looks at, cancels and retries those that are the user's own.
    case submit
    /// Reads, and changes the requests of everybody.
    case operate
    /// Does all that the host's own user may.
    case admin
}
