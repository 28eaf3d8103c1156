// SPDX-License-Identifier: Apache-2.0

/// A wait for a time of a `BackgroundClock`, which ends when it is released.
public final class BackgroundAlarm: Sendable {
    private let cancel: @Sendable () -> Void

    /// - Parameter cancel: takes it off the clock; called once, from any thread.
    public init(_ cancel: @escaping @Sendable () -> Void) { self.cancel = cancel }

    deinit { cancel() }
}
