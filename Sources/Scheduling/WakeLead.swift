// SPDX-License-Identifier: Apache-2.0

/// The lead with which a thread asks to be woken before a deadline: about the time that it recently
/// took to get a processor. If it wakes early, it polls the clock for the rest.
///
/// The way of timers in a guest of KVM (`lapic_timer_advance_ns`). The lead follows what was late
/// quickly and what was early slowly: of delays that are spread evenly, one in three is longer.
/// In nanoseconds.
package struct WakeLead: Sendable {
    /// So much is spent looking at the clock at most: what comes later than that does so because the
    /// processors are busy, and asking earlier would only keep them busier.
    package static let longest: UInt64 = 50_000

    /// The current lead.
    package private(set) var nanoseconds: UInt64 = 0

    /// Makes one that has not been late yet.
    package init() {}

    /// When to ask to be woken for a time.
    package func before(_ time: UInt64) -> UInt64 { time > nanoseconds ? time - nanoseconds : 0 }

    /// A thread that asked to be woken at a time was so at another; not called where it was woken for
    /// another reason.
    package mutating func woke(at now: UInt64, asked: UInt64) {
        let late = min(now > asked ? now - asked : 0, Self.longest)
        if late > nanoseconds {
            nanoseconds += (late - nanoseconds + 3) / 4
        } else {
            nanoseconds -= (nanoseconds - late) / 16
        }
    }
}
