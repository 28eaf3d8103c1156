// SPDX-License-Identifier: Apache-2.0

/// The type of one parameter of an event.
public enum EventType: Int32, Sendable, CaseIterable {
    /// True or false.
    case bool = 1
    /// A whole number of 32 bits.
    case int32 = 2
    /// A whole number of 64 bits.
    case int64 = 3
    /// A floating-point number.
    case double = 4
    /// UTF-8.
    case text = 5
}
