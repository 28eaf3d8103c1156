// SPDX-License-Identifier: Apache-2.0

/// A moment on the two clocks of requests: dates and spans.
package struct Moment: Hashable, Sendable {
    /// The date: nanoseconds since 1970 in UTC on the machine's clock, which can be set and then
    /// jumps.
    package var wall: Int64
    /// The span: nanoseconds since a fixed moment, including the machine's sleep. It never goes
    /// back.
    package var span: UInt64

    /// The dates that a clock can have: from 1970 to 2232-04-18, the last date to which Linux lets
    /// a clock be set (clock_settime(2): 30 years before its own counter ends). Any span that
    /// Curfew adds to a date fits into the rest of an Int64.
    package static let dates: ClosedRange<Int64> = 0...8_277_292_036_000_000_000

    /// Creates a moment. A date that no clock can have becomes the nearest one that it can.
    package init(wall: Int64, span: UInt64) {
        let wall = min(max(wall, Moment.dates.lowerBound), Moment.dates.upperBound)
        self.wall = wall
        self.span = span
    }
}
