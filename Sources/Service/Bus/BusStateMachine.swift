// SPDX-License-Identifier: Apache-2.0

/// When a connection to the system's bus is opened, and opened again.
///
/// Times are nanoseconds on CLOCK_MONOTONIC.
struct BusStateMachine: Hashable, Sendable {
    private enum State: Hashable {
        /// It is opened at that time.
        case resting(until: UInt64)
        case live(since: UInt64)
    }

    private var state = State.resting(until: 0)
    private var pause = firstPause

    static let firstPause: UInt64 = 500_000_000
    static let longestPause: UInt64 = 30_000_000_000

    var isLive: Bool {
        if case .live = state { return true }
        return false
    }

    /// The time at which it is to be opened; nil while it is open.
    var opensAt: UInt64? {
        if case .resting(let until) = state { return until }
        return nil
    }

    mutating func opened(at now: UInt64) { state = .live(since: now) }

    /// Notes that it could not be opened, or has ended. The pause doubles until a connection has lasted longer than
    /// the longest one, so that a bus that ends each connection at once is not asked all the time.
    ///
    /// - Parameter part: of the pause that is left out, 0…1: so that not all programs of a machine come at once.
    mutating func lost(at now: UInt64, leavingOut part: Double) {
        if case .live(let since) = state, now - min(since, now) >= Self.longestPause {
            pause = Self.firstPause
        }
        let left = min(max(part, 0), 1) / 2
        state = .resting(until: now &+ UInt64(Double(pause) * (1 - left)))
        pause = min(pause * 2, Self.longestPause)
    }
}
