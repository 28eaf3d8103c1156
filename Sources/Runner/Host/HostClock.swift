// SPDX-License-Identifier: Apache-2.0
import CSystem

/// The time budgets are measured in: CLOCK_MONOTONIC, or a manual clock's.
struct HostClock: Sendable {
    let manual: ManualClock?

    /// Nanoseconds.
    @inline(__always) func now() -> UInt64 {
        if let manual { return manual.now }
        return csys_monotonic_ns()
    }
}
