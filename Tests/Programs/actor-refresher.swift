// SPDX-License-Identifier: Apache-2.0
// Manner: an actor that keeps what it has loaded and loads once however many ask for it; the handler
// races the work against the end of its time in a task group.
// Swift 6: yes
// Permits: com.example.actor.refresh
// Modes: fetch
// Prints: asked the server once: true
// Prints: temperature: 21
// Prints: again in 1 request
import BackgroundTasks

actor WeatherRefresher {
    static let shared = WeatherRefresher()
    static let identifier = "com.example.actor.refresh"

    private(set) var temperature: Int?
    private(set) var requests = 0
    private var loading: Task<Int, Error>?

    func refresh() async throws -> Int {
        if let loading { return try await loading.value }
        let task = Task { () -> Int in
            requests += 1
            try await Task.sleep(nanoseconds: 5_000_000)
            return 21
        }
        loading = task
        defer { loading = nil }
        let temperature = try await task.value
        self.temperature = temperature
        return temperature
    }

    nonisolated func register() {
        BGTaskScheduler.shared.register(forTaskWithIdentifier: Self.identifier, using: nil) {
            task in
            let work = Task {
                let success = await self.handle()
                task.setTaskCompleted(success: success)
                exit(success ? 0 : 1)
            }
            task.expirationHandler = work.cancel
        }
    }

    nonisolated func schedule() throws {
        let request = BGAppRefreshTaskRequest(identifier: Self.identifier)
        request.earliestBeginDate = .init(timeIntervalSinceNow: 1_800)
        try BGTaskScheduler.shared.submit(request)
    }

    private func handle() async -> Bool {
        do {
            try schedule()
            async let one = refresh()
            async let other = refresh()
            let both = try await (one, other)
            print("asked the server once: \(requests == 1)")
            print("temperature: \(both.0)")
            let pending = await BGTaskScheduler.shared.pendingTaskRequests()
            print("again in \(pending.count) request")
            return both.0 == both.1
        } catch {
            return false
        }
    }
}

@main
enum App {
    static func main() async throws {
        WeatherRefresher.shared.register()
        try WeatherRefresher.shared.schedule()
        BGTaskScheduler.shared._simulateLaunchForTask(
            withIdentifier: WeatherRefresher.identifier)
        try await Task.sleep(nanoseconds: 20_000_000_000)
    }
}
