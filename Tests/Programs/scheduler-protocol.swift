// SPDX-License-Identifier: Apache-2.0
// Manner: a protocol with Apple's signatures around the scheduler, to which an extension conforms
// BGTaskScheduler; whoever needs one gets it by dependency injection.
// Swift 6: yes
// Permits: com.example.injected.refresh
// Modes: fetch
// Prints: registered: true
// Prints: not advertised: false
// Prints: pending: com.example.injected.refresh
// Prints: refreshed
import BackgroundTasks

protocol TaskScheduling {
    func register(
        forTaskWithIdentifier identifier: String, using queue: DispatchQueue?,
        launchHandler: @escaping (BGTask) -> Void
    ) -> Bool
    func submit(_ taskRequest: BGTaskRequest) throws
    func cancel(taskRequestWithIdentifier identifier: String)
    func cancelAllTaskRequests()
    func getPendingTaskRequests(completionHandler: @escaping ([BGTaskRequest]) -> Void)
}

extension BGTaskScheduler: TaskScheduling {}

class RefreshCoordinator {
    static let identifier = "com.example.injected.refresh"

    private let scheduler: TaskScheduling
    private let now: () -> Date

    init(scheduler: TaskScheduling = BGTaskScheduler.shared, now: @escaping () -> Date = Date.init)
    {
        self.scheduler = scheduler
        self.now = now
    }

    func start() {
        let isRegistered = scheduler.register(
            forTaskWithIdentifier: Self.identifier, using: nil
        ) { task in
            guard let task = task as? BGAppRefreshTask else {
                task.setTaskCompleted(success: false)
                return
            }
            self.refresh(task)
        }
        print("registered: \(isRegistered)")
        let other = scheduler.register(forTaskWithIdentifier: "com.example.other", using: nil) {
            _ in
        }
        print("not advertised: \(other)")
    }

    func schedule() throws {
        scheduler.cancelAllTaskRequests()
        let request = BGAppRefreshTaskRequest(identifier: Self.identifier)
        request.earliestBeginDate = now().addingTimeInterval(60 * 60)
        try scheduler.submit(request)
        scheduler.getPendingTaskRequests { requests in
            print("pending: \(requests.map(\.identifier).joined(separator: ", "))")
            BGTaskScheduler.shared._simulateLaunchForTask(withIdentifier: Self.identifier)
        }
    }

    private func refresh(_ task: BGAppRefreshTask) {
        task.expirationHandler = { task.setTaskCompleted(success: false) }
        print("refreshed")
        task.setTaskCompleted(success: true)
        exit(0)
    }
}

let coordinator = RefreshCoordinator()
coordinator.start()
try coordinator.schedule()
dispatchMain()
