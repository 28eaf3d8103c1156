// SPDX-License-Identifier: Apache-2.0

/// The clock of background time. Apps keep the default; tests pass a `ManualBackgroundClock`.
public protocol BackgroundClock: Sendable {
    /// Nanoseconds since a moment of the clock's choice. Never goes back.
    var now: UInt64 { get }

    /// Calls `body` once at `time`, on a thread of the clock, and never before this returns.
    /// Releasing the alarm cancels the call.
    func wake(at time: UInt64, _ body: @escaping @Sendable () -> Void) -> BackgroundAlarm
}
