// SPDX-License-Identifier: Apache-2.0
// Manner: an app that still runs on old systems: `@available`, `#available` around each use, `guard
// #available`, and `if #available(iOS 26.0, *)` around what is new.
// Swift 6: yes
// Permits: com.example.available.refresh, com.example.available.export
// Modes: fetch
// Prints: registered refresh
// Prints: registered export
// Prints: scheduled
// Prints: gpu: false
// Prints: refreshed
#if canImport(BackgroundTasks)
    import BackgroundTasks
#endif

@available(iOS 13.0, tvOS 13.0, *)
enum ModernRefresh {
    static let identifier = "com.example.available.refresh"

    static func register() {
        BGTaskScheduler.shared.register(forTaskWithIdentifier: identifier, using: nil) { task in
            print("refreshed")
            task.setTaskCompleted(success: true)
            exit(0)
        }
        print("registered refresh")
    }

    static func schedule() throws {
        let request = BGAppRefreshTaskRequest(identifier: identifier)
        request.earliestBeginDate = Date(timeIntervalSinceNow: 600)
        try BGTaskScheduler.shared.submit(request)
    }
}

enum App {
    static func start() {
        if #available(iOS 13, *) {
            ModernRefresh.register()
        } else {
            print("too old")
        }
        if #available(iOS 26.0, *) {
            BGTaskScheduler.shared.register(
                forTaskWithIdentifier: "com.example.available.export", using: nil
            ) { task in
                guard let task = task as? BGContinuedProcessingTask else { return }
                task.setTaskCompleted(success: true)
            }
            print("registered export")
        }
    }

    static func enterBackground() {
        guard #available(iOS 13.0, *) else { return }
        do {
            try ModernRefresh.schedule()
            print("scheduled")
        } catch {
            print(error.localizedDescription)
        }
        if #available(iOS 26.0, *) {
            print("gpu: \(BGTaskScheduler.supportedResources.contains(.gpu))")
        }
        BGTaskScheduler.shared._simulateLaunchForTask(withIdentifier: ModernRefresh.identifier)
    }
}

App.start()
App.enterBackground()
dispatchMain()
