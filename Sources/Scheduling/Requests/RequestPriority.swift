// SPDX-License-Identifier: Apache-2.0

/// The order among requests that could be launched.
public enum RequestPriority: Int8, Sendable, CaseIterable, KebabCased {
    /// After all others.
    case low = -1
    /// The default.
    case normal = 0
    /// Before all others.
    case high = 1
}
