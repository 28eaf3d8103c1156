// SPDX-License-Identifier: Apache-2.0

/// The terms of a request's launch besides the request itself.
package struct LaunchTerms: Sendable {
    /// The other requests whose tasks run.
    package enum Neighbours: Sendable {
        /// No other task runs.
        case none
        /// None of them ran when the process ended.
        case ordinary
        /// At least one of them ran when the process ended.
        case suspect
    }

    /// The date since which the host has processed dates without interruption: its start, or the
    /// last time when the machine woke up or its clock was set.
    package var awakeSince: Int64
    /// The tasks that run.
    package var neighbours = Neighbours.none
    /// The nanoseconds until a request without a date may be launched; nil if it may be launched
    /// now.
    package var floor: UInt64?
    /// Whether the launch is simulated, so that pauses are ignored.
    package var isSimulated = false

    /// The terms of an ordinary launch.
    package init(awakeSince: Int64) { self.awakeSince = awakeSince }
}
