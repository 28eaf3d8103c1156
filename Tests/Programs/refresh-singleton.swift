// SPDX-License-Identifier: Apache-2.0
// Manner: a singleton that owns all there is about background work; `[weak self]`, `task as!`, and the
// result of `register` left alone.
// Swift 6: no, the shared instance is not Sendable.
// Permits: com.example.singleton.sync
// Modes: processing
// Prints: registered
// Prints: scheduled com.example.singleton.sync
// Prints: synchronizing, power: false, network: true
// Prints: scheduled com.example.singleton.sync
// Prints: done
import BackgroundTasks

class BackgroundSync: NSObject {
    static let shared = BackgroundSync()
    let identifier = "com.example.singleton.sync"
    private var runs = 0
    private var request: BGProcessingTaskRequest?

    private override init() {}

    func registerTasks() {
        BGTaskScheduler.shared.register(forTaskWithIdentifier: identifier, using: nil) {
            [weak self] task in
            self?.handleSync(task: task as! BGProcessingTask)
        }
        print("registered")
    }

    func schedule() {
        let request = BGProcessingTaskRequest(identifier: identifier)
        request.requiresNetworkConnectivity = true
        request.requiresExternalPower = false
        request.earliestBeginDate = Calendar.current.date(byAdding: .hour, value: 2, to: Date())
        do {
            try BGTaskScheduler.shared.submit(request)
            self.request = request
            NSLog("submitted %@", request.identifier)
            print("scheduled \(request.identifier)")
        } catch let error {
            print("Could not schedule: \(error.localizedDescription)")
        }
    }

    private func handleSync(task: BGProcessingTask) {
        task.expirationHandler = { [weak self] in
            self?.runs = 0
            task.setTaskCompleted(success: false)
        }
        if let request = request {
            print(
                "synchronizing, power: \(request.requiresExternalPower), network: \(request.requiresNetworkConnectivity)"
            )
        }
        runs += 1
        schedule()
        task.setTaskCompleted(success: runs == 1)
        print("done")
        exit(0)
    }
}

BackgroundSync.shared.registerTasks()
BackgroundSync.shared.schedule()
BGTaskScheduler.shared._simulateLaunchForTask(withIdentifier: BackgroundSync.shared.identifier)
dispatchMain()
