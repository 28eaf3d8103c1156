// SPDX-License-Identifier: Apache-2.0

/// A parameter in a signature.
package enum CallParameter: Hashable, Sendable {
    /// A value of that type.
    case value(CallType)
    /// A pointer to one, which the function writes to and may read before: `out int64`.
    case out(CallType)
    /// A pointer to memory that the function writes to: `buffer`.
    case buffer

    var name: String {
        switch self {
        case .value(let type): type.rawValue
        case .out(let type): "out \(type.rawValue)"
        case .buffer: "buffer"
        }
    }
}
