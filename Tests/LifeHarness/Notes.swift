// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import UIKitBackground

/// What is posted.
enum Notes {
    private static let names: [(String, NSNotification.Name)] = [
        ("note didFinishLaunching", UIApplication.didFinishLaunchingNotification),
        ("note didBecomeActive", UIApplication.didBecomeActiveNotification),
        ("note willResignActive", UIApplication.willResignActiveNotification),
        ("note didEnterBackground", UIApplication.didEnterBackgroundNotification),
        ("note willEnterForeground", UIApplication.willEnterForegroundNotification),
        ("note willTerminate", UIApplication.willTerminateNotification),
        ("note didSuspend", UIApplication.didSuspendNotification),
        ("note didResume", UIApplication.didResumeNotification),
    ]

    static func print() { for (line, name) in names { on(name) { say("\(line) \(thread)") } } }

    /// Prints what is posted about scenes. To be called before the first one is connected.
    static func scenes() {
        let names = [
            UIScene.willConnectNotification, UIScene.didActivateNotification,
            UIScene.willDeactivateNotification, UIScene.didEnterBackgroundNotification,
            UIScene.willEnterForegroundNotification, UIScene.didDisconnectNotification,
        ]
        for name in names { on(name) { say("note \(name.rawValue) \(thread)") } }
    }

    /// Sent once a suspension was printed: of two observers either one may be called first.
    static let suspended = Signal()

    static func suspension() {
        on(UIApplication.didSuspendNotification) {
            say("suspended")
            suspended.send()
        }
        on(UIApplication.didResumeNotification) { say("resumed") }
    }

    static func on(_ name: NSNotification.Name, _ body: @escaping @Sendable () -> Void) {
        _ = NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { _ in
            body()
        }
    }
}
