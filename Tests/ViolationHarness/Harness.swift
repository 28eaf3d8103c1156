// SPDX-License-Identifier: Apache-2.0
import CCurfew
import CInterface
import CSystem
import Glibc

/// Makes a host and does to it what its arguments say, step by step, printing what happens.
///
/// An argument is a step: a verb and its words, `launch org.example.tidy`. The process ends with
/// 0 after the last one, with `stuck` when something does not happen, with `wrong` when a step is
/// not one; or as the plugin under test has it.
@main
final class Harness {
    static let stuck: Int32 = 70
    static let wrong: Int32 = 64
    /// How long a task may take that should not take long.
    private static let timeout: UInt64 = 20_000_000_000

    private let host: OpaquePointer
    /// What there was before the host.
    private let before: Inventory
    /// The task launched last.
    private var task: curfew_task = 0

    static func main() {
        let harness = Harness()
        for step in CommandLine.arguments.dropFirst() { harness.take(step) }
        exit(0)
    }

    private init() {
        let apart = Harness.variable("CURFEW_MISDEED_PROCESSES").split(separator: " ").map {
            strdup(String($0))!
        }
        if !apart.isEmpty {
            // Processes that outlive those who look after them become this one's, and are seen.
            csys_adopt_orphans()
            SocketLine.lay(
                in: Harness.variable("TMPDIR"), form: Harness.variable("CURFEW_MISDEED_FORM"))
        }
        before = Inventory()
        let isolations = apart.map {
            curfew_plugin_isolation(
                struct_size: UInt32(MemoryLayout<curfew_plugin_isolation>.size),
                isolation: curfew_isolation(CURFEW_ISOLATION_PROCESS), plugin: $0)
        }
        host = isolations.withUnsafeBufferPointer { Harness.makeHost($0) }
        for text in apart { free(text) }
        Line.lay(curfew_host_get_api(host))
    }

    /// Makes a host that gives some plugins processes of their own.
    private static func makeHost(
        _ isolations: UnsafeBufferPointer<curfew_plugin_isolation>
    ) -> OpaquePointer {
        var config = curfew_host_config()
        config.struct_size = UInt32(MemoryLayout<curfew_host_config>.size)
        config.lost_after_ns = 200_000_000
        config.kill_after_ns = 200_000_000
        config.isolation_count = UInt32(isolations.count)
        config.isolations = isolations.baseAddress
        config.log = { _, level, plugin, task, text, bytes in
            let raw = UnsafeRawBufferPointer(start: text, count: Int(bytes))
            Record.shared.logged(
                level, plugin: plugin.map { String(cString: $0) }, task: task,
                String(decoding: raw, as: UTF8.self))
        }
        var made: OpaquePointer?
        var error = Harness.emptyError
        guard curfew_host_create(&config, &made, &error) == CURFEW_OK, let made else {
            Harness.fail("no host: \(Harness.text(of: error))")
        }
        curfew_host_observe(
            made, nil,
            { _, event in
                let event = event.pointee
                var values: [String] = []
                var bytes = 0
                for index in 0..<Int(event.count) {
                    let value = event.values[index]
                    switch Int(value.type) {
                    case CURFEW_TYPE_BOOL: values.append(value.integer != 0 ? "true" : "false")
                    case CURFEW_TYPE_DOUBLE: values.append(String(value.number))
                    case CURFEW_TYPE_TEXT:
                        values.append(value.text.map { String(cString: $0) } ?? "")
                        bytes += Int(value.text_bytes)
                    default: values.append(String(value.integer))
                    }
                }
                Record.shared.happened(
                    String(cString: event.selector), task: event.task,
                    values.joined(separator: "|"), bytes: bytes)
            }, nil, nil, nil)
        return made
    }

    private static func variable(_ name: String) -> String {
        getenv(name).map { String(cString: $0) } ?? ""
    }

