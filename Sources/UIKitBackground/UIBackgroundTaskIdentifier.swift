// SPDX-License-Identifier: Apache-2.0

/// The identifier that `beginBackgroundTask` returns, and `endBackgroundTask` takes.
public struct UIBackgroundTaskIdentifier: RawRepresentable, Hashable, Sendable {
    /// A number that no other task of this process has; 0: none.
    public let rawValue: Int
    /// Takes any number.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// No task.
    public static let invalid = UIBackgroundTaskIdentifier(rawValue: 0)
}

/// The old name of `UIBackgroundTaskIdentifier.invalid`.
public let UIBackgroundTaskInvalid = UIBackgroundTaskIdentifier.invalid
