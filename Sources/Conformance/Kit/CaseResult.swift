// SPDX-License-Identifier: Apache-2.0

/// The result of one case.
public struct CaseResult: Sendable {
    public let tested: ConformanceCase
    public let verdict: CaseVerdict
    /// Nanoseconds.
    public let duration: UInt64
    /// The seed of what failed, where chance found it: it brings back just that.
    public let seed: UInt64?
    /// The beginning of what the plugin wrote meanwhile.
    public let output: String
    /// The case that did not pass, and without which this one was not begun.
    public var needed: String?
}
