// SPDX-License-Identifier: Apache-2.0

import Foundation
import PluginBridge
import Scheduling
import TestSupport
import Testing

@testable import Runner

/// Handlers that are programs: real ones of the system, and a bad one in C.
@Suite("Programs as handlers")
struct CommandTests {
    private static let name = "org.example.program"

    /// A host with one handler, which runs that program.
    private func host(
        _ words: [ManifestCommand.Word], clock: ManualClock? = nil, readsPayload: Bool = false,
        success: Set<Int32> = [0], directory: String = "/", concurrency: UInt32 = 1,
        budget: UInt64 = 60 * .second, grace: UInt64 = 30 * .second
    ) throws -> TestHost {
        let host = try TestHost(clock: clock)
        let command = ManifestCommand(
            words: words, readsPayload: readsPayload, environment: ["GIVEN": "by the manifest"],
            directory: directory, success: success)
        let registry = host.runtime.plugins
        _ = try host.engine.register(
            HandlerDescription(
                identifier: Self.name, kind: .processing, budget: budget, grace: grace,
                maxConcurrency: concurrency),
            registry.commands.code(
                command, directory: directory, concurrency: Int(concurrency),
                plugin: PluginList.embedder, registry.ownTable), owner: nil)
        return host
    }

    private func shell(
        _ script: String, _ more: ManifestCommand.Word..., clock: ManualClock? = nil,
        readsPayload: Bool = false, success: Set<Int32> = [0], concurrency: UInt32 = 1,
        budget: UInt64 = 60 * .second, grace: UInt64 = 30 * .second
    ) throws -> TestHost {
        try host(
            [.text("/bin/sh"), .text("-c"), .text(script), .text("sh")] + more, clock: clock,
            readsPayload: readsPayload, success: success, concurrency: concurrency,
            budget: budget, grace: grace)
    }

    /// Runs one task to its end.
    private func run(_ host: TestHost, payload: String = "") throws -> (
        outcome: Outcome?, error: String, result: String
    ) {
        let task = try host.launch(Self.name, payload: Array(payload.utf8))
        #expect(host.wait(task) == .ok)
        let state = try host.query(task)
        defer { _ = host.release(task) }
        return (
            state.outcome, host.errorText(task) ?? "",
            String(decoding: host.result(task) ?? [], as: UTF8.self)
        )
    }

    private static let stubborn = Result { try StubbornProgram.compile() }

    private func isAlive(_ process: Int32) -> Bool {
        guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
            let end = text.lastIndex(of: ")")
        else { return false }
        return !text[end...].hasPrefix(") Z")
    }

    private func numbers(in file: String) -> [Int32] {
        let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
        return text.split(whereSeparator: \.isWhitespace).compactMap { Int32($0) }
    }

    private func waitUntil(_ what: String, _ isSo: () throws -> Bool) throws {
        let end = Date().addingTimeInterval(20)
        while try !isSo() {
            guard Date() < end else { throw TestFault(text: "not \(what) within the limit") }
            usleep(2_000)
        }
    }

    // MARK: Ends

    @Test("the exit code decides, and the last line of standard error is the reason")
    func exitCodes() throws {
        let good = try run(try shell("exit 0"))
        #expect(good.outcome == .succeeded)
        let bad = try run(try shell("echo out; echo not this >&2; echo no space left >&2; exit 3"))
        #expect(bad.outcome == .failed)
        #expect(bad.error == "exited with status 3: no space left")
        let known = try run(try shell("exit 24", success: [0, 24]))
        #expect(known.outcome == .succeeded)
        let killed = try run(try shell("kill -SEGV $$"))
        #expect(killed.outcome == .failed)
        #expect(killed.error.hasPrefix("was ended by SIGSEGV"))
    }

