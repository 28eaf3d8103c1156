// SPDX-License-Identifier: Apache-2.0
import AppHost
import CurfewValues

/// The limits of an app in the background, and the effect of exceeding them.
///
/// `configure` comes before the first use of what needs background time: `beginBackgroundTask`,
/// `performExpiringActivity`, `NSBackgroundActivityScheduler`.
public struct BackgroundExecution: Sendable {
    /// Seconds that all assertions of the process share, from the moment it goes to the background.
    public var budget = 30.0
    /// Seconds from the call of the expiration handlers to the end.
    public var grace = 5.0
    /// The effect on code that does not end by then.
    public var overrun = OverrunPolicy.report
    /// The clock of both.
    public var clock: any BackgroundClock = SystemBackgroundClock()

    /// The maximum number of assertions at a time; with one more, iOS ends the app.
    public static let mostAssertions = 1000

    /// Makes what Apple has.
    public init() {}

    private enum State {
        case open(BackgroundExecution)
        case used(BackgroundExecution)
    }

    private static let state = Locked(State.open(BackgroundExecution()))

    /// Says how it is. Stops the process with a message where it is too late.
    public static func configure(_ execution: BackgroundExecution) {
        let isEarly = state.withLock { state -> Bool in
            guard case .open = state else { return false }
            state = .open(execution)
            return true
        }
        if !isEarly {
            AppHost.stop(
                "BackgroundExecution.configure has to come before the first background task, expiring activity or background activity\n"
            )
        }
    }

    /// The configuration that applies from now on.
    package static var current: BackgroundExecution {
        state.withLock { state in
            switch state {
            case .open(let execution), .used(let execution):
                state = .used(execution)
                return execution
            }
        }
    }

    /// Returns seconds as nanoseconds; values out of range become the maximum.
    package static func nanoseconds(_ seconds: Double) -> UInt64 {
        guard seconds > 0 else { return 0 }
        let wanted = (seconds * 1_000_000_000).rounded()
        return wanted < 9e18 ? UInt64(wanted) : 9_000_000_000_000_000_000
    }
}

/// The effect on an app that keeps an assertion when its background time is over.
public enum OverrunPolicy: Sendable {
    /// Logs it, with the effect that it has on iOS.
    case report
    /// The process stops, by SIGABRT, with the same words.
    case stop
}
