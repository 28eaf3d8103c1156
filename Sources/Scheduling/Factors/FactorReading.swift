// SPDX-License-Identifier: Apache-2.0

/// A source's reading of a factor.
public struct FactorReading: Hashable, Sendable {
    /// Whether it allows launches.
    public let state: FactorState
    /// The origin of the reading: a path, the embedder, a setting.
    public let source: String
    /// In words, lower case, no full stop: "on battery, 45 %".
    public let detail: String

    /// Bytes of a source, and of a detail: as many as `curfew_factor_report` has room for.
    public static let (sourceLimit, detailLimit) = (127, 255)

    /// Makes a reading; long texts are cut.
    public init(_ state: FactorState, source: String, detail: String) {
        self.state = state
        self.source = source.cut(to: Self.sourceLimit)
        self.detail = detail.cut(to: Self.detailLimit)
    }
}
