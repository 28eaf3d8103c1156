// SPDX-License-Identifier: Apache-2.0
import AppHost
import BackgroundTasks
import Foundation

/// Apps that are started when one of their requests is due.
extension Scenario {
    /// Makes the app's host, on the machine's clock.
    private static func open(startedWith arguments: [String]?) {
        var configuration = AppHost.Configuration()
        configuration.readsMachine = false
        configuration.startArguments = arguments
        AppHost.configure(configuration)
    }

    private static func submit(_ stage: Stage) {
        BGTaskScheduler.shared.register(forTaskWithIdentifier: Stage.refresh, using: nil) { _ in }
        let request = BGAppRefreshTaskRequest(identifier: Stage.refresh)
        let seconds = CommandLine.arguments.dropFirst(2).first.flatMap(Double.init) ?? 1
        request.earliestBeginDate = Date(timeIntervalSinceNow: seconds)
        stage.submit(request)
    }

    /// A line in a file, for a test that did not start this process.
    private static func note(_ text: String) {
        let variables = ProcessInfo.processInfo.environment
        let path = (variables["XDG_STATE_HOME"] ?? variables["HOME"] ?? "") + "/notes"
        let file =
            FileHandle(forWritingAtPath: path)
            ?? {
                _ = FileManager.default.createFile(atPath: path, contents: nil)
                return FileHandle(forWritingAtPath: path)
            }()
        _ = try? file?.seekToEnd()
        try? file?.write(contentsOf: Data((text + "\n").utf8))
    }

    static let starting: [String: Body] = [
        "start-submit": { stage in
            open(startedWith: ["start-run"])
            submit(stage)
        },
        "start-run": { _ in
            open(startedWith: ["start-run"])
            BGTaskScheduler.shared.register(forTaskWithIdentifier: Stage.refresh, using: nil) {
                task in
                let variables = ProcessInfo.processInfo.environment
                note(
                    "\(task.identifier) for \(variables["CURFEW_LAUNCHED_FOR"] ?? "nobody"), \(AppHost.life.stage)"
                )
                task.setTaskCompleted(success: true)
            }
            AppHost.life.finishLaunching()
            RunLoop.main.run()
        },
        "start-submit-broken": { stage in
            open(startedWith: ["start-broken"])
            submit(stage)
        },
        "start-broken": { _ in
            note("broken")
            exit(3)
        },
        "start-never": { stage in
            open(startedWith: nil)
            submit(stage)
        },
    ]
}
