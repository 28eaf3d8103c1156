// SPDX-License-Identifier: Apache-2.0

/// One parameter of an event.
public enum EventValue: Hashable, Sendable {
    /// `bool` in a manifest.
    case bool(Bool)
    /// `int32` in a manifest.
    case int32(Int32)
    /// `int64` in a manifest.
    case int64(Int64)
    /// `double` in a manifest.
    case double(Double)
    /// `text` in a manifest: UTF-8, which is copied.
    case text(String)

    /// The type that is declared for it.
    @inlinable package var type: EventType {
        switch self {
        case .bool: .bool
        case .int32: .int32
        case .int64: .int64
        case .double: .double
        case .text: .text
        }
    }
}
