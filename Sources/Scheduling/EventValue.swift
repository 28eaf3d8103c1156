// SPDX-License-Identifier: Apache-2.0

/// One parameter of an event.
public enum EventValue: Hashable, Sendable {
    case bool(Bool)
    case int32(Int32)
    case int64(Int64)
    case double(Double)
    case text(String)

    public var type: EventType {
        switch self {
        case .bool: .bool
        case .int32: .int32
        case .int64: .int64
        case .double: .double
        case .text: .text
        }
    }
}
