// SPDX-License-Identifier: Apache-2.0
// Manner: an app delegate that registers in didFinishLaunching with `task as! BGAppRefreshTask`, starts
// an operation in a queue, and schedules when the app enters the background.
// Swift 6: compiles, but the handler belongs to the main actor and is called on another queue, which
// stops the process on Apple's system.
// Permits: com.example.feed.refresh
// Modes: fetch
// Prints: launched
// Prints: scheduled
// Prints: scheduled
// Prints: refreshing
// Prints: operation is done, cancelled: false
import AppHost
import BackgroundTasks
import UIKitBackground

final class FeedOperation: Operation, @unchecked Sendable {
    override func main() {
        guard !isCancelled else { return }
        print("refreshing")
    }
}

@main
class AppDelegate: UIResponder, UIApplicationDelegate {
    static let refreshIdentifier = "com.example.feed.refresh"

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        BGTaskScheduler.shared.register(
            forTaskWithIdentifier: AppDelegate.refreshIdentifier, using: nil
        ) { task in
            self.handleAppRefresh(task: task as! BGAppRefreshTask)
        }
        print("launched")
        DispatchQueue.main.async { AppHost.life.enterBackground() }
        return true
    }

    func applicationDidEnterBackground(_ application: UIApplication) {
        scheduleAppRefresh()
        // What the debugger would be told.
        BGTaskScheduler.shared._simulateLaunchForTask(
            withIdentifier: AppDelegate.refreshIdentifier)
    }

    func scheduleAppRefresh() {
        let request = BGAppRefreshTaskRequest(identifier: AppDelegate.refreshIdentifier)
        request.earliestBeginDate = Date(timeIntervalSinceNow: 15 * 60)
        do {
            try BGTaskScheduler.shared.submit(request)
            print("scheduled")
        } catch {
            print("could not schedule: \(error)")
        }
    }

    func handleAppRefresh(task: BGAppRefreshTask) {
        scheduleAppRefresh()
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        let operation = FeedOperation()

        task.expirationHandler = {
            queue.cancelAllOperations()
        }
        operation.completionBlock = {
            task.setTaskCompleted(success: !operation.isCancelled)
            print("operation is done, cancelled: \(operation.isCancelled)")
            exit(0)
        }
        queue.addOperation(operation)
    }
}
