// SPDX-License-Identifier: Apache-2.0

/// Whether the app may be launched in the background, to refresh what it shows.
public enum UIBackgroundRefreshStatus: Int, Sendable {
    /// An administrator has turned it off; the user cannot turn it on.
    case restricted = 0
    /// Its user has turned it off, or the machine saves power.
    case denied = 1
    /// It may.
    case available = 2
}
