// SPDX-License-Identifier: Apache-2.0

/// The life of a plugin's processes, one after the other: when the next one starts, and when none does.
///
///     loading ── loaded ──▶ ready ── ended ──▶ resting ── pause over ──▶ loading
///        │                    └── not needed ──▶ idle ── next task ──▶ loading
///        └──────── ended ──────────────┬──────────┘
///                                      └─ third end in a row ──▶ quarantined ── release ──▶ loading
///
/// Times are nanoseconds of CLOCK_MONOTONIC.
package struct ChildStateMachine: Equatable, Sendable {
    package enum State: Equatable, Sendable {
        case loading
        case ready
        case resting(until: UInt64)
        /// The host has ended the last process, which had nothing to do. The next task starts another one.
        case idle
        case quarantined
        /// No other process is started.
        case closed
    }

    /// What follows the end of a process.
    package enum Action: Equatable, Sendable {
        case start(at: UInt64)
        case quarantine
        case none
    }

    package struct Limits: Equatable, Sendable {
        /// The first pause before a start, and the longest one; each is twice the one before.
        package var firstPause: UInt64 = 100_000_000
        package var longestPause: UInt64 = 60_000_000_000
        /// A process that has run for so long, or had so many successes, resets the pause.
        package var soundSpan: UInt64 = 600_000_000_000
        package var soundSuccesses: UInt64 = 100
        /// So many ends within the span without a success in between are too many.
        package var ends = 3
        package var endsSpan: UInt64 = 600_000_000_000

        package init() {}
    }

    private let limits: Limits
    package private(set) var state: State = .loading
    private var startedAt: UInt64
    private var pause: UInt64 = 0
    /// The times of ends without a success since.
    private var ends: [UInt64] = []

    package init(_ limits: Limits = Limits(), at now: UInt64) {
        self.limits = limits
        startedAt = now
    }

    /// A machine in the same state whose process has started at another time.
    init(continuing other: ChildStateMachine, at now: UInt64) {
        self = other
        startedAt = now
    }

    /// The number of ends in a row without a success.
    package var endsInARow: Int { ends.count }

    /// The library is loaded and its entry has returned.
    package mutating func loaded() {
        guard state == .loading else { return }
        state = .ready
    }

    /// The pause is over, or there is a task for an idle plugin: a process is started. Returns false if none may be.
    package mutating func start(at now: UInt64) -> Bool {
        switch state {
        case .resting(let until) where now >= until: break
        case .idle: break
        default: return false
        }
        state = .loading
        startedAt = now
        return true
    }

    /// Tasks have succeeded in a process that was not needed any more.
    package mutating func succeeded() { ends = [] }

    /// A process has ended, which it should not have. While the next one rests, others may be running.
    ///
    /// - Parameter successes: tasks that succeeded in it.
    package mutating func ended(at now: UInt64, successes: UInt64) -> Action {
        if state == .quarantined || state == .closed { return .none }
        let ran = now &- startedAt
        if successes > 0 { ends = [] }
        ends.removeAll { now &- $0 > limits.endsSpan }
        ends.append(now)
        guard ends.count < limits.ends else {
            state = .quarantined
            return .quarantine
        }
        if case .resting = state { return .none }
        let isSound = ran >= limits.soundSpan || successes >= limits.soundSuccesses
        if isSound { pause = 0 }
        // The first start after a long life is at once.
        let wait = ran >= limits.soundSpan ? 0 : max(pause, limits.firstPause)
        pause = min(max(pause, limits.firstPause) &* 2, limits.longestPause)
        state = .resting(until: now &+ wait)
        return .start(at: now &+ wait)
    }

    /// The process has nothing to do, and is ended. Returns false if there is none that could be.
    package mutating func rest() -> Bool {
        guard state == .ready else { return false }
        state = .idle
        return true
    }

    /// A person has quarantined the plugin. Returns false if it is in quarantine already, or closed.
    package mutating func quarantine() -> Bool {
        guard state != .quarantined, state != .closed else { return false }
        state = .quarantined
        return true
    }

    /// The quarantine was lifted. Returns whether there was one; then a process is started at once.
    package mutating func release(at now: UInt64) -> Bool {
        guard state == .quarantined else { return false }
        ends = []
        pause = 0
        state = .resting(until: now)
        return true
    }

    package mutating func close() { state = .closed }
}
