// SPDX-License-Identifier: Apache-2.0

/// Whether an app is launched in the background, to refresh what it shows.
public enum AppRefresh: Int32, Sendable {
    /// Background refresh is available.
    case available = 1
    /// The user has turned it off.
    case denied = 2
    /// An administrator has turned it off.
    case restricted = 3
}
