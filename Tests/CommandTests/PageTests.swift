// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

private let pageEnvironment = CommandRun.environment.merging([
    "PYTHONPATH": BuiltProducts.packageRoot + "/.build/page-packages"
]) { $1 }

/// The web page of a real host, in a real browser: see Tests/Web/page.py.
///
/// It takes minutes, and needs chromium and Playwright, which `make test-all` installs.
@Suite(
    "The web page in a browser",
    .enabled(if: ProcessInfo.processInfo.environment["CURFEW_PAGE"] != nil))
struct PageTests {
    @Test("all checks pass, also after the host was killed and started again")
    func page() throws {
        let files = try TemporaryDirectory()
        let script = """
            import json, os, signal, socket, subprocess, sys
            program, place, checks = sys.argv[1:4]
            with socket.socket() as free:
                free.bind(("127.0.0.1", 0))
                port = free.getsockname()[1]
            store, file = place + "/store", place + "/curfew.json"
            os.environ["CURFEW_PLUGIN_PATH"] = place
            with open(file, "w") as out:
                json.dump({"store": store, "apps": {"enabled": False}, "web": {"listen": "127.0.0.1:%d" % port}, "schedules": [
                    {"name": "tick", "command": ["/bin/date"], "every": "3s"},
                    {"name": "fails", "command": ["/bin/sh", "-c", "exit 3"], "every": "5s"},
                    {"name": "slow", "command": ["/bin/sleep", "60"], "every": "8s", "budget": "2s", "grace": "1s"},
                    {"name": "hourly", "command": ["/usr/bin/env"], "every": "1h"}]}, out)
            start = place + "/start"
            with open(start, "w") as out:
                out.write('''#!/bin/sh
            [ -e %(place)s/pid ] && kill -9 $(cat %(place)s/pid)
            setsid %(program)s serve --config %(file)s >>%(place)s/log 2>&1 </dev/null &
            echo $! >%(place)s/pid
            until %(program)s health --store %(store)s >/dev/null 2>&1; do sleep 0.1; done
            ''' % {"place": place, "program": program, "file": file, "store": store})
            os.chmod(start, 0o755)
            try:
                subprocess.run([start], check=True)
                for key in ("<img src=x onerror=alert(1)>", "\\u202eabc", "plain"):
                    subprocess.run([program, "submit", "--store", store, "--key", key, "--", "/bin/sh", "-c", "exit 1"],
                                   check=True, stdout=subprocess.DEVNULL)
                subprocess.run([program, "submit", "--store", store, "--needs", "network", "org.example.absent"],
                               check=True, stdout=subprocess.DEVNULL)
                link = json.loads(subprocess.run([program, "web", "--config", file, "--json"], check=True, capture_output=True).stdout)["url"]
                done = subprocess.run([sys.executable, "-B", checks, link, "--restart", start], text=True, capture_output=True)
                print(done.stdout, done.stderr)
                sys.exit(done.returncode)
            finally:
                os.killpg(int(open(place + "/pid").read()), signal.SIGKILL)
            """
        let run = try ChildProcess.run(
            "python3",
            [
                "-c", script, CommandRun.program, files.path,
                BuiltProducts.packageRoot + "/Tests/Web/page.py",
            ], environment: pageEnvironment.merging(["HOME": files.path]) { $1 },
            limit: .seconds(600))
        #expect(run.succeeded, "\(run)")
    }
}
