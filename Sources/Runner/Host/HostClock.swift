// SPDX-License-Identifier: Apache-2.0
import CSystem
import Scheduling

/// The time budgets are measured in: CLOCK_MONOTONIC, or a manual clock's.
struct HostClock: Sendable {
    let manual: ManualClock?

    /// Nanoseconds.
    @inline(__always) func now() -> UInt64 {
        if let manual { return manual.now }
        return csys_monotonic_ns()
    }

    /// The time that requests go by: dates, and spans with the machine's sleep in them.
    func moment() -> Moment {
        if let manual { return manual.moment }
        return Moment(wall: csys_realtime_ns(), span: csys_boottime_ns())
    }

    /// Nanoseconds that the machine has slept since it was started.
    var slept: UInt64 {
        guard manual == nil else { return 0 }
        let before = csys_monotonic_ns()
        let boot = csys_boottime_ns()
        return boot > before ? boot - before : 0
    }
}
