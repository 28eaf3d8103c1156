// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

@Suite("curfew install, remove, rollback and verify")
struct InstallTests {
    private let desk: InstallDesk

    init() throws { desk = try InstallDesk() }

    // MARK: Installing

    @Test("a plugin is installed, found and run; its copy in the store cannot be changed")
    func install() throws {
        try desk.plugin("one", version: "1.0.0")
        let run = try desk.run("install", "one")
        #expect(run.code == 0, "\(run.process)")
        #expect(
            run.output == """
                org.example.tidy 1.0.0: installed
                  directory  \(desk.installed)
                  signed by  no trusted key

                """, "\(run.output)")
        #expect(run.errors.hasPrefix("warning[CF0327]: the plugin \"org.example.tidy\" is not"))
        #expect(run.errors.contains("there is no one/manifest.json.minisig"))
        #expect(desk.mode(desk.installed) == 0o755)
        #expect(desk.mode(desk.installed + "/tidy.sh") == 0o755)
        #expect(desk.mode(desk.installed + "/words/one.txt") == 0o644)
        #expect(desk.mode(desk.store) == 0o700)
        let stored = try #require(desk.names(desk.store).first { $0.hasPrefix("sha256-") })
        #expect(desk.mode("\(desk.store)/\(stored)") == 0o700)
        #expect(desk.mode("\(desk.store)/\(stored)/words/one.txt") == 0o400)
        #expect(desk.mode("\(desk.store)/\(stored)/tidy.sh") == 0o500)
        #expect(desk.names(desk.plugins) == [InstallDesk.id])
        let task = try desk.run("run", InstallDesk.id)
        #expect(task.code == 0, "\(task.process)")
        let audit = try desk.audit()
        #expect(audit.count == 1)
        #expect(audit[0]["what"] as? String == "install" && audit[0]["hash"] as? String == stored)
        #expect(audit[0]["uid"] as? Int == Int(getuid()) && audit[0]["signer"] is NSNull)
        #expect(desk.mode(desk.store + "/audit.jsonl") == 0o600)
    }

    @Test("the same content again changes nothing, and says so")
    func again() throws {
        try desk.plugin("one", version: "1.0.0")
        #expect(try desk.run("install", "one").code == 0)
        let again = try desk.run("install", "one")
        #expect(again.code == 0)
        #expect(
            again.output == "org.example.tidy 1.0.0: installed already, with this content\n")
        #expect(try desk.audit().count == 1)
        let document = try desk.run("install", "one", "--json").document()
        #expect(document["changed"] as? Bool == false)
    }

    @Test("another version takes its place, comes back, and is removed")
    func versions() throws {
        for (name, version) in [("one", "1.0.0"), ("two", "1.1.0"), ("three", "2.0.0")] {
            try desk.plugin(name, version: version)
            #expect(try desk.run("install", name).code == 0)
        }
        #expect(desk.version == "2.0.0")
        #expect(desk.names(desk.installed + "/words") == ["three.txt"])
        let back = try desk.run("rollback", InstallDesk.id)
        #expect(back.code == 0, "\(back.process)")
        #expect(back.output.hasPrefix("org.example.tidy 1.1.0: back, in place of 2.0.0\n"))
        #expect(try desk.run("rollback", InstallDesk.id).code == 0)
        #expect(desk.version == "1.0.0")
        let none = try desk.run("rollback", InstallDesk.id)
        #expect(none.code == 127)
        #expect(
            none.errors.hasPrefix("error: there is no version of org.example.tidy before 1.0.0\n"))
        let removed = try desk.run("remove", InstallDesk.id)
        #expect(removed.code == 0)
        #expect(removed.output.hasPrefix("org.example.tidy 1.0.0: removed\n"))
        #expect(desk.names(desk.plugins).isEmpty)
        #expect(try desk.run("rollback", InstallDesk.id).code == 0)
        #expect(desk.version == "1.0.0")
        let audit = try desk.audit()
        #expect(
            audit.map { $0["what"] as? String } == [
                "install", "install", "install", "rollback", "rollback", "remove", "rollback",
            ])
        #expect(audit[3]["before"] as? String == audit[2]["hash"] as? String)
    }

    @Test("eight versions are kept, and the store has no others")
    func limit() throws {
        for number in 0..<11 {
            try desk.plugin("one", version: "1.0.\(number)", says: "\(number)")
            #expect(try desk.run("install", "one").code == 0)
        }
        #expect(desk.names(desk.store).count { $0.hasPrefix("sha256-") } == 8)
        for _ in 0..<7 { #expect(try desk.run("rollback", InstallDesk.id).code == 0) }
        #expect(desk.version == "1.0.3")
        #expect(try desk.run("rollback", InstallDesk.id).code == 127)
    }

    @Test("a plugin with faults is not installed, and the faults name its own place")
    func faulty() throws {
        try desk.plugin("one", version: "1.0")
        let run = try desk.run("install", "one")
        #expect(run.code == 1)
        #expect(run.errors.contains("--> one/manifest.json:1:"), "\(run.errors)")
        #expect(run.errors.contains("error: `one` is not installed: it has faults\n"))
        #expect(!run.errors.contains("plugins.store"))
        #expect(desk.version == nil && desk.names(desk.store).isEmpty == false)
        #expect(!FileManager.default.fileExists(atPath: desk.store + "/audit.jsonl"))
        let missing = try desk.run("install", "nowhere")
        #expect(missing.code == 127 && missing.errors.contains("nowhere"), "\(missing.process)")
    }

    @Test("links, pipes and directories without end are refused")
    func links() throws {
        let plugin = try desk.plugin("one", version: "1.0.0")
        symlink("/etc/passwd", plugin + "/words/link")
        let link = try desk.run("install", "one")
        #expect(link.code == 126)
        #expect(link.errors.contains("words/link is a symbolic link, and a plugin has only files"))
        unlink(plugin + "/words/link")
        mkfifo(plugin + "/pipe", 0o600)
        #expect(try desk.run("install", "one").errors.contains("pipe is a named pipe"))
        unlink(plugin + "/pipe")
        var deep = plugin
        for _ in 0..<17 {
            deep += "/d"
            mkdir(deep, 0o755)
        }
        let refused = try desk.run("install", "one")
        #expect(refused.code == 126 && refused.errors.contains("16 parts"), "\(refused.process)")
        #expect(desk.version == nil)
    }

    @Test("what is in the plugin's place in another way is kept for a rollback, or refused")
    func foreign() throws {
        try desk.plugin("one", version: "1.0.0")
        try desk.plugin("two", version: "2.0.0")
        try desk.files.run("mkdir", ["-p", desk.plugins])
        try desk.files.run("cp", ["-r", "one", desk.installed])
        #expect(try desk.run("install", "two").code == 0)
        #expect(try desk.run("rollback", InstallDesk.id).code == 0)
        #expect(desk.version == "1.0.0")
        try desk.files.run("rm", ["-r", desk.installed])
        symlink(desk.files.path("one"), desk.installed)
        let link = try desk.run("install", "two")
        #expect(link.code == 8 && link.errors.contains("is not a directory"), "\(link.process)")
        unlink(desk.installed)
        try desk.files.run("cp", ["-r", "one", desk.plugins + "/tidy"])
        let other = try desk.run("install", "two")
        #expect(other.code == 8 && other.errors.contains("is there already in"), "\(other.process)")
    }

    @Test("a directory that others can change is refused")
    func writable() throws {
        try desk.plugin("one", version: "1.0.0")
        try desk.files.run("mkdir", ["-p", desk.plugins])
        chmod(desk.plugins, 0o777)
        let run = try desk.run("install", "one")
        #expect(
            run.code == 5 && run.errors.contains("can be changed by everyone"), "\(run.process)")
    }

    @Test("ids that are none, and words that are missing", arguments: ["../x", "a/b", "*", ".new"])
    func names(word: String) throws {
        for command in ["remove", "rollback", "verify"] {
            let run = try desk.run(command, word)
            #expect(run.code == 2 && run.errors.contains("is not the id of a plugin"))
        }
        #expect(desk.names(desk.files.path("home")).isEmpty)
    }

    @Test("what is not installed")
    func missing() throws {
        for command in ["remove", "rollback", "verify"] {
            let run = try desk.run(command, "org.example.none")
            #expect(run.code == 127, "\(run.process)")
            #expect(run.errors.hasPrefix("error: there is no plugin"), "\(run.errors)")
        }
        let all = try desk.run("verify")
        #expect(all.output.hasPrefix("nothing was installed by curfew install in"))
    }

    // MARK: Archives

    @Test(
        "a tar archive is the same as its directory", arguments: ["", "z", "j", "J", "--zstd"])
    func archive(compression: String) throws {
        try desk.plugin("one", version: "1.0.0")
        let option = compression.hasPrefix("-") ? compression : "-\(compression)"
        let options = compression.isEmpty ? [] : [option]
        try desk.files.run("tar", ["-c", "-f", "one.tar"] + options + ["one"])
        try desk.files.run("tar", ["-c", "-f", "flat.tar", "-C", "one"] + options + ["."])
        #expect(try desk.run("install", "one").code == 0)
        for name in ["one.tar", "flat.tar"] {
            let run = try desk.run("install", name, "--trust", "off")
            #expect(run.code == 0, "\(run.process)")
            #expect(run.output.contains("installed already"), "\(run.process)")
        }
    }

    /// Makes an archive by Python, which writes whatever it is told to.
    private func archive(_ script: String) throws {
        try desk.files.write(
            """
            import io, tarfile
            archive = tarfile.open("bad.tar", "w")
            def add(name, data=b"x", **members):
                info = tarfile.TarInfo(name)
                info.size = len(data)
                for key, value in members.items():
                    setattr(info, key, value)
                archive.addfile(info, io.BytesIO(data))
            add("manifest.json", open("one/manifest.json", "rb").read())
            \(script)
            archive.close()
            """, to: "make.py")
        try desk.files.run("python3", ["make.py"])
    }

    @Test(
        "an archive that leads out of the plugin, or has anything but files, is refused",
        arguments: [
            (#"add("../evil")"#, "it leads somewhere else"),
            (#"add("/evil")"#, "it leads somewhere else"),
            (#"add("a/../../evil")"#, "it leads somewhere else"),
            (#"add("a//evil")"#, "it leads somewhere else"),
            (#"add("a\nb")"#, "control character"),
            (#"add("link", b"", type=tarfile.SYMTYPE, linkname="/etc")"#, "other than a file"),
            (
                #"add("hard", b"", type=tarfile.LNKTYPE, linkname="manifest.json")"#,
                "other than a file"
            ),
            (#"add("device", b"", type=tarfile.CHRTYPE)"#, "other than a file"),
            (#"add("pipe", b"", type=tarfile.FIFOTYPE)"#, "other than a file"),
            (#"add("manifest.json", b"{}")"#, "is there twice"),
            (#"add("manifest.json/x")"#, "as a file and as a directory"),
            (#"add("/".join(["d"] * 20))"#, "16 parts"),
            (#"[add(f"f{n}") for n in range(4100)]"#, "more than 4096 files"),
        ])
    func hostile(script: String, reason: String) throws {
        try desk.plugin("one", version: "1.0.0")
        try archive(script)
        let run = try desk.run("install", "bad.tar")
        #expect(run.code == 126, "\(run.process)")
        #expect(run.errors.contains(reason), "\(run.errors)")
        #expect(run.errors.contains("nothing was changed"))
        #expect(desk.version == nil)
        #expect(!FileManager.default.fileExists(atPath: desk.files.path("home/evil")))
        #expect(!FileManager.default.fileExists(atPath: "/evil"))
    }

    @Test("an archive of a gigabyte and more is refused by what it says, and a sparse file as well")
    func bomb() throws {
        try desk.plugin("one", version: "1.0.0")
        try archive(
            """
            info = tarfile.TarInfo("zeros")
            info.size = 2 << 30
            archive.fileobj.write(info.tobuf(tarfile.USTAR_FORMAT))
            """)
        let run = try desk.run("install", "bad.tar")
        #expect(run.code == 126 && run.errors.contains("more than 1024 MiB"), "\(run.process)")
        try desk.files.run(
            "sh",
            ["-c", "truncate -s 9M one/zeros && tar -c -S -z -f sparse.tgz one && rm one/zeros"])
        let sparse = try desk.run("install", "sparse.tgz")
        #expect(sparse.code == 126 && sparse.errors.contains("--sparse"), "\(sparse.process)")
        #expect(try desk.run("install", "one").code == 0)
        #expect(desk.names(desk.store).count == 3, "\(desk.names(desk.store))")
    }

    @Test("a damaged archive, and a file that is none")
    func damaged() throws {
        try desk.plugin("one", version: "1.0.0")
        try desk.files.run("tar", ["-c", "-z", "-f", "one.tgz", "one"])
        var bytes = try desk.files.read("one.tgz")
        bytes.removeLast(bytes.count / 2)
        try desk.files.write(bytes, to: "cut.tgz")
        try desk.files.write("no archive", to: "text")
        try desk.files.write("", to: "empty")
        mkfifo(desk.files.path("pipe"), 0o600)
        for name in ["pipe", "/dev/zero"] {
            let run = try desk.run("install", name)
            #expect(run.code == 126 && run.errors.contains("neither a directory nor a file"))
        }
        for name in ["cut.tgz", "text", "empty"] {
            let run = try desk.run("install", name)
            #expect(run.code == 126, "\(run.process)")
            #expect(run.errors.contains("tar archive"), "\(run.errors)")
        }
        #expect(desk.version == nil)
    }

    // MARK: Trust

    /// A text without its line ends and columns.
    private func flat(_ text: String) -> String { text.replacing(/\s+/, with: " ") }

    @Test("a signed plugin is installed and run where signatures are required")
    func signed() throws {
        try desk.plugin("one", version: "1.0.0")
        try desk.sign("one", version: "1.0.0")
        let early = try desk.run("install", "one", "--trust", "require")
        #expect(early.code == 126)
        #expect(early.errors.hasPrefix("error[CF0330]: one/manifest.json.minisig was made by"))
        try desk.trust()
        let run = try desk.run("install", "one", "--trust", "require")
        #expect(run.code == 0 && run.errors.isEmpty, "\(run.process)")
        let number = try desk.minisign.number
        #expect(flat(run.output).contains(" signed by \(number), the key of \(desk.keys)/"))
        #expect(try desk.audit().last?["signer"] as? String == number)
        let task = try desk.run("run", InstallDesk.id, "--trust", "require")
        #expect(task.code == 0, "\(task.process)")
        let verified = try desk.run("verify", with: ["CURFEW_TRUST": "require"])
        #expect(verified.code == 0)
        #expect(verified.output == "org.example.tidy 1.0.0: ok, signed by \(number)\n")
        let inspected = try desk.run("inspect", InstallDesk.id)
        #expect(flat(inspected.output).contains(" signed by \(number), the key of \(desk.keys)/"))
        #expect(inspected.output.contains("id=org.example.tidy version=1.0.0 abi=0\n"))
    }

    @Test("a plugin that is not signed is not run where that is required, and warned of otherwise")
    func unsigned() throws {
        try desk.plugin("one", version: "1.0.0")
        #expect(try desk.run("install", "one", "--trust", "off").errors.isEmpty)
        let strict = try desk.run("run", InstallDesk.id, "--trust", "require")
        #expect(strict.code == 126, "\(strict.process)")
        #expect(strict.errors.hasPrefix("error[CF0327]: the plugin \"org.example.tidy\" is not"))
        #expect(strict.errors.contains("curfew inspect \(desk.installed)\n"))
        let variable = try desk.run("run", InstallDesk.id, with: ["CURFEW_TRUST": "require"])
        #expect(variable.code == 126)
        let option = try desk.run(
            "run", InstallDesk.id, "--trust", "warn", with: ["CURFEW_TRUST": "require"])
        #expect(option.code == 0 && option.output.contains("CF0327 load-unsigned"))
        let usual = try desk.run("run", InstallDesk.id)
        #expect(usual.code == 0 && !usual.output.contains("CF0327"))
        for run in [
            try desk.run("run", InstallDesk.id, "--trust", "on"),
            try desk.run("run", InstallDesk.id, with: ["CURFEW_TRUST": "yes"]),
        ] {
            #expect(run.code == 2 && run.errors.contains("takes off, warn or require"))
        }
        let verified = try desk.run("verify", "--trust", "require")
        #expect(verified.code == 1 && verified.output.contains("1 fault\n"))
        #expect(try desk.run("verify").code == 0)
        let inspected = try desk.run("inspect", InstallDesk.id)
        #expect(inspected.output.contains("  signed by  nobody: there is no manifest.json.minisig"))
    }

    @Test("an older version is refused, unless it is wanted")
    func downgrade() throws {
        try desk.trust()
        for (name, version) in [("two", "1.10.0"), ("one", "1.9.0")] {
            try desk.plugin(name, version: version)
            try desk.sign(name, version: version)
        }
        #expect(try desk.run("install", "two", "--trust", "require").code == 0)
        let older = try desk.run("install", "one", "--trust", "require")
        #expect(older.code == 126)
        #expect(
            older.errors.hasPrefix(
                "error[CF0335]: org.example.tidy 1.9.0 is older than 1.10.0, which is installed"))
        #expect(desk.version == "1.10.0")
        let wanted = try desk.run("install", "one", "--trust", "require", "--allow-downgrade")
        #expect(wanted.code == 0 && desk.version == "1.9.0")
        #expect(try desk.run("install", "two").code == 0)
        let warned = try desk.run("install", "one")
        #expect(warned.code == 0 && warned.errors.hasPrefix("warning[CF0335]: "))
    }

    @Test("a key that is removed brings no version back")
    func revoked() throws {
        try desk.trust()
        for (name, version) in [("one", "1.0.0"), ("two", "2.0.0")] {
            try desk.plugin(name, version: version)
            try desk.sign(name, version: version)
            #expect(try desk.run("install", name, "--trust", "require").code == 0)
        }
        #expect(try desk.run("trust", "remove", desk.minisign.number).code == 0)
        let run = try desk.run("rollback", InstallDesk.id, "--trust", "require")
        #expect(run.code == 126 && run.errors.hasPrefix("error[CF0330]: org.example.tidy/"))
        #expect(desk.version == "2.0.0")
    }

    // MARK: Verifying

    @Test(
        "verify says where a host runs another build than the one that is installed",
        arguments: ["process", "one"])
    func running(plugin: String) throws {
        let script = """
            import json, subprocess, sys, time
            program = sys.argv[1]
            def run(*words):
                return subprocess.run([program, *words], capture_output=True, text=True)
            def running():
                [plugin] = json.loads(run("verify", "--json").stdout)["plugins"]
                return plugin["running"]
            plugin = sys.argv[2]
            assert run("install", plugin).returncode == 0
            host = subprocess.Popen([program, "serve", "--json"], stdout=subprocess.PIPE, text=True)
            for line in host.stdout:
                if json.loads(line)["event"] == "serving":
                    break
            digest = subprocess.run(
                "for f in manifest.json lib*.so; do test ! -e $f || sha256sum < $f; done"
                " | cut -c -64 | tr -d '\\n' | sha256sum",
                shell=True, capture_output=True, text=True, cwd=plugin).stdout[:64]
            text = open(plugin + "/manifest.json").read()
            open(plugin + "/manifest.json", "w").write(text.replace("1.0.0", "1.0.1"))
            assert running() is None
            assert run("install", plugin).returncode == 0
            while running() is None:
                time.sleep(0.02)
            assert running() == digest, (running(), digest)
            shown = run("verify")
            words = " ".join(shown.stdout.split())
            assert shown.returncode == 0 and " 1.0.1: ok" in words, shown
            assert "another build of it runs in process %d" % host.pid in words, shown
            host.terminate()
            assert host.wait() == 0
            assert running() is None
            missing = run("verify", "--store", "none")
            assert missing.returncode == 4 and "there is no store at none" in missing.stderr, missing
            """
        try FileManager.default.copyItem(
            atPath: BuiltProducts.testPluginDirectory("process"),
            toPath: desk.files.path("process"))
        try desk.plugin("one", version: "1.0.0")
        let run = try ChildProcess.run(
            "python3", ["-c", script, CommandRun.program, plugin],
            environment: CommandRun.environment.merging(desk.environment) { $1 },
            directory: desk.files.path, limit: .seconds(60))
        #expect(run.succeeded, "\(run)")
    }

    @Test("a file that was changed, added or removed is named, and a rollback brings it back")
    func changed() throws {
        try desk.plugin("one", version: "1.0.0")
        #expect(try desk.run("install", "one").code == 0)
        try desk.files.run(
            "sh",
            ["-c", "cd \(desk.installed); echo x >> tidy.sh; rm words/one.txt; echo y > new.txt"])
        let run = try desk.run("verify")
        #expect(run.code == 1)
        #expect(
            run.output == """
                org.example.tidy 1.0.0: 3 faults
                  tidy.sh was changed
                  words/one.txt is missing
                  new.txt was added
                  to bring back what was installed: curfew rollback org.example.tidy

                """, "\(run.output)")
        #expect(try desk.run("rollback", InstallDesk.id).code == 0)
        #expect(try desk.run("verify").output == "org.example.tidy 1.0.0: ok, not signed\n")
        let stored = try #require(desk.names(desk.store).first { $0.hasPrefix("sha256-") })
        let file = "\(desk.store)/\(stored)/tidy.sh"
        chmod(file, 0o700)
        try Data("x".utf8).write(to: URL(fileURLWithPath: file))
        let damaged = try desk.run("verify", "--json")
        #expect(damaged.code == 1)
        let plugins = try #require(try damaged.document()["plugins"] as? [[String: Any]])
        #expect((plugins[0]["problems"] as? [String])?[0].contains("is damaged") == true)
        // Installing the same content mends the store.
        #expect(try desk.run("install", "one").code == 0)
        #expect(try desk.run("verify").code == 0)
    }

    @Test("what was changed in its place is no version, and no change of it comes back")
    func tampered() throws {
        try desk.plugin("one", version: "1.0.0")
        try desk.plugin("two", version: "2.0.0")
        func tamper() throws {
            try desk.files.run("sh", ["-c", "echo evil >> \(desk.installed)/tidy.sh"])
            #expect(try desk.run("verify").code == 1)
        }
        let good = "org.example.tidy 1.0.0: ok, not signed\n"
        #expect(try desk.run("install", "one").code == 0)
        try tamper()
        #expect(try desk.run("remove", InstallDesk.id).code == 0)
        #expect(try desk.run("rollback", InstallDesk.id).code == 0)
        #expect(try desk.run("verify").output == good)
        try tamper()
        #expect(try desk.run("install", "two").code == 0)
        #expect(try desk.run("rollback", InstallDesk.id).code == 0)
        #expect(try desk.run("verify").output == good)
        try tamper()
        #expect(try desk.run("install", "one").code == 0)
        #expect(try desk.run("verify").output == good)
        #expect(try desk.run("rollback", InstallDesk.id).code != 0)
        // A file that is missing makes it no version either.
        try desk.files.run("rm", ["\(desk.installed)/manifest.json"])
        #expect(try desk.run("remove", InstallDesk.id).code == 0)
        #expect(try desk.run("rollback", InstallDesk.id).code == 0)
        #expect(try desk.run("verify").output == good)
    }

    @Test("a link in a plugin's directory is a fault of that plugin, and a rollback takes it away")
    func link() throws {
        try desk.plugin("one", version: "1.0.0")
        try desk.plugin("other", version: "1.0.0", id: "org.example.other")
        #expect(try desk.run("install", "one").code == 0)
        #expect(try desk.run("install", "other").code == 0)
        symlink("/etc/passwd", desk.installed + "/link")
        try desk.files.run("mkfifo", [desk.installed + "/words/pipe"])
        let run = try desk.run("verify")
        #expect(run.code == 1, "\(run.process)")
        #expect(run.output.contains("  link was added\n  words/pipe was added\n"), "\(run.output)")
        #expect(run.output.contains("org.example.other 1.0.0: ok"), "\(run.output)")
        #expect(try desk.run("rollback", InstallDesk.id).code == 0)
        #expect(try desk.run("verify").code == 0)
    }

    @Test("a directory that a host would refuse is a fault")
    func refusedByHosts() throws {
        try desk.plugin("one", version: "1.0.0")
        #expect(try desk.run("install", "one").code == 0)
        chmod(desk.installed, 0o777)
        let run = try desk.run("verify")
        #expect(run.code == 1 && run.output.contains("can be changed by"), "\(run.process)")
    }

    @Test("a key that may sign a plugin does not sign handlers of others")
    func foreignHandler() throws {
        try desk.plugin("evil", version: "1.0.0", id: "aaa.evil")
        let manifest = desk.files.path("evil/manifest.json")
        let text = try String(contentsOfFile: manifest, encoding: .utf8)
        try text.replacing(#""identifier": "aaa.evil""#, with: #""identifier": "org.example.tidy""#)
            .write(toFile: manifest, atomically: false, encoding: .utf8)
        try desk.sign("evil", version: "1.0.0", id: "aaa.evil")
        try desk.trust("aaa.evil")
        let run = try desk.run("install", "evil", "--trust", "require")
        #expect(run.code != 0)
        #expect(
            run.errors.contains("may sign aaa.evil and not the handler \"org.example.tidy\""),
            "\(run.process)")
        #expect(run.errors.contains(" --prefix org.example.tidy\n"), "\(run.errors)")
    }

    // MARK: Keys

    @Test("keys are added, listed and removed; each change is in the audit")
    func keys() throws {
        let number = try desk.minisign.number
        #expect(try desk.run("trust", "list").output.hasPrefix("no key is trusted in /etc/curfew"))
        let added = try desk.run("trust", "add", desk.minisign.key, "--prefix", "org.example")
        #expect(added.code == 0, "\(added.process)")
        let file = "\(desk.keys)/\(number).pub"
        #expect(added.output == "\(number) may sign org.example\n  \(file)\n")
        #expect(desk.mode(file) == 0o644)
        let more = try desk.run("trust", "add", desk.minisign.key, "--prefix", "com.you.tool")
        #expect(more.output.hasPrefix("\(number) may sign com.you.tool, org.example\n"))
        let listed = try desk.run("trust", "list")
        #expect(listed.output == "\(number)  \(file)\n  may sign com.you.tool, org.example\n")
        let paths = try desk.run("paths", "--json").document()
        let places = try #require(paths["keys"] as? [[String: Any]])
        #expect(places.map { $0["keys"] as? Int } == [0, 1])
        #expect(try desk.run("paths").output.contains("keys that may sign plugins:\n"))
        let removed = try desk.run("trust", "remove", number)
        #expect(removed.code == 0 && desk.names(desk.keys).isEmpty)
        #expect(try desk.run("trust", "remove", number).code == 127)
        #expect(
            try desk.audit().map { $0["what"] as? String } == [
                "trust-add", "trust-add", "trust-remove",
            ])
        let ids = try desk.audit().map { $0["id"] as? String }
        #expect(ids == [number, number, number])
    }

    @Test("what is no key, no prefix or no operation")
    func wrongKeys() throws {
        let key = desk.minisign.key
        for (words, code, text) in [
            (["add", key], 2, "lacks what the key may sign"),
            (["add", key, "--prefix", "org."], 2, "is not the beginning of a plugin's id"),
            (["add"], 2, "lacks the file of a key"), (["remove"], 2, "lacks the number of a key"),
            (["remove", "x"], 2, "is not the number of a key"), (["show"], 2, "has no operation"),
            (["list", "--prefix", "org"], 2, "belongs to `curfew trust add`"),
            (["add", "/nowhere", "--prefix", "org"], 127, "cannot be read"),
            (["add", "/etc/passwd", "--prefix", "org"], 126, "so it is no public key"),
        ] as [([String], Int32, String)] {
            let run = CommandRun(
                process: try ChildProcess.run(
                    CommandRun.program, ["trust"] + words,
                    environment: CommandRun.environment.merging(["HOME": desk.files.path("home")]) {
                        $1
                    }))
            #expect(run.code == code && run.errors.contains(text), "\(words): \(run.process)")
        }
        #expect(desk.names(desk.files.path("home")).isEmpty)
    }
}
