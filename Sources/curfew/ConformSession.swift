// SPDX-License-Identifier: Apache-2.0
import CSystem
import Conformance
import CurfewValues
import Glibc
import PluginBridge

/// The reports of a run of the kit, and what is told of them. A signal's thread may tell what is known, in place of
/// the thread that runs the cases: one of the two has them at a time.
final class ConformSession: @unchecked Sendable {
    // Sendable: the state is locked, and the view and the output are used under the same lock.

    private struct State {
        var reports: [ConformReport] = []
        var current: ConformReport?
        /// CLOCK_MONOTONIC.
        var began: UInt64 = 0
        /// The results of the current plugin that are still to come.
        var awaited = 0
        var view: any ConformView = ConformSilence()
        var isTold = false
    }

    private let request: ConformRequest
    private let isJSON: Bool
    private let out: Output
    private let state = Locked(State())

    /// Nanoseconds for telling what is known: the reader of the output may take nothing.
    private static let tellingLimit: UInt64 = 2_000_000_000

    init(_ request: ConformRequest, isJSON: Bool, _ out: Output) {
        (self.request, self.isJSON, self.out) = (request, isJSON, out)
    }

    // MARK: The thread that runs the cases

    func begin(_ report: ConformReport, _ count: Int) {
        let view: any ConformView = isJSON ? ConformSilence() : ConformScreen(out, request)
        state.withLock { state in
            (state.current, state.awaited, state.view) = (report, count, view)
            state.began = csys_monotonic_ns()
            view.begin(report, count)
        }
    }

    func begins(_ tested: ConformanceCase) { state.withLock { $0.view.begins(tested) } }

    func ends(_ result: CaseResult) {
        state.withLock { state in
            state.current?.results.append(result)
            state.awaited -= 1
            state.view.ends(result)
        }
    }

    /// The plugin's last case has ended.
    func end() { state.withLock { Self.end(&$0) } }

    /// The kit has failed.
    func fail() { state.withLock { $0.view.clear() } }

    /// Writes what is told at the end of all, and returns the exit status.
    func finish() throws(CommandError) -> ExitCode {
        try state.withLock { (state) throws(CommandError) in
            state.isTold = true
            try tell(state.reports)
            return Self.code(of: state.reports)
        }
    }

    // MARK: A signal's thread

    /// Tells what is known, if that does not take long, once no case runs any more. The other thread stays where it is.
    func interrupt() {
        let done = csys_eventfd()
        var thread: UInt64 = 0
        let isStarted = ThreadBody.start(
            { [self] in
                state.withLock { state in
                    Self.end(&state)
                    if !state.isTold { try? tell(state.reports) }
                    csys_eventfd_signal(done)
                    // Until the process ends.
                    while true { pause() }
                }
            }, 0, &thread)
        guard isStarted else { return }
        csys_wait_any_readable([done], 1, csys_monotonic_ns() &+ Self.tellingLimit)
    }

    // MARK: Telling

    private static func end(_ state: inout State) {
        guard var report = state.current else { return }
        report.duration = csys_monotonic_ns() &- state.began
        report.notRun = state.awaited
        state.view.end(report)
        state.reports.append(report)
        state.current = nil
    }

    private func tell(_ reports: [ConformReport]) throws(CommandError) {
        if isJSON { out.line(ConformRecords.item(reports, request).written) }
        for file in request.files { try file.write(reports) }
    }

    /// The worst of all. That one plugin was not looked at does not hide that another failed.
    private static func code(of reports: [ConformReport]) -> ExitCode {
        let codes = Set(reports.map(\.code))
        return [.otherABI, .faults, .usage].first(where: codes.contains) ?? .ok
    }
}
