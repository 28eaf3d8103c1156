// SPDX-License-Identifier: Apache-2.0

/// The setting for background refresh, which counts for requests of the kind app-refresh.
public enum RefreshSetting: UInt8, Sendable, CaseIterable, KebabCased {
    /// It may refresh.
    case available = 1
    /// The user turned it off.
    case denied = 2
    /// An administrator turned it off, and the user cannot turn it on.
    case restricted = 3
}
