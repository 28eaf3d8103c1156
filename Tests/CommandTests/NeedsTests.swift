// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

/// The plugin `needs` tries what its payload says, and its result is what came of it.
@Suite("What a manifest needs, and nothing else, its plugin can use")
struct NeedsTests {
    private let files: TemporaryDirectory
    private let places: [String: String]

    init() throws {
        files = try TemporaryDirectory()
        for name in ["state", "cache", "temporary", "elsewhere"] {
            try FileManager.default.createDirectory(
                atPath: files.path(name), withIntermediateDirectories: true)
        }
        places = [
            "XDG_STATE_HOME": files.path("state"), "XDG_CACHE_HOME": files.path("cache"),
            "TMPDIR": files.path("temporary"), "CURFEW_TEST_WORD": "given",
            "CURFEW_TEST_OTHER": "not given",
        ]
    }

    private func run(_ what: String, _ more: String...) throws -> CommandRun {
        let plugin = BuiltProducts.testPluginDirectory("needs")
        return try started(
            ["run", "org.curfew.test.needs", "--plugin", plugin, "--payload", what] + more)
    }

    private func started(_ words: [String]) throws -> CommandRun {
        CommandRun(
            process: try ChildProcess.run(
                CommandRun.program, words,
                environment: CommandRun.environment.merging(places) { $1 }, limit: .seconds(60)))
    }

    private func came(of what: String, _ more: String...) throws -> String {
        let run = more.isEmpty ? try run(what) : try run(what, more[0], more[1])
        let line = run.output.split(separator: "\n").first { $0.hasPrefix("result: ") }
        return try String(#require(line, "\(run.process)").dropFirst(8))
    }

    @Test("files that it names, those of the system, and no others")
    func reading() throws {
        try files.write("secret", to: "secret")
        for (path, result) in [
            ("/etc/hostname", "ok"), ("/usr/bin/true", "ok"), ("/etc/passwd", "ok"),
            ("/dev/urandom", "ok"), ("/etc/fstab", "Permission denied"),
            (files.path("secret"), "Permission denied"),
            (BuiltProducts.testPluginDirectory("needs") + "/manifest.json", "ok"),
        ] {
            #expect(try came(of: "read \(path)") == result, "\(path)")
        }
        #expect(try came(of: "write \(files.path("secret"))") == "Permission denied")
        #expect(try came(of: "run /usr/bin/true") == "ok")
        #expect(try came(of: "run /usr/bin/false") == "Permission denied")
    }

    @Test("directories of its own, which it finds by variables")
    func ownDirectories() throws {
        let id = "org.curfew.test.needs-plugin"
        for (variable, place) in [
            ("STATE_DIRECTORY", "state/curfew/plugins/\(id)"),
            ("TMPDIR", "temporary/curfew-\(geteuid())-\(id)"),
        ] {
            #expect(try came(of: "variable \(variable)") == files.path(place))
            #expect(try came(of: "write \(files.path(place))/x") == "ok")
            let attributes = try FileManager.default.attributesOfItem(atPath: files.path(place))
            #expect(attributes[.posixPermissions] as? Int == 0o700)
        }
        // What is above it, and beside it.
        #expect(try came(of: "write \(files.path("state/curfew/x"))") == "Permission denied")
    }

    @Test("hosts that start its processes at the same time share them")
    func sharedDirectories() throws {
        let own = files.path("state/curfew/plugins/org.curfew.test.needs-plugin")
        let said = Guarded<[String]>([])
        DispatchQueue.concurrentPerform(iterations: 4) { number in
            let answer = (try? came(of: "write \(own)/\(number)")) ?? "no answer"
            said.change { $0.append(answer) }
        }
        #expect(said.value == ["ok", "ok", "ok", "ok"])
        #expect(try came(of: "read \(own)/3") == "ok")
    }

    @Test("a link that it may have made itself leads nowhere")
    func link() throws {
        let own = files.path("cache/curfew/plugins/org.curfew.test.needs-plugin")
        try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: own + "/below", withDestinationPath: files.path("elsewhere"))
        #expect(try came(of: "write \(files.path("elsewhere/x"))") == "Permission denied")
        #expect(try run("read /").output.contains("its manifest needs @CACHE@/below, which is not"))
    }

