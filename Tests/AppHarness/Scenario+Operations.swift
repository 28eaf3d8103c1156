// SPDX-License-Identifier: Apache-2.0
import BackgroundTasks
import TestSupport

/// Source 004's three ways to do the work.
extension Scenario {
    static let operations: [String: Body] = [
        "operations": { stage in
            stage.open()
            let over = Signal()
            BGTaskScheduler.shared.register(forTaskWithIdentifier: Stage.refresh, using: nil) {
                task in
                let queue = OperationQueue()
                queue.maxConcurrentOperationCount = 1
                task.expirationHandler = { queue.cancelAllOperations() }
                let operations = ["fetch", "parse", "store"].map { name in
                    BlockOperation { print(name) }
                }
                operations[0].addDependency(operations[1])
                operations[1].addDependency(operations[2])
                let last = operations[0]
                last.completionBlock = {
                    task.setTaskCompleted(success: !last.isCancelled)
                    over.send()
                }
                queue.addOperations(operations, waitUntilFinished: false)
                print("the handler returns")
            }
            stage.submit(BGAppRefreshTaskRequest(identifier: Stage.refresh))
            over.wait("the operations")
            print(stage.ended(1))
        },
        "operations-expired": { stage in
            stage.open()
            let (begun, expired, over) = (Signal(), Signal(), Signal())
            BGTaskScheduler.shared.register(forTaskWithIdentifier: Stage.refresh, using: nil) {
                task in
                let queue = OperationQueue()
                queue.maxConcurrentOperationCount = 1
                task.expirationHandler = {
                    queue.cancelAllOperations()
                    expired.send()
                }
                let first = BlockOperation {
                    begun.send()
                    expired.wait("the expiration")
                }
                let last = BlockOperation { print("never") }
                last.completionBlock = {
                    task.setTaskCompleted(success: !last.isCancelled)
                    over.send()
                }
                queue.addOperations([first, last], waitUntilFinished: false)
            }
            stage.submit(BGAppRefreshTaskRequest(identifier: Stage.refresh))
            begun.wait("the first operation")
            stage.advance(30)
            over.wait("the operations")
            print(stage.ended(1))
        },
        "completed-early": { stage in
            stage.open()
            let (over, goOn) = (Signal(), Signal())
            BGTaskScheduler.shared.register(forTaskWithIdentifier: Stage.refresh, using: nil) {
                task in
                task.expirationHandler = { print("expired") }
                task.setTaskCompleted(success: true)
                let queue = OperationQueue()
                queue.addOperation {
                    goOn.wait("the end of the task")
                    print("the work goes on")
                    over.send()
                }
            }
            stage.submit(BGAppRefreshTaskRequest(identifier: Stage.refresh))
            print(stage.ended(1))
            stage.advance(60)
            goOn.send()
            over.wait("the work")
        },
        "async-operation": { stage in
            stage.open()
            let over = Signal()
            BGTaskScheduler.shared.register(forTaskWithIdentifier: Stage.refresh, using: nil) {
                task in
                let operation = AsyncOperation { operation in
                    print(
                        "executing \(operation.isExecuting), asynchronous \(operation.isAsynchronous)"
                    )
                    DispatchQueue.global().async { operation.finish() }
                }
                operation.completionBlock = {
                    print("finished \(operation.isFinished), executing \(operation.isExecuting)")
                    task.setTaskCompleted(success: !operation.isCancelled)
                    over.send()
                }
                let queue = OperationQueue()
                queue.addOperations([operation], waitUntilFinished: false)
            }
            stage.submit(BGAppRefreshTaskRequest(identifier: Stage.refresh))
            over.wait("the operation")
            print(stage.ended(1))
        },
        "callback": { stage in
            stage.open()
            let (returned, over) = (Signal(), Signal())
            BGTaskScheduler.shared.register(forTaskWithIdentifier: Stage.refresh, using: nil) {
                task in
                task.expirationHandler = { task.setTaskCompleted(success: false) }
                DispatchQueue.global().async {
                    returned.wait("the handler's return")
                    task.setTaskCompleted(success: true)
                    over.send()
                }
                print("the handler returns")
                returned.send()
            }
            stage.submit(BGAppRefreshTaskRequest(identifier: Stage.refresh))
            over.wait("the work")
            print(stage.ended(1))
        },
    ]
}
