// SPDX-License-Identifier: Apache-2.0

/// The methods of a delegate that are called `application`, and differ in their labels: the value of
/// `delegate.application` in `delegate.application?(app, didFinishLaunchingWithOptions: nil)`.
@preconcurrency @MainActor
public struct _UIApplicationDelegateMethods {
    let delegate: any UIApplicationDelegate

    /// Calls the delegate's.
    @discardableResult
    public func callAsFunction(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        delegate.application(application, didFinishLaunchingWithOptions: launchOptions)
    }

    /// Calls the delegate's.
    @discardableResult
    public func callAsFunction(
        _ application: UIApplication,
        willFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        delegate.application(application, willFinishLaunchingWithOptions: launchOptions)
    }

    /// Calls the delegate's.
    public func callAsFunction(
        _ application: UIApplication, handleEventsForBackgroundURLSession identifier: String,
        completionHandler: @escaping () -> Void
    ) {
        delegate.application(
            application, handleEventsForBackgroundURLSession: identifier,
            completionHandler: completionHandler)
    }

    /// Calls the delegate's.
    public func callAsFunction(
        _ application: UIApplication,
        configurationForConnecting connectingSceneSession: UISceneSession,
        options: UIScene.ConnectionOptions
    ) -> UISceneConfiguration {
        delegate.application(
            application, configurationForConnecting: connectingSceneSession, options: options)
    }

    /// Calls the delegate's.
    public func callAsFunction(
        _ application: UIApplication,
        performFetchWithCompletionHandler completionHandler:
            @escaping (UIBackgroundFetchResult) -> Void
    ) {
        delegate.application(application, performFetchWithCompletionHandler: completionHandler)
    }
}
