// SPDX-License-Identifier: Apache-2.0
// Manner: the AsyncOperation that every app once had: isAsynchronous, isExecuting, isFinished, start
// and main overridden, with willChangeValue and didChangeValue around each change of state.
// Swift 6: yes
// Permits: com.example.operation.download
// Modes: fetch
// Prints: first: started
// Prints: first: finished
// Prints: second: started
// Prints: second: finished
// Prints: completed: true
import BackgroundTasks

class AsyncOperation: Operation, @unchecked Sendable {
    enum State: String {
        case ready = "isReady"
        case executing = "isExecuting"
        case finished = "isFinished"
    }

    private let lock = NSLock()
    private var stored = State.ready

    private(set) var state: State {
        get { lock.withLock { stored } }
        set {
            let old = state
            willChangeValue(forKey: old.rawValue)
            willChangeValue(forKey: newValue.rawValue)
            lock.withLock { stored = newValue }
            didChangeValue(forKey: old.rawValue)
            didChangeValue(forKey: newValue.rawValue)
        }
    }

    override var isAsynchronous: Bool { true }
    override var isReady: Bool { super.isReady && state == .ready }
    override var isExecuting: Bool { state == .executing }
    override var isFinished: Bool { state == .finished }

    override func start() {
        guard !isCancelled else {
            finish()
            return
        }
        state = .executing
        main()
    }

    func finish() { state = .finished }
}

final class Download: AsyncOperation, @unchecked Sendable {
    init(_ title: String) {
        super.init()
        name = title
    }

    override func main() {
        print("\(name ?? ""): started")
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(10)) {
            print("\(self.name ?? ""): finished")
            self.finish()
        }
    }
}

final class DownloadService: Sendable {
    static let identifier = "com.example.operation.download"

    func start() throws {
        BGTaskScheduler.shared.register(forTaskWithIdentifier: Self.identifier, using: nil) {
            task in
            self.download(task)
        }
        let request = BGAppRefreshTaskRequest(identifier: Self.identifier)
        request.earliestBeginDate = Date(timeIntervalSinceNow: 60)
        try BGTaskScheduler.shared.submit(request)
        BGTaskScheduler.shared._simulateLaunchForTask(withIdentifier: Self.identifier)
    }

    private func download(_ task: BGTask) {
        let queue = OperationQueue()
        let first = Download("first")
        let second = Download("second")
        second.addDependency(first)
        task.expirationHandler = { queue.cancelAllOperations() }
        let done = BlockOperation {
            task.setTaskCompleted(success: !second.isCancelled)
            print("completed: \(!second.isCancelled)")
            exit(0)
        }
        done.addDependency(second)
        queue.addOperations([done, second, first], waitUntilFinished: false)
    }
}

try DownloadService().start()
dispatchMain()
