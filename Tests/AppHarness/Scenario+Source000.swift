// SPDX-License-Identifier: Apache-2.0
import AppHost
import BackgroundTasks
import CCurfew
import CInterface
import TestSupport

extension Scenario {
    /// Fired when the event of a task that was done has been delivered.
    private static let done = Signal()

    /// Prints each event of the tutorial's, as it is delivered.
    private static func listen(_ stage: Stage) {
        let events = ["registering", "scheduling", ""].flatMap { prefix in
            ["apprefresh", "processing"].map { "\(prefix)background\($0)task_done::" }
        }
        for event in events {
            _ = curfew_host_observe(
                stage.host, event,
                { _, event in
                    let values = event.pointee.values
                    let text = values[1].text.map { String(cString: $0) } ?? ""
                    let name = String(cString: event.pointee.selector)
                    print("\(name) \(values[0].integer != 0) '\(text)'")
                    if name.hasPrefix("background") { Scenario.done.send() }
                }, nil, nil, nil)
        }
    }

    /// Registers, schedules, and lets its time come.
    private static func run(_ stage: Stage, _ app: Source000) {
        listen(stage)
        app.register()
        app.schedule()
        stage.advance(900)
    }

    static let source000: [String: Body] = [
        "source-000": { stage in
            stage.open(.throwError)
            let app = Source000(Stage.refresh, isRefresh: true) { "Done." }
            run(stage, app)
            done.wait("the refresh's event")
            print("refresh \(stage.ended(1))")
            BGTaskScheduler.shared.cancelAllTaskRequests()
            let other = Source000(Stage.cleanup, isRefresh: false, isFlagKept: false) { "no disk" }
            other.register()
            other.schedule()
            stage.advance(900)
            done.wait("the processing's event")
            print("processing \(stage.ended(3))")
            // Its handlers hold it weakly.
            withExtendedLifetime((app, other)) {}
        },
        "source-000-expired": { stage in
            stage.open(.throwError)
            let (begun, stopped) = (Signal(), Signal())
            // It does not look at the operation, and so goes on after it was cancelled.
            let app = Source000(Stage.refresh, isRefresh: true) {
                begun.send()
                stopped.wait("the end of the work")
                return "Done."
            }
            run(stage, app)
            begun.wait("the work")
            stage.advance(30)
            app.cancelled.wait("the expiration")
            print("told to stop")
            stopped.send()
            print(stage.ended(1))
            withExtendedLifetime(app) {}
        },
        "source-000-refused": { stage in
            stage.open(.throwError)
            listen(stage)
            let app = Source000(Stage.refresh, isRefresh: true) { "Done." }
            app.schedule()
            app.register()
            app.register()
            let unknown = Source000("org.example.app.unknown", isRefresh: true) { "Done." }
            unknown.register()
            unknown.schedule()
        },
    ]
}
