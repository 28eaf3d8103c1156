// SPDX-License-Identifier: Apache-2.0

/// The limits of a day, or the remaining amounts. Nil means unlimited.
public struct DayLimits: Hashable, Sendable {
    /// Tasks that are launched.
    public var launches: UInt64?
    /// Nanoseconds of tasks' running.
    package var wall: UInt64?
    /// Nanoseconds of processors' time.
    package var cpu: UInt64?

    /// Without arguments: no limit at all.
    package init(launches: UInt64? = nil, wall: UInt64? = nil, cpu: UInt64? = nil) {
        self.launches = launches
        self.wall = wall
        self.cpu = cpu
    }
}
