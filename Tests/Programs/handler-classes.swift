// SPDX-License-Identifier: Apache-2.0
// Manner: a base class for jobs with a subclass for each, which overrides its identifier, its request
// and its work; a list of them is registered in a loop.
// Swift 6: yes
// Permits: com.example.jobs.mail, com.example.jobs.thumbnails
// Modes: fetch, processing
// Prints: registered com.example.jobs.mail
// Prints: registered com.example.jobs.thumbnails
// Prints: MailJob works in a BGAppRefreshTask
// Prints: ThumbnailJob works in a BGProcessingTask
// Prints: all jobs have run
import BackgroundTasks

class BackgroundJob {
    class var identifier: String { fatalError("a job says how it is called") }

    func makeRequest() -> BGTaskRequest { fatalError("a job says what it needs") }
    func work(completion: @escaping (Bool) -> Void) { completion(true) }

    final func register() {
        let identifier = Self.identifier
        BGTaskScheduler.shared.register(forTaskWithIdentifier: identifier, using: .main) {
            [unowned self] task in
            self.handle(task)
        }
        print("registered \(identifier)")
    }

    final func schedule() {
        let request = makeRequest()
        request.earliestBeginDate = Date(timeIntervalSinceNow: 7_200)
        do {
            try BGTaskScheduler.shared.submit(request)
        } catch {
            print("\(Self.identifier): \(error)")
        }
    }

    private func handle(_ task: BGTask) {
        schedule()
        print("\(type(of: self)) works in a \(type(of: task))")
        task.expirationHandler = { task.setTaskCompleted(success: false) }
        work { success in
            task.setTaskCompleted(success: success)
        }
    }
}

class MailJob: BackgroundJob {
    override class var identifier: String { "com.example.jobs.mail" }
    override func makeRequest() -> BGTaskRequest {
        BGAppRefreshTaskRequest(identifier: Self.identifier)
    }

    override func work(completion: @escaping (Bool) -> Void) {
        completion(true)
        BGTaskScheduler.shared._simulateLaunchForTask(withIdentifier: ThumbnailJob.identifier)
    }
}

class ThumbnailJob: BackgroundJob {
    override class var identifier: String { "com.example.jobs.thumbnails" }
    override func makeRequest() -> BGTaskRequest {
        let request = BGProcessingTaskRequest(identifier: Self.identifier)
        request.requiresExternalPower = true
        return request
    }

    override func work(completion: @escaping (Bool) -> Void) {
        super.work(completion: completion)
        print("all jobs have run")
        exit(0)
    }
}

let jobs: [BackgroundJob] = [MailJob(), ThumbnailJob()]
jobs.forEach { $0.register() }
jobs.forEach { $0.schedule() }
BGTaskScheduler.shared._simulateLaunchForTask(withIdentifier: MailJob.identifier)
dispatchMain()
