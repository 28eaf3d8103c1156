// SPDX-License-Identifier: Apache-2.0

/// The type of one parameter of an event.
public enum EventType: Int32, Sendable, CaseIterable {
    /// A truth value.
    case bool = 1
    /// A 32-bit integer.
    case int32 = 2
    /// A 64-bit integer.
    case int64 = 3
    /// A floating-point number.
    case double = 4
    /// UTF-8 text.
    case text = 5
}
