// SPDX-License-Identifier: Apache-2.0

/// Whether the user wants a handler at all, which counts for all of its requests.
public enum HandlerEnablement: UInt8, Sendable, CaseIterable, KebabCased {
    /// It is launched.
    case enabled = 1
    /// It is not launched for now.
    case suspended = 2
    /// It was removed, and is not launched.
    case removed = 3
}
