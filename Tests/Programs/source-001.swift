// SPDX-License-Identifier: Apache-2.0
// Manner: the code of an article on background app refresh, in its own order and with its own names.
// Edits, each with its reason:
// - `import UIKitBackground` in place of UIKit, which only Apple has.
// - One class around the pieces, which the article shows one by one; a brace that closed nothing is gone.
// - `return true` at the end of didFinishLaunching: the article forgot it.
// - `Logger`, `appRefreshTaskId`, `appProcessingTaskId` and `toString` are declared: the article takes
//   them for granted. The identifiers are the ones it submits.
// - `\(error)` in place of `(error)` in the second message: a backslash that was lost in print.
// - The names of its last chapter stand alone there; here they are used.
// - At the end: the session that the article holds in Xcode's debugger.
// Swift 6: no, the singleton of the logger is shared and not Sendable.
// Permits: YOUR_REFRESH_TASK_ID, YOUR_PROCESSING_TASK_ID
// Modes: fetch, processing
// Prints: App did enter background
// Prints: [BGTASK] Perform bg fetch YOUR_REFRESH_TASK_ID
// Prints: [BGTASK] Perform bg processing YOUR_PROCESSING_TASK_ID
// Prints: pending again: YOUR_PROCESSING_TASK_ID, YOUR_REFRESH_TASK_ID
import AppHost
import BackgroundTasks
import UIKitBackground

let appRefreshTaskId = "YOUR_REFRESH_TASK_ID"
let appProcessingTaskId = "YOUR_PROCESSING_TASK_ID"

class Logger {
    static let shared = Logger()
    var didLog: ((String) -> Void)?

    func info(_ text: String) {
        print(text)
        didLog?(text)
    }

    func debug(_ text: String) { print(text) }
}

extension Date {
    func toString() -> String { "\(self)" }
}

@main
class AppDelegate: UIResponder, UIApplicationDelegate {
    // MARK: Prior to iOS 13

    func application(
        _ application: UIApplication,
        performFetchWithCompletionHandler completionHandler:
            @escaping (UIBackgroundFetchResult) -> Void
    ) {
        Logger.shared.debug("\(Date().toString()) perfom bg fetch")
        completionHandler(.newData)
    }

    // MARK: From iOS 13 on

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        UIApplication.shared.setMinimumBackgroundFetchInterval(
            UIApplication.backgroundFetchIntervalMinimum)
        if #available(iOS 13, *) {
            BGTaskScheduler.shared.register(forTaskWithIdentifier: appRefreshTaskId, using: nil) {
                task in
                Logger.shared.info("[BGTASK] Perform bg fetch \(appRefreshTaskId)")
                task.setTaskCompleted(success: true)
                self.scheduleAppRefresh()
            }

            BGTaskScheduler.shared.register(forTaskWithIdentifier: appProcessingTaskId, using: nil)
            { task in
                Logger.shared.info("[BGTASK] Perform bg processing \(appProcessingTaskId)")
                task.setTaskCompleted(success: true)
                self.scheduleBackgroundProcessing()
            }
        }
        watchSettings()
        debuggerSession()
        return true
    }

    @available(iOS 13.0, *)
    func scheduleAppRefresh() {
        let request = BGAppRefreshTaskRequest(identifier: "YOUR_REFRESH_TASK_ID")

        request.earliestBeginDate = Date(timeIntervalSinceNow: 5 * 60)  // Refresh after 5 minutes.

        do {
            try BGTaskScheduler.shared.submit(request)
        } catch {
            print("Could not schedule app refresh task \(error.localizedDescription)")
        }
    }

    @available(iOS 13.0, *)
    func scheduleBackgroundProcessing() {
        let request = BGProcessingTaskRequest(identifier: appProcessingTaskId)
        request.requiresNetworkConnectivity = true  // It needs the network. Defaults to false.
        request.requiresExternalPower = true  // It needs a power source. Defaults to false.

        request.earliestBeginDate = Date(timeIntervalSinceNow: 5 * 60)  // Process after 5 minutes.

        do {
            try BGTaskScheduler.shared.submit(request)
        } catch {
            print("Could not schedule image fetch: \(error)")
        }
    }

    func applicationDidEnterBackground(_ application: UIApplication) {
        Logger.shared.info("App did enter background")
        if #available(iOS 13, *) {
            self.scheduleAppRefresh()
            self.scheduleBackgroundProcessing()
        }
    }

    // MARK: Best advices

    func watchSettings() {
        _ = ProcessInfo.processInfo.isLowPowerModeEnabled
        _ = UIApplication.shared.backgroundRefreshStatus
        for name in [
            .NSProcessInfoPowerStateDidChange,
            UIApplication.backgroundStatusDidChangeNotification,
        ] as [Notification.Name] {
            _ = NotificationCenter.default.addObserver(
                forName: name, object: nil, queue: .main
            ) { _ in
                Logger.shared.info("The settings have changed")
            }
        }
    }
}

extension AppDelegate {
    /// What is typed into the debugger, once the app is in the background.
    func debuggerSession() {
        Logger.shared.didLog = { text in
            if text.contains("bg fetch") {
                BGTaskScheduler.shared._simulateLaunchForTask(withIdentifier: appProcessingTaskId)
            } else if text.contains("bg processing") {
                self.leaveWhenScheduledAgain()
            }
        }
        DispatchQueue.main.async {
            AppHost.life.enterBackground()
            // The delegate is told on the main queue, too.
            DispatchQueue.main.async {
                BGTaskScheduler.shared._simulateLaunchForTask(withIdentifier: appRefreshTaskId)
            }
        }
    }

    func leaveWhenScheduledAgain() {
        BGTaskScheduler.shared.getPendingTaskRequests { requests in
            guard requests.count == 2 else { return self.leaveWhenScheduledAgain() }
            let names = requests.map { $0.identifier }.sorted().joined(separator: ", ")
            print("pending again: \(names)")
            exit(0)
        }
    }
}
