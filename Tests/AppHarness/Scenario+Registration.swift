// SPDX-License-Identifier: Apache-2.0
import AppHost
import BackgroundTasks

extension Scenario {
    static let registration: [String: Body] = [
        "register": { stage in
            stage.open()
            let scheduler = BGTaskScheduler.shared
            for identifier in [
                Stage.refresh, "org.example.app.unknown", "org.example.app.export.*",
            ] {
                let isTaken = scheduler.register(forTaskWithIdentifier: identifier, using: nil) {
                    _ in
                }
                print("\(identifier): \(isTaken)")
            }
        },
        "register-twice": { stage in
            stage.open()
            for _ in 1...2 {
                BGTaskScheduler.shared.register(forTaskWithIdentifier: Stage.refresh, using: nil) {
                    _ in
                }
            }
            print("still here")
        },
        "register-twice-thrown": { stage in
            stage.open(.throwError)
            let scheduler = BGTaskScheduler.shared
            for _ in 1...2 {
                do {
                    let isTaken = try scheduler.registerOrThrow(
                        forTaskWithIdentifier: Stage.refresh, using: nil
                    ) { _ in }
                    print("registered: \(isTaken)")
                } catch {
                    print("thrown: \(error)")
                }
            }
            print(
                "again: \(scheduler.register(forTaskWithIdentifier: Stage.refresh, using: nil) { _ in })"
            )
        },
        "register-late": { stage in
            stage.open()
            AppHost.life.finishLaunching()
            let scheduler = BGTaskScheduler.shared
            for identifier in [
                Stage.refresh, Stage.cleanup, "org.example.app.export.7",
                "org.example.app.export.*",
            ] {
                print(
                    scheduler.register(forTaskWithIdentifier: identifier, using: nil) {
                        $0.setTaskCompleted(success: true)
                    })
            }
            for identifier in ["org.example.app.export.7", "org.example.app.export.8"] {
                stage.submit(
                    BGContinuedProcessingTaskRequest(
                        identifier: identifier, title: "Exporting", subtitle: ""))
            }
            print("continued")
            for _ in 1...2 { stage.submit(BGAppRefreshTaskRequest(identifier: Stage.refresh)) }
        },
        "used": { stage in
            stage.open()
            AppHost.life.finishLaunching()
            BGTaskScheduler.shared.register(forTaskWithIdentifier: Stage.refresh, using: nil) { _ in
            }
            print(stage.eventuallyKnows("usage"))
            AppHost.life.enterBackground()
            AppHost.life.enterForeground()
        },
        "refresh-set": { stage in
            stage.open()
            print(AppHost.shared.backgroundRefresh)
            AppHost.shared.backgroundRefresh = .denied
            print(AppHost.shared.backgroundRefresh)
        },
        "configure-late": { stage in
            stage.open()
            _ = BGTaskScheduler.shared
            AppHost.configure(AppHost.Configuration())
            print("still here")
        },
    ]
}
