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

    @Test(
        "a manager waits for the end as long as tasks may take, by what the configuration says last"
    )
    func patience() throws {
        let output = try manage(
            """
            heard()
            with open(sys.argv[4], "w") as file:
                file.write('{"stop": {"grace": "10min"}}')
            host.send_signal(signal.SIGHUP)
            heard(2)
            host.send_signal(signal.SIGTERM)
            lines = manager.recv(4096).decode().split("\\n")
            print(lines[0], next(int(l[20:]) // 60_000_000 for l in lines if l.startswith("EXTEND_TIMEOUT_USEC=")))
            """)
        #expect(output.split(separator: "\n") == ["STOPPING=1 10", "0"], "\(output)")
    }

    @Test(
        "a watchdog hears of a host that lives, and not of one whose requests or clients are stuck",
        arguments: ["curfew-requests", "curfew-http"])
    func watchdog(thread: String) throws {
        let output = try manage(
            """
            print(heard(4))
            threads = "/proc/%d/task" % host.pid
            def name(thread):
                return open("%s/%s/comm" % (threads, thread)).read().strip()
            stuck = [int(t) for t in os.listdir(threads) if name(t) == "\(thread)"]
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

    /// Runs a script in Python that can start hosts on a socket of its own, `place`, as a manager does. `ask` is
    /// a call's status and answer.
    private func activate(_ script: String) throws -> String {
        let head = """
            import http.client, json, os, signal, socket, subprocess, sys, threading, time
            program, store = sys.argv[1:3]
            place = store + "/control.sock"
            os.mkdir(store, 0o700)
            def start(*sockets, names="control", **more):
                def prepare():
                    for index, each in enumerate(sockets): os.dup2(each.fileno(), 10 + index)
                    for index in range(len(sockets)): os.dup2(10 + index, 3 + index)
                    os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS=str(len(sockets)), LISTEN_FDNAMES=names)
                return subprocess.Popen(
                    [program, "serve", "--store", store, "--json"], text=True, close_fds=False,
                    preexec_fn=prepare, **{"stdout": subprocess.DEVNULL, **more})
            class Connection(http.client.HTTPConnection):
                def connect(self):
                    self.sock = socket.socket(socket.AF_UNIX)
                    self.sock.settimeout(60)
                    self.sock.connect(place)
            def ask(method, target, body=None):
                connection = Connection("localhost")
                try:
                    connection.request(
                        method, target, body and json.dumps(body), {"Content-Type": "application/json"} if body else {})
                    answer = connection.getresponse()
                    return answer.status, json.loads(answer.read())
                finally: connection.close()
            def listening(kind=socket.SOCK_STREAM, family=socket.AF_UNIX):
                made = socket.socket(family, kind)
                if family == socket.AF_UNIX: made.bind(place)
                if kind == socket.SOCK_STREAM: made.listen(4096)
                return made

            """
        let run = try ChildProcess.run(
            "python3", ["-c", head + script, CommandRun.program, files.path("store")],
            environment: CommandRun.environment.merging(["HOME": files.path]) { $1 },
            limit: .seconds(90))
        try #require(run.succeeded, "\(run)")
        return run.output
    }

    @Test("a socket that the manager has opened is used, and stays")
    func activation() throws {
        let output = try activate(
            """
            os.rmdir(store)
            os.mkdir(store, 0o700)
            host = subprocess.Popen(
                ["systemd-socket-activate", "-l", place, "--fdname=control", program, "serve", "--store", store],
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            # The first command that finds it listening has the host started.
            def health():
                words = [program, "health", "--store", store]
                return subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode
            while (code := health()) == 4: pass
            print(code)
            print(ask("GET", "/v1/host")[1]["process"] == host.pid)
            status, one = ask("POST", "/v1/requests", {"command": ["/bin/sh", "-c", "echo $LISTEN_FDS; ls -l /proc/self/fd | grep -c socket:"]})
            ask("GET", "/v1/requests/1/wait")
            print(ask("GET", "/v1/requests/1")[1]["attemptList"][0]["log"])
            host.send_signal(signal.SIGTERM)
            print(host.wait(), os.path.exists(place))
            """)
        #expect(
            output.split(separator: "\n") == ["0", "True", "['0']", "0 True"],
            "\(output)")
    }

    @Test("clients that submit while the host is started again and again see no refused connection")
    func restarts() throws {
        let output = try activate(
            """
            given = listening()
            stored, broken, ends = set(), [], False
            def submit(client):
                number = 0
                while not ends:
                    number += 1
                    key = "%d-%d" % (client, number)
                    while True:
                        try:
                            status, answer = ask("POST", "/v1/requests", {
                                "identifier": "org.example.a", "after": "1h", "key": key, "onPending": "add"})
                        except (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError):
                            continue  # it was accepted, and not read: asked again, with its key
                        except OSError as error:
                            return broken.append(error)
                        if status != 503: break
                    if status not in (200, 201): return broken.append(answer)
                    stored.add(answer["id"])
            clients = [threading.Thread(target=submit, args=(each,)) for each in range(16)]
            for each in clients: each.start()
            codes = []
            for _ in range(4):
                host = start(given)
                goal = len(stored) + 200
                while len(stored) < goal and not broken: time.sleep(0.005)
                if len(codes) == 3: ends = True
                if ends:
                    for each in clients: each.join()
                    known = ask("GET", "/v1/requests?state=pending&limit=1")[1]
                    print(len(known["requests"]) + known["more"] == len(stored))
                host.send_signal(signal.SIGTERM)
                codes.append(host.wait())
            print(codes, broken)
            """)
        #expect(output == "True\n[0, 0, 0, 0] []\n", "\(output)")
    }

    @Test("a socket in another place is used, and the host says that commands do not find it")
    func elsewhere() throws {
        let output = try activate(
            """
            place = store + ".sock"
            host = start(listening(), stdout=subprocess.PIPE)
            for line in host.stdout:
                line = json.loads(line)
                if "where the commands look" in line.get("text", ""): break
            print(line["level"], ask("GET", "/v1/host")[0])
            code = subprocess.run([program, "health", "--store", store], capture_output=True).returncode
            host.send_signal(signal.SIGTERM)
            print(code, host.wait())
            """)
        #expect(output == "warning 200\n4 0\n", "\(output)")
    }

    @Test("sockets that are not what a host expects are refused, by name")
    func wrongSockets() throws {
        let output = try activate(
            """
            def refused(*sockets, **more):
                host = start(*sockets, stderr=subprocess.PIPE, **more)
                print(host.communicate()[1].split("\\n")[0].split("cannot be used: ")[-1], host.returncode)
            given = listening()
            refused(given, names="http")
            refused(given, given, names="control:control")
            refused(listening(family=socket.AF_INET))
            os.remove(place)
            refused(listening(kind=socket.SOCK_DGRAM))
            """)
        #expect(
            output.split(separator: "\n") == [
                "one socket with the name control is expected, not http 125",
                "one socket with the name control is expected, not control, control 125",
                "the socket control is not a stream of a Unix socket that listens 125",
                "the socket control is not a stream of a Unix socket that listens 125",
            ], "\(output)")
    }

    @Test(
        "where its output leads to systemd's journal, each line is an entry with fields",
        .enabled(if: (try? ChildProcess.run("unshare", ["-rm", "true"]))?.succeeded ?? false))
    func journal() throws {
        let script = """
            import os, signal, socket, struct, subprocess, sys
            program, store = sys.argv[1:3]
            journal = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            journal.bind("/run/systemd/journal/socket")
            journal.settimeout(30)
            out = open(store + ".out", "w+")
            status = os.fstat(out.fileno())
            host = subprocess.Popen(
                [program, "serve", "--store", store], stdout=out,
                env=dict(os.environ, JOURNAL_STREAM="%d:%d" % (status.st_dev, status.st_ino)))
            def entry():
                data, fields = journal.recv(65536), {}
                while data:
                    line, data = data.split(b"\\n", 1)
                    if b"=" in line: name, value = line.split(b"=", 1)
                    else:
                        name, size = line, struct.unpack("<Q", data[:8])[0]
                        value, data = data[8:8 + size], data[8 + size + 1:]
                    fields.setdefault(name.decode(), value.decode())
                return fields
            first = entry()
            print(first["MESSAGE"].replace(store, "STORE"), first["MESSAGE_ID"], first["PRIORITY"])
            subprocess.run([program, "submit", "--store", store, "--", "/bin/sh", "-c", "echo said; exit 3"],
                           stdout=subprocess.DEVNULL)
            while True:
                each = entry()
                if each["CURFEW_EVENT"] == "log" and each["MESSAGE"].endswith("said"): print(each["CURFEW_EVENT"], each["CURFEW_REQUEST"], each["PRIORITY"])
                if each["CURFEW_EVENT"] == "ended": break
            print(each["MESSAGE"], each["CURFEW_SUCCEEDED"], each["PRIORITY"], each["SYSLOG_IDENTIFIER"])
            host.send_signal(signal.SIGTERM)
            host.wait()
            print(os.fstat(out.fileno()).st_size)
            """
        let hide = "mount -t tmpfs none /run && mkdir -p /run/systemd/journal && exec \"$@\""
        let run = try ChildProcess.run(
            "unshare",
            ["-rm", "sh", "-c", hide, "sh", "python3", "-c", script, CommandRun.program]
                + [files.path("store")],
            environment: CommandRun.environment.merging(["HOME": files.path]) { $1 },
            limit: .seconds(60))
        #expect(
            run.output.split(separator: "\n") == [
                "serving: STORE, 2 plugins 4d388e245b664aa28fd84e7f271b7b4c 6", "log 1 6",
                "ended: request 1, command: exited with status 3: said false 4 curfew", "0",
            ], "\(run)")
    }

    @Test("the units are sound, and that of the system is hardened", arguments: ["user", "system"])
    func units(_ kind: String) throws {
        let units = BuiltProducts.prefix + "/lib/systemd/\(kind)/curfew"
        let unit = units + ".service"
        let check = try ChildProcess.run(
            "systemd-analyze",
            (kind == "user" ? ["--user"] : []) + ["verify", "--man=no", unit, units + ".socket"],
            environment: CommandRun.environment.merging(
                ["HOME": files.path, "XDG_RUNTIME_DIR": files.path]) { $1 }, limit: .seconds(60))
        #expect(check.succeeded && !check.errorOutput.contains("curfew."), "\(check)")
        guard kind == "system" else { return }
        let score = try ChildProcess.run(
            "systemd-analyze", ["security", "--offline=true", "--threshold=35", unit],
            environment: CommandRun.environment, limit: .seconds(60))
        #expect(score.succeeded, "\(score)")
        let place = files.path("curfew.service")
        let manager = FileManager.default
        try manager.copyItem(atPath: unit, toPath: place)
        try manager.createDirectory(atPath: place + ".d", withIntermediateDirectories: true)
        try manager.copyItem(
            atPath: BuiltProducts.prefix + "/share/curfew/strict.conf",
            toPath: place + ".d/strict.conf")
        let strict = try ChildProcess.run(
            "systemd-analyze", ["security", "--offline=true", "--threshold=20", place],
            environment: CommandRun.environment, limit: .seconds(60))
        #expect(strict.succeeded, "\(strict)")
    }
}
