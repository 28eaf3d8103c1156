// SPDX-License-Identifier: Apache-2.0
// Manner: the code of an article on extensions: an assertion in an app, an expiring activity in an
// extension, and a loop that keeps the activity's thread until work elsewhere has ended.
// Edits, each with its reason:
// - `import UIKitBackground` in place of UIKit, which only Apple has.
// - `ProcessInfo.processInfo` in place of `ProcessInfo()`: outside Apple's systems `init` is not public.
// - The two functions called `performTask` are in two classes, as they are in two programs.
// - `backgroundTaskID`, `performLongTask` and `cancelLongTask` are declared: the article takes them for
//   granted. The identifier is an optional, since the article unwraps it.
// - The loop stands in the activity's block, where the article says that it belongs; `taskIsRunning` is
//   asked of the work, and the work takes a moment.
// - At the end: both are called, one after the other.
// Swift 6: no, the identifier is changed by two threads, and the singleton belongs to the main thread.
// Prints: the app's work is done
// Prints: the app's assertion is over: true
// Prints: the extension's work begins
// Prints: the extension's work is done
import AppHost
import UIKitBackground

class AppWork {
    var backgroundTaskID: UIBackgroundTaskIdentifier?

    func performTask(then next: @escaping () -> Void) {
        // Perform the task on a background queue.
        DispatchQueue.global().async {
            // Request the task assertion and save the ID.
            self.backgroundTaskID = UIApplication.shared.beginBackgroundTask(
                withName: "Perform Long Task"
            ) {
                // End the task if time expires.
                UIApplication.shared.endBackgroundTask(self.backgroundTaskID!)
                self.backgroundTaskID = UIBackgroundTaskInvalid
            }

            // Run task synchronously.
            self.performLongTask()

            // End the task assertion.
            UIApplication.shared.endBackgroundTask(self.backgroundTaskID!)
            self.backgroundTaskID = UIBackgroundTaskInvalid
            next()
        }
    }

    func performLongTask() {
        print("the app's work is done")
    }
}

class ExtensionWork {
    private let lock = NSLock()
    private var running = false

    var taskIsRunning: Bool { lock.withLock { running } }

    func performTask() {
        // Perform the task in background.
        let processinfo = ProcessInfo.processInfo
        processinfo.performExpiringActivity(withReason: "Long task") { (expired) in
            if !expired {
                // Run task synchronously.
                self.performLongTask()
                // Keep background thread alive until asynchron task ends.
                repeat {
                    usleep(1_000)
                } while self.taskIsRunning
                print("the extension's work is done")
                exit(0)
            } else {
                // Cancel task.
                self.cancelLongTask()
            }
        }
    }

    func performLongTask() {
        print("the extension's work begins")
        lock.withLock { running = true }
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(50)) {
            self.cancelLongTask()
        }
    }

    func cancelLongTask() { lock.withLock { running = false } }
}

let app = AppWork()
let shareExtension = ExtensionWork()
app.performTask {
    print("the app's assertion is over: \(app.backgroundTaskID == UIBackgroundTaskInvalid)")
    shareExtension.performTask()
}
dispatchMain()
