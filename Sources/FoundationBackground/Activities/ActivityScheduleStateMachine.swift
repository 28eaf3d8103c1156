// SPDX-License-Identifier: Apache-2.0

/// When the block of an `NSBackgroundActivityScheduler` is called.
///
/// Each run has a nominal date, and a window around it as wide as the tolerance on either side. In the
/// half before the date it is called only in good conditions, in the half after it in fair ones, and at
/// the end in any: the later, the less is asked. What defers is called again after a while.
///
/// Times are nanoseconds of one clock.
package struct ActivityScheduleStateMachine: Sendable {
    /// The action to perform.
    package enum Action: Equatable, Sendable {
        case nothing
        /// Come back at that time, with `tick`.
        case wait(UInt64)
        /// Call the block, and say what came of it with `completed`.
        case run
    }

    private enum Phase: Equatable {
        case idle
        case waiting
        /// A deferred run waits for its time.
        case deferred(until: UInt64)
        case running
        case invalid
    }

    private let interval: UInt64
    private let tolerance: UInt64
    private let repeats: Bool
    private var phase = Phase.idle
    private var nominal: UInt64 = 0

    /// The number of looks in one half of a window.
    private static let looks: UInt64 = 4
    /// No look or deferral comes sooner than after a second.
    private static let shortest: UInt64 = 1_000_000_000

    /// - Parameters:
    ///   - interval: from one nominal date to the next.
    ///   - tolerance: on either side of it; no more than the interval counts.
    package init(interval: UInt64, tolerance: UInt64, repeats: Bool) {
        // Without a distance between its dates it would do nothing else.
        self.interval = repeats ? max(interval, Self.shortest) : interval
        self.tolerance = min(tolerance, interval)
        self.repeats = repeats
    }

    /// The block runs.
    package var isRunning: Bool { phase == .running }

    /// Begins. A second call does nothing.
    package mutating func schedule(_ now: UInt64) -> Action {
        guard phase == .idle else { return .nothing }
        nominal = Self.sum(now, interval)
        phase = .waiting
        return .wait(nominal - tolerance)
    }

    /// Time has passed.
    package mutating func tick(_ now: UInt64, _ conditions: ActivityConditions) -> Action {
        switch phase {
        case .idle, .running, .invalid: return .nothing
        case .deferred(let until):
            guard now >= until else { return .wait(until) }
        case .waiting:
            if now < nominal - tolerance { return .wait(nominal - tolerance) }
            if let next = postponed(now, conditions) { return .wait(next) }
        }
        phase = .running
        return .run
    }

    /// When to look again; nil: it runs now.
    private func postponed(_ now: UInt64, _ conditions: ActivityConditions) -> UInt64? {
        let end = Self.sum(nominal, tolerance)
        let step = max(tolerance / Self.looks, Self.shortest)
        switch conditions {
        case .good: return nil
        case .fair: return now >= nominal ? nil : min(Self.sum(now, step), nominal)
        case .held: return now >= end ? nil : min(Self.sum(now, step), end)
        }
    }

    /// The block has said what came of it.
    package mutating func completed(_ now: UInt64, deferred: Bool) -> Action {
        guard phase == .running else { return .nothing }
        if deferred {
            let until = Self.sum(now, max(interval / 10, Self.shortest))
            phase = .deferred(until: until)
            return .wait(until)
        }
        guard repeats else {
            phase = .invalid
            return .nothing
        }
        // The dates keep their distance, whenever in its window a run came; what was slept through is
        // not made up for.
        nominal = Self.sum(nominal, interval)
        if nominal <= now { nominal = Self.sum(now, interval) }
        phase = .waiting
        return .wait(max(now, nominal - tolerance))
    }

    /// Nothing is called any more.
    package mutating func invalidate() { phase = .invalid }

    private static func sum(_ a: UInt64, _ b: UInt64) -> UInt64 {
        let (sum, overflow) = a.addingReportingOverflow(b)
        return overflow ? .max : sum
    }
}

/// The conditions of the machine for work that can wait for a good moment.
package enum ActivityConditions: Sendable {
    /// Something speaks against it: power is saved, it is hot, the battery is nearly empty.
    case held
    /// Nothing speaks against it.
    case fair
    /// The machine is idle, and has external power.
    case good
}