    @Test(
        "nor does one below a directory that it writes, however that is spelled",
        arguments: ["", "/", "//"])
    func linkBelow(ending: String) throws {
        for name in ["plugin", "own"] {
            try FileManager.default.createDirectory(
                atPath: files.path(name), withIntermediateDirectories: true)
        }
        try files.write("secret", to: "elsewhere/secret")
        try FileManager.default.createSymbolicLink(
            atPath: files.path("own/link"), withDestinationPath: files.path("elsewhere"))
        try files.write(
            """
            {"id": "org.example.cat-plugin", "version": "1.0.0", "abi": 0,
             "needs": {"write": ["\(files.path("own"))\(ending)"], "read": ["\(files.path("own/link"))"]},
             "handlers": [{"identifier": "org.example.cat", "kind": "processing", "form": "command",
                           "command": {"argv": ["cat", "\(files.path("elsewhere/secret"))"]}}]}
            """, to: "plugin/manifest.json")
        let run = try CommandRun("run", "org.example.cat", "--plugin", files.path("plugin"))
        #expect(run.code == 100, "\(run.process)")
        #expect(run.output.contains("Permission denied"), "\(run.process)")
    }

    /// The plugin is named by a path from where the command works, and the program by one from there.
    @Test("a limit that its programs do not get is told, once")
    func unlimitedProgram() throws {
        try files.write("#!/bin/sh\necho it is $0\n", to: "plugin/probe")
        chmod(files.path("plugin/probe"), 0o755)
        try files.write(
            """
            {"id": "org.example.probe-plugin", "version": "1.0.0", "abi": 0,
             "needs": {"read": ["/"], "run": ["/"], "processes": 3},
             "handlers": [{"identifier": "org.example.probe", "kind": "processing",
                           "form": "command", "command": {"argv": ["./probe"]}}]}
            """, to: "plugin/manifest.json")
        let run = try ChildProcess.run(
            "sh",
            [
                "-c", "cd \"$1\" && exec \"$0\" run org.example.probe --plugin plugin",
                CommandRun.program, files.path("."),
            ],
            environment: CommandRun.environment, limit: .seconds(60))
        #expect(run.output.contains("/plugin/./probe\n"), "\(run)")
        let told = run.output.split(separator: "\n").count {
            $0.contains("is not in force for its programs: process limit: it ")
        }
        #expect(told == 1, "\(run)")
    }

