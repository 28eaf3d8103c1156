// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

@Suite("curfew plugins")
struct PluginsTests {
    private static let patient = BuiltProducts.testPluginDirectory("patient")

    @Test("lists the handlers of a directory, or of one plugin")
    func list() throws {
        let all = try CommandRun("plugins")
        #expect(all.code == 0)
        #expect(all.output.hasPrefix("IDENTIFIER "))
        #expect(
            all.output.contains("\norg.curfew.test.errands.waits     processing   10 min    2 s"))
        let one = try CommandRun("plugins", "--plugins", PluginsTests.patient)
        #expect(
            one.output == """
                IDENTIFIER               KIND         BUDGET  GRACE  VERSION  FROM
                org.curfew.test.patient  app-refresh   50 ms    2 s  1.0.0    \(PluginsTests.patient)

                """)
    }

    @Test("tells of plugins that cannot be used and of those that are shadowed")
    func remarks() throws {
        let files = try TemporaryDirectory()
        try files.write("{", to: "broken/manifest.json")
        try FileManager.default.copyItem(
            atPath: PluginsTests.patient, toPath: files.path("patient"))
        let run = try CommandRun(
            "plugins", "--plugins", PluginsTests.patient, "--plugins", files.path)
        #expect(run.code == 0)
        #expect(
            run.output.contains(
                "\nnote: the plugin org.curfew.test.patient in \(files.path("patient")) is shadowed by "
                    + "\(PluginsTests.patient)\n"), "\(run.process)")
        #expect(run.output.contains("\nnote: \(files.path("broken")) cannot be used: "))
        #expect(run.output.contains("; curfew lint \(files.path("broken"))\n"))
        let missing = try CommandRun("run", "org.example.broken", "--plugins", files.path)
        #expect(missing.code == 127)
        #expect(missing.errors.contains("curfew lint \(files.path("broken"))"))
    }

    @Test("with --load, says which plugins cannot be loaded")
    func load() throws {
        let files = try TemporaryDirectory()
        try FileManager.default.copyItem(
            atPath: PluginsTests.patient, toPath: files.path("patient"))
        let sound = try CommandRun("plugins", "--load", "--plugins", files.path)
        #expect(sound.code == 0, "\(sound.process)")
        #expect(!sound.output.contains("note:"))
        try FileManager.default.copyItem(
            atPath: BuiltProducts.testPluginDirectory("noentry"), toPath: files.path("noentry"))
        let run = try CommandRun("plugins", "--load", "--plugins", files.path)
        #expect(run.code == 1)
        #expect(run.output.contains("\norg.curfew.test.patient "))
        #expect(
            run.output.contains("\nnote: \(files.path("noentry")) cannot be loaded: "),
            "\(run.process)")
        #expect(run.output.contains("; curfew inspect --load \(files.path("noentry"))\n"))
        let json = try CommandRun("plugins", "--load", "--plugins", files.path, "--json")
        #expect(json.output.contains(#""loaded":true,"reason":null"#), "\(json.output)")
        #expect(json.output.contains(#""loaded":false,"reason":""#), "\(json.output)")
    }

    @Test("a directory counts once, however it is written, and so does a plugin in it")
    func once() throws {
        let files = try TemporaryDirectory()
        try FileManager.default.copyItem(
            atPath: PluginsTests.patient, toPath: files.path("patient"))
        try FileManager.default.createSymbolicLink(
            atPath: files.path + ".link", withDestinationPath: files.path)
        defer { try? FileManager.default.removeItem(atPath: files.path + ".link") }
        let run = try CommandRun(
            "plugins", "--plugins", ".", "--plugins", ".", "--plugins", "patient/..", "--plugins",
            files.path, "--plugins", files.path + ".link", "--plugins", "patient",
            directory: files.path)
        #expect(run.code == 0)
        #expect(!run.output.contains("note:"), "\(run.process)")
        #expect(run.output.split(separator: "\n").count == 2, "\(run.process)")
    }

    @Test("what is suggested about a faulty plugin can be pasted into a shell")
    func pasted() throws {
        let files = try TemporaryDirectory()
        try files.write("{", to: "it's mine/broken/manifest.json")
        try files.write("{", to: "-other/manifest.json")
        let run = try CommandRun(
            "run", "org.example.broken", "--plugins", "it's mine", "--plugins", "-other",
            directory: files.path)
        #expect(run.code == 127)
        #expect(
            run.errors.hasSuffix(
                #"""
                  = note: 2 of them cannot be used; the first: curfew lint 'it'\''s mine/broken'
                  = help: curfew plugins --plugins 'it'\''s mine' --plugins -other

                """#), "\(run.process)")
        let help = try #require(run.errors.split(separator: "\n").last?.split(separator: ": ").last)
        let pasted = try ChildProcess.run(
            "bash", ["-c", #"curfew() { "$0" "$@"; }; "# + help, CommandRun.program],
            environment: CommandRun.environment, directory: files.path)
        #expect(pasted.succeeded)
        #expect(pasted.output.contains("note: it's mine/broken cannot be used: "), "\(pasted)")
        #expect(pasted.output.hasSuffix("; curfew lint ./-other\n"), "\(pasted)")
    }

    @Test("a path of the environment without any directory in it is none")
    func emptyPath() throws {
        let run = try CommandRun("plugins", environment: ["CURFEW_PLUGIN_PATH": ":"])
        #expect(run.errors.contains("/lib/curfew/plugins\n"), "\(run.process)")
    }

    @Test("nothing found is said, and no error")
    func nothing() throws {
        let files = try TemporaryDirectory()
        let run = try CommandRun("plugins", "--plugins", files.path)
        #expect(run.code == 0)
        #expect(run.output.isEmpty)
        #expect(run.errors.hasPrefix("no plugin was found in \(files.path)\n"))
    }

    @Test("the path of the environment; a directory of it may be missing")
    func environment() throws {
        let run = try CommandRun(
            "plugins",
            environment: ["CURFEW_PLUGIN_PATH": "/nowhere:\(PluginsTests.patient)"])
        #expect(run.code == 0)
        #expect(run.output.contains("org.curfew.test.patient"))
    }

    @Test("without both, the user's plugins come first, and what they shadow is told")
    func usual() throws {
        let files = try TemporaryDirectory()
        for place in ["data/curfew/plugins/mine", "home/.local/share/curfew/plugins/mine"] {
            try FileManager.default.createDirectory(
                atPath: files.path(place + "/.."), withIntermediateDirectories: true)
            try FileManager.default.copyItem(
                atPath: PluginsTests.patient, toPath: files.path(place))
        }
        for (variables, place) in [
            (["XDG_DATA_HOME": files.path("data"), "HOME": files.path("home")], "data"),
            (["XDG_DATA_HOME": "data", "HOME": files.path("home")], "home/.local/share"),
            (["HOME": files.path("home")], "home/.local/share"),
        ] {
            let run = try CommandRun(
                "plugins", "--json", directory: files.path,
                environment: variables.merging(["CURFEW_PLUGIN_PATH": ""]) { $1 })
            let document = try run.document()
            let directories = try #require(document["directories"] as? [String])
            #expect(directories.first == files.path(place + "/curfew/plugins"))
            #expect(directories[1] == "/usr/local/lib/curfew/plugins")
            #expect(directories.last == "/usr/lib/curfew/plugins")
            let plugins = try #require(document["plugins"] as? [[String: Any]])
            let found = plugins.filter { $0["id"] as? String == "org.curfew.test.patient" }
            #expect(found.count == 1)
            #expect(found[0]["directory"] as? String == files.path(place + "/curfew/plugins/mine"))
            #expect(found[0]["shadowedBy"] is NSNull)
        }
        let both = try CommandRun(
            "plugins", "--json", "--plugins", files.path("data/curfew/plugins"), "--plugins",
            files.path("home/.local/share/curfew/plugins"))
        let plugins = try #require(try both.document()["plugins"] as? [[String: Any]])
        #expect(
            plugins.map { $0["shadowedBy"] as? String } == [
                nil, files.path("data/curfew/plugins/mine"),
            ])
    }

    @Test(
        "a program with more rights than its caller has does not listen to the environment",
        .enabled(if: geteuid() == 0, "only root can give a program more rights"))
    func moreRights() throws {
        let files = try TemporaryDirectory()
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o755], ofItemAtPath: files.path)
        let copy = try ChildProcess.run("cp", [CommandRun.program, files.path("curfew")])
        #expect(copy.succeeded)
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o4755], ofItemAtPath: files.path("curfew"))
        let run = try ChildProcess.run(
            "setpriv",
            [
                "--reuid=65534", "--regid=65534", "--clear-groups", files.path("curfew"), "plugins",
                "--json",
            ],
            environment: CommandRun.environment.merging(["HOME": files.path]) { $1 })
        #expect(run.succeeded)
        #expect(!run.output.contains(files.path + "/.local"), "\(run)")
        #expect(!run.output.contains("test-plugins"), "\(run)")
        #expect(run.output.contains("/usr/local/lib/curfew/plugins"), "\(run)")
    }

    @Test("without both, the directory where plugins are installed, seen from the program")
    func installed() throws {
        let files = try TemporaryDirectory()
        try FileManager.default.createDirectory(
            atPath: files.path("prefix/bin"), withIntermediateDirectories: true)
        try FileManager.default.createDirectory(
            atPath: files.path("prefix/lib/curfew/plugins"), withIntermediateDirectories: true)
        // By another process: a program this one has open for writing, if only in a child that was
        // just forked for another test, cannot be started.
        let copy = try ChildProcess.run(
            "cp", [CommandRun.program, files.path("prefix/bin/curfew")])
        #expect(copy.succeeded)
        try FileManager.default.createDirectory(
            atPath: files.path("prefix/libexec"), withIntermediateDirectories: true)
        try FileManager.default.copyItem(
            atPath: "\(BuiltProducts.prefix)/libexec/curfew",
            toPath: files.path("prefix/libexec/curfew"))
        try FileManager.default.copyItem(
            atPath: PluginsTests.patient, toPath: files.path("prefix/lib/curfew/plugins/patient"))
        try FileManager.default.createSymbolicLink(
            atPath: files.path("link"), withDestinationPath: files.path("prefix/bin/curfew"))
        var environment = CommandRun.environment
        environment["CURFEW_PLUGIN_PATH"] = nil
        let run = try ChildProcess.run(
            files.path("link"), ["run", "org.curfew.test.patient"], environment: environment)
        #expect(run.ending == .exited(124), "\(run)")
    }

    @Test("JSON has what the manifests say")
    func json() throws {
        let run = try CommandRun("plugins", "--json")
        let plugins = try #require(try run.document()["plugins"] as? [[String: Any]])
        let errands = try #require(
            plugins.first { $0["id"] as? String == "org.curfew.test.errands" })
        #expect(errands["ok"] as? Bool == true)
        let handlers = try #require(errands["handlers"] as? [[String: Any]])
        #expect(handlers.count == 7)
        #expect(handlers[3]["budget"] as? Double == 600)
        let events = try #require(handlers[0]["events"] as? [[String: Any]])
        #expect(events[0]["name"] as? String == "works_made")
        #expect(events[0]["parameters"] as? [String] == ["text", "int64"])
    }

    @Test("no code is loaded by listing or linting")
    func nothingLoaded() throws {
        for words in [["plugins"], ["lint", BuiltProducts.testPluginDirectory("cli-refuses")]] {
            let run = try ChildProcess.run(
                CommandRun.program, words,
                environment: CommandRun.environment.merging(["LD_DEBUG": "files"]) { $1 })
            #expect(run.succeeded)
            #expect(run.errorOutput.contains("calling init"))
            #expect(!run.errorOutput.contains("libcli-refuses.so"))
        }
    }
}
