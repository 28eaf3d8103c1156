// SPDX-License-Identifier: Apache-2.0
import AppHost
public import Foundation

/// Work that goes on when the app is not seen any more. May be called from any thread.
extension UIApplication {
    /// Asks for the app not to be suspended until `endBackgroundTask`. It has an effect from the
    /// moment on at which the app goes to the background: for about 30 s, which all such tasks of the
    /// process share.
    ///
    /// - Parameter handler: called once on the main thread when the time is over, unless the task was
    ///   ended. It cleans up within a second, and ends the task before it returns.
    /// - Returns: what has to be ended, whatever becomes of the work; `.invalid` where the app is
    ///   suspended or its time is over.
    public func beginBackgroundTask(
        expirationHandler handler: (@MainActor @Sendable () -> Void)? = nil
    ) -> UIBackgroundTaskIdentifier {
        beginBackgroundTask(withName: nil, expirationHandler: handler)
    }

    /// Begins a background task with a name for the log.
    public func beginBackgroundTask(
        withName taskName: String?,
        expirationHandler handler: (@MainActor @Sendable () -> Void)? = nil
    ) -> UIBackgroundTaskIdentifier {
        assertions.beginTask(taskName ?? "without a name", handler)
            .map { UIBackgroundTaskIdentifier(rawValue: Int($0)) } ?? .invalid
    }

    /// Ends a task. The app is suspended where it was the last one, and the app is in the background.
    /// An identifier that was ended before changes nothing.
    public func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier) {
        let isKnown = identifier.rawValue > 0 && assertions.end(UInt64(identifier.rawValue))
        if !isKnown {
            AppHost.shared.log(
                .warning,
                "Can't endBackgroundTask: no background task exists with identifier \(identifier.rawValue), or it may have already been ended."
            )
        }
    }

    /// Seconds that are left of the background time: an estimate. While the app is seen it is the
    /// largest number there is.
    public var backgroundTimeRemaining: TimeInterval {
        assertions.remaining ?? .greatestFiniteMagnitude
    }
}
