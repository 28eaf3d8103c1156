// SPDX-License-Identifier: Apache-2.0
// Manner: expiration becomes cancellation: an async wrapper around a task, with
// withTaskCancellationHandler below, and a last word after it.
// Swift 6: yes
// Permits: com.example.bridge.backup
// Modes: processing
// Prints: backing up
// Prints: told to stop
// Prints: cancelled: true
// Prints: completed: false
import BackgroundTasks

extension BGTask {
    /// Runs `work`; expiration cancels it.
    func run(_ work: @escaping @Sendable () async throws -> Void) {
        let job = Task {
            do {
                try await work()
                self.finish(true)
            } catch {
                print("cancelled: \(error is CancellationError)")
                self.finish(false)
            }
        }
        expirationHandler = { job.cancel() }
    }

    private func finish(_ success: Bool) {
        setTaskCompleted(success: success)
        print("completed: \(success)")
        exit(0)
    }
}

actor Backup {
    static let identifier = "com.example.bridge.backup"

    func run() async throws {
        print("backing up")
        // What the debugger would be told.
        DispatchQueue.global().async {
            BGTaskScheduler.shared._simulateExpirationForTask(withIdentifier: Self.identifier)
        }
        try await withTaskCancellationHandler {
            try await Task.sleep(nanoseconds: 30_000_000_000)
        } onCancel: {
            print("told to stop")
        }
    }
}

enum App {
    static func start() throws {
        let backup = Backup()
        BGTaskScheduler.shared.register(forTaskWithIdentifier: Backup.identifier, using: nil) {
            task in
            task.run { try await backup.run() }
        }
        let request = BGProcessingTaskRequest(identifier: Backup.identifier)
        request.earliestBeginDate = Date(timeIntervalSinceNow: 3_600)
        try BGTaskScheduler.shared.submit(request)
        BGTaskScheduler.shared._simulateLaunchForTask(withIdentifier: Backup.identifier)
    }
}

try App.start()
dispatchMain()
