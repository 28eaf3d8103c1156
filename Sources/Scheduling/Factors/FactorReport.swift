// SPDX-License-Identifier: Apache-2.0

/// The state of one factor for one request, as a line of the answer to "why?".
public struct FactorReport: Hashable, Sendable {
    /// The factor.
    public package(set) var factor: Factor
    /// Whether the factor allows a launch.
    public package(set) var state: FactorState
    /// Whether it delays the request now.
    public package(set) var holds: Bool
    /// The origin of the state; "" for the request itself.
    public package(set) var source: String
    /// A text in lower case, without full stop.
    public package(set) var detail: String
    /// The time since which it has this state, in nanoseconds since 1970 in UTC; nil if unknown.
    package var since: Int64?
    /// The time from which it will allow the launch by itself; nil if unknown, or if it allows it.
    package var until: Int64?
    /// The action or event that would change it; "" if it allows the launch.
    public package(set) var change: String

    package init(
        _ factor: Factor, _ state: FactorState, holds: Bool, source: String, detail: String,
        since: Int64? = nil, until: Int64? = nil, change: String = ""
    ) {
        self.factor = factor
        self.state = state
        self.holds = holds
        self.source = source
        self.detail = detail
        self.since = since
        self.until = until
        self.change = change
    }

    /// Returns whether it is listed before another report: those that delay the request come first.
    package func isBefore(_ other: FactorReport) -> Bool {
        (holds ? 0 : 1, factor.rawValue) < (other.holds ? 0 : 1, other.factor.rawValue)
    }
}
