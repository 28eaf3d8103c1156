// SPDX-License-Identifier: Apache-2.0
import UIKitBackground

// Apple's way to extend an app's time, and an extension's.

final class Work: @unchecked Sendable {
    var backgroundTaskID: UIBackgroundTaskIdentifier?
    var taskIsRunning = true

    func performTask() {
        DispatchQueue.global().async {
            self.backgroundTaskID = UIApplication.shared.beginBackgroundTask(
                withName: "Perform Long Task"
            ) {
                UIApplication.shared.endBackgroundTask(self.backgroundTaskID!)
                self.backgroundTaskID = UIBackgroundTaskInvalid
            }
            self.performLongTask()
            UIApplication.shared.endBackgroundTask(self.backgroundTaskID!)
            self.backgroundTaskID = UIBackgroundTaskInvalid
        }
    }

    func performTaskInExtension() {
        let processinfo = ProcessInfo.processInfo
        processinfo.performExpiringActivity(withReason: "Long task") { (expired) in
            if !expired {
                self.performLongTask()
                repeat {
                    sleep(1)
                } while self.taskIsRunning
            } else {
                self.cancelLongTask()
            }
        }
    }

    func performLongTask() {}
    func cancelLongTask() { taskIsRunning = false }
}

@main
struct Program {
    static func main() { Work().performTask() }
}
