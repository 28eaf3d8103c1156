// SPDX-License-Identifier: Apache-2.0
import CSystem
import Scheduling

/// The clock of budgets: CLOCK_MONOTONIC or a manual clock.
struct HostClock: Sendable {
    let manual: ManualClock?

    /// Nanoseconds.
    @inline(__always) func now() -> UInt64 {
        if let manual { return manual.now }
        return csys_monotonic_ns()
    }

    /// Returns the time that requests use: the wall clock, and a span that includes suspend time.
    func moment() -> Moment {
        if let manual { return manual.moment }
        return Moment(wall: csys_realtime_ns(), span: csys_boottime_ns())
    }

    /// Nanoseconds that the machine has been suspended since boot.
    var slept: UInt64 {
        guard manual == nil else { return 0 }
        let before = csys_monotonic_ns()
        let boot = csys_boottime_ns()
        return boot > before ? boot - before : 0
    }
}
