// SPDX-License-Identifier: Apache-2.0
import AppHost
import Foundation
import FoundationBackground
import TestSupport
import UIKitBackground

/// Programs in the manner of tutorials.
extension Scenario {
    /// A synchronization that is under way when its user leaves, as iOS 4 taught it.
    static func photoSync() {
        start()
        let task = Guarded(UIBackgroundTaskIdentifier.invalid)
        say("supported \(UIDevice.current.isMultitaskingSupported)")
        task.value = application.beginBackgroundTask {
            application.endBackgroundTask(task.value)
            task.value = UIBackgroundTaskInvalid
        }
        let go = Signal()
        let done = Signal()
        DispatchQueue.global().async {
            go.wait("the work")
            say("synchronized in \(application.applicationState)")
            if task.value != UIBackgroundTaskInvalid {
                application.endBackgroundTask(task.value)
                task.value = UIBackgroundTaskInvalid
            }
            done.send()
        }
        enterBackground()
        go.send()
        done.wait("the end")
        settle()
        pass(60)
    }

    /// Work on a queue, with the task begun inside of it.
    static func longTask() {
        start()
        let task = Guarded(UIBackgroundTaskIdentifier.invalid)
        let begun = Signal()
        let go = Signal()
        let worked = Signal()
        let done = Signal()
        DispatchQueue.global().async {
            task.value = UIApplication.shared.beginBackgroundTask(withName: "Perform Long Task") {
                say("expires \(thread)")
                UIApplication.shared.endBackgroundTask(task.value)
                task.value = UIBackgroundTaskInvalid
                go.send()
            }
            begun.send()
            go.wait("its time")
            worked.send()
            if task.value != UIBackgroundTaskInvalid {
                UIApplication.shared.endBackgroundTask(task.value)
            }
            done.send()
        }
        begun.wait("the task")
        // The main thread is free all the while.
        onMain { say("main is free") }
        enterBackground()
        pass(30)
        worked.wait("the work")
        done.wait("its end")
        settle()
        say("worked")
    }

    // MARK: Activities

    static func activityWorks() {
        let done = Signal()
        say("before")
        ProcessInfo.processInfo.performExpiringActivity(withReason: "Long task") { expired in
            say("works \(expired) \(thread)")
            done.send()
        }
        done.wait("the block")
    }

    static func activityCancelled() {
        let isRunning = Guarded(true)
        let begun = Signal()
        let told = Signal()
        let done = Signal()
        ProcessInfo.processInfo.performExpiringActivity(withReason: "Long task") { expired in
            if expired {
                say("cancelled while it works: \(isRunning.value)")
                told.send()
            } else {
                begun.send()
                told.wait("the second call")
                isRunning.value = false
                say("stopped")
                done.send()
            }
        }
        begun.wait("the first call")
        AppHost.life.enterBackground()
        Harness.clock.advance(by: 29)
        say("not yet")
        Harness.clock.advance(by: 1)
        done.wait("the end")
    }

    static func activityRefused() {
        AppHost.life.finishLaunching()
        let first = Signal()
        // Its first use: from now on the app's life is followed.
        ProcessInfo.processInfo.performExpiringActivity(withReason: "before") { expired in
            say("before \(expired)")
            first.send()
        }
        first.wait("the first")
        application.post(suspendedBy: enterBackground)
        let done = Signal()
        ProcessInfo.processInfo.performExpiringActivity(withReason: "after") { expired in
            say("after \(expired)")
            done.send()
        }
        done.wait("the block")
    }

    /// The block waits for what it has begun elsewhere; else that would be lost.
    static func activityWaits() {
        start()
        let finished = Guarded(false)
        let begun = Signal()
        let work = Signal()
        ProcessInfo.processInfo.performExpiringActivity(withReason: "polls") { expired in
            guard !expired else { return }
            DispatchQueue.global().async {
                work.wait("to go")
                finished.value = true
            }
            begun.send()
            repeat { sched_yield() } while !finished.value
            say("waited")
        }
        ProcessInfo.processInfo.performExpiringActivity(withReason: "returns") { expired in
            say("returns \(expired)")
            begun.send()
        }
        begun.wait("the one")
        begun.wait("the other")
        enterBackground()
        pass(1)
        say("not suspended")
        work.send()
        Notes.suspended.wait("the suspension")
    }

    static func activityUnnamed() {
        ProcessInfo.processInfo.performExpiringActivity(withReason: "") { _ in say("called") }
        let done = Signal()
        ProcessInfo.processInfo.performExpiringActivity(withReason: "named") { _ in done.send() }
        done.wait("the block")
    }

    /// Both share the one time.
    static func activityAndTask() {
        start()
        let expired = Signal()
        let begun = Signal()
        ProcessInfo.processInfo.performExpiringActivity(withReason: "activity") { isExpired in
            if isExpired { say("activity expires") } else { begun.send(); expired.wait("the end") }
            expired.send()
        }
        begun.wait("the activity")
        enterBackground()
        pass(20)
        _ = begin("task")
        pass(10)
        expired.wait("its expiry")
        expired.send()
    }
}

extension UIApplication {
    /// Calls `body`, and returns when the app is suspended.
    func post(suspendedBy body: () -> Void) {
        let suspended = Signal()
        Notes.on(UIApplication.didSuspendNotification) { suspended.send() }
        body()
        suspended.wait("the suspension")
        say("suspended")
    }
}
