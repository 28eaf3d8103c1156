// SPDX-License-Identifier: Apache-2.0
// Manner: `Task.detached(priority:)` from a handler, so that nothing is inherited, with a check of
// cancellation between steps; a queue of the app's own for the handler.
// Swift 6: yes
// Permits: com.example.detached.index
// Modes: processing
// Prints: on the app's queue: true
// Prints: indexed 1
// Prints: indexed 2
// Prints: stopped after 2 of 1000
import BackgroundTasks

final class Indexer: @unchecked Sendable {
    static let identifier = "com.example.detached.index"

    private let queue = DispatchQueue(label: "com.example.detached.queue", qos: .utility)
    private let key = DispatchSpecificKey<Bool>()

    func register() {
        queue.setSpecific(key: key, value: true)
        BGTaskScheduler.shared.register(forTaskWithIdentifier: Self.identifier, using: queue) {
            [weak self] task in
            guard let self = self else { return task.setTaskCompleted(success: false) }
            print("on the app's queue: \(DispatchQueue.getSpecific(key: self.key) == true)")
            self.index(task)
        }
    }

    private func index(_ task: BGTask) {
        let work = Task.detached(priority: .background) { () -> Int in
            var done = 0
            for number in 1...1_000 {
                if Task.isCancelled { break }
                await self.index(number)
                done = number
            }
            return done
        }
        task.expirationHandler = { work.cancel() }
        Task.detached {
            let done = await work.value
            task.setTaskCompleted(success: done == 1_000)
            print("stopped after \(done) of 1000")
            exit(0)
        }
    }

    private func index(_ number: Int) async {
        print("indexed \(number)")
        guard number == 2 else { return }
        // What the debugger would be told; the second one takes until then.
        BGTaskScheduler.shared._simulateExpirationForTask(withIdentifier: Self.identifier)
        try? await Task.sleep(nanoseconds: 10_000_000_000)
    }
}

enum App {
    static let indexer = Indexer()

    static func start() throws {
        indexer.register()
        let request = BGProcessingTaskRequest(identifier: Indexer.identifier)
        request.earliestBeginDate = Date(timeIntervalSinceNow: 60 * 60)
        try BGTaskScheduler.shared.submit(request)
        BGTaskScheduler.shared._simulateLaunchForTask(withIdentifier: Indexer.identifier)
    }
}

try App.start()
dispatchMain()
