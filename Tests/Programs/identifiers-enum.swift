// SPDX-License-Identifier: Apache-2.0
// Manner: an enum of identifiers with raw values, CaseIterable, that makes the requests and picks the
// work; `task.identifier` is turned back into a case.
// Swift 6: yes
// Permits: com.example.enum.refresh, com.example.enum.cleaning
// Modes: fetch, processing
// Prints: refresh: true
// Prints: cleaning: true
// Prints: running refresh
// Prints: running cleaning
import BackgroundTasks

enum BackgroundTaskIdentifier: String, CaseIterable {
    case refresh = "com.example.enum.refresh"
    case cleaning = "com.example.enum.cleaning"

    func makeRequest(after delay: TimeInterval) -> BGTaskRequest {
        let request: BGTaskRequest
        switch self {
        case .refresh:
            request = BGAppRefreshTaskRequest(identifier: rawValue)
        case .cleaning:
            let processing = BGProcessingTaskRequest(identifier: rawValue)
            processing.requiresExternalPower = true
            request = processing
        }
        request.earliestBeginDate = Date(timeIntervalSinceNow: delay)
        return request
    }
}

struct BackgroundTasksSetup {
    func registerAll() {
        for identifier in BackgroundTaskIdentifier.allCases {
            let isRegistered = BGTaskScheduler.shared.register(
                forTaskWithIdentifier: identifier.rawValue, using: nil, launchHandler: run)
            print("\(identifier): \(isRegistered)")
        }
    }

    func submit(_ identifier: BackgroundTaskIdentifier) {
        try? BGTaskScheduler.shared.submit(identifier.makeRequest(after: 60 * 60))
    }

    private func run(_ task: BGTask) {
        guard let identifier = BackgroundTaskIdentifier(rawValue: task.identifier) else {
            return task.setTaskCompleted(success: false)
        }
        print("running \(identifier)")
        defer { task.setTaskCompleted(success: true) }
        switch identifier {
        case .refresh:
            BGTaskScheduler.shared._simulateLaunchForTask(
                withIdentifier: BackgroundTaskIdentifier.cleaning.rawValue)
        case .cleaning:
            exit(0)
        }
    }
}

let setup = BackgroundTasksSetup()
setup.registerAll()
BackgroundTaskIdentifier.allCases.forEach(setup.submit)
BGTaskScheduler.shared._simulateLaunchForTask(
    withIdentifier: BackgroundTaskIdentifier.refresh.rawValue)
dispatchMain()
