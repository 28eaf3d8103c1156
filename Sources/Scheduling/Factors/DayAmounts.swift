// SPDX-License-Identifier: Apache-2.0

/// Amounts that tasks spend in a day.
package struct DayAmounts: Hashable, Sendable {
    /// Tasks that were launched.
    package var launches: UInt64
    /// Nanoseconds of tasks' running.
    package var wall: UInt64
    /// Nanoseconds of processors' time.
    package var cpu: UInt64

    /// Nothing of any of them.
    package static let nothing = DayAmounts(launches: 0, wall: 0, cpu: 0)

    /// So much of each.
    package init(launches: UInt64, wall: UInt64, cpu: UInt64) {
        self.launches = launches
        self.wall = wall
        self.cpu = cpu
    }
}
