// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

@Suite("curfew inspect")
struct InspectTests {
    private static let patient = BuiltProducts.testPluginDirectory("patient")

    /// A plugin whose entry, constructors and the like are C of the test's.
    static func plugin(
        _ body: String, run: String = "return CURFEW_OK;", entry: String = "return CURFEW_OK;",
        flags: [String] = [], in files: TemporaryDirectory
    ) throws {
        try files.write(
            #"""
            {"id": "org.example.odd", "version": "1.0.0", "abi": 0, "library": "libodd.so",
             "handlers": [{"identifier": "org.example.odd", "kind": "app-refresh"}]}
            """#, to: "odd/manifest.json")
        let file = try files.write(
            """
            #define _GNU_SOURCE
            #include <curfew/plugin.h>
            #include <fcntl.h>
            #include <pthread.h>
            #include <signal.h>
            #include <stdio.h>
            #include <stdlib.h>
            #include <string.h>
            #include <unistd.h>
            CURFEW_PLUGIN_NOTE();
            static curfew_status run(void *data, const curfew_host_api *api, curfew_task task,
                                     curfew_error *error) { \(run) }
            \(body)
            CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(
                const curfew_host_api *api, curfew_plugin_info *info, curfew_error *error) {
                const curfew_handler handler = {.struct_size = sizeof handler,
                                                .identifier = "org.example.odd", .run = run};
                api->register_handler(api, &handler, error);
                \(entry)
            }

            """, to: "odd.c")
        let built = try ChildProcess.run(
            "gcc",
            [
                "-shared", "-fPIC", "-w", "-I", BuiltProducts.packageRoot + "/include", "-o",
                files.path("odd/libodd.so"), file,
            ] + flags)
        try #require(built.succeeded, "\(built)")
    }

    // MARK: Without running it

    @Test("all that is known of a plugin, in 80 columns")
    func text() throws {
        let plugin = BuiltProducts.testPluginDirectory("cli-errands")
        let run = try CommandRun("inspect", plugin)
        #expect(run.code == 0)
        #expect(run.errors.isEmpty)
        let size = try Data(contentsOf: URL(fileURLWithPath: plugin + "/libcli-errands.so")).count
        let grouped = "\(size / 1_000),\(String(1_000 + size % 1_000).dropFirst())"
        let lines = run.output.split(separator: "\n").map(String.init)
        #expect(lines.first == "org.curfew.test.errands 1.2.0", "\(run.output)")
        #expect(lines.contains("  manifest   ok"))
        #expect(lines.contains("  ABI        0 in the manifest, 0 in the library's note"))
        #expect(
            lines.contains {
                $0.hasPrefix("  library    libcli-errands.so, \(grouped) bytes, ")
            }, "\(run.output)")
        #expect(lines.contains { $0.hasSuffix(", with no code of Swift") })
        #expect(lines.contains("  exports    1 symbol, curfew_plugin_entry among them"))
        #expect(lines.contains("  needs      libc.so.6"))
        #expect(lines.contains("org.curfew.test.errands.waits, processing"))
        #expect(lines.contains("  budget     10 min, grace 2 s, 1 at a time"))
        #expect(lines.contains { $0.contains("its own: works_made(text, int64)") })
        #expect(lines.allSatisfy { $0.count <= 80 || $0.hasPrefix("  directory") }, "\(lines)")
    }

    @Test("what a plugin may use, and what confines it on this machine")
    func confinement() throws {
        let plugin = BuiltProducts.testPluginDirectory("needs")
        let text = try CommandRun("inspect", plugin)
        #expect(text.code == 0, "\(text.process)")
        for line in [
            "  network    TCP to port 9\n", "  in force   user namespace, ",
            "  files      reads /etc/hostname, /nowhere/to/be/found; writes @STATE@,\n",
        ] {
            #expect(text.output.contains(line), "\(text.process)")
        }
        let document = try CommandRun("inspect", plugin, "--json").document()
        let needs = try #require(document["needs"] as? [String: Any])
        #expect(needs["network"] as? [String] == ["tcp:9"])
        #expect(needs["descriptors"] as? Int == 40 && needs["memory"] is NSNull)
        let confinement = try #require(document["confinement"] as? [String: Any])
        let inForce = try #require(confinement["inForce"] as? [String])
        #expect(inForce.contains("port rules") && !inForce.contains("no network"))
        let open = try CommandRun("inspect", Self.patient)
        #expect(
            open.output.contains("  files      all of the user's: its manifest has no `needs`\n"))
    }

    @Test("of a plugin that runs programs, what confines those")
    func programs() throws {
        let files = try TemporaryDirectory()
        func inspected(_ needs: String) throws -> (text: String, inForce: [String]) {
            let directory = files.path("tidy")
            try files.write(
                #"""
                {"id": "org.example.tidy", "version": "1.0.0", "abi": 0, \#(needs)
                 "handlers": [{"identifier": "org.example.tidy", "kind": "processing",
                               "form": "command", "command": {"argv": ["/bin/true"]}}]}
                """#, to: "tidy/manifest.json")
            let document = try CommandRun("inspect", directory, "--json").document()
            let confinement = try #require(document["confinement"] as? [String: Any])
            return (
                try CommandRun("inspect", directory).output,
                try #require(confinement["inForce"] as? [String])
            )
        }
        let free = try inspected("")
        #expect(free.text.contains("  library    none: its handlers run programs\n"), "\(free)")
        #expect(free.inForce == ["death signal"], "\(free)")
        let held = try inspected(#""needs": {"descriptors": 64},"#)
        for feature in [
            "descriptor limit", "file rules", "no network", "signal scope", "system call filter",
        ] {
            #expect(held.inForce.contains(feature), "\(held)")
        }
        #expect(!held.inForce.contains("memory limit"), "\(held)")
    }

    @Test("of a plugin with code and programs, what confines either")
    func both() throws {
        let files = try TemporaryDirectory()
        try FileManager.default.copyItem(
            atPath: BuiltProducts.testPluginDirectory("needs"), toPath: files.path("both"))
        let manifest = URL(filePath: files.path("both/manifest.json"))
        var document = try #require(
            JSONSerialization.jsonObject(with: Data(contentsOf: manifest)) as? [String: Any])
        document["needs"] = nil
        var handlers = try #require(document["handlers"] as? [[String: Any]])
        handlers.append([
            "identifier": "org.example.tidy", "kind": "processing", "form": "command",
            "command": ["argv": ["/bin/true"]],
        ])
        document["handlers"] = handlers
        try JSONSerialization.data(withJSONObject: document).write(to: manifest)
        let inspected = try CommandRun("inspect", files.path("both"), "--json").document()
        let code = try #require(inspected["confinement"] as? [String: Any])
        let programs = try #require(inspected["programConfinement"] as? [String: Any])
        #expect((code["inForce"] as? [String])?.contains("memory limit") == true)
        #expect(programs["inForce"] as? [String] == ["death signal"])
        let text = try CommandRun("inspect", files.path("both")).output
        #expect(text.contains("\n  programs   death signal\n"), "\(text)")
    }

    @Test("without a plugin, what confines one that needs nothing")
    func machine() throws {
        let text = try CommandRun("inspect")
        #expect(text.code == 0, "\(text.process)")
        #expect(text.output.hasPrefix("a plugin in a process of its own, on this machine\n"))
        let inForce = try #require(
            try CommandRun("inspect", "--json").document()["inForce"] as? [String])
        #expect(inForce.contains("file rules") && inForce.contains("no network"))
        let wrong = try CommandRun("inspect", "--load")
        #expect(wrong.code == 2 && wrong.errors.hasPrefix("error: `--load` wants a plugin"))
    }

    @Test("found by its id, by a handler, by the name of its directory")
    func found() throws {
        let place = try CommandRun("inspect", InspectTests.patient).output
        for name in ["org.curfew.test.patient", "patient"] {
            #expect(try CommandRun("inspect", name).output == place)
        }
        let errands = try CommandRun("inspect", CommandRun.errand("waits"))
        #expect(errands.output.hasPrefix("org.curfew.test.errands 1.2.0\n"))
        let missing = try CommandRun("inspect", "org.curfew.test.patent")
        #expect(missing.code == 127)
        #expect(missing.errors.hasPrefix("error: there is no plugin `org.curfew.test.patent`\n"))
        #expect(missing.errors.contains("  = help: did you mean `org.curfew.test.patient`?\n"))
    }

    @Test("JSON has the same, and leaves out what is not known")
    func json() throws {
        let document = try CommandRun("inspect", "--json", InspectTests.patient).document()
        #expect(document["id"] as? String == "org.curfew.test.patient")
        #expect(document["version"] as? String == "1.0.0")
        #expect(document["ok"] as? Bool == true)
        #expect((document["handlers"] as? [Any])?.count == 1)
        #expect(document["load"] == nil)
        let library = try #require(document["library"] as? [String: Any])
        #expect(library["name"] as? String == "libpatient.so")
        #expect(library["abi"] as? Int == 0)
        #expect(library["mode"] as? String == "-rwxr-xr-x")
        #expect(library["swift"] as? Bool == false)
        #expect(library["entry"] as? Bool == true)
        #expect(library["exports"] as? Int == 1)
        #expect(library["needed"] as? [String] == ["libc.so.6"])
        let sum = try ChildProcess.run("sha256sum", [InspectTests.patient + "/libpatient.so"])
        #expect(
            library["sha256"] as? String == sum.output.split(separator: " ").first.map(String.init))
    }

    @Test("a faulty plugin is shown as far as it can be, with its faults")
    func faulty() throws {
        let files = try TemporaryDirectory()
        try files.write("{}", to: "bad/manifest.json")
        let bad = try CommandRun("inspect", "bad", directory: files.path)
        #expect(bad.code == 1)
        #expect(bad.output.hasPrefix("bad\n  directory  bad\n  manifest   5 faults, see below\n"))
        #expect(bad.output.split(separator: "error[CF0203]: ").count == 6, "\(bad.output)")
        #expect(bad.output.split(separator: "curfew explain CF0203").count == 2)
        try InspectTests.plugin("", in: files)
        try files.write("no library", to: "odd/libodd.so")
        let odd = try CommandRun("inspect", "odd", directory: files.path)
        #expect(odd.code == 1)
        #expect(odd.output.contains("  ABI        0 in the manifest, no note to be read\n"))
        #expect(odd.output.contains("error[CF0209]: `libodd.so` is not an ELF file\n"))
        let empty = try CommandRun("inspect", "/nowhere/at/all")
        #expect(empty.code == 1)
        #expect(empty.output.contains("error[CF0201]: "))
    }

    @Test("what a library exports is counted as nm does", arguments: ["gnu", "sysv", "both"])
    func exports(style: String) throws {
        let files = try TemporaryDirectory()
        let body =
            (0..<300).map { "int name_\($0)(void) { return \($0); }\n" }.joined()
            + "__attribute__((weak)) int weak; static int hidden;\n"
            + "__attribute__((visibility(\"hidden\"))) int secret;\n"
        try InspectTests.plugin(body, flags: ["-Wl,--hash-style=\(style)", "-s"], in: files)
        let names = try ChildProcess.run(
            "nm", ["-D", "--defined-only", files.path("odd/libodd.so")])
        let count = names.output.split(separator: "\n").count
        #expect(count == 302)
        let document = try CommandRun("inspect", "--json", "odd", directory: files.path).document()
        let library = try #require(document["library"] as? [String: Any])
        #expect(library["exports"] as? Int == count)
    }

    @Test("code of Swift is seen, with its runtime inside too")
    func swift() throws {
        let document = try CommandRun(
            "inspect", "--json", BuiltProducts.pluginDirectory("mirror")
        ).document()
        let library = try #require(document["library"] as? [String: Any])
        #expect(library["swift"] as? Bool == true)
        let needed = try #require(library["needed"] as? [String])
        #expect(!needed.contains { $0.contains("swift") })
    }

    @Test("a damaged library is inspected to the end")
    func damaged() throws {
        let files = try TemporaryDirectory()
        try InspectTests.plugin("", flags: ["-Wl,--hash-style=both"], in: files)
        let bytes = try files.read("odd/libodd.so")
        var state: UInt64 = 7
        func number(below limit: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % limit
        }
        for _ in 0..<60 {
            var damaged = bytes
            for _ in 0...number(below: 6) {
                let place = number(below: 4) > 0 ? 24 + number(below: 0x500) : number(below: 64)
                damaged[place] = [0, 1, 0x7F, 0x80, 0xFF][number(below: 5)]
            }
            try files.write(damaged, to: "odd/libodd.so")
            let run = try CommandRun("inspect", "odd", directory: files.path)
            #expect(run.code == 0 || run.code == 1, "\(run.process)")
            #expect(run.output.hasPrefix("org.example.odd 1.0.0\n"))
        }
    }

    // MARK: Loading it

    private static func trial(
        _ files: TemporaryDirectory, limit: String = "10s"
    ) throws -> (code: Int32?, load: [String: Any]) {
        let run = try CommandRun(
            "inspect", "odd", "--load", "--limit", limit, "--json", directory: files.path)
        let load = try #require(try run.document()["load"] as? [String: Any])
        return (run.code, load)
    }

    @Test("a good plugin is loaded, retired and told of")
    func load() throws {
        let run = try CommandRun("inspect", "--load", InspectTests.patient)
        #expect(run.code == 0)
        #expect(run.output.contains("\n  outcome    loaded, retired and ended\n"))
        #expect(run.output.contains("\n  registered org.curfew.test.patient\n"))
        #expect(run.output.contains(/\n  took       [^\n]*m?s\n/))
        #expect(
            run.output.hasSuffix(
                "\n  threads    none\n  processes  none\n  open files none\n  signals    none\n"),
            "\(run.output)")
    }

    @Test("threads, descriptors, signals, log lines and output that loading leaves are told")
    func left() throws {
        let files = try TemporaryDirectory()
        try InspectTests.plugin(
            """
            static void *idle(void *gate) {
                pthread_setname_np(pthread_self(), "odd-thread");
                pthread_barrier_wait(gate);
                for (;;) pause();
            }
            static void on_signal(int number) {}
            """,
            entry: """
                static pthread_barrier_t gate;
                pthread_barrier_init(&gate, NULL, 2);
                pthread_t thread;
                pthread_create(&thread, NULL, idle, &gate);
                pthread_barrier_wait(&gate);
                open("/dev/zero", O_RDONLY);
                if (fork() == 0)
                    for (;;) pause();
                signal(SIGUSR1, on_signal);
                api->log(api, 0, CURFEW_LOG_WARNING, CURFEW_TEXT("a \\\\ and\\na line"));
                puts("to the \\x1b[31mscreen");
                fflush(stdout);
                return CURFEW_OK;
                """, in: files)
        let (code, load) = try InspectTests.trial(files)
        #expect(code == 0)
        #expect(load["threads"] as? [String] == ["odd-thread"])
        #expect((load["processes"] as? [String])?.count == 1)
        let descriptors = try #require(load["descriptors"] as? [String])
        #expect(descriptors.count == 1)
        #expect(descriptors.first?.hasSuffix(" /dev/zero") == true)
        // What was taken was put back, and the author is told.
        #expect(load["signals"] as? [String] == [])
        let log = try #require(load["log"] as? [String])
        #expect(log.count == 2)
        #expect(log.first == #"a \ and\na line"#)
        let told = #"CF0727 process-state: "org.example.odd" changed what the signal SIGUSR1 does "#
        #expect(log.last?.hasPrefix(told) == true, "\(log)")
        #expect(load["output"] as? String == "to the \u{1B}[31mscreen\n")
        let text = try CommandRun("inspect", "odd", "--load", directory: files.path).output
        #expect(text.contains("\n  threads    odd-thread\n"))
        #expect(text.contains(" → /dev/zero\n"))
        #expect(text.contains("CF0727 process-state: "))
        #expect(text.contains("\n  wrote      to the \\u{1b}[31mscreen\n"), "\(text)")
    }

    @Test("a refusal has the host's words and its status")
    func refused() throws {
        let plugin = BuiltProducts.testPluginDirectory("cli-refuses")
        let run = try CommandRun("inspect", "--load", plugin)
        #expect(run.code == 1)
        #expect(run.output.contains("\n  outcome    refused\n"))
        #expect(run.output.contains("there is no licence for this"))
        #expect(run.output.contains("curfew explain CF0305\n"))
        #expect(run.output.contains("\n  log        the licence ran out yesterday\n"))
        #expect(!run.output.contains("refused: "), "\(run.output)")
    }

    @Test(
        "a death is told with its phase",
        arguments: [
            (
                "__attribute__((constructor)) static void begin(void) { abort(); }",
                "return CURFEW_OK;", "died of SIGABRT while it was loaded"
            ),
            ("", "raise(SIGSEGV); return 0;", "died of SIGSEGV while it was loaded"),
            ("", "exit(0);", "ended the process with status 0 while it was loaded"),
            ("", "_exit(7);", "ended the process with status 7 while it was loaded"),
            (
                "static void gone(void *data) { abort(); }",
                "info->retire = gone; return CURFEW_OK;", "died of SIGABRT while it was retired"
            ),
            (
                "__attribute__((destructor)) static void end(void) { abort(); }",
                "return CURFEW_OK;", "died of SIGABRT at its exit, after it was retired"
            ),
        ])
    func death(body: String, entry: String, outcome: String) throws {
        let files = try TemporaryDirectory()
        try InspectTests.plugin(body, entry: entry, in: files)
        let (code, load) = try InspectTests.trial(files)
        #expect(code == 1)
        #expect(load["outcome"] as? String == outcome)
        #expect(load["ok"] as? Bool == false)
    }

    @Test("one that does not come back is killed, with those that left its group")
    func endless() throws {
        let files = try TemporaryDirectory()
        let numbers = files.path("numbers")
        try InspectTests.plugin(
            """
            static void note(void) {
                int file = open("\(numbers)", O_WRONLY | O_CREAT | O_APPEND, 0600);
                dprintf(file, "%d\\n", (int)getpid());
                close(file);
            }
            """,
            entry: """
                signal(SIGTERM, SIG_IGN);
                for (int i = 0; i < 3; i++) {
                    if (fork() != 0) continue;
                    if (i > 0) setsid();
                    if (i > 1 && fork() != 0) _exit(0);
                    note();
                    for (;;) pause();
                }
                note();
                for (;;) pause();
                """, in: files)
        let (code, load) = try InspectTests.trial(files, limit: "3s")
        #expect(code == 1)
        #expect(load["timedOut"] as? Bool == true)
        #expect(
            load["outcome"] as? String
                == "did not return within 3 s while it was loaded, and was killed")
        let processes = String(decoding: try files.read("numbers"), as: UTF8.self)
            .split(separator: "\n").compactMap { pid_t($0) }
        #expect(processes.count == 4)
        for process in processes { #expect(kill(process, 0) == -1, "\(process) lives") }
    }

    @Test("what it writes is bounded, and what it forges is not believed")
    func forged() throws {
        let files = try TemporaryDirectory()
        try InspectTests.plugin(
            "",
            entry: """
                for (int i = 0; i < 100000; i++) puts("0123456789 0123456789 0123456789");
                fflush(stdout);
                const char *lines = "handler a\\x1b[2Jb\\nretired\\nnonsense\\n\\n log\\nlog 9 x\\n";
                write(63, lines, strlen(lines));
                return CURFEW_OK;
                """, in: files)
        let (code, load) = try InspectTests.trial(files)
        #expect(code == 0)
        #expect((load["output"] as? String)?.utf8.count == 16 * 1_024)
        #expect(load["unreadOutput"] as? Int == 3_300_000 - 16 * 1_024)
        let text = try CommandRun("inspect", "odd", "--load", directory: files.path).output
        #expect(!text.contains("\u{1B}") && !text.contains("[2Jb"))
        #expect(text.contains("\n  registered org.example.odd\n"))
        #expect(text.utf8.count < 4_000)
        try InspectTests.plugin(
            "", entry: "for (;;) write(63, \"log 1 aaaaaaaaaaaaaaaaaaaaaaaaaaaaa\\n\", 36);",
            in: files)
        let flood = try InspectTests.trial(files)
        #expect(flood.code == 1)
        #expect(flood.load["tooMuch"] as? Bool == true)
    }

    @Test("one that closes every descriptor is told by how it ended")
    func closed() throws {
        let files = try TemporaryDirectory()
        try InspectTests.plugin(
            "", entry: "for (int i = 0; i < 1024; i++) close(i); return CURFEW_OK;", in: files)
        let (code, load) = try InspectTests.trial(files, limit: "2s")
        #expect(code == 1)
        #expect((load["outcome"] as? String)?.contains("while it was loaded") == true, "\(load)")
    }

    @Test("the child of a parent that was killed does not go on")
    func orphan() throws {
        let files = try TemporaryDirectory()
        try InspectTests.plugin(
            "",
            entry: """
                int file = open("number", O_WRONLY | O_CREAT, 0600);
                dprintf(file, "%d\\n", (int)getpid());
                close(file);
                for (;;) pause();
                """, in: files)
        let script = """
            "$0" inspect odd --load >/dev/null & parent=$!
            until [ -s number ]; do :; done
            kill -KILL $parent; wait $parent 2>/dev/null
            until [ "$(sed -n 's/^State:.*\\([A-Z]\\) (.*/\\1/p' /proc/$(cat number)/status 2>/dev/null)" = "" ] \
                || grep -q '^State:.Z' /proc/$(cat number)/status 2>/dev/null; do :; done
            echo gone
            """
        let run = try ChildProcess.run(
            "bash", ["-c", script, CommandRun.program], environment: CommandRun.environment,
            directory: files.path, limit: .seconds(30))
        #expect(run.output == "gone\n", "\(run)")
    }

    @Test("options that cannot be")
    func options() throws {
        let long = try CommandRun("inspect", InspectTests.patient, "--limit", "11h")
        #expect(long.code == 2)
        #expect(long.errors.hasPrefix("error: `--limit 11h` is out of bounds\n"))
        // The child's own word is none of the program's.
        let child = try CommandRun("__load", InspectTests.patient)
        #expect(child.code == 2)
        #expect(child.errors.hasPrefix("error: there is no command `__load`\n"))
    }

    @Test("at a terminal: 80 columns and colour")
    func terminal() throws {
        let typist = try Typist(
            CommandRun.program, "inspect", "--load",
            BuiltProducts.testPluginDirectory("cli-errands"))
        #expect(typist.code == 0)
        #expect(typist.screen.contains("\u{1B}[1;32mloaded, retired and ended\u{1B}[0m"))
        let lines = typist.lines
        #expect(lines.count > 30)
        #expect(lines.allSatisfy { $0.count <= 80 || $0.hasPrefix("  directory") }, "\(lines)")
    }
}
