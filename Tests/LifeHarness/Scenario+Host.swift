// SPDX-License-Identifier: Apache-2.0
import AppHost
import CCurfew
import Foundation
import FoundationBackground
import TestSupport
import UIKitBackground

/// What comes from the host: fetches, settings, the machine.
extension Scenario {
    static var fetchIdentifier: String { AppHost.shared.bundle.identifier + ".fetch" }

    static func pending() -> String {
        let all = (try? AppHost.shared.registry.pending()) ?? []
        return "pending \(all.map(\.identifier))"
    }

    static func launchFetch() {
        do { try AppHost.shared.registry.simulateLaunch(fetchIdentifier) } catch { say("\(error)") }
    }

    static func fetch() {
        start()
        say(pending())
        application.setMinimumBackgroundFetchInterval(UIApplication.backgroundFetchIntervalMinimum)
        say(pending())
        let request = (try? AppHost.shared.registry.pending())?.first
        let wait = Double((request?.earliest ?? 0) - AppHost.shared.wall) / 1e9
        say("in \(Int((wait / 60).rounded())) min")
        application.setMinimumBackgroundFetchInterval(7_200)
        let later = (try? AppHost.shared.registry.pending())?.first
        say("keeps what comes sooner \(later?.earliest == request?.earliest)")
        // The second one comes after the interval that was set last.
        for (result, wait) in [(UIBackgroundFetchResult.newData, UInt64(900)), (.noData, 7_200)] {
            let done = Signal()
            Delegate.fetch.value = { completion in
                say("fetch \(thread)")
                completion.call(result)
                completion.call(.failed)
                done.send()
            }
            passInHost(wait - 1)
            say("not sooner")
            passInHost(1)
            done.wait("a fetch")
            say(pending())
        }
    }

    static func fetchNever() {
        start()
        say("never by default: \(pending())")
        application.setMinimumBackgroundFetchInterval(60)
        say(pending())
        application.setMinimumBackgroundFetchInterval(UIApplication.backgroundFetchIntervalNever)
        say(pending())
    }

    static func fetchModes() {
        start()
        application.setMinimumBackgroundFetchInterval(60)
        say(pending())
    }

    /// How launches of the fetch stand with the host.
    static func rate() -> String {
        let request = AppRequest(fetchIdentifier, kind: Int32(CURFEW_KIND_APP_REFRESH))
        let holding = (try? AppHost.shared.registry.holding(request)) ?? []
        return "rests \(holding.contains(Int32(CURFEW_FACTOR_LAUNCH_RATE)))"
    }

    static func fetchDropped() {
        start()
        application.setMinimumBackgroundFetchInterval(60)
        say(rate())
        let called = Signal()
        Delegate.fetch.value = { _ in called.send() }
        launchFetch()
        called.wait("the fetch")
        // The host's worker may be the last to let go of it.
        Harness.dropped.wait("the end of the completion handler")
        passInHost(30)
        passInHost(10)
        waitFor(rate: "rests true")
    }

    static func fetchExpires() {
        start()
        application.setMinimumBackgroundFetchInterval(60)
        let called = Signal()
        let kept = Guarded<[FetchCompletion]>([])
        Delegate.fetch.value = { completion in
            kept.change { $0.append(completion) }
            called.send()
        }
        launchFetch()
        called.wait("the fetch")
        passInHost(30)
        passInHost(10)
        waitFor(rate: "rests true")
    }

    /// Returns when the host says so; the end of a task reaches it on a thread of its own.
    static func waitFor(rate wanted: String) {
        for _ in 0..<200 where rate() != wanted { passInHost(1) }
        say(rate())
    }

    static func fetchWakes() {
        start()
        application.setMinimumBackgroundFetchInterval(60)
        enterBackground()
        settle()
        let done = Signal()
        Delegate.fetch.value = { completion in
            let id = begin("during the fetch")
            completion.call(.newData)
            say("answered")
            application.endBackgroundTask(id)
            done.send()
        }
        launchFetch()
        done.wait("the fetch")
        settle()
    }

    // MARK: The machine

    static func set(_ factor: Int, _ state: Int) {
        guard let host = AppHost.shared.host else { return say("no host") }
        _ = curfew_host_override_factor(host, Int32(factor), Int32(state), nil, nil)
    }

