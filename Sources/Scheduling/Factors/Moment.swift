// SPDX-License-Identifier: Apache-2.0

/// A moment on the two clocks of requests.
package struct Moment: Hashable, Sendable {
    /// Nanoseconds since 1970 in UTC, as the machine's clock says: dates. It can be set, and then
    /// jumps.
    package var wall: Int64
    /// Nanoseconds since some moment before, the machine's sleep included: spans. It only goes on.
    package var span: UInt64

    /// The dates a clock can show: from 1970 until 2232-04-18, the last date that Linux lets a clock
    /// be set to (clock_settime(2): 30 years before its own counter ends). Any span that Curfew adds
    /// to a date fits into the rest of an Int64.
    package static let dates: ClosedRange<Int64> = 0...8_277_292_036_000_000_000

    /// A moment, by both clocks. A date that no clock can show becomes the nearest that it can.
    package init(wall: Int64, span: UInt64) {
        let wall = min(max(wall, Moment.dates.lowerBound), Moment.dates.upperBound)
        self.wall = wall
        self.span = span
    }
}
