// SPDX-License-Identifier: Apache-2.0
// Manner: async code behind a launch handler: `Task { … task.setTaskCompleted }`, an expiration handler
// that cancels it, and `await pendingTaskRequests()`.
// Swift 6: yes
// Permits: com.example.async.refresh
// Modes: fetch
// Prints: pending before: 1
// Prints: loaded 3 articles
// Prints: pending after: 0
// Prints: completed
import BackgroundTasks

struct Article: Sendable {
    let title: String
}

struct ArticleService: Sendable {
    func load() async throws -> [Article] {
        try Task.checkCancellation()
        await Task.yield()
        return ["one", "two", "three"].map(Article.init)
    }
}

final class ArticleRefresher: Sendable {
    static let identifier = "com.example.async.refresh"
    private let service = ArticleService()

    func register() {
        BGTaskScheduler.shared.register(forTaskWithIdentifier: Self.identifier, using: nil) {
            task in
            guard let task = task as? BGAppRefreshTask else { return }
            self.handle(task)
        }
    }

    func schedule() async throws {
        let request = BGAppRefreshTaskRequest(identifier: Self.identifier)
        request.earliestBeginDate = .now + 900
        try BGTaskScheduler.shared.submit(request)
        print("pending before: \(await BGTaskScheduler.shared.pendingTaskRequests().count)")
    }

    private func handle(_ task: BGAppRefreshTask) {
        let work = Task {
            do {
                print("loaded \(try await service.load().count) articles")
                print("pending after: \(await BGTaskScheduler.shared.pendingTaskRequests().count)")
                task.setTaskCompleted(success: true)
                print("completed")
            } catch {
                task.setTaskCompleted(success: false)
            }
            exit(0)
        }
        task.expirationHandler = { work.cancel() }
    }
}

@main
struct Program {
    static func main() async throws {
        let refresher = ArticleRefresher()
        refresher.register()
        try await refresher.schedule()
        BGTaskScheduler.shared._simulateLaunchForTask(withIdentifier: ArticleRefresher.identifier)
        try await Task.sleep(nanoseconds: 20_000_000_000)
    }
}
