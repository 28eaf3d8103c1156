// SPDX-License-Identifier: Apache-2.0

/// What waits for a time of a `BackgroundClock`, until it is let go of.
public final class BackgroundAlarm: Sendable {
    private let cancel: @Sendable () -> Void

    /// - Parameter cancel: takes it off the clock; called once, from any thread.
    public init(_ cancel: @escaping @Sendable () -> Void) { self.cancel = cancel }

    deinit { cancel() }
}
