// SPDX-License-Identifier: Apache-2.0
import UIKitBackground

// What apps have written since iOS 4 around a synchronization, in Swift.

@main
final class AppDelegate: UIResponder, UIApplicationDelegate {
    var backgroundSupported: Bool { UIDevice.current.isMultitaskingSupported }
    var bgTask = UIBackgroundTaskInvalid

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        UIApplication.shared.setMinimumBackgroundFetchInterval(
            UIApplication.backgroundFetchIntervalMinimum)
        _ = ProcessInfo.processInfo.isLowPowerModeEnabled
        _ = UIApplication.shared.backgroundRefreshStatus == .available
        NotificationCenter.default.addObserver(
            forName: UIApplication.backgroundStatusDidChangeNotification, object: nil, queue: nil
        ) { _ in }
        NotificationCenter.default.addObserver(
            forName: .NSProcessInfoPowerStateDidChange, object: nil, queue: nil
        ) { _ in }
        return true
    }

    func synchronize() {
        if backgroundSupported {
            let app = UIApplication.shared
            bgTask = app.beginBackgroundTask(expirationHandler: {
                app.endBackgroundTask(self.bgTask)
                self.bgTask = UIBackgroundTaskInvalid
            })
        }
    }

    func synchronized() {
        if backgroundSupported {
            if bgTask != UIBackgroundTaskInvalid {
                UIApplication.shared.endBackgroundTask(bgTask)
                bgTask = UIBackgroundTaskInvalid
            }
        }
    }

    func applicationDidEnterBackground(_ application: UIApplication) { synchronize() }

    func application(
        _ application: UIApplication,
        performFetchWithCompletionHandler completionHandler:
            @escaping (UIBackgroundFetchResult) -> Void
    ) {
        completionHandler(.newData)
    }
}
