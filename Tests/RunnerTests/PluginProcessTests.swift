// SPDX-License-Identifier: Apache-2.0

import Foundation
import PluginBridge
import Scheduling
import Synchronization
import TestSupport
import Testing

@testable import Runner

/// The plugin `process` does what its payload says.
@Suite("Plugins in processes of their own")
struct PluginProcessTests {
    private static let one = "org.curfew.test.process.one"
    private static let many = "org.curfew.test.process.many"

    /// A host with the plugin in a process.
    private func host(
        configure: (inout HostConfiguration) -> Void = { _ in }
    ) throws -> TestHost {
        let host = try TestHost(clock: nil, ownLoop: false) { configuration in
            configuration.isolation = .process
            configure(&configuration)
        }
        try host.runtime.plugins.load(BuiltProducts.testPluginDirectory("process"))
        return host
    }

    private func launch(
        _ what: String, in host: TestHost, _ handler: String = one, budget: UInt64 = 0
    ) throws -> UInt64 {
        try host.launch(handler, payload: Array(what.utf8), budget: budget)
    }

    private func outcome(of task: UInt64, in host: TestHost) throws -> Outcome? {
        #expect(host.wait(task) == .ok)
        return try host.query(task).outcome
    }

    /// Launches a task, and returns its outcome and the text of its done event.
    private func run(
        _ what: String, in host: TestHost, _ handler: String = one, budget: UInt64 = 0
    ) throws -> (outcome: Outcome?, text: String?) {
        let task = try launch(what, in: host, handler, budget: budget)
        return (try outcome(of: task, in: host), host.errorText(task))
    }

    private func lines(_ path: String) -> [Substring] {
        ((try? String(contentsOfFile: path, encoding: .utf8)) ?? "").split(separator: "\n")
    }

    @Test("time remains from the first moment of a task on")
    func remaining() throws {
        let host = try host()
        for _ in 0..<20 {
            #expect(try run("remaining 30", in: host, budget: 30 * .second).outcome == .succeeded)
        }
    }

    @Test("what was checked of a library takes no memory of the host once it is loaded")
    func checkedBytes() throws {
        let host = try host()
        // Reading a path at once ends with the first piece of such a file.
        let file = try #require(FileHandle(forReadingAtPath: "/proc/self/smaps"))
        let text = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
        var resident: [Int] = []
        var isCopy = false
        for line in text.split(separator: "\n") {
            if line.contains("-") { isCopy = line.contains("memfd:libprocess.so") }
            guard isCopy, line.hasPrefix("Rss:") else { continue }
            resident += line.split(separator: " ").compactMap { Int($0) }
        }
        #expect(!resident.isEmpty && resident.allSatisfy { $0 == 0 }, "\(resident) KiB")
        #expect(try run("", in: host).outcome == .succeeded)
    }

    @Test("plugins are loaded at the same time: one that never returns delays no other")
    func loading() throws {
        let host = try TestHost(clock: nil, ownLoop: false) { configuration in
            configuration.isolation = .process
            configuration.loadLimit = 3_000_000_000
        }
        let names = [
            "stuck", "process", "good", "violations/entry-fails", "process",
        ]
        let start = ContinuousClock.now
        let errors = Guarded<[Int: String]?>(nil)
        let runtime = host.runtime
        Thread.detachNewThread {
            let result = runtime.plugins.load(names.map(BuiltProducts.testPluginDirectory))
            errors.change { $0 = result.mapValues(\.message) }
        }
        try host.waitUntil("loaded") {
            host.engine.handlers.find(Self.one) != nil
                && host.engine.handlers.find("org.curfew.test.good") != nil
        }
        #expect(ContinuousClock.now - start < .seconds(3))
        #expect(try run("", in: host).outcome == .succeeded)
        try host.waitUntil("all are") { errors.value != nil }
        let found = try #require(errors.value)
        #expect(found.keys.sorted() == [0, 3, 4])
        #expect(found[0]?.contains("has not been loaded within 3 s") == true)
        #expect(found[3]?.contains("the licence has run out") == true)
        #expect(found[4]?.contains("is loaded already") == true)
    }

    // MARK: Running

    @Test("a task runs, fails, is pending and has a result as it would in a thread")
    func results() throws {
        let host = try host()
        #expect(try run("", in: host).outcome == .succeeded)
        let failed = try run("fail no such feed", in: host)
        #expect(failed.outcome == .failed)
        #expect(failed.text == "no such feed")
        let later = try launch("later", in: host)
        #expect(try outcome(of: later, in: host) == .succeeded)
        #expect(host.result(later) == Array("later".utf8))
        #expect(host.log.value == [])
    }

