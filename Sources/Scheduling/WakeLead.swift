// SPDX-License-Identifier: Apache-2.0

/// The lead with which a thread asks to be woken before a deadline: about the time that it recently
/// took to get a processor. If it wakes early, it polls the clock for the rest.
///
/// KVM's timers in a guest work in this way (`lapic_timer_advance_ns`). The lead grows quickly
/// after late wake-ups and shrinks slowly after early ones: of delays that are spread evenly, one
/// in three is longer. In nanoseconds.
package struct WakeLead: Sendable {
    /// The maximum time of polling the clock. Longer delays mean that the processors are busy, and
    /// an earlier wake-up would keep them busier.
    package static let longest: UInt64 = 50_000

    /// The current lead.
    package private(set) var nanoseconds: UInt64 = 0

    /// Creates a lead of 0.
    package init() {}

    /// Returns the time for which to request the wake-up.
    package func before(_ time: UInt64) -> UInt64 { time > nanoseconds ? time - nanoseconds : 0 }

    /// Adapts the lead to a wake-up at `now` that was requested for `asked`. Do not call it for a
    /// wake-up of another cause.
    package mutating func woke(at now: UInt64, asked: UInt64) {
        let late = min(now > asked ? now - asked : 0, Self.longest)
        if late > nanoseconds {
            nanoseconds += (late - nanoseconds + 3) / 4
        } else {
            nanoseconds -= (nanoseconds - late) / 16
        }
    }
}