    @Test("a directory that others can write is not used, and nothing is run")
    func foreign() throws {
        let own = files.path("temporary/curfew-\(geteuid())-org.curfew.test.needs-plugin")
        try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: true)
        chmod(own, 0o777)
        let run = try run("read /etc/hostname")
        #expect(run.code == 125, "\(run.process)")
        #expect(run.errors.contains("\(own) is not used for it"), "\(run.process)")
    }

    @Test("ports, descriptors and variables that it names")
    func others() throws {
        #expect(try came(of: "connect 9") == "ok")
        #expect(try came(of: "connect 10") == "Permission denied")
        #expect(try came(of: "descriptors") == "40")
        #expect(try came(of: "variable CURFEW_TEST_WORD") == "given")
        #expect(try came(of: "variable CURFEW_TEST_OTHER") == "none")
    }

    @Test("what is not there is said, and does not keep it from running")
    func missing() throws {
        let run = try run("read /etc/hostname")
        #expect(run.code == 0, "\(run.process)")
        #expect(
            run.output.contains("its manifest needs /nowhere/to/be/found, which is not there"),
            "\(run.process)")
    }

    @Test("in a thread nothing of it holds, which is said")
    func inThread() throws {
        #expect(try came(of: "read /etc/fstab", "--isolation", "thread") == "ok")
        let run = try run("read /etc/fstab", "--isolation", "thread")
        #expect(run.output.contains("its manifest has `needs`, which confine nothing in a thread"))
    }

    @Test("the kit's directory is a plugin's to use, whatever its manifest needs")
    func conform() throws {
        try FileManager.default.createDirectory(
            atPath: files.path("sums"), withIntermediateDirectories: true)
        try files.write(
            """
            {"id": "org.example.sums-plugin", "version": "1.0.0", "abi": 0, "needs": {"network": false},
             "handlers": [{"identifier": "org.example.sums", "kind": "processing", "form": "command",
                           "command": {"argv": ["/usr/bin/sha256sum", {"from": "payload"}]},
                           "examples": [{"name": "a file", "payload": "@DIRECTORY@/words",
                                         "files": {"words": "one two"}}]}]}
            """, to: "sums/manifest.json")
        let run = try started(["conform", files.path("sums"), "--only", "one-task-done"])
        #expect(run.code == 0, "\(run.process)")
    }

    @Test(
        "with --confine a plugin without needs has what every process has, and a program of it too")
    func confined() throws {
        let plugin = files.path("open")
        try FileManager.default.copyItem(
            atPath: BuiltProducts.testPluginDirectory("needs"), toPath: plugin)
        let manifest = plugin + "/manifest.json"
        var document = try #require(
            JSONSerialization.jsonObject(with: Data(contentsOf: URL(filePath: manifest)))
                as? [String: Any])
        document["needs"] = nil
        try JSONSerialization.data(withJSONObject: document).write(to: URL(filePath: manifest))
        func came(of what: String, _ more: String...) throws -> String {
            let run = try started(
                ["run", "org.curfew.test.needs", "--plugin", plugin, "--payload", what] + more)
            return run.output + run.errors
        }
        #expect(try came(of: "read /etc/fstab").contains("result: ok\n"))
        #expect(
            try came(of: "read /etc/fstab", "--confine").contains("result: Permission denied\n"))
        #expect(try came(of: "read /usr/bin/true", "--confine").contains("result: ok\n"))
        #expect(
            try came(of: "connect 9", "--confine").contains("result: no socket\n"))
        let inThread = try came(of: "read /etc/hostname", "--confine", "--isolation", "thread")
        #expect(
            inThread.contains("is to run in a thread, where nothing confines it"), "\(inThread)")
        #expect(inThread.contains("was not run"), "\(inThread)")
        #expect(!inThread.contains("result: "))

        try files.write("secret", to: "secret")
        try FileManager.default.createDirectory(
            atPath: files.path("cat"), withIntermediateDirectories: true)
        try files.write(
            """
            {"id": "org.example.cat-plugin", "version": "1.0.0", "abi": 0,
             "handlers": [{"identifier": "org.example.cat", "kind": "processing", "form": "command",
                           "command": {"argv": ["/usr/bin/cat", "\(files.path("secret"))"]}}]}
            """, to: "cat/manifest.json")
        let words = ["run", "org.example.cat", "--plugin", files.path("cat")]
        #expect(try started(words).code == 0)
        let cat = try started(words + ["--confine"])
        #expect(cat.code == 100 && cat.output.contains("Permission denied"), "\(cat.process)")
    }

    @Test(
        "where a machine lacks what confines, --confine runs nothing",
        arguments: ["landlock", "seccomp", "namespaces,landlock,seccomp"])
    func withoutParts(parts: String) throws {
        let source = BuiltProducts.packageRoot + "/Tests/TestSupport/without.c"
        try files.run("cc", ["-std=gnu11", "-o", "without", source])
        func run(_ more: String...) throws -> ChildProcess {
            try ChildProcess.run(
                files.path("without"),
                [
                    parts, CommandRun.program, "run", "org.curfew.test.needs", "--plugin",
                    BuiltProducts.testPluginDirectory("needs"), "--payload", "read /etc/hostname",
                ] + more,
                environment: CommandRun.environment.merging(places) { $1 }, limit: .seconds(60))
        }
        let free = try run()
        #expect(free.output.contains("result: ok\n"), "\(free)")
        #expect(free.output.contains("that are not in force: "), "\(free)")
        let confined = try run("--confine")
        #expect(confined.ending == .exited(126), "\(confined)")
        #expect(
            confined.errorOutput.contains("this machine cannot confine org.curfew.test.needs"),
            "\(confined)")
        #expect(!confined.output.contains("result: "), "\(confined)")
    }

    @Test("what the unit of the system permits is enough for all namespaces")
    func inUnit() throws {
        let unit = try String(
            contentsOfFile: BuiltProducts.packageRoot
                + "/Sources/Service/units/system/curfew.service.in", encoding: .utf8)
        let line = try #require(
            unit.split(separator: "\n").first { $0.hasPrefix("RestrictNamespaces=") })
        let kinds = line.dropFirst("RestrictNamespaces=".count).split(separator: " ").joined(
            separator: "+")
        let source = BuiltProducts.packageRoot + "/Tests/TestSupport/without.c"
        try files.run("cc", ["-std=gnu11", "-o", "without", source])
        func spaces(_ words: [String]) throws -> Set<String> {
            let run = CommandRun(
                process: try ChildProcess.run(
                    words[0], words.dropFirst() + [CommandRun.program, "inspect", "--json"],
                    environment: CommandRun.environment.merging(places) { $1 },
                    limit: .seconds(60)))
            let inForce = try #require(try run.document()["inForce"] as? [String], "\(run.process)")
            return Set(inForce.filter { $0.contains("namespace") || $0.contains("/proc") })
        }
        #expect(try spaces([files.path("without"), "clone3,only:\(kinds)"]) == spaces(["env"]))
        let fewer = try spaces([files.path("without"), "clone3,only:user+pid+mnt"])
        #expect(!fewer.contains("ipc namespace") && fewer.contains("pid namespace"))
    }

    @Test("a program with needs reaches its own processes, and those of nobody else")
    func signals() throws {
        let plugin = files.path("signals")
        func run(_ script: String, _ needs: String) throws -> CommandRun {
            try files.write(
                """
                {"id": "org.example.signals-plugin", "version": "1.0.0", "abi": 0, \(needs)
                 "handlers": [{"identifier": "org.example.signals", "kind": "processing",
                               "form": "command", "command": {"argv": ["/bin/sh", "-c", "\(script)"]}}]}
                """, to: "signals/manifest.json")
            return try CommandRun("run", "org.example.signals", "--plugin", plugin)
        }
        let (none, needs) = ("", #""needs": {"network": false},"#)
        let other = "kill -0 \(getpid())"
        #expect(try run(other, none).code == 0)
        let refused = try run(other, needs)
        #expect(
            refused.code == 100 && refused.output.contains("not permitted"), "\(refused.process)")
        let own = try run("(while :; do :; done) & kill $!", needs)
        #expect(own.code == 0, "\(own.process)")
    }

    @Test("a program of the form command has them too")
    func program() throws {
        try files.write("secret", to: "secret")
        let plugin = files.path("plugin")
        try FileManager.default.createDirectory(
            atPath: plugin, withIntermediateDirectories: true)
        func cat(_ needs: String) throws -> CommandRun {
            try files.write(
                """
                {"id": "org.example.cat-plugin", "version": "1.0.0", "abi": 0, \(needs)
                 "handlers": [{"identifier": "org.example.cat", "kind": "processing", "form": "command",
                               "command": {"argv": ["cat", "\(files.path("secret"))"]}}]}
                """, to: "plugin/manifest.json")
            return try CommandRun("run", "org.example.cat", "--plugin", plugin)
        }
        #expect(try cat("").code == 0)
        let run = try cat(#""needs": {"network": false},"#)
        #expect(run.code == 100, "\(run.process)")
        #expect(run.output.contains("Permission denied"), "\(run.process)")
        #expect(try cat(#""needs": {"read": ["\#(files.path)"]},"#).code == 0)
    }
}
