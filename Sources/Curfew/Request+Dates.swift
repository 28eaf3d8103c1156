// SPDX-License-Identifier: Apache-2.0
public import Scheduling

extension Request {
    /// The date of its submission.
    public var submitted: Instant { Instant(nanosecondsSince1970: submittedAt) }
    /// The date from which it may be launched, while it is pending.
    public var due: Instant { Instant(nanosecondsSince1970: notBefore) }
    /// The date of the last change of its state.
    public var changed: Instant { Instant(nanosecondsSince1970: changedAt) }
}

extension Attempt {
    /// The date of the launch.
    public var started: Instant { Instant(nanosecondsSince1970: startedAt) }
    /// The date of its end; nil while it runs.
    public var ended: Instant? { endedAt.map(Instant.init(nanosecondsSince1970:)) }
}

extension JournalEntry {
    /// The date of the entry.
    public var date: Instant { Instant(nanosecondsSince1970: at) }
}

extension FactorReport {
    /// The date since which the factor has this state; nil if unknown.
    public var start: Instant? { since.map(Instant.init(nanosecondsSince1970:)) }
    /// The date from which the factor will allow launches by itself; nil if unknown, or if it
    /// allows them.
    public var end: Instant? { until.map(Instant.init(nanosecondsSince1970:)) }
}

extension DayLimits {
    /// Creates the limits of a day; nil means unlimited.
    public init(launches: UInt64? = nil, running: Duration?, processor: Duration? = nil) {
        self.init(
            launches: launches, wall: running?.inNanoseconds, cpu: processor?.inNanoseconds)
    }

    /// The running time of all tasks.
    public var running: Duration? { wall.map(Duration.init(inNanoseconds:)) }
    /// The processor time of all tasks.
    public var processor: Duration? { cpu.map(Duration.init(inNanoseconds:)) }
}
