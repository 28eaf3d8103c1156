// SPDX-License-Identifier: Apache-2.0
public import Foundation

/// Receives the steps of an app's life, on the main thread. Each method is optional, as Apple's is: it
/// has a default that does nothing, and can be called with `?`.
///
/// A class that derives from `UIResponder`, or from `NSObject`, can be the whole program:
///
/// ```swift
/// import UIKitBackground
///
/// @main
/// final class AppDelegate: UIResponder, UIApplicationDelegate {
///     func applicationDidEnterBackground(_ application: UIApplication) {
///     }
/// }
/// ```
@preconcurrency @MainActor
public protocol UIApplicationDelegate: NSObjectProtocol {
    /// The app has begun to launch. The returned value is not used.
    func application(
        _ application: UIApplication,
        willFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool

    /// The app is about to have finished launching: the place where handlers are registered. What it
    /// returns is not used.
    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool

    /// The app is seen, and its user can work with it.
    func applicationDidBecomeActive(_ application: UIApplication)

    /// The app is about to leave the foreground.
    func applicationWillResignActive(_ application: UIApplication)

    /// The app is not seen any more. Requests are submitted here, and a task begun whose work is to go
    /// on. Without one the app is suspended as soon as this returns.
    func applicationDidEnterBackground(_ application: UIApplication)

    /// The app is about to be seen again.
    func applicationWillEnterForeground(_ application: UIApplication)

    /// The process is about to end, because of SIGTERM.
    func applicationWillTerminate(_ application: UIApplication)

    /// The machine is short of memory: its tasks wait for memory for more of the time than the host's
    /// limit. This and the two below are called once the app has used its host, with a registration for
    /// instance.
    func applicationDidReceiveMemoryWarning(_ application: UIApplication)

    /// `isProtectedDataAvailable` has become true.
    func applicationProtectedDataDidBecomeAvailable(_ application: UIApplication)

    /// `isProtectedDataAvailable` has become false. Linux does not announce this, so that the data
    /// is already unavailable when this is called.
    func applicationProtectedDataWillBecomeUnavailable(_ application: UIApplication)

    /// Transfers of a background session have ended. It is never called: `URLSession` has no background
    /// sessions on Linux.
    func application(
        _ application: UIApplication, handleEventsForBackgroundURLSession identifier: String,
        completionHandler: @escaping () -> Void)

    /// A scene is about to be connected; its delegate has the returned configuration's class.
    func application(
        _ application: UIApplication,
        configurationForConnecting connectingSceneSession: UISceneSession,
        options: UIScene.ConnectionOptions
    ) -> UISceneConfiguration

    /// The app was launched to fetch data. It has to call `completionHandler` within 30 s, from any
    /// thread, once; the sooner the better. An app that does not is launched less often.
    func application(
        _ application: UIApplication,
        performFetchWithCompletionHandler completionHandler:
            @escaping (UIBackgroundFetchResult) -> Void)
}

extension UIApplicationDelegate {
    /// Returns true.
    public func application(
        _ application: UIApplication,
        willFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool { true }

    /// Returns true.
    public func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool { true }

    /// Does nothing.
    public func applicationDidBecomeActive(_ application: UIApplication) {}
    /// Does nothing.
    public func applicationWillResignActive(_ application: UIApplication) {}
    /// Does nothing.
    public func applicationDidEnterBackground(_ application: UIApplication) {}
    /// Does nothing.
    public func applicationWillEnterForeground(_ application: UIApplication) {}
    /// Does nothing.
    public func applicationWillTerminate(_ application: UIApplication) {}

    /// Does nothing.
    public func applicationDidReceiveMemoryWarning(_ application: UIApplication) {}
    /// Does nothing.
    public func applicationProtectedDataDidBecomeAvailable(_ application: UIApplication) {}
    /// Does nothing.
    public func applicationProtectedDataWillBecomeUnavailable(_ application: UIApplication) {}

    /// Calls the completion handler.
    public func application(
        _ application: UIApplication, handleEventsForBackgroundURLSession identifier: String,
        completionHandler: @escaping () -> Void
    ) { completionHandler() }

    /// Returns the session's, which is that of the `Info.plist`.
    public func application(
        _ application: UIApplication,
        configurationForConnecting connectingSceneSession: UISceneSession,
        options: UIScene.ConnectionOptions
    ) -> UISceneConfiguration { connectingSceneSession.configuration }

    /// Says that there was nothing new.
    public func application(
        _ application: UIApplication,
        performFetchWithCompletionHandler completionHandler:
            @escaping (UIBackgroundFetchResult) -> Void
    ) { completionHandler(.noData) }
}
