// SPDX-License-Identifier: Apache-2.0

/// The result of a fetch.
public enum UIBackgroundFetchResult: UInt, Sendable {
    /// There was something new.
    case newData = 0
    /// There was nothing new.
    case noData = 1
    /// It did not work.
    case failed = 2
}
