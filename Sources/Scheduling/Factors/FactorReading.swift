// SPDX-License-Identifier: Apache-2.0

/// A source's reading of a factor.
package struct FactorReading: Hashable, Sendable {
    /// Whether it allows launches.
    package let state: FactorState
    /// The origin of the reading: a path, the embedder, a setting.
    package let source: String
    /// In words, lower case, no full stop: "on battery, 45 %".
    package let detail: String

    /// Bytes of a source, and of a detail: as many as `curfew_factor_report` has room for.
    package static let (sourceLimit, detailLimit) = (127, 255)

    /// Makes a reading; long texts are cut.
    package init(_ state: FactorState, source: String, detail: String) {
        self.state = state
        self.source = source.cut(to: Self.sourceLimit)
        self.detail = detail.cut(to: Self.detailLimit)
    }
}
