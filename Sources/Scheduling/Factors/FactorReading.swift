// SPDX-License-Identifier: Apache-2.0

/// What a source says of a factor.
public struct FactorReading: Hashable, Sendable {
    /// Whether it allows launches.
    public var state: FactorState
    /// Where that is known from: a path, the embedder, a setting.
    public var source: String
    /// In words, lower case, no full stop: "on battery, 45 %".
    public var detail: String

    /// What a source says.
    public init(_ state: FactorState, source: String, detail: String) {
        self.state = state
        self.source = source
        self.detail = detail
    }
}
