// SPDX-License-Identifier: Apache-2.0
import CSystem
import CurfewValues
import Scheduling
import Service

/// Calls that want the configuration read again, which the main thread does, and what came of the last reading.
final class ReloadQueue: Sendable {
    /// What came of reading the configuration again.
    enum Outcome: Sendable {
        case applied(Changes)
        /// Nothing was changed.
        case refused(Fault)
    }

    /// What was changed.
    struct Changes: Sendable {
        let schedules: ScheduleChanges
        /// The names of the thresholds that the file gives other values than before.
        var thresholds: [String] = []
        /// The ids of the plugins that were loaded besides.
        var plugins: [String] = []
        /// There are other changes, which count from the next start.
        var needsStart = false
        /// What is strange, for people.
        var notes: [String] = []

        init(_ schedules: ScheduleChanges) { self.schedules = schedules }

        /// In one line.
        var text: String {
            func part(_ names: [String], _ what: String, _ done: String) -> String {
                guard !names.isEmpty else { return "" }
                let some = names.prefix(5).joined(separator: ", ") + (names.count > 5 ? ", …" : "")
                return "; \(names.count) \(what)\(names.count == 1 ? "" : "s") \(done) (\(some))"
            }
            return schedules.text + part(thresholds, "threshold", "changed")
                + part(plugins, "plugin", "loaded")
        }
    }

    /// Why nothing was changed.
    struct Fault: Sendable {
        /// In one line: lower case, no full stop.
        let text: String
        /// What to type next.
        let mend: String
        /// The store could not be written to; else the configuration is wrong.
        let isStore: Bool
    }

    private struct State {
        var calls: [HTTPCall] = []
        var fault: Fault?
        var isClosed = false
    }

    /// eventfd, readable when a call waits.
    let descriptor = csys_eventfd()
    /// Whether there is a configuration to be read.
    private let hasConfiguration: Bool
    private let state = Locked(State())

    init(hasConfiguration: Bool) { self.hasConfiguration = hasConfiguration }

    deinit { csys_close(descriptor) }

    /// Why the configuration that was read last does not count; nil if it does.
    var fault: Fault? { state.withLock { $0.fault } }

    func add(_ call: HTTPCall) throws(HTTPFault) {
        guard hasConfiguration else {
            throw HTTPFault(
                409, "state", "the host was started without a configuration",
                help: ["start it without --store, or with --config"])
        }
        let isAdded = state.withLock { state in
            guard !state.isClosed else { return false }
            state.calls.append(call)
            return true
        }
        guard isAdded else { throw ControlThread.stopping }
        csys_eventfd_signal(descriptor)
    }

    /// Takes the calls that wait: a reading that begins now is for them.
    func take() -> [HTTPCall] {
        csys_eventfd_drain(descriptor)
        return state.withLock { state in
            defer { state.calls = [] }
            return state.calls
        }
    }

    func finish(_ calls: [HTTPCall], _ outcome: Outcome) {
        let answer: HTTPAnswer
        switch outcome {
        case .applied(let changes):
            state.withLock { $0.fault = nil }
            let members =
                changes.schedules.members + [
                    ("thresholds", .list(changes.thresholds.map { .text($0) })),
                    ("plugins", .list(changes.plugins.map { .text($0) })),
                    ("text", .text(changes.text)), ("needsStart", .bool(changes.needsStart)),
                    ("notes", .list(changes.notes.map { .text($0) })),
                ]
            answer = HTTPAnswer(json: JSONItem.object(members).written)
        case .refused(let fault):
            state.withLock { $0.fault = fault }
            answer = HTTPAnswer(
                HTTPFault(
                    fault.isStore ? 503 : 422, fault.isStore ? "store" : "configuration",
                    fault.text, help: [fault.mend]))
        }
        HTTPCall.answer(calls.map { ($0, answer) })
    }

    /// Nobody reads the configuration any more.
    func close() {
        let calls = state.withLock { state in
            state.isClosed = true
            defer { state.calls = [] }
            return state.calls
        }
        for call in calls { call.answer(ControlThread.stopping) }
    }
}
