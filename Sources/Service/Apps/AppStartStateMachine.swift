// SPDX-License-Identifier: Apache-2.0
package import Scheduling

/// When an app is started that has a due request and does not run.
///
/// An app that runs has its store open as a host, and launches its own requests. Spans are measured on the clock of
/// `Moment.span`.
package struct AppStartStateMachine: Hashable, Sendable {
    /// The app's first request, and its date.
    package struct Due: Hashable, Sendable {
        package let request: RequestID
        /// Nanoseconds since 1970 in UTC.
        package let date: Int64

        package init(request: RequestID, date: Int64) {
            (self.request, self.date) = (request, date)
        }
    }

    package enum Action: Hashable, Sendable {
        case none
        /// Start its program, for the `attempt`th time, from 1.
        case start(Due, attempt: Int)
        /// It runs, or nothing is due: leave out a start that has not begun.
        case withdraw
        /// It was started in vain five times, and is not started again.
        case giveUp
    }

    package enum State: Hashable, Sendable {
        /// It does not run, and nothing of it was due at the last look.
        case idle
        /// Its start waits, or its program runs and has not opened the store, until that time at most; nil while its
        /// start waits.
        case starting(Due, until: UInt64?)
        /// It runs. The request for which it was started; nil if a person has started it.
        case open(Due?)
        /// It was started in vain, and is not started again before that time.
        case resting(until: UInt64)
        case givenUp
    }

    package private(set) var state = State.idle
    /// Starts in vain, one after the other.
    package private(set) var failures = 0

    /// The time in which a started program has to open its store.
    package static let patience: UInt64 = 30_000_000_000
    /// The pause after the first start in vain, which doubles with each further one.
    package static let firstPause: UInt64 = 60_000_000_000
    package static let longestPause: UInt64 = 3_600_000_000_000
    /// After so many starts in vain, one after the other, it is not started any more.
    package static let limit = 5

    package init() {}

    /// Notes how it is.
    ///
    /// - Parameters:
    ///   - due: its first request, due or not; nil if it has none.
    ///   - mayStart: false while as many other apps are being started as may be; it is looked at again
    ///     when that is over.
    package mutating func look(
        isOpen: Bool, due: Due?, mayStart: Bool = true, at now: Moment
    ) -> Action {
        if isOpen {
            switch state {
            case .starting(let due, _):
                state = .open(due)
                return .withdraw
            case .open: break
            case .idle, .resting, .givenUp: state = .open(nil)
            }
            return .none
        }
        switch state {
        case .starting(let started, let until):
            guard let until else {
                // Its request was cancelled, changed or launched.
                guard started != due else { return .none }
                state = .idle
                return .withdraw
            }
            return until <= now.span ? failed(at: now) : .none
        case .open(let started):
            state = .idle
            // It was there and has not launched what it was started for.
            if let started, started == due { return failed(at: now) }
            failures = 0
        case .resting(let until):
            guard until <= now.span else { return .none }
            state = .idle
        case .givenUp: return .none
        case .idle: break
        }
        guard let due, due.date <= now.wall, mayStart else { return .none }
        state = .starting(due, until: nil)
        return .start(due, attempt: failures + 1)
    }

    /// Its program was started.
    package mutating func launched(at now: Moment) {
        guard case .starting(let due, nil) = state else { return }
        state = .starting(due, until: now.span &+ Self.patience)
    }

    /// Its start could not be stored. That is no fault of the app, and is tried again after the first pause.
    package mutating func refused(at now: Moment) {
        guard case .starting = state else { return }
        state = .resting(until: now.span &+ Self.firstPause)
    }

    /// Its program has ended, and it does not run.
    ///
    /// - Parameter due: its first request now: another one if it has launched the one that it was started for.
    package mutating func ended(due: Due?, at now: Moment) -> Action {
        guard case .starting(let started, _) = state else { return .none }
        guard started != due else { return failed(at: now) }
        state = .idle
        failures = 0
        return .none
    }

    private mutating func failed(at now: Moment) -> Action {
        failures += 1
        guard failures < Self.limit else {
            state = .givenUp
            return .giveUp
        }
        let pause = min(Self.firstPause << UInt64(failures - 1), Self.longestPause)
        state = .resting(until: now.span &+ pause)
        return .none
    }

    /// Whether it takes the place of another app that could be started.
    ///
    /// - Parameter isFree: its request needs nothing of the machine, so that its start does not wait
    ///   for long. One that waits for power or a network takes no place meanwhile.
    package func takesPlace(isFree: Bool) -> Bool {
        if case .starting(_, let until) = state { until != nil || isFree } else { false }
    }

    /// The time of the next look, if nothing happens before.
    package func next(due: Due?, mayStart: Bool = true) -> (wall: Int64?, span: UInt64?) {
        switch state {
        // The end of another start is seen.
        case .idle: (mayStart ? due?.date : nil, nil)
        case .starting(_, let until): (nil, until)
        case .resting(let until): (nil, until)
        case .open, .givenUp: (nil, nil)
        }
    }
}
