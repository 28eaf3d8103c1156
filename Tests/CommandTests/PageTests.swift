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
            # Starts the host again when it is gone, as a service manager does: a lock may outlive a killed host by a moment.
            keep = '''while :; do "$1" serve --config "$2" & echo $! >"$3/pid"; wait $!; sleep 0.1; done'''
            ready = '''until "$0" health --store "$1" >/dev/null 2>&1; do sleep 0.1; done'''
            log = open(place + "/log", "w")
            keeper = subprocess.Popen(["/bin/sh", "-c", keep, "sh", program, file, place],
                                      stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
            restart = place + "/restart"
            with open(restart, "w") as out:
                out.write('''#!/bin/sh
            kill -9 $(cat '%s/pid')
            exec /bin/sh -c '%s' '%s' '%s'
            ''' % (place, ready, program, store))
            os.chmod(restart, 0o755)
            try:
                subprocess.run(["/bin/sh", "-c", ready, program, store], check=True)
                for key in ("<img src=x onerror=alert(1)>", "\\u202eabc", "plain"):
                    subprocess.run([program, "submit", "--store", store, "--key", key, "--", "/bin/sh", "-c", "exit 1"],
                                   check=True, stdout=subprocess.DEVNULL)
                subprocess.run([program, "submit", "--store", store, "--needs", "network", "org.example.absent"],
                               check=True, stdout=subprocess.DEVNULL)
                link = json.loads(subprocess.run([program, "web", "--config", file, "--json"], check=True, capture_output=True).stdout)["url"]
                done = subprocess.run([sys.executable, "-B", checks, link, "--restart", restart], text=True, capture_output=True)
                print(done.stdout, done.stderr)
                sys.exit(done.returncode)
            finally:
                os.killpg(keeper.pid, signal.SIGKILL)
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
