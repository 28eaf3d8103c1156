// SPDX-License-Identifier: Apache-2.0

/// The clock of background time. Apps keep the default; tests pass a `ManualBackgroundClock`.
public protocol BackgroundClock: Sendable {
    /// Nanoseconds since a moment of the clock's choice. Never goes back.
    var now: UInt64 { get }

    /// Calls `body` once at `time`, on a thread of the clock, and never before this returns.
    /// Releasing the alarm cancels the call.
    func wake(at time: UInt64, _ body: @escaping @Sendable () -> Void) -> BackgroundAlarm
}

/// A wait for a time of a `BackgroundClock`, which ends when it is released.
public final class BackgroundAlarm: Sendable {
    private let cancel: @Sendable () -> Void

    /// - Parameter cancel: takes it off the clock; called once, from any thread.
    public init(_ cancel: @escaping @Sendable () -> Void) { self.cancel = cancel }

    deinit { cancel() }
}
