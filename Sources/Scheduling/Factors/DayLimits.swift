// SPDX-License-Identifier: Apache-2.0

/// The limits of a day, or the remaining amounts. Nil means unlimited.
public struct DayLimits: Hashable, Sendable {
    /// The number of launched tasks.
    public var launches: UInt64?
    /// The nanoseconds for which tasks run.
    package var wall: UInt64?
    /// The nanoseconds of processor time.
    package var cpu: UInt64?

    /// Creates limits; without arguments there is none.
    package init(launches: UInt64? = nil, wall: UInt64? = nil, cpu: UInt64? = nil) {
        self.launches = launches
        self.wall = wall
        self.cpu = cpu
    }
}