    @Test("a result of a mebibyte comes in fragments, and is whole")
    func longResult() throws {
        let host = try host()
        for count in [1, 16_360, 16_384, 65_536, 1 << 20] {
            let task = try launch("result \(count)", in: host)
            #expect(try outcome(of: task, in: host) == .succeeded)
            #expect(try host.query(task).resultBytes == count)
            if count <= 65_536 {
                #expect(host.result(task) == (0..<count).map { UInt8(truncatingIfNeeded: $0 * 7) })
            }
        }
        #expect(try run("result \(1 << 20 + 1)", in: host).outcome == .failed)
        // The channel reader writes the log.
        try host.waitUntil("logged") { host.log.value.contains { $0.contains("result-size") } }
    }

    @Test("events and progress come before the done event")
    func events() throws {
        let host = try host()
        let task = try launch("say Grüße", in: host)
        #expect(try outcome(of: task, in: host) == .succeeded)
        #expect(host.all.waits { $0.task == task && $0.isDone })
        let own = host.all.events.filter { $0.task == task }
        #expect(
            own.map(\.name) == ["process_one_progress::", "process_said::", "process_one_done::"])
        #expect(own.dropFirst().first?.values.first == .text("Grüße"))
    }

    /// Far more than have a reserved place at a time.
    @Test("thousands of events of a task come once each, in order, before its done event")
    func manyEvents() throws {
        let host = try host()
        let task = try launch("count 3000", in: host)
        #expect(try outcome(of: task, in: host) == .succeeded)
        #expect(host.all.waits { $0.task == task && $0.isDone })
        let own = host.all.events.filter { $0.task == task }
        #expect(own.last?.isDone == true)
        #expect(own.dropLast().map { $0.values.last } == (0..<3_000).map { .int64($0) })
    }

    @Test("in a full queue an event is refused, and the others come", arguments: [64, 4_096])
    func fullQueue(_ limit: UInt32) throws {
        let host = try TestHost(clock: nil, ownLoop: true, observing: false) { configuration in
            configuration.isolation = .process
            configuration.eventLimit = limit
        }
        let observer = Observer()
        _ = try host.observe(nil, by: observer)
        try host.runtime.plugins.load(BuiltProducts.testPluginDirectory("process"))
        while host.dispatch() ?? 0 > 0 {}
        // The loop takes nothing meanwhile.
        let task = try launch("count 100000", in: host)
        try host.waitUntil("it is over") { try host.query(task).outcome != nil }
        #expect(try host.query(task).outcome == .failed)
        while host.dispatch() ?? 0 > 0 {}
        let said = observer.events.filter { $0.task == task && $0.name == "process_said::" }
        #expect(said.map { $0.values.last } == said.indices.map { .int64(Int64($0)) })
        #expect(said.count > Int(limit) / 2 && said.count <= Int(limit))
        #expect(observer.events.contains { $0.name == "curfew_gap:" })
        // What was refused gives its place back.
        let next = try launch("count \(limit / 4)", in: host)
        try host.waitUntil("the next one is over") { try host.query(next).outcome != nil }
        #expect(try host.query(next).outcome == .succeeded)
    }

    @Test("so it is once their texts have 64 MiB", arguments: [Isolation.thread, .process])
    func fullOfTexts(_ isolation: Isolation) throws {
        let host = try TestHost(clock: nil, ownLoop: true, observing: false) { configuration in
            configuration.isolation = isolation
        }
        let observer = Observer()
        _ = try host.observe("process_said::", by: observer)
        try host.runtime.plugins.load(BuiltProducts.testPluginDirectory("process"))
        for _ in 0..<2 {
            // The loop takes nothing meanwhile.
            let task = try launch("count 10000 65000", in: host)
            try host.waitUntil("it is over") { try host.query(task).outcome != nil }
            #expect(try host.query(task).outcome == .failed)
            while host.dispatch() ?? 0 > 0 {}
            let said = observer.events.count { $0.task == task }
            #expect(said == 64 << 20 / 65_001 + 1)
            // Delivered events make room for others.
            let next = try launch("count 1000 60000", in: host)
            try host.waitUntil("the next one is over") { try host.query(next).outcome != nil }
            #expect(try host.query(next).outcome == .succeeded)
            while host.dispatch() ?? 0 > 0 {}
        }
    }

    @Test("what a process prints is logged, line by line, 64 KiB a task")
    func output() throws {
        let host = try host()
        #expect(try run("print Grüße", in: host).outcome == .succeeded)
        try host.waitUntil("logged") {
            host.log.value.contains { $0.hasSuffix("Grüße") }
                && host.log.value.contains { $0.hasSuffix("an error of Grüße") }
        }
        for _ in 0..<2 { #expect(try run("flood", in: host).outcome == .succeeded) }
        // Its last bytes are read after the end of the process at the latest.
        #expect(try run("exit 0", in: host).outcome == .crashed)
        try host.waitUntil("counted") {
            host.log.value.contains { $0.contains(" bytes of its output are not logged") }
        }
        let logged = host.log.value.filter { $0.contains("0000000000") }
        #expect(logged.count > 600 && logged.count < 3 * 656, "\(logged.count)")
        #expect(try run("print again", in: host).outcome == .succeeded)
        try host.waitUntil("logged again") { host.log.value.contains { $0.hasSuffix("again") } }
    }

    @Test("thousands of tasks in a row, on two handlers, each run once")
    func inARow() throws {
        let host = try host()
        let handlers = try [Self.one, Self.many].map { try host.handler($0) }
        let count = 5_000
        for _ in 0..<count {
            for handler in handlers {
                while host.engine.launch(handler.index).status == .busy { sched_yield() }
            }
        }
        try host.waitUntil("over") { handlers.allSatisfy { $0.ended(.succeeded) == UInt64(count) } }
        #expect(handlers.allSatisfy { $0.queued == 0 && $0.active == 0 })
    }

    @Test("the payloads of tasks that were kept after their end do not use up the channel")
    func keptPayloads() throws {
        let host = try host()
        // Many times what the channel has room for.
        let payload = [UInt8](repeating: UInt8(ascii: " "), count: 512 << 10)
        for _ in 0..<60 {
            let task = try host.launch(Self.one, payload: payload)
            #expect(host.wait(task, within: 10 * .second) == .ok)
            _ = host.engine.release(task)
        }
        #expect(host.log.value == [])
    }

    // MARK: Stopping

    @Test("a function that heeds its expiration ends as expired")
    func heeding() throws {
        let host = try host()
        let task = try launch("until", in: host, budget: 100_000_000)
        #expect(try outcome(of: task, in: host) == .expired)
        #expect(try host.query(task).isAnswered)
        #expect(try run("", in: host).outcome == .succeeded)
        #expect(host.log.value == [])
    }

    @Test("the expiration callback of a pending task completes it within the grace")
    func callback() throws {
        let host = try host()
        let task = try launch("pending", in: host)
        try host.waitUntilPending(task)
        #expect(host.stop(task) == .ok)
        #expect(try outcome(of: task, in: host) == .expired)
        #expect(try host.query(task).isAnswered)
        #expect(host.runtime.engine.answer(of: task) == "stopped")
    }

    @Test("a function that never returns ends as expired, and its process is killed")
    func hanging() throws {
        let host = try host { $0.killAfter = 50_000_000 }
        let task = try launch("hang", in: host, budget: 100_000_000)
        #expect(try outcome(of: task, in: host) == .expired)
        #expect(!(try host.query(task).isAnswered))
        // The next task runs in another process.
        #expect(try run("", in: host).outcome == .succeeded)
        #expect(try host.handler(Self.one).lost == 0)
    }

    @Test("a cancelled task that waits is never run, and the others are, once and in order")
    func cancelling() throws {
        let host = try host()
        let directory = try TemporaryDirectory()
        let (gate, notes) = (directory.path("gate"), directory.path("notes"))
        let first = try launch("wait \(gate)", in: host)
        try host.waitUntil("begun") { !lines(gate + ".begun").isEmpty }
        let tasks = try (0..<5).map { _ in try launch("note \(notes)", in: host) }
        #expect(host.cancel(tasks[1]) == .ok)
        #expect(host.cancel(tasks[3]) == .ok)
        #expect(try outcome(of: tasks[1], in: host) == .cancelled)
        #expect(try host.query(tasks[1]).startedAt == 0)
        try directory.write("", to: "gate")
        for task in [first, tasks[0], tasks[2], tasks[4]] {
            #expect(try outcome(of: task, in: host) == .succeeded)
        }
        #expect(lines(notes).count == 3)
    }

    @Test("a paused handler runs nothing of what it was offered, and everything once it is resumed")
    func pausing() throws {
        let host = try host()
        let directory = try TemporaryDirectory()
        let (gate, notes) = (directory.path("gate"), directory.path("notes"))
        let first = try launch("wait \(gate)", in: host)
        try host.waitUntil("begun") { !lines(gate + ".begun").isEmpty }
        let tasks = try (0..<3).map { _ in try launch("note \(notes)", in: host) }
        #expect(host.engine.pause(Self.one) == .ok)
        try directory.write("", to: "gate")
        #expect(try outcome(of: first, in: host) == .succeeded)
        #expect(try run("", in: host, Self.many).outcome == .succeeded)
        #expect(lines(notes).isEmpty)
        #expect(try host.handler(Self.one).queued == 3)
        // A held task stays behind when the handler goes on.
        #expect(host.pause(tasks[1]) == .ok)
        #expect(host.engine.resume(Self.one) == .ok)
        #expect(try outcome(of: tasks[2], in: host) == .succeeded)
        #expect(lines(notes).count == 2)
        #expect(host.resume(tasks[1]) == .ok)
        #expect(try outcome(of: tasks[1], in: host) == .succeeded)
        #expect(lines(notes).count == 3)
    }

    // MARK: The end of a process

    @Test(
        "a process that ends ends its task as crashed, and the next task runs in another",
        arguments: [
            ("crash", "its process ended by SIGSEGV at 0x8 in its function"),
            ("abort", "its process ended by SIGABRT in its function"),
            ("overflow", "its process overflowed its stack (SIGSEGV) in its function"),
            (
                "thread",
                "its process ended by SIGSEGV at 0x8 in a thread that the plugin had started"
            ),
            ("exit 0", "its process exited with status 0 in its function"),
            ("exit 3", "its process exited with status 3 in its function"),
            ("leave 3", "its process exited with status 3"),
            ("signal 9", "its process ended by SIGKILL"),
        ])
    func crashing(what: String, text: String) throws {
        let host = try host()
        let ended = try run(what, in: host)
        #expect(ended.outcome == .crashed)
        #expect(ended.text == text)
        #expect(host.all.waits { $0.values == [.bool(false), .text(text)] })
        #expect(try run("", in: host).outcome == .succeeded)
        #expect(try host.handler(Self.one).ended(.crashed) == 1)
    }

    @Test("tasks that wait survive the process, and the others of it end as crashed")
    func surviving() throws {
        let host = try host()
        let directory = try TemporaryDirectory()
        let (gate, notes) = (directory.path("gate"), directory.path("notes"))
        let pending = try launch("pending", in: host, Self.many)
        try host.waitUntilPending(pending)
        let first = try launch("wait \(gate)", in: host)
        try host.waitUntil("begun") { !lines(gate + ".begun").isEmpty }
        let waiting = try (0..<3).map { _ in try launch("note \(notes)", in: host) }
        let culprit = try launch("crash", in: host, Self.many)
        for task in [culprit, first, pending] {
            #expect(try outcome(of: task, in: host) == .crashed)
        }
        #expect(
            host.errorText(culprit) == "its process ended by SIGSEGV at 0x8 in its function")
        for task in [first, pending] {
            #expect(
                host.errorText(task)
                    == "the process of its plugin ended by SIGSEGV at 0x8 in the function of another task"
            )
        }
        for task in waiting { #expect(try outcome(of: task, in: host) == .succeeded) }
        #expect(lines(notes).count == 3)
    }

    @Test("a process that is to be killed for one task goes on for the others, beside the next one")
    func leaving() throws {
        let host = try host { $0.killAfter = 50_000_000 }
        let directory = try TemporaryDirectory()
        let gate = directory.path("gate")
        let other = try launch("wait \(gate)", in: host, Self.many)
        let pending = try launch("pending", in: host, Self.many)
        try host.waitUntil("begun") { !lines(gate + ".begun").isEmpty }
        try host.waitUntilPending(pending)
        let stuck = try launch("hang", in: host, budget: 100_000_000)
        #expect(try outcome(of: stuck, in: host) == .expired)
        for count in ["1", "2"] {
            let next = try launch("runs", in: host)
            #expect(try outcome(of: next, in: host) == .succeeded)
            #expect(host.result(next).map { String(decoding: $0, as: UTF8.self) } == count)
        }
        #expect(host.stop(pending) == .ok)
        #expect(try outcome(of: pending, in: host) == .expired)
        #expect(try host.query(pending).isAnswered)
        try directory.write("", to: "gate")
        #expect(try outcome(of: other, in: host) == .succeeded)
        try host.waitUntil("killed") {
            host.log.value.contains {
                $0.contains("its process was killed: the function of \(Self.one) had not returned")
            }
        }
        #expect(try run("", in: host).outcome == .succeeded)
    }

    @Test(
        "one that is stopped between its tasks goes on, and is killed if it is stopped again and again"
    )
    func stopped() throws {
        let host = try host()
        // Each task is taken, or ends with the process.
        try host.waitUntil("killed") {
            _ = try run("stop-soon", in: host)
            return host.log.value.contains { $0.contains("ended by SIGKILL") }
        }
        #expect(try run("", in: host).outcome == .succeeded)
    }

    @Test(
        "one that executes another program, or stops itself, is killed at once",
        arguments: [
            "become /bin/sleep", "stop",
        ])
    func becomes(_ what: String) throws {
        let host = try host { $0.killAfter = 50_000_000 }
        let stuck = try launch(what, in: host, budget: 100_000_000)
        #expect(try outcome(of: stuck, in: host) == .expired)
        // Continued, so that SIGTERM reaches it, it may return before it is killed.
        try host.waitUntil("killed") {
            host.log.value.contains {
                $0.contains("its process was killed: the function of ")
            }
        }
        #expect(!host.log.value.contains { $0.contains("goes on for its other tasks") })
        #expect(try run("", in: host).outcome == .succeeded)
    }

    @Test(
        "a second process that is to be killed ends the first, whose other tasks are not to blame")
    func killedForOne() throws {
        let host = try host { $0.killAfter = 50_000_000 }
        let directory = try TemporaryDirectory()
        let gate = directory.path("gate")
        let other = try launch("wait \(gate)", in: host, Self.many)
        try host.waitUntil("begun") { !lines(gate + ".begun").isEmpty }
        for _ in 0..<2 {
            let stuck = try launch("hang", in: host, budget: 100_000_000)
            #expect(try outcome(of: stuck, in: host) == .expired)
        }
        #expect(try outcome(of: other, in: host) == .interrupted)
        try host.waitUntil("logged") {
            host.log.value.contains {
                $0.contains("its process was killed: the function of \(Self.one) had not returned")
            }
        }
    }

    @Test("three ends in a row are a quarantine, whose release starts a process again")
    func quarantine() throws {
        let host = try host()
        let directory = try TemporaryDirectory()
        for _ in 0..<3 { #expect(try run("crash", in: host).outcome == .crashed) }
        let handler = try host.handler(Self.one)
        try host.waitUntil("quarantined") { handler.isQuarantined }
        #expect(
            handler.quarantineReason
                == "its process ended by SIGSEGV at 0x8 in the function of \(Self.one), for the third time in a row"
        )
        #expect(try host.handler(Self.many).isQuarantined)
        #expect(host.tryLaunch(Self.one).status == .quarantined)
        #expect(host.release(handler: Self.one) == .ok)
        #expect(try run("note \(directory.path("notes"))", in: host).outcome == .succeeded)
        #expect(!(try host.handler(Self.many).isQuarantined))
    }

    @Test("the host counts processes by how they end, and the records that it reads")
    func counts() throws {
        let host = try host { $0.childLimits.ends = .max }
        #expect(try run("", in: host).outcome == .succeeded)
        #expect(host.counts.processesStarted == 1)
        let records = host.counts.processRecords
        #expect(records > 0)
        #expect(try run("crash", in: host).outcome == .crashed)
        #expect(try run("leave 0", in: host).outcome == .crashed)
        #expect(try run("hang", in: host, budget: .millisecond).outcome == .expired)
        try host.waitUntil("the last one was killed") { host.counts.processesKilled == 1 }
        #expect(try run("", in: host).outcome == .succeeded)
        let counts = host.counts
        #expect(counts.processesStarted == 4)
        #expect(counts.processesCrashed == 2)
        #expect(counts.processesFaulty == 0)
        #expect(counts.processRecords > records)
    }

    @Test("an event tells of each process: its start with its sandbox, its end, its quarantine")
    func told() throws {
        let told = Observer()
        let host = try TestHost(clock: nil, ownLoop: false) { $0.isolation = .process }
        _ = try host.observe("curfew_child:::", by: told)
        try host.runtime.plugins.load(BuiltProducts.testPluginDirectory("process"))
        for _ in 0..<3 { #expect(try run("crash", in: host).outcome == .crashed) }
        try host.waitUntil("quarantined") { try host.handler(Self.one).isQuarantined }
        #expect(host.release(handler: Self.one) == .ok)
        #expect(try run("", in: host).outcome == .succeeded)
        #expect(told.waits { $0.values[1] == .text("released") })
        #expect(told.seen.wait { $0.count { $0.values[1] == .text("started") } == 4 })
        let words = told.events.map { $0.values[1] }
        #expect(
            Array(words.prefix(4)) == [
                .text("started"), .text("ended"), .text("started"), .text("ended"),
            ])
        #expect(told.events.allSatisfy { $0.values[0] == .text("org.curfew.test.process") })
        guard case .text(let sandbox) = told.events[0].values[2],
            case .text(let end) = told.events[1].values[2]
        else {
            Issue.record("no texts")
            return
        }
        #expect(sandbox.hasPrefix("in force: "), "\(sandbox)")
        #expect(end.contains("SIGSEGV"), "\(end)")
    }

    @Test("a success between two ends begins the count anew")
    func successes() throws {
        let host = try host()
        for _ in 0..<4 {
            #expect(try run("", in: host).outcome == .succeeded)
            #expect(try run("crash", in: host).outcome == .crashed)
        }
        #expect(!(try host.handler(Self.one).isQuarantined))
    }

    @Test("a crash in its retire function is said, and no other process follows")
    func retiring() throws {
        let host = try host()
        #expect(try run("retires-badly", in: host).outcome == .succeeded)
        #expect(host.destroy() == .ok)
        #expect(
            host.log.value == ["its process ended by SIGSEGV at 0x8 in its retire function"])
    }

    // MARK: The end of the host

    @Test("a host is destroyed though a function never returns, and nothing of the plugin is left")
    func destroying() throws {
        let host = try host()
        let directory = try TemporaryDirectory()
        let begun = directory.path("begun")
        #expect(try run("note \(begun)", in: host).outcome == .succeeded)
        _ = try launch("hang", in: host)
        let waiting = try launch("", in: host)
        #expect(host.destroy(expire: .millisecond) == .ok)
        #expect(host.all.dones(of: waiting).count <= 1)
    }

    @Test("a function that runs when its host ends has the time to return")
    func leavingAtEnd() throws {
        let host = try host { $0.killAfter = 60_000_000_000 }
        let directory = try TemporaryDirectory()
        let gate = directory.path("gate")
        _ = try launch("wait \(gate)", in: host)
        try host.waitUntil("begun") { !lines(gate + ".begun").isEmpty }
        let destruction = Side { host.destroy(expire: .millisecond, leave: 60_000_000_000) }
        try host.waitUntil("leaving") { !host.engine.phase.isBefore(.leaving) }
        try Data().write(to: URL(fileURLWithPath: gate))
        #expect(destruction.join() == .ok)
        #expect(lines(gate + ".ended").count == 1)
        #expect(host.log.value.allSatisfy { !$0.contains("its process") })
    }

    @Test("a budget that is over before its process takes the task is kept once it does")
    func shortBudget() throws {
        let host = try host()
        let process = try #require(host.runtime.plugins.isolated.first?.process?.id)
        #expect(kill(process, SIGSTOP) == 0)
        let task = try launch("until", in: host, budget: 1000)
        let found = try #require(host.runtime.engine.tasks.find(task))
        let slot = host.runtime.engine.tasks.slot(found)
        func deadline() -> UInt64 { slot.pointee.deadline.load(ordering: .acquiring) }
        let first = deadline()
        try host.waitUntil("looked at") { deadline() > first }
        #expect(kill(process, SIGCONT) == 0)
        #expect(host.wait(task) == .ok)
        #expect(try host.query(task).outcome == .expired)
    }

    @Test("a plugin that cannot be entered, or whose process ends meanwhile, is refused")
    func refused() throws {
        let host = try host()
        for (name, text) in [
            ("violations/entry-fails", "the licence has run out"),
            ("violations/registers-nothing", "did not register it"),
            ("violations/registers-undeclared", "does not declare"),
        ] {
            let error = #expect(throws: BridgeError.self) {
                try host.runtime.plugins.load(BuiltProducts.testPluginDirectory(name))
            }
            #expect(error?.message.contains(text) == true, "\(error?.message ?? "")")
        }
        #expect(try run("", in: host).outcome == .succeeded)
    }
}
