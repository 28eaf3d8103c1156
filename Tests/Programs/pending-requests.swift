// SPDX-License-Identifier: Apache-2.0
// Manner: a screen for developers that lists what is pending, cancels one and then all; what was
// listed are copies.
// Swift 6: yes
// Permits: com.example.pending.refresh, com.example.pending.cleaning, com.example.pending.sync
// Modes: fetch, processing
// Prints: com.example.pending.cleaning: BGProcessingTaskRequest, power: true
// Prints: com.example.pending.refresh: BGAppRefreshTaskRequest, has a date: true
// Prints: com.example.pending.sync: BGProcessingTaskRequest, power: false
// Prints: without one: 2
// Prints: the dates of copies count: false
// Prints: without any: 0
import BackgroundTasks

final class PendingScreen: Sendable {
    private let scheduler = BGTaskScheduler.shared

    func fill() throws {
        for name in ["refresh", "cleaning", "sync"] {
            scheduler.register(forTaskWithIdentifier: "com.example.pending.\(name)", using: nil) {
                $0.setTaskCompleted(success: true)
            }
        }
        let refresh = BGAppRefreshTaskRequest(identifier: "com.example.pending.refresh")
        refresh.earliestBeginDate = Date(timeIntervalSinceNow: 3_600)
        try scheduler.submit(refresh)
        for name in ["cleaning", "sync"] {
            let request = BGProcessingTaskRequest(identifier: "com.example.pending.\(name)")
            request.requiresExternalPower = name == "cleaning"
            request.earliestBeginDate = Date(timeIntervalSinceNow: 3_600)
            try scheduler.submit(request)
        }
    }

    func show() {
        scheduler.getPendingTaskRequests { requests in
            for request in requests.sorted(by: { $0.identifier < $1.identifier }) {
                switch request {
                case let request as BGProcessingTaskRequest:
                    print(
                        "\(request.identifier): BGProcessingTaskRequest, power: \(request.requiresExternalPower)"
                    )
                case is BGAppRefreshTaskRequest:
                    print(
                        "\(request.identifier): BGAppRefreshTaskRequest, has a date: \(request.earliestBeginDate != nil)"
                    )
                default:
                    print("new: \(request)")
                }
                request.earliestBeginDate = nil
            }
            self.cancel()
        }
    }

    private func cancel() {
        scheduler.cancel(taskRequestWithIdentifier: "com.example.pending.sync")
        scheduler.cancel(taskRequestWithIdentifier: "com.example.pending.sync")
        scheduler.getPendingTaskRequests { requests in
            print("without one: \(requests.count)")
            let changed = requests.contains { $0.earliestBeginDate == nil }
            print("the dates of copies count: \(changed)")
            self.scheduler.cancelAllTaskRequests()
            self.scheduler.getPendingTaskRequests { requests in
                print("without any: \(requests.count)")
                exit(0)
            }
        }
    }
}

let screen = PendingScreen()
try screen.fill()
screen.show()
dispatchMain()
