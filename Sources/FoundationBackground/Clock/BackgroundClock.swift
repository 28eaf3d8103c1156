// SPDX-License-Identifier: Apache-2.0

/// The clock by which background time is measured. Apps leave it as it is; their tests hand in a
/// `ManualBackgroundClock`.
public protocol BackgroundClock: Sendable {
    /// Nanoseconds since a moment of the clock's choice. Never goes back.
    var now: UInt64 { get }

    /// Calls `body` once when it is `time`, on a thread of the clock's, and never before this returns.
    /// Whoever lets go of the alarm does not wait for it any more.
    func wake(at time: UInt64, _ body: @escaping @Sendable () -> Void) -> BackgroundAlarm
}
