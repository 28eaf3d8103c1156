// SPDX-License-Identifier: Apache-2.0
import AppHost
import Foundation
import FoundationBackground
import TestSupport
import UIKitBackground

/// What an app does, by the name that the test gives.
enum Scenario {
    /// The app has become active.
    static let active = Signal()

    static let all: [String: @Sendable () -> Void] = [
        "life": life, "terminated": terminated, "one-expiry": oneExpiry, "seen": seen,
        "nothing": nothing,
        "batch": batch, "ends-in-time": endsInTime, "never-ends": neverEnds, "anywhere": anywhere,
        "race": race, "too-many": tooMany, "asks-late": asksLate, "overwritten": overwritten,
        "photo-sync": photoSync, "long-task": longTask,
        "activity-works": activityWorks, "activity-cancelled": activityCancelled,
        "activity-refused": activityRefused, "activity-waits": activityWaits,
        "activity-unnamed": activityUnnamed, "activity-and-task": activityAndTask,
        "fetch": fetch, "fetch-never": fetchNever, "fetch-modes": fetchModes,
        "fetch-dropped": fetchDropped, "fetch-expires": fetchExpires, "fetch-wakes": fetchWakes,
        "low-power": lowPower, "thermal": thermal, "thermal-unread": thermalUnread,
        "refresh-status": refreshStatus,
        "scheduler": scheduler, "scheduler-defers": schedulerDefers,
        "scenes": scenes, "sceneless": sceneless,
        "protected-data": protectedData, "memory-warning": memoryWarning, "battery": battery,
    ]

    static var application: UIApplication { .shared }

    /// The app runs, is seen, and says when it is suspended.
    static func start() {
        active.wait("active")
        settle()
        Notes.suspension()
    }

    static func state() -> String {
        let left = application.backgroundTimeRemaining
        return left == .greatestFiniteMagnitude ? "unlimited" : "\(left) s"
    }

    // MARK: Life

    static func life() {
        active.wait("active")
        settle()
        enterBackground()
        enterForeground()
    }

    static func terminated() {
        active.wait("active")
        settle()
        kill(getpid(), SIGTERM)
        Signal().wait("its end")
    }

    // MARK: Tasks

    static func begin(_ name: String, ends: Bool = true) -> UIBackgroundTaskIdentifier {
        let id = Guarded(UIBackgroundTaskIdentifier.invalid)
        id.value = application.beginBackgroundTask(withName: name) {
            say("\(name) expires \(thread) \(application.applicationState)")
            if ends { application.endBackgroundTask(id.value) }
        }
        if id.value == .invalid { say("\(name) is invalid") }
        return id.value
    }

    static func oneExpiry() {
        start()
        _ = begin("first")
        enterBackground()
        say(state())
        pass(10)
        _ = begin("second")
        say(state())
        pass(19.5)
        say(state())
        pass(0.5)
        say(state())
        _ = begin("third")
    }

    static func seen() {
        start()
        let id = begin("work")
        say(state())
        pass(1_000)
        application.endBackgroundTask(id)
        _ = begin("more work")
        pass(1_000)
        say("\(state()) \(onMain { application.applicationState })")
    }

    static func nothing() {
        start()
        enterBackground()
        settle()
        say("asked")
        enterForeground()
        settle()
    }

    static func batch() {
        start()
        let ids = ["a", "b", "c"].map { begin($0) }
        say("\(Set(ids).count) identifiers")
        enterBackground()
        for id in ids {
            application.endBackgroundTask(id)
            settle()
            say("ended")
        }
    }

    static func endsInTime() {
        start()
        let id = begin("work")
        enterBackground()
        pass(29)
        application.endBackgroundTask(id)
        settle()
        pass(100)
        application.endBackgroundTask(id)
    }

    static func neverEnds() {
        start()
        _ = begin("stubborn", ends: false)
        _ = application.beginBackgroundTask()
        enterBackground()
        pass(30)
        say("expired")
        pass(5)
    }

    static func anywhere() {
        start()
        Delegate.background.value = { _ = begin("in the delegate") }
        let begun = Signal()
        DispatchQueue.global().async {
            _ = begin("on another thread")
            begun.send()
        }
        begun.wait("a task")
        pass(500)
        enterBackground()
        say(state())
        pass(30)
        settle()
    }

    /// Work ends at the moment at which its time is over.
    static func race() {
        start()
        let expired = Guarded(0)
        let rounds = 200
        for _ in 0..<rounds {
            let id = Guarded(UIBackgroundTaskIdentifier.invalid)
            let finish: @Sendable () -> Bool = {
                var mine = UIBackgroundTaskIdentifier.invalid
                id.change { (mine, $0) = ($0, .invalid) }
                guard mine != .invalid else { return false }
                application.endBackgroundTask(mine)
                return true
            }
            id.value = application.beginBackgroundTask {
                if finish() { expired.change { $0 += 1 } }
            }
            enterBackground()
            let ended = Signal()
            DispatchQueue.global().async {
                _ = finish()
                ended.send()
            }
            pass(30)
            ended.wait("the end")
            pass(10)
            enterForeground()
        }
        say("\(rounds) rounds, none left: \(ProcessAssertions.shared.count)")
    }

    static func tooMany() {
        start()
        for _ in 0..<1000 where application.beginBackgroundTask() == .invalid { say("early") }
        say("\(application.beginBackgroundTask(withName: "one more") == .invalid)")
    }

    static func asksLate() {
        start()
        _ = application.beginBackgroundTask(withName: "asks in its handler") {
            _ = begin("asks again")
        }
        enterBackground()
        pass(30)
        pass(5)
        _ = begin("asks when suspended")
        enterForeground()
        settle()
        say("\(begin("asks when seen") != .invalid)")
    }

    /// The commonest mistake: the variable holds one identifier, and there are two.
    static func overwritten() {
        start()
        let id = Guarded(UIBackgroundTaskIdentifier.invalid)
        for _ in 0..<2 {
            id.value = application.beginBackgroundTask(withName: "sync") {
                application.endBackgroundTask(id.value)
                id.value = .invalid
            }
        }
        enterBackground()
        pass(30)
        pass(5)
    }
}
