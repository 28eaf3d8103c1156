// SPDX-License-Identifier: Apache-2.0

/// The order among requests that could be launched.
public enum RequestPriority: Int8, Sendable, CaseIterable {
    /// After all others.
    case low = -1
    /// The default.
    case normal = 0
    /// Before all others.
    case high = 1

    /// The word used in text and JSON.
    package var name: String {
        switch self {
        case .low: "low"
        case .normal: "normal"
        case .high: "high"
        }
    }
}
