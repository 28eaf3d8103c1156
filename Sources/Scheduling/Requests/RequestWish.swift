// SPDX-License-Identifier: Apache-2.0

/// The state of the machine for which a due request waits, besides its needs. It is a wish: after
/// the request's longest wait it is launched anyway.
public enum RequestWish: UInt8, Sendable, CaseIterable, KebabCased {
    /// It does not wait.
    case no = 0
    /// It waits until no user is active at the machine, and as `calm`.
    case idle = 1
    /// It waits until the machine is neither hot nor loaded, and does not save power, and for the
    /// host's daily budget, launch rate and usual hours.
    case calm = 2
}
