// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

/// What `curfew serve` tells the manager that has started it, and its units.
@Suite("A service under a manager")
struct ServiceManagerTests {
    private let files: TemporaryDirectory

    init() throws { files = try TemporaryDirectory() }

    /// Runs a script in Python that has started a host with a socket for what it tells. `heard(n)` is the
    /// next n messages, each without what varies.
    private func manage(_ script: String, watchdog: String = "") throws -> String {
        let head = """
            import ctypes, json, os, signal, socket, subprocess, sys, time
            program, store, place = sys.argv[1:4]
            manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            manager.bind(place)
            manager.settimeout(30)
            def start():
                os.environ["NOTIFY_SOCKET"] = place
                os.environ["WATCHDOG_PID"] = str(os.getpid())
            host = subprocess.Popen(
                [program, "serve", "--json", "--store", store, "--config", sys.argv[4]],
                stdout=subprocess.DEVNULL, start_new_session=True, preexec_fn=start)
            def heard(count=1):
                words = []
                for _ in range(count):
                    text = manager.recv(4096).decode()
                    words.append(text.split("\\n")[0])
                return words

            """
        let configuration = files.path("curfew.json")
        try "{}".write(toFile: configuration, atomically: true, encoding: .utf8)
        let run = try ChildProcess.run(
            "python3",
            [
                "-c", head + script + "\nhost.send_signal(signal.SIGTERM)\nprint(host.wait())",
                CommandRun.program, files.path("store"), files.path("notify"), configuration,
            ],
            environment: CommandRun.environment.merging(
                ["HOME": files.path, "WATCHDOG_USEC": watchdog].filter { !$0.value.isEmpty }
            ) { $1 }, limit: .seconds(60))
        try #require(run.succeeded, "\(run)")
        return run.output
    }

    @Test("it is ready once it serves, reloads between two words, and says that it ends")
    func life() throws {
        let output = try manage(
            """
            print(heard())
            host.send_signal(signal.SIGHUP)
            print(heard(2))
            host.send_signal(signal.SIGTERM)
            print(heard())
            """)
        #expect(
            output.split(separator: "\n") == [
                "['READY=1']", "['RELOADING=1', 'READY=1']", "['STOPPING=1']", "0",
            ], "\(output)")
    }

    @Test("a watchdog hears of a host that lives, and not of one whose requests are stuck")
    func watchdog() throws {
        let output = try manage(
            """
            print(heard(4))
            threads = "/proc/%d/task" % host.pid
            def name(thread):
                return open("%s/%s/comm" % (threads, thread)).read().strip()
            stuck = [int(t) for t in os.listdir(threads) if name(t) == "curfew-requests"]
            libc = ctypes.CDLL(None, use_errno=True)
            SEIZE, INTERRUPT, DETACH = 0x4206, 0x4207, 17
            print(len(stuck))
            assert libc.ptrace(SEIZE, stuck[0], None, None) == 0
            assert libc.ptrace(INTERRUPT, stuck[0], None, None) == 0
            os.waitpid(stuck[0], 0x40000000)
            manager.settimeout(1)
            late = 0
            try:
                while True:
                    heard()
                    late += 1
            except TimeoutError:
                print("silent", late <= 2)
            assert libc.ptrace(DETACH, stuck[0], None, None) == 0
            manager.settimeout(30)
            print(heard())
            """, watchdog: "200000")
        #expect(
            output.split(separator: "\n") == [
                "['READY=1', 'WATCHDOG=1', 'WATCHDOG=1', 'WATCHDOG=1']", "1", "silent True",
                "['WATCHDOG=1']", "0",
            ], "\(output)")
    }

    @Test("a host that nobody watches says nothing, and does not load what it would need for that")
    func alone() throws {
        let script = """
            "$1" serve --store "$2" > "$2.out" & host=$!
            until grep -q serving "$2.out" 2>/dev/null; do sleep 0.05; done
            grep -c libsystemd /proc/$host/maps
            kill $host
            wait $host
            """
        let run = try ChildProcess.run(
            "sh", ["-c", script, "sh", CommandRun.program, files.path("store")],
            environment: CommandRun.environment.merging(["HOME": files.path]) { $1 },
            limit: .seconds(60))
        #expect(run.output == "0\n", "\(run)")
    }

    @Test("the units are sound, and that of the system is hardened", arguments: ["user", "system"])
    func units(_ kind: String) throws {
        let unit = BuiltProducts.prefix + "/lib/systemd/\(kind)/curfew.service"
        let check = try ChildProcess.run(
            "systemd-analyze", (kind == "user" ? ["--user"] : []) + ["verify", "--man=no", unit],
            environment: CommandRun.environment.merging(
                ["HOME": files.path, "XDG_RUNTIME_DIR": files.path]) { $1 }, limit: .seconds(60))
        #expect(check.succeeded && !check.errorOutput.contains("curfew.service:"), "\(check)")
        guard kind == "system" else { return }
        let score = try ChildProcess.run(
            "systemd-analyze", ["security", "--offline=true", "--threshold=35", unit],
            environment: CommandRun.environment, limit: .seconds(60))
        #expect(score.succeeded, "\(score)")
    }
}
