// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import UIKitBackground

/// Says what it is told, and lets a scenario join in.
final class Delegate: UIResponder, UIApplicationDelegate {
    /// Called in `applicationDidEnterBackground`.
    nonisolated static let background = Guarded<(@Sendable () -> Void)?>(nil)
    /// Called with the completion handler of a fetch.
    nonisolated static let fetch = Guarded<(@Sendable (FetchCompletion) -> Void)?>(nil)
    nonisolated static let isLoud = Guarded(false)

    private func told(_ what: String, _ application: UIApplication) {
        if Self.isLoud.value {
            say("\(what) \(application.applicationState) \(thread)")
        }
    }

    func application(
        _ application: UIApplication,
        willFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        if CommandLine.arguments.contains("--loud") { Self.isLoud.value = true }
        if CommandLine.arguments.contains("--scenes") { Notes.scenes() }
        told("willFinishLaunching", application)
        return true
    }

    func applicationDidReceiveMemoryWarning(_ application: UIApplication) {
        say("didReceiveMemoryWarning \(thread)")
    }

    func applicationProtectedDataDidBecomeAvailable(_ application: UIApplication) {
        say("protectedDataDidBecomeAvailable \(thread)")
    }

    func applicationProtectedDataWillBecomeUnavailable(_ application: UIApplication) {
        say("protectedDataWillBecomeUnavailable \(thread)")
    }

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        if Self.isLoud.value { Notes.print() }
        told("didFinishLaunching", application)
        return true
    }

    func applicationDidBecomeActive(_ application: UIApplication) {
        told("didBecomeActive", application)
        Scenario.active.send()
    }

    func applicationWillResignActive(_ application: UIApplication) {
        told("willResignActive", application)
    }

    func applicationDidEnterBackground(_ application: UIApplication) {
        told("didEnterBackground", application)
        Self.background.value?()
    }

    func applicationWillEnterForeground(_ application: UIApplication) {
        told("willEnterForeground", application)
    }

    func applicationWillTerminate(_ application: UIApplication) {
        told("willTerminate", application)
    }

    func application(
        _ application: UIApplication,
        performFetchWithCompletionHandler completionHandler:
            @escaping (UIBackgroundFetchResult) -> Void
    ) {
        Self.fetch.value?(FetchCompletion(call: completionHandler))
    }
}

/// A completion handler that crosses threads.
struct FetchCompletion: @unchecked Sendable {
    let call: (UIBackgroundFetchResult) -> Void
}
