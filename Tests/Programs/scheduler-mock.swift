// SPDX-License-Identifier: Apache-2.0
// Manner: the unit tests of such an app: a mock in the scheduler's place that records what is submitted
// and throws what it is told to, and a protocol for tasks to which BGTask conforms.
// Swift 6: yes
// Prints: submitted: ["com.example.mocked.refresh"]
// Prints: registered: ["com.example.mocked.refresh"]
// Prints: the coordinator saw: too many
// Prints: the coordinator saw: not permitted
// Prints: the coordinator saw: something else
// Prints: completed: [true]
import BackgroundTasks

protocol BackgroundTaskProtocol: AnyObject {
    var identifier: String { get }
    var expirationHandler: (() -> Void)? { get set }
    func setTaskCompleted(success: Bool)
}

extension BGTask: BackgroundTaskProtocol {}

protocol BackgroundTaskScheduling: AnyObject {
    @discardableResult
    func register(
        forTaskWithIdentifier identifier: String, using queue: DispatchQueue?,
        launchHandler: @escaping (BGTask) -> Void
    ) -> Bool
    func submit(_ taskRequest: BGTaskRequest) throws
}

extension BGTaskScheduler: BackgroundTaskScheduling {}

final class MockTask: BackgroundTaskProtocol {
    let identifier = "com.example.mocked.refresh"
    var expirationHandler: (() -> Void)?
    private(set) var completions: [Bool] = []

    func setTaskCompleted(success: Bool) { completions.append(success) }
}

final class MockTaskScheduler: BackgroundTaskScheduling {
    private(set) var registered: [String] = []
    private(set) var submitted: [BGTaskRequest] = []
    var error: Error?

    func register(
        forTaskWithIdentifier identifier: String, using queue: DispatchQueue?,
        launchHandler: @escaping (BGTask) -> Void
    ) -> Bool {
        registered.append(identifier)
        return true
    }

    func submit(_ taskRequest: BGTaskRequest) throws {
        if let error = error { throw error }
        submitted.append(taskRequest)
    }
}

final class Coordinator {
    private let scheduler: BackgroundTaskScheduling

    init(scheduler: BackgroundTaskScheduling) { self.scheduler = scheduler }

    func start() {
        scheduler.register(forTaskWithIdentifier: "com.example.mocked.refresh", using: .main) {
            [weak self] in self?.run($0)
        }
    }

    func schedule() -> String {
        do {
            try scheduler.submit(BGAppRefreshTaskRequest(identifier: "com.example.mocked.refresh"))
            return "nothing"
        } catch BGTaskScheduler.Error.notPermitted {
            return "not permitted"
        } catch BGTaskScheduler.Error.tooManyPendingTaskRequests {
            return "too many"
        } catch {
            return "something else"
        }
    }

    func run(_ task: BackgroundTaskProtocol) {
        task.expirationHandler = { [weak task] in task?.setTaskCompleted(success: false) }
        task.setTaskCompleted(success: true)
    }
}

let scheduler = MockTaskScheduler()
let coordinator = Coordinator(scheduler: scheduler)
coordinator.start()
_ = coordinator.schedule()
print("submitted: \(scheduler.submitted.map { $0.identifier })")
print("registered: \(scheduler.registered)")

let errors: [Error] = [
    BGTaskScheduler.Error(.tooManyPendingTaskRequests),
    NSError(
        domain: BGTaskScheduler.errorDomain,
        code: BGTaskScheduler.Error.Code.notPermitted.rawValue),
    CocoaError(.fileNoSuchFile),
]
for error in errors {
    scheduler.error = error
    print("the coordinator saw: \(coordinator.schedule())")
}

let task = MockTask()
coordinator.run(task)
print("completed: \(task.completions)")