    private func take(_ step: String) {
        let words = step.split(separator: " ", maxSplits: 1).map(String.init)
        let rest = words.count > 1 ? words[1] : ""
        let last = rest.split(separator: " ").last.flatMap { Int($0) }
        let first = last == nil ? rest : String(rest.prefix { $0 != " " })
        switch words[0] {
        case "state": Record.shared.print("state", ["state": .text(ProcessState.text)])
        case "load": load(rest)
        case "load-aside": loadAside(rest)
        case "launch": launch(rest, keep: true)
        case "launch-loosely": launch(rest, keep: false)
        case "tasks": tasks(first, last ?? 1)
        case "flood": flood(first, last ?? 1)
        case "await": Record.shared.wait(note: first, count: last ?? 1)
        case "await-event": Record.shared.wait(event: first, count: last ?? 1)
        case "await-log": Record.shared.wait(log: rest)
        case "await-load": Record.shared.wait(load: rest)
        case "await-stale": awaitStale()
        case "open": Record.shared.open(rest)
        case "over": over()
        case "lift":
            Record.shared.print(
                "lift", ["status": number(curfew_host_release_handler(host, rest, nil))])
        case "handler": handler(rest)
        case "counts": counts()
        case "events":
            Record.shared.print("events", ["events": .numbers(Record.shared.eventCounts)])
        case "left": left()
        case "leave": _exit(0)
        case "destroy": destroy(UInt64(rest) ?? 10_000)
        default: Harness.fail("\(step) is no step")
        }
    }

    // MARK: Steps

    private func load(_ directory: String) {
        Harness.load(directory, into: host)
    }

    private static func load(_ directory: String, into host: OpaquePointer) {
        var error = emptyError
        let status = curfew_host_load_plugin(host, directory, &error)
        Record.shared.loaded(
            String(directory.split(separator: "/").last ?? ""), Int64(status), text(of: error))
    }

    /// For a plugin that does not come back from it.
    private func loadAside(_ directory: String) {
        let work = Unmanaged.passRetained(Box((directory, host)))
        var thread = pthread_t()
        let failure = pthread_create(
            &thread, nil,
            { raw in
                let work = Unmanaged<Box<(String, OpaquePointer)>>.fromOpaque(raw!)
                    .takeRetainedValue().value
                Harness.load(work.0, into: work.1)
                return nil
            }, work.toOpaque())
        guard failure == 0 else { Harness.fail("no thread") }
        pthread_detach(thread)
    }

    private func launch(_ identifier: String, keep: Bool) {
        var options = curfew_launch_options()
        options.struct_size = UInt32(MemoryLayout<curfew_launch_options>.size)
        options.keep = keep
        var launched: curfew_task = 0
        let status = curfew_host_launch(host, identifier, &options, &launched, nil)
        if status == CURFEW_OK { task = launched }
        Record.shared.print(
            "launch",
            [
                "identifier": .text(identifier), "status": .number(Int64(status)),
                "task": .number(Int64(bitPattern: launched)),
            ])
    }

    /// Launches tasks of a handler, and does not look after them.
    private func flood(_ identifier: String, _ count: Int) {
        var launched: Int64 = 0
        for _ in 0..<count where curfew_host_launch(host, identifier, nil, nil, nil) == CURFEW_OK {
            launched += 1
        }
        Record.shared.print("flood", ["launched": .number(launched)])
    }

    /// Launches tasks of a handler and waits for them all.
    private func tasks(_ identifier: String, _ count: Int) {
        var options = curfew_launch_options()
        options.struct_size = UInt32(MemoryLayout<curfew_launch_options>.size)
        options.keep = true
        var launched: [curfew_task] = []
        var refusals: [String: Int64] = [:]
        for _ in 0..<count {
            var task: curfew_task = 0
            let status = curfew_host_launch(host, identifier, &options, &task, nil)
            if status == CURFEW_OK {
                launched.append(task)
            } else {
                refusals[String(status), default: 0] += 1
            }
        }
        var outcomes: [String: Int64] = [:]
        var answered: Int64 = 0
        for task in launched {
            let state = wait(for: task)
            outcomes[String(state.outcome), default: 0] += 1
            if state.answered { answered += 1 }
            curfew_host_release_task(host, task, nil)
        }
        Record.shared.print(
            "tasks",
            [
                "identifier": .text(identifier), "launched": .number(Int64(count)),
                "refused": .numbers(refusals), "outcomes": .numbers(outcomes),
                "answers": .number(answered),
            ])
    }

    private func wait(for task: curfew_task) -> curfew_task_state {
        var state = Harness.emptyState
        let status = curfew_host_wait_task(host, task, Harness.timeout, &state, nil)
        guard status == CURFEW_OK else {
            Record.shared.print(
                "stuck", ["waiting": .text("a task"), "status": .number(Int64(status))])
            _exit(Harness.stuck)
        }
        return state
    }

    /// Until the last reference to the task is gone, for which there is no event.
    private func awaitStale() {
        let until = Harness.monotonicSeconds() + Int(Self.timeout / 1_000_000_000)
        var state = Harness.emptyState
        while curfew_host_get_task(host, task, &state, nil) != CURFEW_STALE {
            guard Harness.monotonicSeconds() < until else {
                Record.shared.print("stuck", ["waiting": .text("a stale task")])
                _exit(Harness.stuck)
            }
            sched_yield()
        }
    }

