// SPDX-License-Identifier: Apache-2.0
// Manner: a logger singleton with a serial queue and levels that everything in the background writes
// to, as nobody watches; what it has kept is printed when the work is over.
// Swift 6: yes
// Permits: com.example.logger.cleaning
// Modes: processing
// Prints: info: will clean
// Prints: debug: <BGProcessingTask: com.example.logger.cleaning>
// Prints: warning: nothing to clean
// Prints: info: did clean
import BackgroundTasks

final class Log: @unchecked Sendable {
    enum Level: String { case debug, info, warning }

    static let shared = Log()
    private let queue = DispatchQueue(label: "com.example.logger")
    private var lines: [String] = []

    private init() {}

    func write(_ level: Level, _ text: @autoclosure () -> String) {
        let line = "\(level): \(text())"
        queue.async { self.lines.append(line) }
    }

    func flush() {
        queue.sync {
            lines.forEach { print($0) }
            lines.removeAll()
        }
    }
}

struct Cleaner {
    static let identifier = "com.example.logger.cleaning"

    func start() {
        BGTaskScheduler.shared.register(forTaskWithIdentifier: Self.identifier, using: nil) {
            task in
            self.clean(task as! BGProcessingTask)
        }
        let request = BGProcessingTaskRequest(identifier: Self.identifier)
        request.earliestBeginDate = Date.distantFuture
        do {
            try BGTaskScheduler.shared.submit(request)
        } catch {
            Log.shared.write(.warning, "Could not schedule cleaning: \(error)")
        }
    }

    private func clean(_ task: BGProcessingTask) {
        Log.shared.write(.info, "will clean")
        Log.shared.write(.debug, "\(task)")
        task.expirationHandler = { Log.shared.write(.warning, "out of time") }
        Log.shared.write(.warning, "nothing to clean")
        task.setTaskCompleted(success: true)
        Log.shared.write(.info, "did clean")
        Log.shared.flush()
        exit(0)
    }
}

Cleaner().start()
BGTaskScheduler.shared._simulateLaunchForTask(withIdentifier: Cleaner.identifier)
dispatchMain()
