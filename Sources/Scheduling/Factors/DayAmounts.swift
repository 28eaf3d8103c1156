// SPDX-License-Identifier: Apache-2.0

/// Amounts that tasks spend in a day.
package struct DayAmounts: Hashable, Sendable {
    /// The number of launched tasks.
    package var launches: UInt64
    /// The nanoseconds for which tasks ran.
    package var wall: UInt64
    /// The nanoseconds of processor time.
    package var cpu: UInt64

    /// Zero of each amount.
    package static let nothing = DayAmounts(launches: 0, wall: 0, cpu: 0)

    package init(launches: UInt64, wall: UInt64, cpu: UInt64) {
        self.launches = launches
        self.wall = wall
        self.cpu = cpu
    }
}
