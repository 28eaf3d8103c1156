// SPDX-License-Identifier: Apache-2.0
// Manner: a @MainActor type that registers with `using: nil` and a handler without any annotation: what
// was written before Swift 6, and works there as long as nobody else touches the type meanwhile.
// Swift 6: compiles, but the handler belongs to the main actor and `nil` is another queue. On Apple's
// system that stops the process when the handler is called; here it is called all the same, and nothing
// guards the type. `using: .main` or `{ @Sendable task in … }` mends it.
// Permits: com.example.nilqueue.refresh
// Modes: fetch
// Prints: handled, on the main thread: false
import BackgroundTasks

@MainActor
final class RefreshModel {
    static let identifier = "com.example.nilqueue.refresh"
    private var runs = 0

    func register() {
        BGTaskScheduler.shared.register(forTaskWithIdentifier: Self.identifier, using: nil) {
            task in
            self.handle(task: task as! BGAppRefreshTask)
        }
    }

    private func handle(task: BGAppRefreshTask) {
        runs += 1
        task.expirationHandler = { self.runs = 0 }
        print("handled, on the main thread: \(Thread.isMainThread)")
        task.setTaskCompleted(success: true)
        exit(0)
    }
}

@main
struct App {
    @MainActor static func main() throws {
        RefreshModel().register()
        let request = BGAppRefreshTaskRequest(identifier: RefreshModel.identifier)
        request.earliestBeginDate = Date(timeIntervalSinceNow: 60)
        try BGTaskScheduler.shared.submit(request)
        BGTaskScheduler.shared._simulateLaunchForTask(withIdentifier: RefreshModel.identifier)
        dispatchMain()
    }
}
