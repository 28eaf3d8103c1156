// SPDX-License-Identifier: Apache-2.0
import BackgroundTasks

/// Code in the manner of an app's, which knows nothing of plugins.
final class Refresher: Sendable {
    static let shared = Refresher()

    private let refresh = "org.curfew.test.apple-tasks.refresh"
    private let cleanup = "org.curfew.test.apple-tasks.cleanup"

    struct NotTaken: Error {}

    func registerLaunchHandlers() throws {
        let scheduler = BGTaskScheduler.shared
        let isTaken = scheduler.register(forTaskWithIdentifier: refresh, using: nil) { task in
            self.handle(refreshing: task as! BGAppRefreshTask)
        }
        let isOtherTaken = scheduler.register(forTaskWithIdentifier: cleanup, using: nil) { task in
            task.expirationHandler = { task.setTaskCompleted(success: false) }
        }
        guard isTaken, isOtherTaken else { throw NotTaken() }
    }

    private func handle(refreshing task: BGAppRefreshTask) {
        schedule()
        Task {
            let pending = await BGTaskScheduler.shared.pendingTaskRequests()
            print("plugin: \(task), pending \(pending.map(\.identifier))")
            do {
                try BGTaskScheduler.shared.submit(
                    BGAppRefreshTaskRequest(identifier: "org.example.app.refresh"))
            } catch {
                print("plugin: \(error)")
            }
            task.setTaskCompleted(success: true)
        }
    }

    private func schedule() {
        let request = BGProcessingTaskRequest(identifier: cleanup)
        request.requiresNetworkConnectivity = true
        do {
            try BGTaskScheduler.shared.submit(request)
        } catch {
            print("plugin: \(error.localizedDescription)")
        }
    }
}
