// SPDX-License-Identifier: Apache-2.0
import BackgroundTasks

/// The action of an app for the background task of an identifier.
public struct _BackgroundTaskHandler: Sendable {
    let identifier: String
    let action: @Sendable () async -> Void

    func register() {
        BGTaskScheduler.shared.register(forTaskWithIdentifier: identifier, using: nil) {
            [action] task in
            // The action begins once its expiration can be delivered.
            let (ready, start) = AsyncStream<Void>.makeStream()
            let work = Task {
                for await _ in ready {}
                await action()
                task.setTaskCompleted(success: !Task.isCancelled)
            }
            task.expirationHandler = { work.cancel() }
            start.finish()
        }
    }
}
