// SPDX-License-Identifier: Apache-2.0
// Manner: an export that its user has begun, as a BGContinuedProcessingTask: a wildcard in the
// Info.plist, registered when it is needed, progress with units, a title that changes.
// Swift 6: yes
// Bundle: com.example.continued
// Permits: com.example.continued.export.*
// Prints: title: Exporting video
// Prints: 4 of 4: Exporting video, clip 4
// Prints: finished: true
import BackgroundTasks

@available(iOS 26.0, *)
final class Exporter: Sendable {
    private let prefix = "com.example.continued.export"

    func export(_ name: String) throws {
        let identifier = "\(prefix).\(name)"
        BGTaskScheduler.shared.register(forTaskWithIdentifier: identifier, using: nil) { task in
            guard let task = task as? BGContinuedProcessingTask else { return }
            self.run(task)
        }
        let request = BGContinuedProcessingTaskRequest(
            identifier: identifier, title: "Exporting video", subtitle: "About to start")
        request.strategy = .queue
        if BGTaskScheduler.supportedResources.contains(.gpu) { request.requiredResources = .gpu }
        try BGTaskScheduler.shared.submit(request)
        BGTaskScheduler.shared._simulateLaunchForTask(withIdentifier: identifier)
    }

    private func run(_ task: BGContinuedProcessingTask) {
        print("title: \(task.title)")
        task.progress.totalUnitCount = 4
        task.progress.completedUnitCount = 0
        task.expirationHandler = { task.setTaskCompleted(success: false) }
        for clip in 1...4 {
            task.progress.completedUnitCount += 1
            task.updateTitle(task.title, subtitle: "clip \(clip)")
        }
        let progress = (task as ProgressReporting).progress
        print(
            "\(progress.completedUnitCount) of \(progress.totalUnitCount): \(task.title), \(task.subtitle)"
        )
        task.setTaskCompleted(success: progress.isFinished)
        print("finished: \(progress.isFinished)")
        exit(0)
    }
}

if #available(iOS 26.0, *) {
    try Exporter().export("holiday")
}
dispatchMain()
