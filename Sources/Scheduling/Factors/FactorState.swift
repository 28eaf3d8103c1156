// SPDX-License-Identifier: Apache-2.0

/// Whether a factor allows launches.
public enum FactorState: UInt8, Sendable, CaseIterable, KebabCased {
    /// It delays launches.
    case no = 0
    /// It allows launches.
    case yes = 1
    /// No source knows it. The policy decides; by default it allows launches.
    case unknown = 2
}
