// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

/// `curfew top` on terminals of tmux, which people have as well.
@Suite(
    "A host on a whole screen",
    .enabled(if: (try? ChildProcess.run("tmux", ["-V"]).succeeded) ?? false))
struct TopTests {
    private let files: TemporaryDirectory

    init() throws { files = try TemporaryDirectory() }

    /// Runs a script in Python beside a host. `top` starts it on a terminal, and `screen` returns the lines of that.
    private func serve(_ script: String) throws -> String {
        let head = """
            import json, os, signal, subprocess, sys, time
            program, place = sys.argv[1:3]
            store, server = place + "/store", "curfew-test-%d" % os.getpid()
            with open(place + "/curfew.json", "w") as out:
                json.dump({"store": store, "apps": {"enabled": False}, "schedules": [
                    {"name": "hourly", "command": ["/usr/bin/env"], "every": "1h"}]}, out)
            def start():
                host = subprocess.Popen([program, "serve", "--config", place + "/curfew.json"], stdout=subprocess.PIPE)
                host.stdout.readline()
                return host
            def run(*words):
                return subprocess.run([program, words[0], "--store", store, *words[1:]], capture_output=True, text=True)
            def tmux(*words):
                return subprocess.run(["tmux", "-f", "/dev/null", "-L", server, *words], capture_output=True, text=True).stdout
            def keys(*names): tmux("send-keys", "-t", "0", *names)
            def screen(): return tmux("capture-pane", "-p", "-t", "0").rstrip("\\n").split("\\n")
            def until(what, text):
                end = time.monotonic() + 30
                while not what():
                    if time.monotonic() > end: sys.exit("not within 30 s: %s\\n%s" % (text, "\\n".join(screen())))
                    time.sleep(0.05)
            def seen(text): until(lambda: any(text in line for line in screen()), text)
            def top(columns=80, rows=24):
                tmux("new-session", "-d", "-x", str(columns), "-y", str(rows), "bash --norc --noprofile")
                keys("PS1='> '; stty -g >%s/before; '%s' top --interval 200ms --store %s; echo left $?" % (place, program, store), "Enter")
                seen("curfew 0.")
            def terminal():
                keys("", "Enter", "stty -g >%s/after" % place, "Enter")
                until(lambda: os.path.exists(place + "/after") and open(place + "/after").read(), "stty")
                same = open(place + "/before").read() == open(place + "/after").read()
                os.remove(place + "/after")
                return same, tmux("display", "-p", "-t", "0", "#{alternate_on} #{cursor_flag}").strip()
            def pids(name):
                how = "-x" if name == "terminal-guard" else "-f"
                found = subprocess.run(["pgrep", how, name], capture_output=True, text=True).stdout.split()
                # One that is over may not have been collected yet.
                return [int(p) for p in found if open("/proc/%s/stat" % p).read().rsplit(")")[-1].split()[0] != "Z"]
            host = start()
            try:

            """
        let body = script.split(separator: "\n", omittingEmptySubsequences: false)
            .map { "    " + $0 }.joined(separator: "\n")
        let tail = """

            finally:
                tmux("kill-server")
                host.kill()
            """
        let run = try ChildProcess.run(
            "python3", ["-c", head + body + tail, CommandRun.program, files.path],
            environment: CommandRun.environment.merging([
                "HOME": files.path, "TERM": "xterm-256color", "TMUX_TMPDIR": files.path,
            ]) { $1 }, limit: .seconds(120))
        try #require(run.succeeded, "\(run)")
        return run.output
    }

    @Test(
        "what runs, waits, is due and ended is there; keys cancel, retry, launch, pause and say why"
    )
    func keys() throws {
        let output = try serve(
            """
            run("submit", "--needs", "network", "org.example.absent")
            run("submit", "--", "/bin/sleep", "60")
            run("submit", "--", "/bin/false")
            top()
            seen("RUNNING")
            seen("/bin/sleep 60")
            seen("failed")
            until(lambda: any("org.example.absent" in l and "handler" in l for l in screen()), "what it waits for")
            lines = screen()
            print(len(lines) <= 24, max(len(l) for l in lines) <= 80, [w for w in ("RUNNING", "WAITING", "NEXT", "TASK", "ENDED") if any(l.startswith(w) for l in lines)])
            keys("j", "c")
            seen("cancel request 3? (y/n)")
            keys("n")
            seen("nothing was done")
            keys("c", "y")
            until(lambda: json.loads(run("show", "3", "--json").stdout)["state"] == "cancelled", "a cancelled request")
            keys("End", "r")
            until(lambda: json.loads(run("show", "4", "--json").stdout)["launches"] == 2, "a retry")
            # While it runs its line is the first one, and a look may be older than the keys that follow.
            until(lambda: sum("/bin/false" in l and "failed" in l for l in screen()) == 2
                and not any(l.startswith("RUNNING") for l in screen()), "its second end")
            keys("Home", "w")
            seen("org.example.absent")
            seen("more lines")
            keys("x")
            seen("WAITING")
            keys("?")
            seen("pause its handler")
            keys("x")
            until(lambda: any("/usr/bin/env" in l for l in screen()), "what is next")
            keys("j", "p")
            seen("is not launched until")
            keys("p")
            seen("is launched again")
            keys("l")
            until(lambda: json.loads(run("show", "1", "--json").stdout)["launches"] == 1, "a launch")
            tmux("resize-window", "-t", "0", "-x", "200", "-y", "60")
            until(lambda: any(store in l for l in screen()), "a wide screen")
            keys("q")
            seen("left 0")
            print(*terminal())
            """)
        #expect(
            output == """
                True True ['RUNNING', 'WAITING', 'NEXT', 'TASK', 'ENDED']
                True 0 1

                """, "\(output)")
    }

    @Test("nothing is left on the terminal when it is killed, and it outlives its host")
    func kills() throws {
        let output = try serve(
            """
            top()
            own = pids(program + " top")
            os.kill(own[0], signal.SIGKILL)
            until(lambda: not pids("terminal-guard"), "the end of the guard")
            # What the shell said of it may have been on the screen that is gone.
            keys("echo it is $((6 * 7))", "Enter")
            seen("it is 42")
            print(*terminal())
            for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
                keys("clear; '%s' top --store %s; echo left $?" % (program, store), "Enter")
                seen("curfew 0.")
                os.kill(pids(program + " top")[0], number)
                seen("left 0")
                print(*terminal(), pids("terminal-guard"))
            keys("clear; '%s' top --interval 200ms --store %s; echo left $?" % (program, store), "Enter")
            seen("curfew 0.")
            host.kill()
            host.wait()
            seen("no host uses the store")
            host = start()
            until(lambda: not any("no host" in l for l in screen()), "another host")
            keys("q")
            seen("left 0")
            done = run("top", "--once")
            print(done.returncode, done.stdout.splitlines()[0].split("  ")[0], any(l.startswith("NEXT") for l in done.stdout.splitlines()), "\\x1b" in done.stdout)
            shown = json.loads(run("top", "--json").stdout)
            print([r["identifier"] for r in shown["next"]], shown["waiting"], shown["running"], shown["workers"]["stuck"])
            host.kill()
            host.wait()
            print(run("top").returncode)
            """)
        #expect(
            output == """
                True 0 1
                True 0 1 []
                True 0 1 []
                True 0 1 []
                0 curfew 0.1.0 True False
                ['org.curfew.command'] [] [] 0
                4

                """, "\(output)")
    }
}
