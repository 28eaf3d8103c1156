// SPDX-License-Identifier: Apache-2.0

/// Whether a factor allows launches.
public enum FactorState: UInt8, Sendable, CaseIterable {
    /// It holds back.
    case no = 0
    /// It allows.
    case yes = 1
    /// No source can tell. What it means is the policy's; by default it allows.
    case unknown = 2

    /// The word used in text and JSON.
    package var name: String {
        switch self {
        case .no: "no"
        case .yes: "yes"
        case .unknown: "unknown"
        }
    }
}
