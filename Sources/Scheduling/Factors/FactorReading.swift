// SPDX-License-Identifier: Apache-2.0

/// A source's reading of a factor.
package struct FactorReading: Hashable, Sendable {
    /// Whether it allows launches.
    package let state: FactorState
    /// The origin of the reading: a path, the embedder, a setting.
    package let source: String
    /// A text in lower case, without full stop: "on battery, 45 %".
    package let detail: String

    /// The source of what a person has set.
    package static let byHand = "by hand"

    /// The maximum numbers of bytes of a source and of a detail, for which `curfew_factor_report`
    /// has room.
    package static let (sourceLimit, detailLimit) = (127, 255)

    /// Creates a reading; long texts are cut.
    package init(_ state: FactorState, source: String, detail: String) {
        self.state = state
        self.source = source.cut(to: Self.sourceLimit)
        self.detail = detail.cut(to: Self.detailLimit)
    }
}
