// SPDX-License-Identifier: Apache-2.0
import AppHost
import CCurfew
import CurfewValues
import Foundation

/// Fetches of the old kind, as requests to the host.
final class BackgroundFetch: Sendable {
    private struct State {
        var interval = TimeInterval.greatestFiniteMagnitude
        var isRegistered = false
    }

    /// Apple's smallest interval, in seconds: a shorter one would make no noticeable difference.
    static let shortest: TimeInterval = 15 * 60

    private let state = Locked(State())

    var identifier: String { AppHost.shared.bundle.identifier + ".fetch" }

    func set(_ interval: TimeInterval) {
        let isNever = !(interval < .greatestFiniteMagnitude)
        state.withLock { $0.interval = interval }
        if isNever {
            try? AppHost.shared.registry.cancel(identifier)
        } else if isEffective {
            register()
            submit(keepsPending: true)
        }
    }

    private var isEffective: Bool {
        let bundle = AppHost.shared.bundle
        let why: String
        if !bundle.backgroundModes.contains("fetch") {
            why = "UIBackgroundModes has no fetch"
        } else if !bundle.permittedIdentifiers.isEmpty {
            why =
                "BGTaskSchedulerPermittedIdentifiers is there, which turns fetches of the old kind off"
        } else {
            return true
        }
        AppHost.shared.log(
            .warning, "setMinimumBackgroundFetchInterval has no effect: \(why) (\(bundle.place))")
        return false
    }

    private func register() {
        let isFirst = state.withLock { state in
            defer { state.isRegistered = true }
            return !state.isRegistered
        }
        guard isFirst else { return }
        do throws(AppRegistryFailure) {
            try FetchHandler.register(identifier)
        } catch {
            AppHost.shared.log(.error, "fetches are not launched: \(error.message)")
        }
    }

    /// Submits the next one.
    ///
    /// - Parameter keepsPending: one of an earlier start of the app stays, where it comes sooner.
    func submit(keepsPending: Bool) {
        let interval = state.withLock { $0.interval }
        guard interval < .greatestFiniteMagnitude else { return }
        let host = AppHost.shared
        let rest = Int64(clamping: BackgroundExecution.nanoseconds(max(interval, Self.shortest)))
        let (sum, overflow) = host.wall.addingReportingOverflow(rest)
        let earliest = overflow ? .max : sum
        do throws(AppRegistryFailure) {
            let pending = keepsPending ? try host.registry.pending() : []
            if pending.contains(where: { $0.identifier == identifier && $0.earliest <= earliest }) {
                return
            }
            try host.registry.submit(
                AppRequest(identifier, kind: Int32(CURFEW_KIND_APP_REFRESH), earliest: earliest))
        } catch {
            host.log(.error, "no fetch could be scheduled: \(error.message)")
        }
    }
}

/// The result of a fetch.
public enum UIBackgroundFetchResult: UInt, Sendable {
    /// There was something new.
    case newData = 0
    /// There was nothing new.
    case noData = 1
    /// It did not work.
    case failed = 2
}
