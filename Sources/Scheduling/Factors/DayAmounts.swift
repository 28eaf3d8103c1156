// SPDX-License-Identifier: Apache-2.0

/// Amounts that tasks spend in a day.
public struct DayAmounts: Hashable, Sendable {
    /// Tasks that were launched.
    public var launches: UInt64
    /// Nanoseconds of tasks' running.
    public var wall: UInt64
    /// Nanoseconds of processors' time.
    public var cpu: UInt64

    /// Nothing of any of them.
    public static let nothing = DayAmounts(launches: 0, wall: 0, cpu: 0)

    /// So much of each.
    public init(launches: UInt64, wall: UInt64, cpu: UInt64) {
        self.launches = launches
        self.wall = wall
        self.cpu = cpu
    }
}
