// SPDX-License-Identifier: Apache-2.0
import AppHost
import CCurfew
public import Foundation

/// Launches in the background, to fetch.
extension UIApplication {
    /// Whether there are any: the host's setting for this app. A machine that saves power has none.
    public var backgroundRefreshStatus: UIBackgroundRefreshStatus { refresh.status }

    /// The shortest interval there is: 15 minutes.
    public class var backgroundFetchIntervalMinimum: TimeInterval { 0 }

    /// No fetches: the default.
    public class var backgroundFetchIntervalNever: TimeInterval { .greatestFiniteMagnitude }

    /// Makes the host call the delegate's `application(_:performFetchWithCompletionHandler:)` from
    /// time to time, at most once in this interval in seconds. It submits a refresh request with
    /// the identifier `<bundle identifier>.fetch`.
    ///
    /// Without the mode `fetch` in the `Info.plist`, or with `BGTaskSchedulerPermittedIdentifiers`
    /// in it, the call has no effect, as in Apple's system, and the log says so.
    public func setMinimumBackgroundFetchInterval(_ minimumBackgroundFetchInterval: TimeInterval) {
        fetches.set(minimumBackgroundFetchInterval)
    }
}

/// Whether the app may be launched in the background, to refresh what it shows.
public enum UIBackgroundRefreshStatus: Int, Sendable {
    /// An administrator has turned it off; the user cannot turn it on.
    case restricted = 0
    /// Its user has turned it off, or the machine saves power.
    case denied = 1
    /// It may.
    case available = 2
}
