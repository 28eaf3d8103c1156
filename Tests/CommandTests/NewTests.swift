// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

@Suite("curfew new, installed")
struct NewTests {
    @Test("says what it has made and what to type next", arguments: PluginTemplate.all)
    func made(template: PluginTemplate) throws {
        let language = template.language
        let plugin = try NewPlugin()
        let run = try plugin.new("my-feed", "--lang", language)
        #expect(run.succeeded, "\(run)")
        let files = try plugin.files("my-feed")
        #expect(
            run.output == """
                my-feed: a plugin in \(template.title) with the handler org.example.my-feed
                \(files.map { "  " + $0 }.joined(separator: "\n"))

                next:
                  cd my-feed
                  make
                  make check

                """, "\(run)")
        let common = [
            ".github/workflows/check.yml", ".gitignore", "Makefile", "README.md", "manifest.json",
            "test.sh",
        ]
        #expect(Set(files).isSuperset(of: common))
        #expect(Set(files).subtracting(common) == template.files)
        for file in files {
            let text = try plugin.read("my-feed/\(file)")
            #expect(!text.lowercased().contains("sample"), "\(file)")
            #expect(!text.contains("@PREFIX@") && !text.contains("@VERSION@"), "\(file)")
        }
        // No more and no less than anybody's new files and directories have.
        let fresh = try plugin.run("sh", ["-c", "mkdir d; : >f; stat -c %a d f"])
        let modes = try plugin.run("stat", ["-c", "%a", "my-feed", "my-feed/Makefile"])
        #expect(modes.output == fresh.output)
    }

    @Test("tells programs the same", arguments: ["c", "swift", "c++"])
    func json(language: String) throws {
        let plugin = try NewPlugin()
        let into = try plugin.place.write("", to: "else where/file").dropLast("/file".count)
        let run = try plugin.new(
            "a1", "--json", "--lang=\(language)", "--into=\(into)/", "--id", "com.you.My-Feed")
        let value = try JSONSerialization.jsonObject(with: Data(run.outputBytes))
        let document = try #require(value as? [String: Any])
        #expect(document["name"] as? String == "a1")
        #expect(document["language"] as? String == language)
        #expect(document["id"] as? String == "com.you.My-Feed-plugin")
        #expect(document["handler"] as? String == "com.you.My-Feed")
        #expect(document["directory"] as? String == "\(into)/a1")
        #expect(document["next"] as? [String] == ["cd '\(into)/a1'", "make", "make check"])
        #expect(try plugin.contents() == [])
        #expect(
            try document["files"] as? [String] == plugin.files("../else where/a1"), "\(run)")
        let manifest = try plugin.read("../else where/a1/manifest.json")
        #expect(manifest.contains(#""identifier": "com.you.My-Feed""#))
        #expect(manifest.contains(#""id": "com.you.My-Feed-plugin""#))
        #expect(manifest.contains(#""name": "a1_"#))
        #expect(manifest.contains(#""library": "liba1.so""#))
    }

    @Test(
        "what it makes builds, tests itself, is installed and runs", arguments: PluginTemplate.all)
    func builds(template: PluginTemplate) throws {
        let plugin = try NewPlugin()
        #expect(try plugin.new("my-feed", "--lang", template.language).succeeded)
        let before = try plugin.files("my-feed")
        let variables = template.variables(plugin)
        let built = try plugin.run("make", [], in: "my-feed", variables: variables)
        #expect(built.succeeded, "\(built)")
        #expect(!built.errorOutput.contains("warning"), "\(built)")
        #expect(
            try plugin.files("my-feed").filter { !before.contains($0) }
                == (template.hasLibrary ? ["build/my-feed/libmy-feed.so"] : [])
                + ["build/my-feed/manifest.json"])
        let run = try plugin.run(
            "\(plugin.prefix)/bin/curfew",
            ["run", "org.example.my-feed", "--plugins", "build", "--payload", template.payload],
            in: "my-feed")
        #expect(run.succeeded, "\(run)")
        #expect(run.output.contains("my_feed_done(true, \"\")"), "\(run)")

        let tested = try plugin.run("make", ["test"], in: "my-feed", variables: variables)
        #expect(tested.succeeded, "\(tested)")
        #expect(tested.output.contains("\nok: "))
        // A Swift package takes longest, and its runtime is the same for all plugins.
        if template.language != "swift" || WholeMatrix.isWanted {
            try check(plugin, template, variables)
        }

        let installed = try plugin.run(
            "make", ["-s", "install"], in: "my-feed", variables: variables)
        #expect(installed.succeeded, "\(installed)")
        let listed = try plugin.run(
            "\(plugin.prefix)/bin/curfew", ["inspect", "org.example.my-feed-plugin"])
        #expect(
            listed.output.contains(
                plugin.place.path("home/.local/share/curfew/plugins/my-feed") + "\n"),
            "\(installed) \(listed)")

        let cleaned = try plugin.run("make", ["clean"], in: "my-feed", variables: variables)
        #expect(cleaned.succeeded)
        #expect(try plugin.files("my-feed") == before)
    }

    private func check(
        _ plugin: NewPlugin, _ template: PluginTemplate, _ variables: [String: String]
    ) throws {
        let checked = try plugin.run("make", ["check"], in: "my-feed", variables: variables)
        #expect(checked.succeeded, "\(checked)")
        // Nothing is left out but for what has no meaning for a handler that runs one task at a time, for
        // code that asks for no memory, or whose language ends the process without any, and for what a
        // library has to be compiled for.
        let skipped = checked.output.split(separator: "\n").filter { $0.contains(" SKIP ") }
        // Most cases are about code that the plugin brings along.
        if template.hasLibrary {
            #expect(
                skipped.allSatisfy { line in
                    ["reentrancy", "no-memory", "no-races"].contains { line.contains($0) }
                },
                "\(skipped)")
        }
        let report = try plugin.read("my-feed/build/conform.xml")
        #expect(report.contains("failures=\"0\" errors=\"0\""))
    }

    @Test("a plugin in C calls the libraries that LDLIBS names")
    func libraries() throws {
        let plugin = try NewPlugin()
        #expect(try plugin.new("my-feed").succeeded)
        let source = try plugin.read("my-feed/my-feed.c")
        try plugin.place.write(
            source + """

                double cbrt(double);
                double root(volatile double number);
                double root(volatile double number) { return cbrt(number); }

                """, to: "at work/my-feed/my-feed.c")
        let missing = try plugin.run("make", ["-s"], in: "my-feed")
        #expect(missing.errorOutput.contains("undefined reference to `cbrt'"), "\(missing)")
        let built = try plugin.run("make", ["-s", "LDLIBS=-lm"], in: "my-feed")
        #expect(built.succeeded, "\(built)")
    }

    @Test("test.sh says which case went wrong")
    func failing() throws {
        let plugin = try NewPlugin()
        #expect(try plugin.new("my-feed").succeeded)
        let source = try plugin.read("my-feed/my-feed.c")
        try plugin.place.write(
            source.replacing("found++;", with: "found += 2;"), to: "at work/my-feed/my-feed.c")
        let tested = try plugin.run("make", ["-s", "test"], in: "my-feed")
        #expect(tested.ending == .exited(2))
        #expect(
            tested.errorOutput.contains(
                "\ntest: it ended with 0, not 0, or did not say: result: 2\n"), "\(tested)")
    }

    @Test("an installation that was moved, to a place with all kinds of characters")
    func moved() throws {
        let elsewhere = try TemporaryDirectory()
        let prefix = elsewhere.path(#"a $HOME #1 "b" `c` \d"#)
        for part in [
            "bin/curfew", "libexec/curfew", "share/curfew/templates", "share/curfew/CurfewPlugin",
            "include",
        ] {
            let to = URL(fileURLWithPath: "\(prefix)/\(part)")
            try FileManager.default.createDirectory(
                at: to.deletingLastPathComponent(), withIntermediateDirectories: true)
            try FileManager.default.copyItem(
                atPath: "\(BuiltProducts.prefix)/\(part)", toPath: to.path)
        }
        let plugin = try NewPlugin(prefix: prefix)
        #expect(try plugin.new("my-feed").succeeded)
        let tested = try plugin.run("make", ["-s", "test"], in: "my-feed")
        #expect(tested.succeeded, "\(tested)")
        #expect(try plugin.new("my-other", "--lang", "swift").succeeded)
        let package = try plugin.run("swift", ["package", "describe"], in: "my-other")
        #expect(package.succeeded, "\(package)")
    }

    @Test(
        "a name that cannot be is refused with the rule and one that can",
        arguments: [
            ("My Feed", "a name is small letters", "my-feed"),
            ("1st", "a name is small letters", "my-1st"),
            ("../feed", "a name is small letters", "feed"),
            ("a/b", "a name is small letters", "a-b"),
            ("größe", "a name is small letters", "gr-e"),
            ("-Feed-", "a name is small letters", "feed"),
            ("...", "a name is small letters", "my-plugin"),
            ("a_b", "a name is small letters", "a-b"), ("a\n", "a name is small letters", "a"),
            (
                String(repeating: "a", count: 65), "a name is small letters",
                "my-" + String(repeating: "a", count: 61)
            ),
            ("curfew", "names that begin with `curfew`", "my-curfew"),
            ("curfew-x", "names that begin with `curfew`", "my-curfew-x"),
            ("task", "its handler would be called TaskHandler", "my-task"),
        ])
    func names(name: String, rule: String, suggestion: String) throws {
        let plugin = try NewPlugin()
        let run = try plugin.new("--lang", "swift", "--", name)
        #expect(run.ending == .exited(2), "\(run)")
        #expect(run.output.isEmpty)
        #expect(run.errorOutput.contains("` cannot be the name of a plugin\n  = note: \(rule)"))
        #expect(
            run.errorOutput.hasSuffix("\n  = help: curfew new \(suggestion)\n"), "\(run)")
        #expect(try plugin.contents() == [])
        #expect(try plugin.new("--lang", "swift", suggestion).succeeded)
    }

    @Test("the longest name, and the longest identifier, are taken by lint")
    func longest() throws {
        let plugin = try NewPlugin()
        let name = "a" + String(repeating: "-9", count: 31) + "-"
        let part = String(repeating: "b", count: 56)
        for identifier in [
            "org.example." + name, part + "." + "c" + String(repeating: "d", count: 63),
        ] {
            #expect(try plugin.new(name, "--id", identifier, "--into", ".").succeeded)
            let linted = try plugin.run(
                "\(plugin.prefix)/bin/curfew", ["lint", "\(name)/manifest.json"])
            #expect(linted.succeeded, "\(linted)")
            try FileManager.default.removeItem(atPath: "\(plugin.path)/\(name)")
        }
    }

    @Test(
        "an identifier that no manifest may have is refused",
        arguments: [
            "feed", "org..feed", "org.example.", "org.example.1st", "org.exa mple.feed",
            "org.example.fe_ed", "org.example.curfew", "org.example.Curfew-x", "org.example.-",
            "a." + String(repeating: "b", count: 65),
            String(repeating: "a.", count: 60) + "bc",
        ])
    func identifiers(identifier: String) throws {
        let plugin = try NewPlugin()
        let run = try plugin.new("feed", "--id", identifier)
        #expect(run.ending == .exited(2), "\(run)")
        #expect(
            run.errorOutput.hasPrefix(
                "error: `\(identifier)` cannot be the identifier of a handler\n"))
        #expect(run.errorOutput.hasSuffix("\n  = help: --id org.example.feed\n"))
        #expect(try plugin.contents() == [])
    }

    @Test(
        "a language without a template is refused",
        arguments: [
            ("Swift", "did you mean `--lang swift`?"), ("swfit", "did you mean `--lang swift`?"),
            (
                "cobol",
                "write `--lang c` or `--lang c++` or `--lang swift` or `--lang rust` or `--lang call`"
            ),
        ])
    func languages(language: String, help: String) throws {
        let run = try NewPlugin().new("feed", "--lang", language)
        #expect(run.ending == .exited(2))
        #expect(
            run.errorOutput.hasPrefix(
                "error: there is no template for the language `\(language)`\n  = help: \(help)\n"),
            "\(run)")
    }

    @Test("what is there stays as it is; an empty directory is as good as none")
    func existing() throws {
        let plugin = try NewPlugin()
        try plugin.place.write("mine", to: "at work/full/Makefile")
        try plugin.place.write("mine", to: "at work/file")
        try FileManager.default.createSymbolicLink(
            atPath: plugin.path + "/dangling", withDestinationPath: "nowhere")
        try FileManager.default.createDirectory(
            atPath: plugin.path + "/empty", withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: plugin.path + "/link", withDestinationPath: "empty")
        let before = try plugin.contents()
        for (name, note) in [
            ("full", "it is a directory that is not empty"), ("file", "it is no directory"),
            ("dangling", "it is no directory"), ("link", "it is no directory"),
        ] {
            let run = try plugin.new(name)
            #expect(run.ending == .exited(1))
            #expect(
                run.errorOutput.hasPrefix(
                    "error: `\(name)` exists already\n  = note: \(note)\n  = help: "), "\(run)")
        }
        #expect(try plugin.contents() == before)
        #expect(try plugin.read("full/Makefile") == "mine")
        let run = try plugin.new("empty")
        #expect(run.succeeded, "\(run)")
        #expect(try plugin.files("empty").contains("empty.c"))
    }

    @Test("where nothing can be made, nothing is")
    func unwritable() throws {
        let plugin = try NewPlugin()
        let file = try plugin.place.write("", to: "file")
        for (directory, reason) in [
            ("nowhere", "No such file or directory"), (file, "Not a directory"),
        ] {
            let run = try plugin.new("feed", "--into", directory)
            #expect(run.ending == .exited(1))
            #expect(
                run.errorOutput.hasPrefix(
                    "error: `\(directory)/feed` cannot be made: \(reason)\n"
                        + "  = note: nothing was created\n"), "\(run)")
        }
        let mode = { (mode: Int) in
            try FileManager.default.setAttributes(
                [.posixPermissions: mode], ofItemAtPath: plugin.path)
        }
        try mode(0o555)
        defer { try? mode(0o755) }
        // Root may write everywhere, unless it gives that up.
        let words = [plugin.prefix + "/bin/curfew", "new", "feed"]
        let run =
            getuid() == 0
            ? try plugin.run(
                "setpriv", ["--bounding-set", "-dac_override,-dac_read_search"] + words)
            : try plugin.run(words[0], Array(words.dropFirst()))
        #expect(run.ending == .exited(1))
        #expect(
            run.errorOutput.hasPrefix("error: `feed` cannot be made: Permission denied\n"),
            "\(run)")
        #expect(try plugin.contents() == [])
    }

    @Test(
        "when a file cannot be written to its end, nothing half-made stays",
        arguments: ["c", "swift"])
    func halfMade(language: String) throws {
        let plugin = try NewPlugin()
        try FileManager.default.createDirectory(
            atPath: plugin.path + "/feed", withIntermediateDirectories: true)
        // In blocks of 512 or 1024 bytes; the first files are smaller than two.
        let run = try plugin.run(
            "bash",
            [
                "-c", "trap '' XFSZ; ulimit -f 2; exec \"$0\" new feed --lang \(language)",
                plugin.prefix + "/bin/curfew",
            ])
        #expect(run.ending == .exited(1))
        #expect(
            run.errorOutput.hasPrefix("error: `feed` cannot be made: File too large\n"), "\(run)")
        #expect(try plugin.contents() == ["feed"])
    }

    @Test("a program that is not installed says where it has looked", arguments: ["c", "swift"])
    func uninstalled(language: String) throws {
        let plugin = try NewPlugin()
        let elsewhere = try TemporaryDirectory()
        try elsewhere.write("", to: "bin/none")
        let program = elsewhere.path("bin/curfew")
        try FileManager.default.copyItem(
            atPath: BuiltProducts.prefix + "/bin/curfew", toPath: program)
        let run = try plugin.run(program, ["new", "feed", "--lang", language])
        #expect(run.ending == .exited(1))
        let title = language == "c" ? "C" : "Swift"
        #expect(
            run.errorOutput.hasPrefix(
                """
                error: the template for \(title) is not installed
                  = note: `\(elsewhere.path)/share/curfew/templates/\(language)/Makefile`: No such \
                file or directory
                  = help: 
                """), "\(run)")
        #expect(try plugin.contents() == [])
    }

    @Test(
        "the file for continuous integration has one step to be written", arguments: ["c", "swift"])
    func integration(language: String) throws {
        let plugin = try NewPlugin()
        #expect(try plugin.new("feed", "--lang", language).succeeded)
        let text = try plugin.read("feed/.github/workflows/check.yml")
        #expect(text.components(separatedBy: "YOURS TO WRITE").count == 2)
        #expect(text.contains("run: make check\n"))
        #expect(text.contains("path: build/conform.xml\n"))
    }
}
