// SPDX-License-Identifier: Apache-2.0
import AppHost
import BackgroundTasks
import CCurfew
import CInterface
import TestSupport

extension Scenario {
    /// Registers a handler and submits a request for it, at once unless it says otherwise.
    private static func begin(
        _ stage: Stage, _ request: BGTaskRequest, on queue: DispatchQueue? = nil,
        _ body: @escaping @Sendable (BGTask) -> Void
    ) {
        BGTaskScheduler.shared.register(
            forTaskWithIdentifier: request.identifier, using: queue, launchHandler: body)
        stage.submit(request)
    }

    /// A task that keeps itself until it is told to stop.
    private static func expiring(
        _ stage: Stage, _ request: BGTaskRequest, after: Double, because: @escaping () -> Void
    ) {
        let (launched, expired) = (Signal(), Signal())
        begin(stage, request) { task in
            task.expirationHandler = {
                print("expired")
                task.setTaskCompleted(success: false)
                expired.send()
            }
            print("launched \(task)")
            launched.send()
        }
        launched.wait("the launch")
        stage.advance(after)
        print("\(Int(after)) s later")
        because()
        expired.wait("the expiration")
        print(stage.ended(1))
    }

    static let running: [String: Body] = [
        "kinds": { stage in
            stage.open()
            for identifier in [Stage.refresh, Stage.cleanup] {
                let over = Signal()
                BGTaskScheduler.shared.register(forTaskWithIdentifier: identifier, using: nil) {
                    task in
                    print(
                        "\(identifier): refresh \(task is BGAppRefreshTask), processing \(task is BGProcessingTask), research \(task is BGHealthResearchTask), main \(Thread.isMainThread)"
                    )
                    task.setTaskCompleted(success: true)
                    over.send()
                }
                if identifier == Stage.refresh {
                    stage.submit(BGAppRefreshTaskRequest(identifier: identifier))
                    over.wait("the refresh")
                } else {
                    stage.submit(BGProcessingTaskRequest(identifier: identifier))
                    over.wait("the processing")
                    stage.submit(BGHealthResearchTaskRequest(identifier: identifier))
                    over.wait("the research")
                }
            }
        },
        "main-queue": { stage in
            stage.open()
            begin(stage, BGAppRefreshTaskRequest(identifier: Stage.refresh), on: .main) { task in
                print("main: \(Thread.isMainThread)")
                task.setTaskCompleted(success: true)
                Stage.leave(0)
            }
            RunLoop.main.run()
        },
        "main-actor": { stage in
            stage.open()
            begin(stage, BGAppRefreshTaskRequest(identifier: Stage.refresh), on: .main) { task in
                MainActor.assumeIsolated { print("launched") }
                task.expirationHandler = {
                    MainActor.assumeIsolated { print("expired, main: \(Thread.isMainThread)") }
                    task.setTaskCompleted(success: false)
                    Stage.leave(0)
                }
                Thread.detachNewThread { stage.advance(30) }
            }
            RunLoop.main.run()
        },
        "queue-blocked": { stage in
            stage.open()
            let (launched, goOn, expired) = (Signal(), Signal(), Signal())
            let queue = DispatchQueue(label: "org.example.work")
            begin(stage, BGAppRefreshTaskRequest(identifier: Stage.refresh), on: queue) { task in
                task.expirationHandler = {
                    print("told to stop")
                    task.setTaskCompleted(success: false)
                    expired.send()
                }
                launched.send()
                goOn.wait("the end of the grace")
                print("the launch handler returns")
            }
            launched.wait("the launch")
            stage.advance(30)
            print("its time is up")
            stage.advance(5)
            print(stage.ended(1))
            goOn.send()
            expired.wait("the expiration handler")
        },
        "earliest": { stage in
            stage.open()
            let launched = Signal()
            let request = BGAppRefreshTaskRequest(identifier: Stage.refresh)
            request.earliestBeginDate = Stage.date(in: 900)
            begin(stage, request) { task in
                print("launched")
                task.setTaskCompleted(success: true)
                launched.send()
            }
            stage.advance(899)
            print("899 s later")
            stage.advance(1)
            launched.wait("the launch")
            print(stage.ended(1))
        },
        "reschedule-first": { stage in
            stage.open()
            let over = Signal()
            begin(stage, BGAppRefreshTaskRequest(identifier: Stage.refresh)) { task in
                let next = BGAppRefreshTaskRequest(identifier: Stage.refresh)
                next.earliestBeginDate = Stage.date(in: 1800)
                stage.submit(next)
                task.setTaskCompleted(success: true)
                over.send()
            }
            over.wait("the task")
            print("first \(stage.ended(1)), then \(stage.holding(Stage.refresh, kind: 1))")
            BGTaskScheduler.shared.getPendingTaskRequests {
                print("pending \($0.count)")
                over.send()
            }
            over.wait("the pending requests")
        },
        "complete-first": { stage in
            stage.open()
            let over = Signal()
            begin(stage, BGAppRefreshTaskRequest(identifier: Stage.refresh)) { task in
                task.setTaskCompleted(success: true)
                let next = BGAppRefreshTaskRequest(identifier: Stage.refresh)
                next.earliestBeginDate = Stage.date(in: 300)
                stage.submit(next)
                over.send()
            }
            over.wait("the task")
            print("first \(stage.ended(1))")
            BGTaskScheduler.shared.getPendingTaskRequests {
                print("pending \($0.count)")
                over.send()
            }
            over.wait("the pending requests")
        },
        "once": { stage in
            stage.open()
            let over = Signal()
            begin(stage, BGAppRefreshTaskRequest(identifier: Stage.refresh)) { task in
                print("launched")
                task.setTaskCompleted(success: true)
                over.send()
            }
            over.wait("the task")
            print(stage.ended(1))
            stage.advance(86_400)
            print("a day later")
        },
        "refresh-budget": { stage in
            stage.open()
            expiring(stage, BGAppRefreshTaskRequest(identifier: Stage.refresh), after: 29) {
                stage.advance(1)
            }
        },
        "processing-budget": { stage in
            stage.open()
            expiring(stage, BGProcessingTaskRequest(identifier: Stage.cleanup), after: 599) {
                stage.advance(1)
            }
        },
        "network-lost": { stage in
            stage.open()
            stage.set(Int(CURFEW_FACTOR_NETWORK), true)
            let request = BGProcessingTaskRequest(identifier: Stage.cleanup)
            request.requiresNetworkConnectivity = true
            expiring(stage, request, after: 10) { stage.set(Int(CURFEW_FACTOR_NETWORK), false) }
        },
        "user-returns": { stage in
            stage.open()
            stage.set(Int(CURFEW_FACTOR_IDLE), true)
            expiring(stage, BGProcessingTaskRequest(identifier: Stage.cleanup), after: 10) {
                stage.set(Int(CURFEW_FACTOR_IDLE), false)
            }
        },
        "no-expiration-handler": { stage in
            stage.open()
            let (launched, kept) = (Signal(), Guarded<BGTask?>(nil))
            begin(stage, BGAppRefreshTaskRequest(identifier: Stage.refresh)) { task in
                kept.value = task
                launched.send()
            }
            launched.wait("the launch")
            stage.advance(30)
            print(stage.ended(1))
            // Too late, and without effect.
            kept.value?.expirationHandler = { print("called") }
            print("kept: \(kept.value?.expirationHandler != nil)")
        },
        "expired-concurrently": { stage in
            stage.open()
            let (launched, expired, over) = (Signal(), Signal(), Signal())
            begin(stage, BGAppRefreshTaskRequest(identifier: Stage.refresh)) { task in
                task.expirationHandler = {
                    print("cleared: \(task.expirationHandler == nil)")
                    expired.send()
                }
                launched.send()
                expired.wait("the expiration, while the handler is at work")
                print("still in the handler")
                task.setTaskCompleted(success: true)
                task.setTaskCompleted(success: false)
                over.send()
            }
            launched.wait("the launch")
            stage.advance(30)
            over.wait("the handler")
            print(stage.ended(1))
        },
        "never-completed": { stage in
            stage.open()
            let (launched, expired, kept) = (Signal(), Signal(), Guarded<BGTask?>(nil))
            begin(stage, BGAppRefreshTaskRequest(identifier: Stage.refresh)) { task in
                task.expirationHandler = {
                    print("expired, and on it goes")
                    expired.send()
                }
                kept.value = task
                launched.send()
            }
            launched.wait("the launch")
            stage.advance(30)
            expired.wait("the expiration")
            stage.advance(5)
            print(stage.ended(1))
            kept.value?.setTaskCompleted(success: true)
            print(stage.ended(1))
            stage.submit(BGAppRefreshTaskRequest(identifier: Stage.refresh))
            print("held back by \(stage.holding(Stage.refresh, kind: 1))")
        },
        "dropped": { stage in
            stage.open()
            begin(stage, BGAppRefreshTaskRequest(identifier: Stage.refresh)) { _ in
                print("the handler returns")
            }
            print(stage.ended(1))
        },
        "two-completions": { stage in
            stage.open()
            let over = Signal()
            begin(stage, BGAppRefreshTaskRequest(identifier: Stage.refresh)) { task in
                task.expirationHandler = { print("expired") }
                task.setTaskCompleted(success: true)
                task.setTaskCompleted(success: false)
                print("kept: \(task.expirationHandler != nil)")
                over.send()
            }
            over.wait("the task")
            print(stage.ended(1))
            stage.advance(60)
        },
        "simulate": { stage in
            stage.open()
            let scheduler = BGTaskScheduler.shared
            let over = Signal()
            scheduler.register(forTaskWithIdentifier: Stage.refresh, using: nil) { task in
                print("launched")
                task.setTaskCompleted(success: true)
                over.send()
            }
            scheduler._simulateLaunchForTask(withIdentifier: Stage.refresh)
            let request = BGAppRefreshTaskRequest(identifier: Stage.refresh)
            request.earliestBeginDate = Stage.date(in: 900)
            stage.submit(request)
            stage.set(Int(CURFEW_FACTOR_BATTERY), false)
            scheduler._simulateLaunchForTask(withIdentifier: Stage.refresh)
            over.wait("the launch")
            print(stage.ended(1))
            scheduler._simulateExpirationForTask(withIdentifier: Stage.refresh)
            scheduler.getPendingTaskRequests {
                print("pending \($0.count)")
                over.send()
            }
            over.wait("the pending requests")
        },
        "simulate-expiration": { stage in
            stage.open()
            let (launched, over) = (Signal(), Signal())
            let request = BGProcessingTaskRequest(identifier: Stage.cleanup)
            request.earliestBeginDate = Stage.date(in: 900)
            begin(stage, request) { task in
                task.expirationHandler = {
                    print("expired")
                    task.setTaskCompleted(success: false)
                    over.send()
                }
                launched.send()
            }
            BGTaskScheduler.shared._simulateLaunchForTask(withIdentifier: Stage.cleanup)
            launched.wait("the launch")
            BGTaskScheduler.shared._simulateLaunchForTask(withIdentifier: Stage.cleanup)
            BGTaskScheduler.shared._simulateExpirationForTask(withIdentifier: Stage.cleanup)
            over.wait("the expiration")
            print(stage.ended(1))
        },
        "launching": { stage in
            stage.open()
            let over = Signal()
            AppHost.life.beginLaunching()
            begin(stage, BGAppRefreshTaskRequest(identifier: Stage.refresh)) { task in
                print("ran while \(AppHost.life.stage)")
                task.setTaskCompleted(success: true)
                over.send()
            }
            // Once the host runs it, only the launch holds it back.
            stage.waitUntilRunning(1)
            AppHost.life.finishLaunching()
            over.wait("the task")
            print(stage.ended(1))
        },
        "simulate-no-handler": { stage in
            stage.open()
            let (launched, goOn) = (Signal(), Signal())
            let request = BGProcessingTaskRequest(identifier: Stage.cleanup)
            request.earliestBeginDate = Stage.date(in: 900)
            begin(stage, request) { task in
                launched.send()
                goOn.wait("the simulated expiration")
                task.setTaskCompleted(success: true)
            }
            BGTaskScheduler.shared._simulateLaunchForTask(withIdentifier: Stage.cleanup)
            launched.wait("the launch")
            BGTaskScheduler.shared._simulateExpirationForTask(withIdentifier: Stage.cleanup)
            goOn.send()
            print(stage.ended(1))
        },
        "killed": { stage in
            stage.open()
            begin(stage, BGAppRefreshTaskRequest(identifier: Stage.refresh)) { _ in
                kill(getpid(), SIGKILL)
            }
            Signal().wait("the end of the process")
        },
        "held-back": { stage in
            stage.open()
            let launched = Signal()
            BGTaskScheduler.shared.register(forTaskWithIdentifier: Stage.refresh, using: nil) {
                task in
                print("launched")
                task.setTaskCompleted(success: true)
                launched.send()
            }
            let factors = [
                ("critical battery", CURFEW_FACTOR_BATTERY),
                ("low power mode", CURFEW_FACTOR_LOW_POWER_MODE),
                ("heat", CURFEW_FACTOR_THERMAL),
            ]
            for (name, factor) in factors {
                stage.set(Int(factor), false)
                stage.submit(BGAppRefreshTaskRequest(identifier: Stage.refresh))
                print("\(name): \(stage.holding(Stage.refresh, kind: 1))")
                stage.set(Int(factor), true)
                launched.wait("the launch after \(name)")
            }
            // Not to be seen in the app switcher: removed by its user.
            stage.set(Int(CURFEW_REFRESH_AVAILABLE), Int(CURFEW_ENABLEMENT_REMOVED))
            stage.submit(BGAppRefreshTaskRequest(identifier: Stage.refresh))
            print("removed: \(stage.holding(Stage.refresh, kind: 1))")
            stage.set(Int(CURFEW_REFRESH_AVAILABLE), Int(CURFEW_ENABLEMENT_ENABLED))
            launched.wait("the launch after it came back")
        },
        "exit-while-running": { stage in
            stage.open()
            let launched = Signal()
            begin(stage, BGAppRefreshTaskRequest(identifier: Stage.refresh)) { task in
                task.expirationHandler = {
                    print("told to stop")
                    task.setTaskCompleted(success: false)
                }
                launched.send()
            }
            launched.wait("the launch")
        },
        "after-exit": { stage in
            stage.open()
            let launched = Signal()
            BGTaskScheduler.shared.register(forTaskWithIdentifier: Stage.refresh, using: nil) {
                task in
                var info = curfew_request_state()
                info.struct_size = UInt32(MemoryLayout<curfew_request_state>.size)
                _ = curfew_host_get_request(stage.host, 1, &info, nil)
                print("launched again, crashes \(info.crashes)")
                task.setTaskCompleted(success: true)
                launched.send()
            }
            launched.wait("the launch")
            print(stage.ended(1))
        },
    ]
}
