// SPDX-License-Identifier: Apache-2.0
import AppHost
import BackgroundTasks
import CCurfew
import CInterface
import TestSupport

extension Scenario {
    private static let export = "org.example.app.export.7"

    private static func request(
        _ strategy: BGContinuedProcessingTaskRequest.SubmissionStrategy = .queue
    ) -> BGContinuedProcessingTaskRequest {
        let request = BGContinuedProcessingTaskRequest(
            identifier: export, title: "Exporting", subtitle: "7 films")
        request.strategy = strategy
        return request
    }

    private static func register(_ body: @escaping @Sendable (BGContinuedProcessingTask) -> Void) {
        BGTaskScheduler.shared.register(
            forTaskWithIdentifier: "org.example.app.export.*", using: nil
        ) { task in
            guard let task = task as? BGContinuedProcessingTask else {
                print("another class: \(task)")
                return
            }
            body(task)
        }
    }

    static let continued: [String: Body] = [
        "continued": { stage in
            stage.open()
            let over = Signal()
            register { task in
                print("\(task.identifier): \(task.title), \(task.subtitle)")
                task.progress.totalUnitCount = 4
                for _ in 1...4 { task.progress.completedUnitCount += 1 }
                task.updateTitle("Exported", subtitle: "")
                print("\(task.title): \(task.progress.fractionCompleted)")
                task.setTaskCompleted(success: true)
                over.send()
            }
            stage.submit(request())
            over.wait("the task")
            print(stage.ended(1))
            print("supported: \(BGTaskScheduler.supportedResources.isEmpty)")
        },
        "continued-refused": { stage in
            stage.open()
            register { _ in }
            let graphics = request()
            graphics.requiredResources = .gpu
            stage.submit(graphics)
            stage.set(Int(CURFEW_REFRESH_AVAILABLE), Int(CURFEW_ENABLEMENT_SUSPENDED))
            stage.submit(request(.fail))
            do {
                try BGTaskScheduler.shared.submit(request(.fail))
            } catch BGTaskScheduler.Error.immediateRunIneligible {
                print("caught by its pattern")
            } catch {
                print("not caught: \(error)")
            }
            stage.submit(request(.queue))
            AppHost.life.enterBackground()
            stage.submit(request())
        },
        "removed": { stage in
            stage.open()
            register { _ in }
            stage.set(Int(CURFEW_REFRESH_AVAILABLE), Int(CURFEW_ENABLEMENT_SUSPENDED))
            stage.submit(request())
            print("suspended: \(stage.pendingCount())")
            stage.set(Int(CURFEW_REFRESH_AVAILABLE), Int(CURFEW_ENABLEMENT_REMOVED))
            print("removed: \(stage.pendingCount())")
        },
        "stalled": { stage in
            stage.open()
            let (launched, over) = (Signal(), Signal())
            register { task in
                task.expirationHandler = {
                    print("expired")
                    task.setTaskCompleted(success: false)
                    over.send()
                }
                task.progress.totalUnitCount = 10
                task.progress.completedUnitCount = 1
                launched.send()
            }
            stage.submit(request())
            launched.wait("the launch")
            stage.advance(61)
            over.wait("the expiration")
            print(stage.ended(1))
        },
        "moving": { stage in
            stage.open()
            let (launched, step, stepped, over) = (Signal(), Signal(), Signal(), Signal())
            register { task in
                task.expirationHandler = { print("expired") }
                task.progress.totalUnitCount = 4
                let child = Progress(totalUnitCount: 4)
                task.progress.addChild(child, withPendingUnitCount: 4)
                launched.send()
                for _ in 1...4 {
                    step.wait("the next step")
                    child.completedUnitCount += 1
                    // What a child does is looked at now and then; setting it is seen at once.
                    task.updateTitle("Exporting", subtitle: "\(task.progress.fractionCompleted)")
                    stepped.send()
                }
                task.setTaskCompleted(success: true)
                over.send()
            }
            stage.submit(request())
            launched.wait("the launch")
            for _ in 1...4 {
                stage.advance(50)
                step.send()
                stepped.wait("the step")
            }
            over.wait("the task")
            print(stage.ended(1))
        },
    ]
}
