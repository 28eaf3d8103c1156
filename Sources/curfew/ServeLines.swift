// SPDX-License-Identifier: Apache-2.0
import CSystem
import Curfew
import CurfewValues
import Glibc
import Scheduling

/// The lines of `curfew serve`, for people or in JSON. Any thread may call.
final class ServeLines: @unchecked Sendable {
    // Sendable: the output is used with the lock held.

    private let out: Output
    private let isJSON: Bool
    private let lock = Locked<Void>(())

    init(_ out: Output, isJSON: Bool) {
        self.out = out
        self.isJSON = isJSON
    }

    private func write(
        _ event: String, _ members: [(key: String, value: JSONItem)], _ text: String
    ) {
        let now = csys_realtime_ns()
        lock.withLock { _ in
            guard isJSON else {
                out.line("\(DateText.full(now))  \(Shown.padded(event, 8))  \(Shown.line(text))")
                return
            }
            let all: [(key: String, value: JSONItem)] = [
                ("event", .text(event)), ("date", DateText.item(now)),
            ]
            out.line(JSONItem.object(all + members).written)
        }
    }

    func serving(_ store: String, _ plugins: [String]) {
        write(
            "serving",
            [
                ("store", .text(store)), ("process", .integer(Int64(getpid()))),
                ("plugins", .list(plugins.map { .text($0) })),
            ],
            "\(store), \(plugins.count) plugin\(plugins.count == 1 ? "" : "s")")
    }

    func refused(_ directory: String, _ error: String) {
        let first = error.parts(at: "\n").first.map { String($0) } ?? error
        write(
            "refused", [("directory", .text(directory)), ("error", .text(error))],
            "\(directory): \(first)")
    }

    func stopping() { write("stopping", [], "") }

    func log(_ level: LogLevel, _ plugin: String?, _ task: UInt64, _ text: String) {
        guard level > .debug else { return }
        write(
            "log",
            [
                ("level", .text(LifeRecords.name(level))), ("text", .text(text)),
                ("plugin", .text(orNull: plugin)), ("task", .integer(Int64(clamping: task))),
            ], (task == 0 ? "" : "task \(task): ") + text)
    }

    /// Writes the line of a task's end, for its done event.
    func event(_ event: HostEvent) {
        guard event.task != 0, event.name.hasSuffix("_done"), !event.name.hasPrefix("scheduling"),
            !event.name.hasPrefix("registering"), event.values.count == 2,
            case .bool(let succeeded) = event.values[0], case .text(let error) = event.values[1]
        else { return }
        let name = String(event.name.dropLast("_done".utf8.count))
        write(
            "ended",
            [
                ("handler", .text(name)), ("task", .integer(Int64(clamping: event.task))),
                ("succeeded", .bool(succeeded)), ("error", .text(orNull: succeeded ? nil : error)),
            ], "task \(event.task), \(name): " + (succeeded ? "succeeded" : error))
    }
}
