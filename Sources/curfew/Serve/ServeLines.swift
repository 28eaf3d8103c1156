// SPDX-License-Identifier: Apache-2.0
import CSystem
import Curfew
import CurfewValues
import Glibc
import Scheduling
import Service

/// Prints the lines of `curfew serve`, for people or in JSON, or adds them to systemd's journal if the output
/// leads there. Any thread may call.
///
/// `serving` is the first one: what the host does before is printed after it.
final class ServeLines: @unchecked Sendable {
    // Sendable: the output is used with the lock held.

    private let out: Output
    private let isJSON: Bool
    private let journal: SystemdJournal?
    private let begun = csys_realtime_ns()
    private let state = Locked(State())

    private struct State {
        var isPrinting = false
        /// Lines below it are left out.
        var level = LogLevel.info
        /// Lines of the time before `serving`, which are not printed yet.
        var early: [ServeLine] = []
        /// The requests by their tasks, those included of the last tasks that are over, whose
        /// programs may still write lines.
        var requests: [UInt64: RequestID] = [:]
        var over: [UInt64] = []
    }

    /// The number of tasks that are over whose requests are known.
    private static let overLimit = 1_024

    init(_ out: Output, _ settings: LogSettings, isJSON: Bool) {
        self.out = out
        self.isJSON = isJSON || settings.format == .json
        let isPlain = self.isJSON || settings.format == .text
        // Without libsystemd the lines are entries without fields.
        journal = isPlain ? nil : try? SystemdJournal.behind(out.descriptor)
        change(to: settings)
    }

    /// Applies what counts at once.
    func change(to settings: LogSettings) {
        state.withLock { $0.level = settings.level ?? .info }
    }

    private func print(_ line: ServeLine) {
        if let journal, journal.add(line.fields) { return }
        out.line(isJSON ? line.json : line.shown)
    }

    private func writes(_ level: LogLevel) -> Bool { state.withLock { level >= $0.level } }

    private func write(
        _ event: ServeLine.Event, _ members: [(key: String, value: JSONItem)], _ text: String,
        _ severity: ServeLine.Severity = .information
    ) {
        let line = ServeLine(
            event: event, severity: severity, members: members, text: text,
            date: csys_realtime_ns())
        state.withLock { state in
            if state.isPrinting { print(line) } else { state.early.append(line) }
        }
    }

    /// A name in the configuration that the system does not know.
    func unknown(_ role: Role, _ name: String) {
        log(
            .warning, nil, 0,
            "there is no user or group `\(Shown.line(name))`, which the configuration gives the role \(role.rawValue); nobody has it by that name"
        )
    }

    /// Notes which request has launched a task.
    func launched(_ task: UInt64, _ request: RequestID) {
        state.withLock { $0.requests[task] = request }
    }

    func serving(_ store: String, _ plugins: [String]) {
        let line = ServeLine(
            event: .serving, severity: .information,
            members: [
                ("store", .text(store)), ("process", .integer(Int64(getpid()))),
                ("plugins", .list(plugins.map { .text($0) })),
            ],
            text: "\(store), \(plugins.count) plugin\(plugins.count == 1 ? "" : "s")",
            date: begun)
        state.withLock { state in
            print(line)
            release(&state)
        }
    }

    /// Tells that a configuration which was read again cannot be used.
    ///
    /// - Parameters:
    ///   - text: one line, with what to do next.
    ///   - error: all of it; nil for the same.
    func faulty(_ text: String, _ error: String? = nil) {
        write(.faulty, [("error", .text(error ?? text))], text, .error)
    }

    /// Tells what has become of the schedules: at a start only if there are any.
    func schedules(_ changes: ScheduleChanges, isReload: Bool = false) {
        guard isReload || changes.count > 0 || !changes.removed.isEmpty, writes(.info) else {
            return
        }
        write(.planned, changes.members, changes.text)
    }

    func refused(_ directory: String, _ error: String) {
        let first = error.parts(at: "\n").first.map { String($0) } ?? error
        write(
            .refused, [("directory", .text(directory)), ("error", .text(error))],
            "\(directory): \(first)", .error)
    }

    /// Prints what the host of a start that failed has logged.
    func failed() { state.withLock { release(&$0) } }

    private func release(_ state: inout State) {
        for each in state.early { print(each) }
        state.early = []
        state.isPrinting = true
    }

    func stopping() { write(.stopping, [], "nothing more is launched") }

    func log(_ level: LogLevel, _ plugin: String?, _ task: UInt64, _ text: String) {
        guard writes(level) else { return }
        let request = state.withLock { $0.requests[task] }
        write(
            .log,
            [
                ("level", .text(LifeRecords.name(level))), ("text", .text(text)),
                ("plugin", .text(orNull: plugin)), ("request", item(request)),
            ], (request.map { "request \($0)" } ?? plugin).map { "\($0): \(text)" } ?? text,
            Self.severity(level))
    }

    private static func severity(_ level: LogLevel) -> ServeLine.Severity {
        switch level {
        case .error, .pluginMisbehaving: .error
        case .warning: .warning
        case .info: .information
        case .debug: .debug
        }
    }

    /// Writes the line of a task's end, for its done event.
    func event(_ event: HostEvent) {
        guard event.task != 0, event.name.hasSuffix("_done"), !event.name.hasPrefix("scheduling"),
            !event.name.hasPrefix("registering"), event.values.count == 2,
            case .bool(let succeeded) = event.values[0], case .text(let error) = event.values[1]
        else { return }
        let name = String(event.name.dropLast("_done".utf8.count))
        let request = state.withLock { state in
            state.over.append(event.task)
            if state.over.count > Self.overLimit {
                state.requests[state.over.removeFirst()] = nil
            }
            return state.requests[event.task]
        }
        guard writes(succeeded ? .info : .warning) else { return }
        write(
            .ended,
            [
                ("handler", .text(name)), ("request", item(request)),
                ("succeeded", .bool(succeeded)), ("error", .text(orNull: succeeded ? nil : error)),
            ],
            (request.map { "request \($0), " } ?? "") + "\(name): "
                + (succeeded ? "succeeded" : error), succeeded ? .information : .warning)
    }

    private func item(_ request: RequestID?) -> JSONItem {
        request.map { .integer(Int64(clamping: $0.rawValue)) } ?? .null
    }
}
