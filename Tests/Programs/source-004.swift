// SPDX-License-Identifier: Apache-2.0
// Manner: the code of an article that shows two ways to do the work of a refresh: operations in a
// queue, and an object that calls back.
// Edits, each with its reason:
// - `operations` is declared before it is used, and holds `myOperation`, which the article first calls
//   one and then the other. The task is still completed before the operations are added, as there.
// - `AppDelegate.` before the identifier in `scheduleAppRefresh`: it is a static property.
// - Line breaks where the article's printing lost them.
// - The article shows one way in the place of the other: here the first launch takes the first, the
//   second launch the second.
// - `MyOperation` and `RefreshManager` are declared: the article takes them for granted.
// - At the end: what its reader would do in the debugger.
// Swift 6: yes
// Permits: your.refresh.identifier
// Modes: fetch
// Prints: first way
// Prints: completed before the work
// Prints: MyOperation
// Prints: second way
// Prints: everything is killed
// Prints: too late, and ignored: true
import BackgroundTasks

class MyOperation: Operation, @unchecked Sendable {
    override func main() {
        print("MyOperation")
        DispatchQueue.main.async { delegate.simulate() }
    }
}

class RefreshManager {
    var completion: ((Bool) -> Void)?

    func doSomething(completionHandler: @escaping (Bool) -> Void) {
        completion = completionHandler
        BGTaskScheduler.shared._simulateExpirationForTask(
            withIdentifier: AppDelegate.backgroundRefreshIdentifier)
    }
}

class AppDelegate {
    static let backgroundRefreshIdentifier = "your.refresh.identifier"
    let refreshManager = RefreshManager()
    var launches = 0

    func setupScheduler() {
        BGTaskScheduler.shared.register(
            forTaskWithIdentifier: AppDelegate.backgroundRefreshIdentifier, using: nil
        ) { task in
            self.launches += 1
            if self.launches == 1 {
                self.handleAppRefresh(task: task as? BGAppRefreshTask)
            } else {
                self.handleAppRefreshTask(task: task as? BGAppRefreshTask)
            }
        }
    }

    func handleAppRefresh(task: BGAppRefreshTask?) {
        print("first way")
        scheduleAppRefresh()
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        // myOperation is a subclass of Operation
        let myOperation = MyOperation()
        task?.expirationHandler = {
            queue.cancelAllOperations()
        }
        let operations = [myOperation]
        task?.setTaskCompleted(success: !(operations.last?.isCancelled ?? false))
        print("completed before the work")
        queue.addOperations(operations, waitUntilFinished: false)
    }

    func handleAppRefreshTask(task: BGAppRefreshTask?) {
        print("second way")
        scheduleAppRefresh()
        task?.expirationHandler = {
            task?.setTaskCompleted(success: false)
            //Kill everything you have created to play by the rules
            print("everything is killed")
            self.refreshManager.completion?(true)
        }
        refreshManager.doSomething(completionHandler: { isCompleted in
            task?.setTaskCompleted(success: isCompleted)
            print("too late, and ignored: \(isCompleted)")
            exit(0)
        })
    }

    func scheduleAppRefresh() {
        let fetchTask = BGAppRefreshTaskRequest(
            identifier: AppDelegate.backgroundRefreshIdentifier)
        fetchTask.earliestBeginDate = Date(timeIntervalSinceNow: 60 * 30)
        do {
            try BGTaskScheduler.shared.submit(fetchTask)
        } catch {
            print("Unable to submit task: \(error.localizedDescription)")
        }
    }

    func simulate() {
        BGTaskScheduler.shared._simulateLaunchForTask(
            withIdentifier: AppDelegate.backgroundRefreshIdentifier)
    }
}

let delegate = AppDelegate()
delegate.setupScheduler()
delegate.scheduleAppRefresh()
delegate.simulate()
dispatchMain()
