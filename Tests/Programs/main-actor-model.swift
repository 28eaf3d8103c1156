// SPDX-License-Identifier: Apache-2.0
// Manner: a @MainActor view model whose launch handler and expiration handler are called on
// `DispatchQueue.main`, and assume the main actor there.
// Swift 6: yes
// Permits: com.example.model.refresh
// Modes: fetch
// Prints: on the main thread: true
// Prints: items: ["bread", "milk"]
// Prints: expired on the main thread: true
// Prints: nothing is left
import BackgroundTasks

@MainActor
final class ShoppingModel {
    static let identifier = "com.example.model.refresh"

    private(set) var items: [String] = []

    func register() {
        BGTaskScheduler.shared.register(forTaskWithIdentifier: Self.identifier, using: .main) {
            task in
            self.handle(task: task as! BGAppRefreshTask)
        }
    }

    func schedule() throws {
        let request = BGAppRefreshTaskRequest(identifier: Self.identifier)
        request.earliestBeginDate = Date(timeIntervalSinceNow: 30 * 60)
        try BGTaskScheduler.shared.submit(request)
    }

    private func handle(task: BGAppRefreshTask) {
        print("on the main thread: \(Thread.isMainThread)")
        task.expirationHandler = { @Sendable [weak self] in
            MainActor.assumeIsolated {
                print("expired on the main thread: \(Thread.isMainThread)")
                self?.items = []
                print("nothing is left")
            }
            task.setTaskCompleted(success: false)
            exit(0)
        }
        Task {
            self.items = await self.load()
            print("items: \(self.items)")
            BGTaskScheduler.shared._simulateExpirationForTask(withIdentifier: Self.identifier)
        }
    }

    private nonisolated func load() async -> [String] { ["bread", "milk"] }
}

@main
struct App {
    @MainActor static func main() throws {
        let model = ShoppingModel()
        model.register()
        try model.schedule()
        BGTaskScheduler.shared._simulateLaunchForTask(withIdentifier: ShoppingModel.identifier)
        RunLoop.main.run()
    }
}
