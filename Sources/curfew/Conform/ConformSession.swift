// SPDX-License-Identifier: Apache-2.0
import CSystem
import Conformance
import CurfewValues
import Glibc
import PluginBridge

/// The reports of a run of the kit, and what is told of them. A signal's thread may tell what is known, in place of
/// the thread that runs the cases, also while that one waits for the reader of the output.
final class ConformSession: @unchecked Sendable {
    // Sendable: what is known is locked, and the view is used under the lock of the screen.

    private struct Known {
        var reports: [ConformReport] = []
        var current: ConformReport?
        /// CLOCK_MONOTONIC.
        var began: UInt64 = 0
        /// The results of the current plugin that are still to come.
        var awaited = 0
        var isTold = false

        /// The current plugin has no further results. Returns its report.
        mutating func end() -> ConformReport? {
            guard var report = current else { return nil }
            report.duration = csys_monotonic_ns() &- began
            report.notRun = awaited
            reports.append(report)
            current = nil
            return report
        }
    }

    private let request: ConformRequest
    private let isJSON: Bool
    private let out: Output
    private let known = Locked(Known())
    private let screen: Locked<any ConformView>

    /// Nanoseconds for telling what is known: the reader of the output may take nothing.
    private static let tellingLimit: UInt64 = 2_000_000_000

    init(_ request: ConformRequest, isJSON: Bool, _ out: Output) {
        (self.request, self.isJSON, self.out) = (request, isJSON, out)
        screen = Locked(ConformSilence())
    }

    // MARK: The thread that runs the cases

    func begin(_ report: ConformReport, _ count: Int) {
        known.withLock { known in
            (known.current, known.awaited) = (report, count)
            known.began = csys_monotonic_ns()
        }
        screen.withLock { view in
            view = isJSON ? ConformSilence() : ConformScreen(out, request)
            view.begin(report, count)
        }
    }

    func begins(_ tested: ConformanceCase) { screen.withLock { $0.begins(tested) } }

    func ends(_ result: CaseResult) {
        known.withLock { known in
            known.current?.results.append(result)
            known.awaited -= 1
        }
        screen.withLock { $0.ends(result) }
    }

    /// The plugin's last case has ended.
    func end() {
        guard let report = known.withLock({ $0.end() }) else { return }
        screen.withLock { $0.end(report) }
    }

    /// The kit has failed.
    func fail() { screen.withLock { $0.clear() } }

    /// Writes what is told at the end of all, and returns the exit status.
    func finish() throws(CommandError) -> ExitCode {
        let reports = known.withLock { known in
            known.isTold = true
            return known.reports
        }
        let failure = writeFiles(reports)
        screen.withLock { _ in tell(reports) }
        if let failure { throw failure }
        return Self.code(of: reports)
    }

    // MARK: A signal's thread

    /// Tells what is known, if that does not take long, once no case runs any more. The other thread stays where it is.
    func interrupt() {
        let (last, reports) = known.withLock { known in
            let last = known.end()
            defer { known.isTold = true }
            return (last, known.isTold ? nil : known.reports)
        }
        guard let reports else { return }
        _ = writeFiles(reports)
        let done = csys_eventfd()
        var thread: UInt64 = 0
        let isStarted = ThreadBody.start(
            { [self] in
                screen.withLock { view in
                    if let last { view.end(last) }
                    tell(reports)
                    csys_eventfd_signal(done)
                    // Until the process ends.
                    while true { pause() }
                }
            }, 0, &thread)
        guard isStarted else { return }
        csys_wait_any_readable([done], 1, csys_monotonic_ns() &+ Self.tellingLimit)
    }

    // MARK: Telling

    private func tell(_ reports: [ConformReport]) {
        if isJSON { out.line(ConformRecords.item(reports, request).written) }
    }

    /// Returns the first failure. One file that cannot be written is no reason to leave the others out.
    private func writeFiles(_ reports: [ConformReport]) -> CommandError? {
        var failure: CommandError?
        for file in request.files {
            do throws(CommandError) {
                try file.write(reports)
            } catch {
                failure = failure ?? error
            }
        }
        return failure
    }

    /// The worst of all. That one plugin was not looked at does not hide that another failed.
    private static func code(of reports: [ConformReport]) -> ExitCode {
        let codes = Set(reports.map(\.code))
        return [.otherABI, .faults, .usage].first(where: codes.contains) ?? .ok
    }
}
