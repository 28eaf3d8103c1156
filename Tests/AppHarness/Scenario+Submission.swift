// SPDX-License-Identifier: Apache-2.0
import AppHost
import BackgroundTasks
import CCurfew
import CInterface
import TestSupport

extension Scenario {
    /// Registers both handlers, which do nothing but complete.
    private static func registerBoth() {
        for identifier in [Stage.refresh, Stage.cleanup] {
            BGTaskScheduler.shared.register(forTaskWithIdentifier: identifier, using: nil) {
                $0.setTaskCompleted(success: true)
            }
        }
    }

    private static func later(_ request: BGTaskRequest) -> BGTaskRequest {
        request.earliestBeginDate = Stage.date(in: 900)
        return request
    }

    /// What is pending, in a line.
    private static func show(_ requests: [BGTaskRequest]) {
        print(
            "pending: "
                + requests.map { request in
                    let date = request.earliestBeginDate == nil ? "at once" : "later"
                    return "\(type(of: request)) \(request.identifier) \(date)"
                }.joined(separator: ", "))
    }

    private static func showPending() {
        let seen = Signal()
        BGTaskScheduler.shared.getPendingTaskRequests {
            show($0)
            seen.send()
        }
        seen.wait("the pending requests")
    }

    static let submission: [String: Body] = [
        "submit-unregistered": { stage in
            stage.open()
            stage.submit(BGAppRefreshTaskRequest(identifier: Stage.refresh))
            print("still here")
        },
        "submit-unregistered-thrown": { stage in
            stage.open(.throwError)
            stage.submit(BGAppRefreshTaskRequest(identifier: Stage.refresh))
        },
        "submit-unknown": { stage in
            stage.open()
            registerBoth()
            stage.submit(BGAppRefreshTaskRequest(identifier: "org.example.app.unknown"))
            do {
                try BGTaskScheduler.shared.submit(
                    BGProcessingTaskRequest(identifier: "org.example.app.unknown"))
            } catch BGTaskScheduler.Error.notPermitted {
                print("caught by its pattern")
            } catch {
                print("not caught: \(error)")
            }
        },
        "modes": { stage in
            stage.open()
            registerBoth()
            stage.submit(later(BGAppRefreshTaskRequest(identifier: Stage.refresh)))
            stage.submit(later(BGProcessingTaskRequest(identifier: Stage.cleanup)))
        },
        "limits": { stage in
            stage.open()
            registerBoth()
            for number in 1...11 {
                let identifier = "org.example.app.many\(number)"
                BGTaskScheduler.shared.register(forTaskWithIdentifier: identifier, using: nil) {
                    _ in
                }
                stage.submit(later(BGProcessingTaskRequest(identifier: identifier)))
            }
            stage.submit(later(BGAppRefreshTaskRequest(identifier: Stage.refresh)))
            stage.submit(later(BGAppRefreshTaskRequest(identifier: Stage.cleanup)))
            BGTaskScheduler.shared.cancelAllTaskRequests()
            showPending()
        },
        "replace": { stage in
            stage.open()
            registerBoth()
            let scheduler = BGTaskScheduler.shared
            scheduler.cancel(taskRequestWithIdentifier: Stage.refresh)
            stage.submit(later(BGAppRefreshTaskRequest(identifier: Stage.refresh)))
            let request = BGProcessingTaskRequest(identifier: Stage.cleanup)
            request.requiresExternalPower = true
            request.requiresNetworkConnectivity = true
            stage.submit(later(request))
            request.earliestBeginDate = nil
            request.requiresExternalPower = false
            showPending()
            stage.submit(later(BGAppRefreshTaskRequest(identifier: Stage.refresh)))
            showPending()
            scheduler.cancel(taskRequestWithIdentifier: Stage.refresh)
            showPending()
        },
        "round-trip": { stage in
            stage.open()
            registerBoth()
            BGTaskScheduler.shared.register(
                forTaskWithIdentifier: "org.example.app.export.*", using: nil
            ) { _ in }
            let date = Stage.date(in: 900)
            let research = BGHealthResearchTaskRequest(identifier: Stage.cleanup)
            research.requiresNetworkConnectivity = true
            research.earliestBeginDate = date
            stage.submit(research)
            stage.set(Int(CURFEW_REFRESH_AVAILABLE), Int(CURFEW_ENABLEMENT_SUSPENDED))
            let export = BGContinuedProcessingTaskRequest(
                identifier: "org.example.app.export.7", title: "Exporting", subtitle: "7 films")
            export.earliestBeginDate = date
            stage.submit(export)
            let seen = Signal()
            Task {
                for request in await BGTaskScheduler.shared.pendingTaskRequests() {
                    switch request {
                    case let request as BGHealthResearchTaskRequest:
                        let off = abs(
                            request.earliestBeginDate?.timeIntervalSince(date) ?? .infinity)
                        print(
                            "research: network \(request.requiresNetworkConnectivity), power \(request.requiresExternalPower), date kept: \(off < 0.001)"
                        )
                    case let request as BGContinuedProcessingTaskRequest:
                        print(
                            "continued: \(request.title), \(request.subtitle), \(request.strategy), \(request.requiredResources.isEmpty)"
                        )
                    default: print("something else: \(request)")
                    }
                }
                seen.send()
            }
            seen.wait("the pending requests")
        },
        "refresh-off": { stage in
            stage.open()
            registerBoth()
            stage.set(Int(CURFEW_REFRESH_DENIED), Int(CURFEW_ENABLEMENT_ENABLED))
            stage.submit(BGAppRefreshTaskRequest(identifier: Stage.refresh))
            stage.submit(later(BGProcessingTaskRequest(identifier: Stage.cleanup)))
        },
        "asynchronous": { stage in
            stage.open()
            registerBoth()
            let seen = Signal()
            Task {
                do {
                    try await BGTaskScheduler.shared.submitTaskRequest(
                        later(BGAppRefreshTaskRequest(identifier: Stage.refresh)))
                    print("submitted")
                    try await BGTaskScheduler.shared.submitTaskRequest(
                        BGAppRefreshTaskRequest(identifier: "org.example.app.unknown"))
                } catch {
                    print("code \((error as NSError).code) of \((error as NSError).domain)")
                }
                BGTaskScheduler.shared.submitTaskRequest(
                    BGAppRefreshTaskRequest(identifier: "org.example.app.unknown")
                ) { error in
                    print("told: \((error as? BGTaskScheduler.Error)?.code == .notPermitted)")
                    seen.send()
                }
            }
            seen.wait("the submissions")
        },
        "second-instance": { stage in
            stage.open()
            registerBoth()
            stage.submit(later(BGAppRefreshTaskRequest(identifier: Stage.refresh)))
            let child = Process()
            child.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
            child.arguments = ["replace-beside"]
            try? child.run()
            child.waitUntilExit()
            showPending()
        },
        "replace-beside": { stage in
            stage.open()
            registerBoth()
            stage.submit(later(BGAppRefreshTaskRequest(identifier: Stage.refresh)))
        },
        "one-component": { stage in
            stage.open()
            let over = Signal()
            BGTaskScheduler.shared.register(forTaskWithIdentifier: "TIDY_UP", using: nil) { task in
                print("launched \(task.identifier)")
                task.setTaskCompleted(success: true)
                over.send()
            }
            stage.submit(later(BGProcessingTaskRequest(identifier: "TIDY_UP")))
            showPending()
            BGTaskScheduler.shared._simulateLaunchForTask(withIdentifier: "TIDY_UP")
            over.wait("the launch")
        },
        "first-start": { stage in
            stage.open()
            registerBoth()
            stage.submit(later(BGAppRefreshTaskRequest(identifier: Stage.refresh)))
            showPending()
        },
        "next-start": { stage in
            stage.open()
            showPending()
            stage.advance(901)
            print("overdue")
            let launched = Signal()
            BGTaskScheduler.shared.register(forTaskWithIdentifier: Stage.refresh, using: nil) {
                print("launched \($0)")
                $0.setTaskCompleted(success: true)
                launched.send()
            }
            launched.wait("the launch")
        },
    ]
}
