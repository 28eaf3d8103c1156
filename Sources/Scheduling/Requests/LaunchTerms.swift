// SPDX-License-Identifier: Apache-2.0

/// What the launch of a request depends on besides the request itself.
public struct LaunchTerms: Sendable {
    /// The other requests whose tasks run.
    public enum Neighbours: Sendable {
        /// No other task runs.
        case none
        /// None of them ran when the process ended.
        case ordinary
        /// One of them did.
        case suspect
    }

    /// Since when somebody has looked at dates without a break: the host's start, or the last time the
    /// machine woke up or its clock was set.
    public var awakeSince: Int64
    /// What else runs.
    public var neighbours = Neighbours.none
    /// Nanoseconds until a request without a date may be launched; nil: one may be now.
    public var floor: UInt64?
    /// No pause counts: somebody tries it out.
    public var isSimulated = false

    /// The terms of an ordinary launch.
    public init(awakeSince: Int64) { self.awakeSince = awakeSince }
}
