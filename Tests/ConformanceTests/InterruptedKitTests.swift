// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

@Suite("An interrupted kit")
struct InterruptedKitTests {
    @Test(
        "leaves nothing behind",
        arguments: [
            (SIGINT, HarmPhase.run), (SIGTERM, .run), (SIGHUP, .run), (SIGTERM, .constructor),
            (SIGINT, .retire), (SIGKILL, .run),
        ])
    func interrupted(signal: Int32, phase: HarmPhase) throws {
        let plugin = try HarmfulPlugin(
            """
            for (int n = 0; n < 3; n++)
                if (fork() == 0) { setsid(); ignore(); for (;;) pause(); }
            if (fork() == 0) { if (fork() != 0) _exit(0); setsid(); ignore(); for (;;) pause(); }
            mkdir("locked", 0); mkfifo("pipe", 0); chmod(".", 0);
            int ready = open(getenv("CURFEW_TEST_READY"), O_WRONLY), watcher = getppid();
            if (write(ready, &watcher, sizeof watcher) > 0) for (;;) round++;
            """, phase)
        let watch = try Surveillance()
        #expect(mkfifo(watch.readyPath, 0o600) == 0)
        let ready = open(watch.readyPath, O_RDWR | O_CLOEXEC)
        defer { close(ready) }

        let ended = DispatchSemaphore(value: 0)
        let ending = Mutex<ChildProcess.Ending?>(nil)
        let output = Mutex("")
        let tap = plugin.directory + ".tap"
        let environment = ConformRun.environment.merging(watch.environment) { $1 }
        let directory = plugin.directory
        // Of a case that begins or ends at that moment, SIGKILL may leave an empty directory: there is to be no
        // other one beside it.
        let alone = signal == SIGKILL ? ["--only", "clean-exit"] : []
        Thread.detachNewThread {
            let kit = try? ChildProcess.run(
                ConformRun.program, ["conform", directory, "--json", "--tap", tap] + alone,
                environment: environment, limit: .seconds(60))
            output.withLock { $0 = kit?.output ?? "" }
            ending.withLock { $0 = kit?.ending }
            ended.signal()
        }
        var event = pollfd(fd: ready, events: Int16(POLLIN), revents: 0)
        let came = poll(&event, 1, 30_000)
        var watcher: pid_t = 0
        if came == 1, read(ready, &watcher, 4) == 4, let kit = try parent(of: watcher), kit > 1 {
            kill(kit, signal)
        }
        ended.wait()
        guard signal != SIGKILL else {
            // The processes with which it watches its children end by themselves.
            #expect(ending.withLock { $0 } == .signalled(SIGKILL))
            #expect(watch.awaitsEndOfProcesses())
            #expect(watch.residue == [])
            return
        }
        #expect(ending.withLock { $0 } == .exited(128 + signal))
        #expect(watch.residue == [])
        // What was known by then is told.
        let text = output.withLock { $0 }
        let document = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        let plugins = try #require(document?["plugins"] as? [[String: Any]], "\(text)")
        let known = try #require(plugins.first?["cases"] as? [[String: Any]])
        #expect(
            document?["ok"] as? Bool == false
                && known.contains { $0["status"] as? String == "pass" })
        #expect(try #require(plugins.first?["notRun"] as? Int) > 0)
        let lines = try String(contentsOfFile: tap, encoding: .utf8).split(separator: "\n")
        #expect(lines.last == "Bail out! A signal ended the kit." && lines.count > known.count)
    }

    @Test("writes its reports also if nobody reads its output", arguments: [true, false])
    func unread(isJSON: Bool) throws {
        let files = try TemporaryDirectory()
        let script = """
            import fcntl, os, signal, subprocess, sys, time
            r, w = os.pipe()
            fcntl.fcntl(w, fcntl.F_SETFL, os.O_NONBLOCK)
            try:
                while True: os.write(w, b"x" * 4096)
            except BlockingIOError: pass
            fcntl.fcntl(w, fcntl.F_SETFL, 0)
            kit = subprocess.Popen(sys.argv[1:], stdout=w)
            place = "/proc/%d/" % kit.pid
            # A case has begun, or the first line waits for its reader.
            while len(os.listdir(place + "task")) < 3 and "pipe_write" not in open(place + "wchan").read():
                time.sleep(0.01)
            kit.send_signal(signal.SIGTERM)
            print(kit.wait())
            """
        let twin = try Twin(name: "good").directory
        let words = [
            "conform", twin, "--sarif", files.path("r.sarif"), "--badge",
            files.path("r.badge"),
        ]
        let run = try ChildProcess.run(
            "python3", ["-c", script, ConformRun.program] + words + (isJSON ? ["--json"] : []),
            environment: ConformRun.environment, limit: .seconds(60))
        #expect(run.output == "143\n", "\(run)")
        let report = try String(contentsOfFile: files.path("r.sarif"), encoding: .utf8)
        #expect(report.contains(#""executionSuccessful":false"#), "\(report)")
        let badge = try String(contentsOfFile: files.path("r.badge"), encoding: .utf8)
        #expect(badge.contains(" not run"), "\(badge)")
    }

    /// The kit, of the process with which it watches a child.
    private func parent(of process: pid_t) throws -> pid_t? {
        let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("PPid:") }
        return line.flatMap { pid_t($0.dropFirst(5).trimmingCharacters(in: .whitespaces)) }
    }
}
