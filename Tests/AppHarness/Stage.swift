// SPDX-License-Identifier: Apache-2.0
import AppHost
import BackgroundTasks
import CCurfew
import CInterface
import Foundation
import TestSupport

/// An app with time of its own: nothing passes until the scenario says so.
final class Stage: Sendable {
    nonisolated(unsafe) private let clock: OpaquePointer

    static let refresh = "org.example.app.refresh"
    static let cleanup = "org.example.app.cleanup"
    /// Seconds; long enough for a machine that is busy with something else.
    private static let timeout = 40.0

    init() {
        var made: OpaquePointer?
        guard curfew_clock_create(&made, nil) == curfew_status(CURFEW_OK), let made else {
            fatalError("no clock")
        }
        clock = made
        // Dates that the scenario makes are dates of the real clock.
        _ = curfew_clock_set_wall_ns(clock, Int64(Date().timeIntervalSince1970 * 1e9), nil)
    }

    /// Makes the app's host; the machine is as the scenario says.
    func open(_ misuse: MisusePolicy = .stop, keepsRequests: Bool = true) {
        var configuration = AppHost.Configuration()
        configuration.clock = clock
        configuration.readsMachine = false
        configuration.misuse = misuse
        configuration.keepsRequests = keepsRequests
        configuration.log = { level, line in
            if level >= .info { print("log: \(line)") }
        }
        AppHost.configure(configuration)
    }

    func advance(_ seconds: Double) {
        _ = curfew_clock_advance(clock, UInt64(seconds * 1e9), nil)
    }

    /// A date on the app's clock.
    static func date(in seconds: Double) -> Date {
        let now = AppHost.shared.host.map { Double(curfew_host_get_wall_ns($0)) / 1e9 } ?? 0
        return Date(timeIntervalSince1970: now + seconds)
    }

    /// Says how the machine is.
    func set(_ factor: Int, _ isGood: Bool) {
        let state = isGood ? CURFEW_FACTOR_VALUE_YES : CURFEW_FACTOR_VALUE_NO
        _ = curfew_host_override_factor(
            host, curfew_factor(factor), curfew_factor_value(state), nil, nil)
    }

    func set(_ refresh: Int, _ enablement: Int) {
        _ = curfew_host_set_setting(
            host, nil, nil, curfew_refresh(refresh), curfew_enablement(enablement), nil)
    }

    var host: OpaquePointer {
        guard let host = AppHost.shared.host else { fatalError("no host") }
        return host
    }

    /// True once a factor is among what is considered.
    func eventuallyKnows(_ factor: String) -> Bool {
        let deadline = SuspendingClock.now + .seconds(Stage.timeout)
        while SuspendingClock.now < deadline {
            if reports(Stage.refresh, kind: 1).contains(where: { $0.0 == factor }) { return true }
        }
        return false
    }

    /// The names of the factors that hold the pending request of an identifier back.
    func holding(_ identifier: String, kind: Int) -> [String] {
        reports(identifier, kind: kind).filter(\.1).map(\.0)
    }

    /// Each factor's name, and whether it holds back.
    private func reports(_ identifier: String, kind: Int) -> [(String, Bool)] {
        var blank = curfew_factor_report()
        blank.struct_size = UInt32(MemoryLayout<curfew_factor_report>.size)
        var reports = [curfew_factor_report](repeating: blank, count: 32)
        var options = curfew_submit_options()
        options.struct_size = UInt32(MemoryLayout<curfew_submit_options>.size)
        options.kind = curfew_kind(kind)
        options.opportunistic = curfew_opportunistic(CURFEW_OPPORTUNISTIC_CALM)
        var count: UInt32 = 0
        _ = curfew_host_explain_submit(host, identifier, &options, &reports, 32, &count, nil, nil)
        return reports.prefix(Int(count)).map { report in
            let name = withUnsafeBytes(of: report.name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            return (name, report.holds)
        }
    }

    /// How the last request of an identifier ended, once it has: state and outcome.
    func ended(_ request: curfew_request) -> String {
        let deadline = SuspendingClock.now + .seconds(Stage.timeout)
        while SuspendingClock.now < deadline {
            var info = curfew_request_state()
            info.struct_size = UInt32(MemoryLayout<curfew_request_state>.size)
            _ = curfew_host_get_request(host, request, &info, nil)
            if info.phase == curfew_request_phase(CURFEW_REQUEST_PHASE_FINISHED) {
                return [
                    "none", "succeeded", "failed", "expired", "cancelled", "interrupted",
                    "abandoned",
                ][
                    Int(info.outcome)]
            }
        }
        return "not over"
    }

    /// Returns once the host runs a request.
    func waitUntilRunning(_ request: curfew_request) {
        let deadline = SuspendingClock.now + .seconds(Stage.timeout)
        while SuspendingClock.now < deadline {
            var info = curfew_request_state()
            info.struct_size = UInt32(MemoryLayout<curfew_request_state>.size)
            _ = curfew_host_get_request(host, request, &info, nil)
            if info.phase == curfew_request_phase(CURFEW_REQUEST_PHASE_RUNNING) { return }
        }
        print("not running")
    }

    /// How many requests are pending.
    func pendingCount() -> Int {
        let (seen, count) = (Signal(), Guarded(0))
        BGTaskScheduler.shared.getPendingTaskRequests {
            count.value = $0.count
            seen.send()
        }
        seen.wait("the pending requests")
        return count.value
    }

    /// What a submission throws, in a line.
    func submit(_ request: BGTaskRequest) {
        do {
            try BGTaskScheduler.shared.submit(request)
            print("submitted \(request.identifier)")
        } catch let error as BGTaskScheduler.Error {
            print("error \(error.code.rawValue): \(error.localizedDescription)")
        } catch {
            print("thrown: \(error)")
        }
    }

    static func leave(_ code: Int32) -> Never { exit(code) }
}
