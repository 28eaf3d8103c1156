// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

/// A task that blocks all signals and starts daemons that do the same. All of them hold a named pipe,
/// which is at its end once none is left.
@Suite("What a plugin has started, when its host is killed", .timeLimit(.minutes(60)))
struct KilledHostTests {
    private static let rounds = Torture.isWanted ? 500 : 5
    private static let processes = 5

    /// Starts a host with the task, waits until all of its processes run, and calls `end`. Returns how
    /// long it took from then on until none was left.
    private func span(
        _ end: (Process) throws -> Void, then finish: (Process) -> Void = { _ in }
    ) throws -> Duration {
        let files = try TemporaryDirectory()
        let pipe = files.path("pipe")
        try #require(mkfifo(pipe, 0o600) == 0)
        let reader = open(pipe, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        defer { close(reader) }
        let host = Process()
        host.executableURL = URL(fileURLWithPath: BuiltProducts.path(ofProduct: "curfew"))
        host.arguments = [
            "run", "org.curfew.test.process.one", "--plugin",
            BuiltProducts.testPluginDirectory("process"), "--payload", "spread \(pipe)",
        ]
        host.standardOutput = FileHandle.nullDevice
        host.standardError = FileHandle.nullDevice
        try host.run()
        defer { kill(host.processIdentifier, SIGKILL) }
        var begun = 0
        try follow(reader) { count in
            begun += count
            return begun >= Self.processes * 6
        }
        let start = ContinuousClock.now
        try end(host)
        try follow(reader) { $0 == 0 }
        let span = ContinuousClock.now - start
        finish(host)
        return span
    }

    /// Reads the pipe, at most for 20 s, until `isDone` of a number of bytes; 0 is the end.
    private func follow(_ reader: Int32, _ isDone: (Int) -> Bool) throws {
        let limit = ContinuousClock.now + .seconds(20)
        var isOpen = false
        while .now < limit {
            var bytes = [UInt8](repeating: 0, count: 256)
            var ready = pollfd(fd: reader, events: Int16(POLLIN), revents: 0)
            poll(&ready, 1, 20)
            let count = read(reader, &bytes, bytes.count)
            if count > 0 { isOpen = true }
            // Before the first writer there is an end, too.
            if count == 0, !isOpen, !isDone(0) { continue }
            if count >= 0, isDone(count) { return }
        }
        throw TestFault(text: "something is left after 20 s, or has not begun")
    }

    @Test("nothing is left a second later")
    func host() throws {
        var spans: [Duration] = []
        for _ in 0..<Self.rounds {
            spans.append(try span { kill($0.processIdentifier, SIGKILL) })
        }
        spans.sort()
        Torture.tell(
            "\(Self.rounds) hosts killed: nothing left after \(spans[spans.count / 2].milliseconds) in the middle, \(spans.last!.milliseconds) at most"
        )
        #expect(spans.last! < .seconds(2))
    }

    @Test("nor when it is killed at any of its system calls, from its start to its end")
    func calls() throws {
        let step = Torture.isWanted ? 3 : 211
        var (call, misses, last) = (1, 0, 0)
        while misses < 2 {
            let killed = try CallKiller.run(
                [
                    BuiltProducts.path(ofProduct: "curfew"), "run", "org.curfew.test.process.one",
                    "--plugin", BuiltProducts.testPluginDirectory("process"), "--payload", "later",
                ], call: call, environment: [:])
            #expect(!killed.isSomethingLeft, "killed at call \(call): \(killed)")
            if killed.call == nil {
                #expect(killed.ending == .exited(0))
                misses += 1
            } else {
                (last, misses) = (call, 0)
            }
            call += step
        }
        Torture.tell("a host killed at its calls 1 to \(last), each \(step)th")
        #expect(last > 100)
    }

    @Test("nor when curfew-child is killed alone; the task ends then, and the host goes on")
    func spawner() throws {
        for _ in 0..<max(1, Self.rounds / 10) {
            let span = try span { host in
                let children = try String(
                    contentsOfFile:
                        "/proc/\(host.processIdentifier)/task/\(host.processIdentifier)/children",
                    encoding: .utf8)
                let all = try threadsChildren(of: host.processIdentifier)
                let spawner = try #require((Set(all + numbers(children))).first)
                kill(spawner, SIGKILL)
            } then: { host in
                host.waitUntilExit()
                #expect(host.terminationReason == .exit && host.terminationStatus == 101)
            }
            #expect(span < .seconds(2))
        }
    }

    private func numbers(_ text: String) -> [pid_t] {
        text.split(separator: " ").compactMap { pid_t($0) }
    }

    /// The children that any thread of a process has started.
    private func threadsChildren(of process: pid_t) throws -> [pid_t] {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task").flatMap {
            numbers(
                (try? String(
                    contentsOfFile: "/proc/\(process)/task/\($0)/children", encoding: .utf8)) ?? "")
        }
    }
}
