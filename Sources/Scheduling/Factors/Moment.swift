// SPDX-License-Identifier: Apache-2.0

/// One moment on the two clocks that requests go by.
public struct Moment: Hashable, Sendable {
    /// Nanoseconds since 1970 in UTC, as the machine's clock says: dates. It can be set, and then
    /// jumps.
    public var wall: Int64
    /// Nanoseconds since some moment before, the machine's sleep included: spans. It only goes on.
    public var span: UInt64

    /// A moment, by both clocks.
    public init(wall: Int64, span: UInt64) {
        self.wall = wall
        self.span = span
    }
}
