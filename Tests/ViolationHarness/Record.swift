// SPDX-License-Identifier: Apache-2.0
import Glibc

/// What has happened so far: printed at once, one line of JSON each, and waited for.
final class Record: @unchecked Sendable {
    // `mutex` guards everything but the two pointers, which are constants.

    /// What there is one of in the process.
    static let shared = Record()

    /// Longer than anything takes on a busy machine, shorter than the test's timeout.
    private static let timeout = 20
    /// So many lines about one selector, and none about other plugins; they are only counted.
    private static let eventLines = 300

    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var gates: Set<String> = []
    /// Connections of the socket line that wait, by gate.
    private var waiting: [String: [Int32]] = [:]
    private var notes: [String: Int] = [:]
    private var events: [String: Int] = [:]
    private var log: [String] = []
    /// The plugins that were loaded or refused.
    private var loads: Set<String> = []

    private init() {
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(changed, nil)
    }

    /// Prints a line.
    func print(_ kind: String, _ fields: KeyValuePairs<String, JSONField>) {
        locked { write(kind, fields) }
    }

    /// The lock is held: lines come out whole, and in the order in which things happened. One call
    /// of the system each, so that a crash loses none.
    private func write(_ kind: String, _ fields: KeyValuePairs<String, JSONField>) {
        var line = "{\"kind\":\"\(kind)\""
        for (name, value) in fields { line += ",\"\(name)\":\(value.json)" }
        line += "}\n"
        line.withUTF8 { _ = Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
    }

    private func locked(_ body: () -> Void) {
        pthread_mutex_lock(mutex)
        body()
        pthread_cond_broadcast(changed)
        pthread_mutex_unlock(mutex)
    }

    // MARK: What happens

    func note(_ what: String, _ value: Int64) {
        locked {
            notes[what, default: 0] += 1
            write("note", ["what": .text(what), "value": .number(value)])
        }
    }

    /// A plugin was loaded, or refused with a message.
    func loaded(_ plugin: String, _ status: Int64, _ message: String) {
        locked {
            loads.insert(plugin)
            write(
                "load",
                [
                    "plugin": .text(plugin), "status": .number(status),
                    "message": .text(message),
                ])
        }
    }

    func logged(_ level: Int32, plugin: String?, task: UInt64, _ text: String) {
        locked {
            log.append(text)
            write(
                "log",
                [
                    "level": .number(Int64(level)), "plugin": .text(plugin ?? ""),
                    "task": .number(Int64(bitPattern: task)), "text": .text(text),
                    "bytes": .number(Int64(text.utf8.count)),
                ])
        }
    }

    func happened(_ selector: String, task: UInt64, _ values: String, bytes: Int) {
        locked {
            let count = events[selector, default: 0]
            events[selector] = count + 1
            guard count < Self.eventLines, selector.contains("violation") else { return }
            write(
                "event",
                [
                    "selector": .text(selector), "task": .number(Int64(bitPattern: task)),
                    "values": .text(values), "bytes": .number(Int64(bytes)),
                ])
        }
    }

    /// How often each event was delivered.
    var eventCounts: [String: Int64] {
        var counts: [String: Int64] = [:]
        locked { counts = events.mapValues { Int64($0) } }
        return counts
    }

    // MARK: Waiting

    func open(_ gate: String) {
        locked {
            gates.insert(gate)
            for connection in waiting.removeValue(forKey: gate) ?? [] {
                SocketLine.send("open", to: connection)
            }
        }
    }

    /// For a thread in another process.
    func answer(_ connection: Int32, onceOpen gate: String) {
        locked {
            if gates.contains(gate) {
                SocketLine.send("open", to: connection)
            } else {
                waiting[gate, default: []].append(connection)
            }
        }
    }

    /// The connection is about to be closed.
    func forget(_ connection: Int32) {
        locked { for gate in waiting.keys { waiting[gate]?.removeAll { $0 == connection } } }
    }

    /// For the plugin's threads, which may wait for ever.
    func wait(gate: String) { wait(for: nil) { gates.contains(gate) } }

    func wait(note: String, count: Int) {
        wait(for: "note \(note)") { notes[note, default: 0] >= count }
    }

    func wait(event: String, count: Int) {
        wait(for: "event \(event)") { events[event, default: 0] >= count }
    }

    func wait(load plugin: String) {
        wait(for: "load of \(plugin)") { loads.contains(plugin) }
    }

    func wait(log part: String) {
        wait(for: "log \(part)") { log.contains { $0.contains(part) } }
    }

    /// Ends the process where a limit passes, saying what was waited for. No name: no limit.
    private func wait(for name: String?, until done: () -> Bool) {
        var until = timespec()
        clock_gettime(CLOCK_REALTIME, &until)
        until.tv_sec += Self.timeout
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while !done() {
            if let name {
                guard pthread_cond_timedwait(changed, mutex, &until) != ETIMEDOUT else {
                    write("stuck", ["waiting": .text(name)])
                    _exit(Harness.stuck)
                }
            } else {
                pthread_cond_wait(changed, mutex)
            }
        }
    }
}