    @Test("a program that is not there or cannot be run fails, with the reason")
    func missing() throws {
        let missing = try run(try host([.text("no-such-program-here")]))
        #expect(missing.outcome == .failed)
        #expect(missing.error == "the program no-such-program-here is not found in PATH")
        let absent = try run(try host([.text("/no/such/program")]))
        #expect(absent.error == "/no/such/program cannot be run: No such file or directory")
        let directory = try TemporaryDirectory()
        let plain = directory.path + "/plain"
        try "echo hello\n".write(toFile: plain, atomically: true, encoding: .utf8)
        let denied = try run(try host([.text(plain)]))
        #expect(denied.error == "\(plain) cannot be run: Permission denied")
        chmod(plain, 0o755)
        let noFormat = try run(try host([.text(plain)]))
        #expect(noFormat.error.hasPrefix("\(plain) cannot be run: it is neither a program"))
        try "#!/no/interpreter\n".write(toFile: plain, atomically: true, encoding: .utf8)
        chmod(plain, 0o755)
        let lost = try run(try host([.text(plain)]))
        #expect(
            lost.error == "\(plain) cannot be run: the interpreter that it names is missing")
        let nowhere = try run(try host([.text("/bin/true")], directory: "/no/such/directory"))
        #expect(nowhere.error.hasPrefix("the directory /no/such/directory cannot be entered"))
    }

    // MARK: Payload and surroundings

    @Test("the payload is an argument, standard input or a file")
    func payload() throws {
        let argument = try run(
            try shell("echo \"curfew: result $1\"", .payload), payload: "a b *")
        #expect(argument.result == "a b *")
        let input = try run(
            try shell("echo \"curfew: result $(cat)\"", readsPayload: true), payload: "from stdin")
        #expect(input.result == "from stdin")
        let file = try run(
            try shell("echo \"curfew: result $(cat \"$1\")\"", .payloadFile), payload: "a file")
        #expect(file.result == "a file")
        let none = try run(try shell("echo \"curfew: result [$(cat)]\""), payload: "not passed on")
        #expect(none.result == "[]")
        let zero = try run(try shell("true", .payload), payload: "a\0b")
        #expect(zero.outcome == .failed)
    }

    @Test("a payload of a mebibyte that is never read holds nothing up")
    func unread() throws {
        let host = try shell("exit 0", readsPayload: true)
        let payload = String(repeating: "x", count: 1 << 20)
        #expect(try run(host, payload: payload).outcome == .succeeded)
    }

    @Test("environment, directory, descriptors and signals are the program's own")
    func surroundings() throws {
        let leaked = open("/etc/hostname", O_RDONLY)
        defer { close(leaked) }
        setenv("CURFEW_SECRET_OF_THE_HOST", "secret", 1)
        defer { unsetenv("CURFEW_SECRET_OF_THE_HOST") }
        let script = """
            echo "curfew: result $GIVEN|$CURFEW_IDENTIFIER|$CURFEW_ATTEMPT|$CURFEW_SECRET_OF_THE_HOST|$PWD"
            echo "curfew: result $((CURFEW_DEADLINE - $(date +%s)))"
            echo "curfew: result $(ls /proc/self/fd | tr '\\n' ' ')"
            echo "curfew: result $(grep -E 'SigBlk|SigIgn' /proc/self/status | tr -d '\\n\\t ')"
            """
        let lines = try run(try shell(script)).result.split(separator: "\n").map(String.init)
        #expect(lines.first == "by the manifest|\(Self.name)|1||/")
        // Of the budget's 60.
        #expect((20...60).contains(try #require(Int(lines[1]))))
        // Those of `ls`: it opens the directory itself.
        #expect(lines.dropFirst(2).first == "0 1 2 3 ")
        #expect(lines.last == "SigBlk:0000000000000000SigIgn:0000000000000000")
    }

    // MARK: Output

    @Test("lines are logged, progress is reported, results are kept")
    func lines() throws {
        let host = try shell(
            "echo one; echo 'curfew: progress 0.25 a quarter'; echo 'curfew: progress 50%' >&2;"
                + " echo 'curfew: progress 7 too much'; echo 'curfew: result first';"
                + " printf 'curfew: result second'")
        let end = try run(host)
        #expect(end.result == "first\nsecond")
        let log = host.log.value
        #expect(log.contains("one"))
        #expect(log.contains("curfew: progress 7 too much"))
        #expect(log.contains { $0.hasPrefix("used 0.") && $0.contains("of memory") })
        #expect(!log.contains("curfew: result first"))
        try waitUntil("reported") {
            host.all.events.filter { $0.selector.name == "program_progress" }.count == 2
        }
    }

    @Test("a flood of output is bounded, and its end is still the reason")
    func flood() throws {
        let host = try shell(
            "head -c 20000000 /dev/zero | tr '\\0' 'x'; yes line | head -n 200000;"
                + " echo why >&2; exit 1")
        let end = try run(host)
        #expect(end.error == "exited with status 1: why")
        let bytes = host.log.value.reduce(0) { $0 + $1.utf8.count }
        #expect(bytes < 3 * CommandOutput.logLimit)
        #expect(host.log.value.contains { $0.hasSuffix("bytes of its output are not logged") })
    }

    @Test("closed outputs are no end")
    func closed() throws {
        let host = try shell("exec >&- 2>&-; sleep 0.1; exit 7")
        #expect(try run(host).error == "exited with status 7")
    }

    // MARK: Stopping

    @Test("the budget ends in SIGTERM, and what is answered within the grace counts as answered")
    func expiration() throws {
        let directory = try TemporaryDirectory()
        let ready = directory.path + "/ready"
        let host = try shell(
            "trap 'echo cleaned >&2; exit 4' TERM; : > \(ready); while :; do sleep 0.02; done",
            clock: ManualClock(), budget: 5 * .second)
        let task = try host.launch(Self.name)
        try waitUntil("ready") { access(ready, F_OK) == 0 }
        _ = host.clock?.advance(by: 5 * .second - 1)
        usleep(50_000)
        #expect(try host.query(task).outcome == nil)
        _ = host.clock?.advance(by: 1)
        #expect(host.wait(task) == .ok)
        #expect(try host.query(task).outcome == .expired)
        #expect(host.engine.answer(of: task) == "exited with status 4: cleaned")
        _ = host.release(task)
    }

    @Test("the end of the grace kills all that the program started, whatever it did against that")
    func killed() throws {
        let directory = try TemporaryDirectory()
        let file = directory.path + "/processes"
        let host = try host(
            [.text(try Self.stubborn.get()), .text(file)], clock: ManualClock(),
            budget: 5 * .second, grace: 2 * .second)
        let task = try host.launch(Self.name)
        // Itself, a child, one in a session of its own, and one that was given away twice.
        try waitUntil("started") { numbers(in: file).count == 4 }
        let processes = numbers(in: file)
        _ = host.clock?.advance(by: 5 * .second)
        usleep(100_000)
        #expect(processes.allSatisfy(isAlive))
        _ = host.clock?.advance(by: 2 * .second)
        #expect(host.wait(task) == .ok)
        #expect(try host.query(task).outcome == .expired)
        #expect(processes.allSatisfy { !isAlive($0) })
        _ = host.release(task)
    }

    @Test("what a program leaves running ends with it")
    func background() throws {
        let directory = try TemporaryDirectory()
        let file = directory.path + "/processes"
        let host = try shell(
            "setsid sleep 1000 & echo $! > \(file); sleep 1000 & echo $! >> \(file)")
        #expect(try run(host).outcome == .succeeded)
        #expect(numbers(in: file).count == 2)
        try waitUntil("killed") { numbers(in: file).allSatisfy { !isAlive($0) } }
    }

    @Test("a shutdown stops programs, and kills those that do not end")
    func shutdown() throws {
        let directory = try TemporaryDirectory()
        let file = directory.path + "/processes"
        let host = try host([.text(try Self.stubborn.get()), .text(file)])
        let task = try host.launch(Self.name)
        try waitUntil("started") { numbers(in: file).count == 4 }
        #expect(host.destroy(expire: 100_000_000) == .ok)
        #expect(numbers(in: file).allSatisfy { !isAlive($0) })
        _ = task
    }

    @Test("a spawner that is killed takes its programs with it, and is replaced")
    func spawnerKilled() throws {
        let directory = try TemporaryDirectory()
        let file = directory.path + "/processes"
        let host = try host([.text(try Self.stubborn.get()), .text(file)])
        let task = try host.launch(Self.name)
        try waitUntil("started") { numbers(in: file).count == 4 }
        let spawner = try #require(children(named: "curfew-spawner").first)
        kill(spawner, SIGKILL)
        #expect(host.wait(task) == .ok)
        #expect(try host.query(task).outcome == .failed)
        try waitUntil("killed") { numbers(in: file).allSatisfy { !isAlive($0) } }
        _ = host.release(task)
        let second = try host.launch(Self.name)
        try waitUntil("started again") { numbers(in: file).contains(where: isAlive) }
        _ = host.cancel(second)
    }

    @Test("the processes of a program that stops those that watch it are killed")
    func stoppedWatchers() throws {
        let directory = try TemporaryDirectory()
        let file = directory.path + "/processes"
        let host = try host(
            [.text(try Self.stubborn.get()), .text(file)], clock: ManualClock(),
            budget: 5 * .second, grace: 2 * .second)
        let task = try host.launch(Self.name)
        try waitUntil("started") { numbers(in: file).count == 4 }
        let spawner = try #require(children(named: "curfew-spawner").first)
        let supervisor = try #require(children(named: "curfew-command", of: spawner).first)
        for process in [spawner, supervisor] { kill(process, SIGSTOP) }
        _ = host.clock?.advance(by: 7 * .second)
        #expect(host.wait(task) == .ok)
        #expect(try host.query(task).outcome == .expired)
        #expect(numbers(in: file).allSatisfy { !isAlive($0) })
        _ = host.release(task)
    }

    @Test("what a killed supervisor leaves ends with the host, however soon that is")
    func supervisorKilledAtEnd() throws {
        for _ in 0..<20 {
            let directory = try TemporaryDirectory()
            let file = directory.path + "/processes"
            let host = try host([.text(try Self.stubborn.get()), .text(file)])
            let task = try host.launch(Self.name)
            try waitUntil("started") { numbers(in: file).count == 4 }
            let spawner = try #require(children(named: "curfew-spawner").first)
            kill(try #require(children(named: "curfew-command", of: spawner).first), SIGKILL)
            #expect(host.destroy(expire: 0) == .ok)
            #expect(numbers(in: file).allSatisfy { !isAlive($0) })
            _ = task
        }
    }

    @Test("a supervisor that is killed leaves nothing")
    func supervisorKilled() throws {
        let directory = try TemporaryDirectory()
        let file = directory.path + "/processes"
        let host = try host([.text(try Self.stubborn.get()), .text(file)])
        let task = try host.launch(Self.name)
        try waitUntil("started") { numbers(in: file).count == 4 }
        let spawner = try #require(children(named: "curfew-spawner").first)
        let supervisor = try #require(
            children(named: "curfew-command", of: spawner).first)
        kill(supervisor, SIGKILL)
        #expect(host.wait(task) == .ok)
        #expect(host.errorText(task) == "was killed together with its supervisor")
        try waitUntil("killed") { numbers(in: file).allSatisfy { !isAlive($0) } }
        _ = host.release(task)
    }

    /// The children of a process, of this one by default, that have such a name.
    private func children(named name: String, of parent: Int32 = getpid()) throws -> [Int32] {
        try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { Int32($0) }
            .filter { process in
                guard
                    let text = try? String(
                        contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
                    let end = text.lastIndex(of: ")"), text.contains("(\(name))")
                else { return false }
                let fields = text[text.index(after: end)...].split(separator: " ")
                return fields.count > 1 && Int32(fields[1]) == parent
            }
    }

    // MARK: Many

    @Test("as many run at a time as may, and no worker waits for them")
    func concurrency() throws {
        let directory = try TemporaryDirectory()
        let host = try shell(
            "mktemp \(directory.path)/XXXXXX >/dev/null; while [ ! -e \(directory.path)/go ]; do"
                + " sleep 0.02; done", concurrency: 20)
        let tasks = try (0..<25).map { _ in try host.launch(Self.name) }
        func begun() throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: directory.path).count
        }
        try waitUntil("running") { try begun() == 20 }
        usleep(100_000)
        #expect(try begun() == 20)
        FileManager.default.createFile(atPath: directory.path + "/go", contents: nil)
        for task in tasks {
            #expect(host.wait(task) == .ok)
            #expect(try host.query(task).outcome == .succeeded)
            _ = host.release(task)
        }
    }

    @Test("of a hundred as many run as may, share one thread, and leave no descriptor")
    func hundred() throws {
        let directory = try TemporaryDirectory()
        let host = try shell(
            "mktemp \(directory.path)/XXXXXX >/dev/null; while [ ! -e \(directory.path)/go ]; do"
                + " sleep 0.2; done", concurrency: 64)
        // The first one starts the thread and the spawner.
        FileManager.default.createFile(atPath: directory.path + "/go", contents: nil)
        _ = try run(host)
        try FileManager.default.removeItem(atPath: directory.path + "/go")
        let before = ProcessFacts.now
        let tasks = try (0..<100).map { _ in try host.launch(Self.name) }
        try waitUntil("running") {
            try FileManager.default.contentsOfDirectory(atPath: directory.path).count == 65
        }
        let during = ProcessFacts.now
        #expect(during.threads <= before.threads + 4, "\(before), then \(during)")
        // Two outputs and the channel of the supervisor.
        #expect(during.descriptors <= before.descriptors + 3 * 64, "\(before), then \(during)")
        FileManager.default.createFile(atPath: directory.path + "/go", contents: nil)
        for task in tasks {
            #expect(host.wait(task) == .ok)
            #expect(try host.query(task).outcome == .succeeded)
            _ = host.release(task)
        }
        try waitUntil("closed") { ProcessFacts.now.descriptors <= before.descriptors }
    }

    @Test("descriptors, threads and processes are as many after many runs as after the first")
    func flat() throws {
        let host = try host([.text("/bin/true")], concurrency: 16)
        _ = try run(host)
        let before = ProcessFacts.now
        for _ in 0..<20 {
            let tasks = try (0..<50).map { _ in try host.launch(Self.name) }
            for task in tasks {
                #expect(host.wait(task) == .ok)
                #expect(try host.query(task).outcome == .succeeded)
                _ = host.release(task)
            }
        }
        try waitUntil("closed") { ProcessFacts.now.descriptors <= before.descriptors }
        #expect(ProcessFacts.now.threads <= before.threads + 4)
        let spawner = try #require(children(named: "curfew-spawner").first)
        try waitUntil("reaped") { try children(named: "curfew-command", of: spawner).isEmpty }
    }

    // MARK: Programs that no manifest names

    @Test("a host that permits commands runs those of payloads, and another has no such handler")
    func permitted() throws {
        let plain = try TestHost(clock: nil)
        #expect(plain.tryLaunch(CommandPayload.identifier).status == .notFound)
        let host = try TestHost(clock: nil) { $0.permitsCommands = true }
        func end(_ payload: String) throws -> (Outcome?, String) {
            let task = try host.launch(CommandPayload.identifier, payload: Array(payload.utf8))
            #expect(host.wait(task) == .ok)
            defer { _ = host.release(task) }
            return (
                try host.query(task).outcome,
                String(decoding: host.result(task) ?? [], as: UTF8.self)
            )
        }
        let good = try end(
            #"{"argv": ["sh", "-c", "echo curfew: result $A $PWD"], "directory": "/usr", "environment": {"A": "b"}}"#
        )
        #expect(good.0 == .succeeded)
        #expect(good.1 == "b /usr")
        for bad in [
            "", "{}", #"{"argv": [], "directory": "/"}"#, #"{"argv": ["a"], "directory": "b"}"#,
        ] {
            #expect(try end(bad).0 == .failed)
        }
    }
}