    static func lowPower() {
        let posted = Signal()
        let info = ProcessInfo.processInfo
        say("\(info.isLowPowerModeEnabled)")
        _ = NotificationCenter.default.addObserver(
            forName: .NSProcessInfoPowerStateDidChange, object: info, queue: nil
        ) { note in
            say("changed \(ProcessInfo.processInfo.isLowPowerModeEnabled) \(thread)")
            posted.send()
        }
        set(CURFEW_FACTOR_LOW_POWER_MODE, CURFEW_FACTOR_VALUE_NO)
        posted.wait("the change")
        set(CURFEW_FACTOR_LOW_POWER_MODE, CURFEW_FACTOR_VALUE_YES)
        posted.wait("the other change")
        // No change is posted: what follows would come before it.
        set(CURFEW_FACTOR_LOW_POWER_MODE, CURFEW_FACTOR_VALUE_UNKNOWN)
        set(CURFEW_FACTOR_LOW_POWER_MODE, CURFEW_FACTOR_VALUE_NO)
        posted.wait("the last change")
    }

    static func thermal() {
        let posted = Signal()
        say("\(ProcessInfo.processInfo.thermalState)")
        Notes.on(ProcessInfo.thermalStateDidChangeNotification) {
            say("changed \(ProcessInfo.processInfo.thermalState)")
            posted.send()
        }
        set(CURFEW_FACTOR_THERMAL, CURFEW_FACTOR_VALUE_NO)
        posted.wait("the change")
        set(CURFEW_FACTOR_THERMAL, CURFEW_FACTOR_VALUE_YES)
        posted.wait("the other change")
    }

    /// Nothing is posted before it was read once.
    static func thermalUnread() {
        let power = Signal()
        Notes.on(ProcessInfo.thermalStateDidChangeNotification) { say("posted") }
        Notes.on(.NSProcessInfoPowerStateDidChange) { power.send() }
        set(CURFEW_FACTOR_THERMAL, CURFEW_FACTOR_VALUE_NO)
        // Events come in order, so that this one is the later.
        set(CURFEW_FACTOR_LOW_POWER_MODE, CURFEW_FACTOR_VALUE_NO)
        power.wait("the power state")
        say("\(ProcessInfo.processInfo.thermalState)")
    }

    static func refreshStatus() {
        start()
        let posted = Signal()
        say("\(application.backgroundRefreshStatus)")
        Notes.on(UIApplication.backgroundStatusDidChangeNotification) {
            say("changed \(UIApplication.shared.backgroundRefreshStatus) \(thread)")
            posted.send()
        }
        AppHost.shared.backgroundRefresh = .denied
        posted.wait("denied")
        AppHost.shared.backgroundRefresh = .restricted
        posted.wait("restricted")
        AppHost.shared.backgroundRefresh = .available
        posted.wait("available")
        set(CURFEW_FACTOR_LOW_POWER_MODE, CURFEW_FACTOR_VALUE_NO)
        posted.wait("low power")
    }

    // MARK: NSBackgroundActivityScheduler

    static func scheduler() {
        let activity = NSBackgroundActivityScheduler(identifier: "com.example.tidy")
        activity.interval = 600
        say("tolerance \(activity.tolerance)")
        activity.repeats = true
        let called = Signal()
        activity.schedule { completion in
            say("called at \(Harness.clock.now / 1_000_000_000) \(thread)")
            completion(.finished)
            called.send()
        }
        for _ in 0..<2 {
            Harness.clock.advance(by: 600)
            called.wait("a call")
        }
        activity.invalidate()
        Harness.clock.advance(by: 6_000)
    }

    static func schedulerDefers() {
        let activity = NSBackgroundActivityScheduler(identifier: "com.example.tidy")
        activity.interval = 600
        activity.tolerance = 100
        say("defer \(activity.shouldDefer)")
        set(CURFEW_FACTOR_BATTERY, CURFEW_FACTOR_VALUE_NO)
        say("defer \(activity.shouldDefer)")
        let called = Signal()
        let count = Guarded(0)
        activity.schedule { completion in
            count.change { $0 += 1 }
            say("called at \(Harness.clock.now / 1_000_000_000)")
            completion(count.value == 1 ? .deferred : .finished)
            called.send()
        }
        Harness.clock.advance(by: 699)
        say("held")
        Harness.clock.advance(by: 1)
        called.wait("the call")
        Harness.clock.advance(by: 60)
        called.wait("the deferred call")
        Harness.clock.advance(by: 6_000)
    }
}