    private func over() {
        let state = wait(for: task)
        var text = [CChar](repeating: 0, count: Int(state.error_bytes))
        var length: UInt64 = 0
        _ = curfew_host_read_task_error(host, task, &text, UInt64(text.count), &length, nil)
        Record.shared.print(
            "over",
            [
                "task": .number(Int64(bitPattern: task)), "outcome": .number(Int64(state.outcome)),
                "reason": .number(Int64(state.reason)), "answered": .bool(state.answered),
                "returned": .bool(state.returned), "bytes": .number(Int64(length)),
                "error": .text(
                    String(decoding: text.map { UInt8(bitPattern: $0) }, as: UTF8.self)),
            ])
    }

    private func handler(_ identifier: String) {
        var index: UInt32 = 0
        guard curfew_host_find_handler(host, identifier, &index, nil) == CURFEW_OK else {
            Harness.fail("no handler \(identifier)")
        }
        withUnsafeTemporaryAllocation(of: curfew_handler_state.self, capacity: 1) { memory in
            // Zeroed memory: a value could not be made without the texts that are asked for.
            let raw = UnsafeMutableRawBufferPointer(memory)
            _ = raw.initializeMemory(as: UInt8.self, repeating: 0)
            raw.storeBytes(of: UInt32(raw.count), as: UInt32.self)
            guard curfew_host_get_handler(host, index, memory.baseAddress!, nil) == CURFEW_OK else {
                Harness.fail("no state of \(identifier)")
            }
            Record.shared.print(
                "handler",
                [
                    "quarantined": .bool(memory[0].quarantined),
                    "why": .text(String(cString: memory[0].quarantine_reason)),
                    "lost": .number(Int64(memory[0].lost)),
                ])
        }
    }

    private func counts() {
        var counts = curfew_counts()
        counts.struct_size = UInt32(MemoryLayout<curfew_counts>.size)
        curfew_host_get_counts(host, &counts, nil)
        Record.shared.print(
            "counts",
            [
                "contractViolations": .number(Int64(counts.contract_violations)),
                "lostWorkers": .number(Int64(counts.lost_workers)),
                "eventsLost": .number(Int64(counts.events_lost)),
                "events": .numbers(Record.shared.eventCounts),
            ])
    }

    /// `limit` milliseconds for each phase of the shutdown.
    private func destroy(_ limit: UInt64) {
        var options = curfew_shutdown_options()
        options.struct_size = UInt32(MemoryLayout<curfew_shutdown_options>.size)
        options.expire_ns = limit * 1_000_000
        options.leave_ns = limit * 1_000_000
        var error = Harness.emptyError
        let status = curfew_host_destroy(host, &options, &error)
        Record.shared.print(
            "destroy",
            ["status": .number(Int64(status)), "message": .text(Harness.text(of: error))])
    }

    /// Waits until nothing is left of the host, which was destroyed, and prints what stays.
    private func left() {
        let until = Harness.monotonicSeconds() + Int(Self.timeout / 1_000_000_000)
        var surplus = ""
        repeat {
            while waitpid(-1, nil, WNOHANG) > 0 {}
            surplus = Inventory().surplus(over: before)
            sched_yield()
        } while !surplus.isEmpty && Harness.monotonicSeconds() < until
        Record.shared.print("left", ["text": .text(surplus)])
    }

    private static func monotonicSeconds() -> Int {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        return now.tv_sec
    }

    // MARK: -

    private func number(_ status: curfew_status) -> JSONField { .number(Int64(status)) }

    private static var emptyError: curfew_error {
        var error = curfew_error()
        error.struct_size = UInt32(MemoryLayout<curfew_error>.size)
        return error
    }

    private static var emptyState: curfew_task_state {
        withUnsafeTemporaryAllocation(of: curfew_task_state.self, capacity: 1) { memory in
            let raw = UnsafeMutableRawBufferPointer(memory)
            _ = raw.initializeMemory(as: UInt8.self, repeating: 0)
            raw.storeBytes(of: UInt32(raw.count), as: UInt32.self)
            return memory[0]
        }
    }

    private static func text(of error: curfew_error) -> String {
        withUnsafeBytes(of: error.message) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }

    static func fail(_ message: String) -> Never {
        Record.shared.print("wrong", ["message": .text(message)])
        _exit(wrong)
    }
}
