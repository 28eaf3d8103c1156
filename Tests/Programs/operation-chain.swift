// SPDX-License-Identifier: Apache-2.0
// Manner: operations that depend on each other, fetch, parse, save, in one queue; expiration cancels
// all of them, and the last one completes the task.
// Swift 6: yes
// Permits: com.example.chain.refresh
// Modes: fetch
// Prints: fetch
// Prints: parse
// Prints: expired
// Prints: save is cancelled: true
// Prints: completed: false
import BackgroundTasks

final class Step: Operation, @unchecked Sendable {
    private let title: String
    private let body: () -> Void

    init(_ title: String, _ body: @escaping () -> Void = {}) {
        self.title = title
        self.body = body
    }

    override func main() {
        guard !isCancelled else { return }
        print(title)
        body()
    }
}

enum Feed {
    static let identifier = "com.example.chain.refresh"

    static func handle(_ task: BGAppRefreshTask) {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        let expired = DispatchSemaphore(value: 0)

        let fetch = Step("fetch")
        let parse = Step("parse") {
            // What the debugger would be told, while this one runs.
            BGTaskScheduler.shared._simulateExpirationForTask(withIdentifier: identifier)
            expired.wait()
        }
        let save = Step("save")
        parse.addDependency(fetch)
        save.addDependency(parse)

        task.expirationHandler = {
            print("expired")
            queue.cancelAllOperations()
            expired.signal()
        }
        save.completionBlock = { [unowned save] in
            let success = !save.isCancelled
            print("save is cancelled: \(save.isCancelled)")
            task.setTaskCompleted(success: success)
            print("completed: \(success)")
            exit(0)
        }
        queue.addOperations([fetch, parse, save], waitUntilFinished: false)
    }

    static func start() throws {
        BGTaskScheduler.shared.register(forTaskWithIdentifier: identifier, using: nil) {
            handle($0 as! BGAppRefreshTask)
        }
        let request = BGAppRefreshTaskRequest(identifier: identifier)
        request.earliestBeginDate = Date(timeIntervalSinceNow: 15 * 60)
        try BGTaskScheduler.shared.submit(request)
        BGTaskScheduler.shared._simulateLaunchForTask(withIdentifier: identifier)
    }
}

try Feed.start()
dispatchMain()
