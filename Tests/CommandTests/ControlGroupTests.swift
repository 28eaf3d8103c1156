// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

/// A group below that of the tests, of which they are the manager, by a script.
private enum OwnGroup {
    /// Whether it can be made.
    static let isPossible: Bool = {
        let trial = try? ChildProcess.run("python3", ["-c", head + "os.rmdir(group)", "", ""])
        return trial?.succeeded == true
    }()

    /// `call` runs the command as a process of the group, `names` has the groups below.
    static let head = """
        import json, os, signal, subprocess, sys, time
        program, directory = sys.argv[1:]
        mount = next(l.split()[4] for l in open("/proc/self/mountinfo") if " - cgroup2 " in l)
        own = next(l[3:].strip() for l in open("/proc/self/cgroup") if l.startswith("0::"))
        group = "%s%s/curfewtest%d" % (mount, own.rstrip("/"), os.getpid())
        os.mkdir(group)
        def enter():
            with open(group + "/cgroup.procs", "w") as file:
                file.write(str(os.getpid()))
        def names():
            return sorted(name for name in os.listdir(group) if os.path.isdir(group + "/" + name))
        def call(*words):
            done = subprocess.run([program, *words], preexec_fn=enter, capture_output=True, text=True)
            if done.returncode != 0:
                sys.exit("%s: %s%s" % (words, done.stdout, done.stderr))
            return done.stdout
        def mark():
            os.setxattr(group, "user.delegate", b"1")
        def remove():
            for name in names():
                os.rmdir(group + "/" + name)
            os.rmdir(group)

        """
}

@Suite("Control groups of children", .enabled(if: OwnGroup.isPossible))
struct ControlGroupTests {
    private func run(_ body: String) throws {
        let files = try TemporaryDirectory()
        let script = """
            \(OwnGroup.head)
            try:
                \(body.split(separator: "\n").joined(separator: "\n    "))
            finally:
                with open(group + "/cgroup.kill", "w") as file:
                    file.write("1")
                while "populated 1" in open(group + "/cgroup.events").read():
                    time.sleep(0.01)
                remove()
            """
        let done = try ChildProcess.run(
            "python3", ["-c", script, CommandRun.program, files.path("")],
            environment: CommandRun.environment, limit: .seconds(120))
        #expect(done.succeeded, "\(done)")
    }

    @Test("a program has a group of its own where the host's is delegated, and it is removed")
    func program() throws {
        try run(
            """
            def place():
                call("run", "--", "sh", "-c", "cat /proc/self/cgroup > %s/place" % directory)
                return open(directory + "/place").read().split("0::")[1].strip().split("/")
            assert place()[-1] == os.path.basename(group), place()
            assert names() == [], names()
            mark()
            found = place()
            assert found[-1].startswith("curfew-") and found[-2] == os.path.basename(group), found
            assert names() == ["main"], names()
            """)
    }

    @Test("where clone3 is refused, as in a unit of systemd, each has its group all the same")
    func withoutClone3() throws {
        let source = BuiltProducts.packageRoot + "/Tests/TestSupport/without.c"
        try run(
            """
            curfew, program = program, directory + "/without"
            subprocess.run(["cc", "-std=gnu11", "-o", program, "\(source)"], check=True)
            mark()
            call("clone3", curfew, "run", "--", "sh", "-c", "cat /proc/self/cgroup > %s/place" % directory)
            found = open(directory + "/place").read().split("0::")[1].strip().split("/")
            assert found[-1].startswith("curfew-") and found[-2] == os.path.basename(group), found
            confinement = json.loads(call("clone3", curfew, "inspect", "--json"))
            assert "control group" in confinement["inForce"], confinement
            assert "pid namespace" in confinement["inForce"], confinement
            """)
    }

    @Test("inspect has what is in force, and why not")
    func inspected() throws {
        try run(
            """
            def confinement():
                return json.loads(call("inspect", "--json"))
            before = confinement()
            assert "control group" not in before["inForce"], before
            assert any("none is delegated" in str(m) for m in before["notInForce"]), before
            mark()
            after = confinement()
            assert "control group" in after["inForce"], after
            limits = ["limit of all its memory", "limit of all its processes"]
            for limit in limits:
                missing = [m for m in after["notInForce"] if limit in str(m)]
                assert (limit in after["inForce"]) != bool(missing), after
                assert all("no controller for it is enabled" in str(m) for m in missing), after
            """)
    }

    @Test("what a killed host has left is removed by the next one, but not what another one uses")
    func stale() throws {
        try run(
            """
            mark()
            os.mkdir(group + "/main")
            def begin():
                host = subprocess.Popen(
                    [program, "run", "--budget", "60s", "--", "sh", "-c", "echo re''ady; sleep 60"],
                    preexec_fn=enter, stdout=subprocess.PIPE, text=True)
                while "ready" not in host.stdout.readline():
                    pass
                return host
            first = begin()
            mine = [name for name in names() if name != "main"]
            assert len(mine) == 1, names()
            first.kill()
            first.wait()
            while any(open(group + "/" + name + "/cgroup.procs").read() for name in names()):
                time.sleep(0.01)
            second = begin()
            assert mine[0] not in names() and len(names()) == 2, names()
            call("run", "--", "true")
            assert len(names()) == 2, names()
            second.terminate()
            second.wait()
            assert names() == ["main"], names()
            """)
    }
}
