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

    /// The time since which dates were watched without a break: the host's start, or the last time
    /// when the machine woke up or its clock was set.
    package var awakeSince: Int64
    /// The tasks that run.
    package var neighbours = Neighbours.none
    /// Nanoseconds until a request without a date may be launched; nil: one may be now.
    package var floor: UInt64?
    /// A simulated launch: pauses are ignored.
    package var isSimulated = false

    /// The terms of an ordinary launch.
    package init(awakeSince: Int64) { self.awakeSince = awakeSince }
}
