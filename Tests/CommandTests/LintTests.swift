// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

@Suite("curfew lint")
struct LintTests {
    private static let faulty = #"""
        {
          "id": "org.example.tidy",
          "version": "1.0.0",
          "abi": 0,
          "library": "libtidy.so",
          "handlers": [
            {
              "identifier": "org.example.tidy",
              "kind": "procesing",
              "buget": "30s"
            }
          ]
        }
        """#

    private static var sound: String {
        faulty.replacing("procesing", with: "processing").replacing("buget", with: "budget")
    }

    @Test("faults are shown with their places, and counted")
    func faults() throws {
        let files = try TemporaryDirectory()
        try files.write(LintTests.faulty, to: "manifest.json")
        let run = try CommandRun("lint", "manifest.json", directory: files.path)
        #expect(run.code == 1)
        #expect(
            run.output
                == #"""
                error[CF0211]: `kind` has no value `procesing`
                 --> manifest.json:9:15
                  |
                9 |       "kind": "procesing",
                  |               ^^^^^^^^^^^
                  = help: write "processing"
                          curfew explain CF0211

                error[CF0204]: a handler has no key `buget`
                  --> manifest.json:10:7
                   |
                10 |       "buget": "30s"
                   |       ^^^^^^^
                   = help: write `budget`
                           curfew explain CF0204

                manifest.json: 2 faults

                """#.replacing(
                    /(?m)^(?=(?: *-->| *\||[0-9 ]+\|| *=| *curfew explain))/, with: " "),
            "\(run.output)")
        #expect(run.errors.isEmpty)
    }

    @Test("a code is explained where it comes first, and not again")
    func explained() throws {
        let twice = LintTests.faulty.replacing(#""kind": "procesing","#, with: #""knd": 1,"#)
        let run = try CommandRun("lint", "-", input: twice)
        #expect(run.output.split(separator: "error[CF0204]").count == 3, "\(run.output)")
        #expect(run.output.split(separator: "curfew explain CF0204\n").count == 2)
    }

    @Test("a sound manifest, alone, with a library, and on standard input")
    func sound() throws {
        let files = try TemporaryDirectory()
        try files.write(LintTests.sound, to: "manifest.json")
        let alone = try CommandRun("lint", "manifest.json", directory: files.path)
        #expect(alone.code == 0)
        #expect(alone.output == "manifest.json: ok, 1 handler, no library yet\n")
        let input = try CommandRun("lint", "-", input: LintTests.sound)
        #expect(input.output == "-: ok, 1 handler, library not looked for\n")
        let plugin = BuiltProducts.testPluginDirectory("patient")
        for path in [plugin, plugin + "/manifest.json"] {
            let whole = try CommandRun("lint", path)
            #expect(whole.code == 0)
            #expect(whole.output == "\(path): ok, 1 handler, library built for ABI 0\n")
        }
    }

    @Test("a library of the system is one of the usual ones, or is named")
    func systemLibrary() throws {
        let files = try TemporaryDirectory()
        try files.write(
            #"""
            {
              "id": "org.example.curl", "version": "1.0.0", "abi": 0,
              "handlers": [{
                "identifier": "org.example.curl", "kind": "app-refresh", "form": "call",
                "call": {
                  "library": { "system": "libcurl.so.4" }, "function": "curl_version",
                  "signature": "text ()", "arguments": [], "result": "value"
                }
              }]
            }
            """#, to: "curl/manifest.json")
        let refused = try CommandRun("lint", "curl", directory: files.path)
        #expect(refused.code == 1)
        #expect(refused.output.contains("--system-library libcurl.so.4"), "\(refused.process)")
        let named = ["--system-library", "libcurl.so.4"]
        #expect(try CommandRun("lint", "curl", named[0], named[1], directory: files.path).code == 0)
        let identifier = "org.example.curl"
        let unrun = try CommandRun("run", identifier, "--plugin", "curl", directory: files.path)
        #expect(unrun.code == 126 && unrun.errors.contains("--system-library"), "\(unrun.process)")
        let run = try CommandRun(
            "run", identifier, "--plugin", "curl", named[0], named[1], directory: files.path)
        #expect(run.code == 0 && run.output.contains("libcurl/"), "\(run.process)")
        let simulated = try CommandRun(
            "simulate", identifier, "--plugin", "curl", named[0], named[1], "submit",
            "expect=succeeded", directory: files.path)
        #expect(simulated.code == 0, "\(simulated.process)")
        let path = try CommandRun("lint", "curl", "--system-library=/lib/libcurl.so.4")
        #expect(path.code == 2 && path.errors.contains("is not the soname"), "\(path.process)")
    }

    @Test("a library that is no plugin is a fault of the manifest that names it")
    func library() throws {
        let files = try TemporaryDirectory()
        try files.write(LintTests.sound, to: "tidy/manifest.json")
        try files.write("no library", to: "tidy/libtidy.so")
        let run = try CommandRun("lint", "tidy", directory: files.path)
        #expect(run.code == 1)
        #expect(
            run.output == #"""
                error[CF0209]: `libtidy.so` is not an ELF file
                  --> tidy/manifest.json:5:14
                   |
                 5 |   "library": "libtidy.so",
                   |              ^^^^^^^^^^^^
                   = help: name the shared object that the linker wrote
                           curfew explain CF0209

                tidy: 1 fault

                """#, "\(run.output)")
    }

    @Test("a library of another ABI is refused by its note, before it is loaded")
    func otherABI() throws {
        let files = try TemporaryDirectory()
        try files.write(
            LintTests.sound.replacing("libtidy.so", with: "libpatient.so"),
            to: "tidy/manifest.json")
        var bytes = Array(
            try Data(
                contentsOf: URL(
                    fileURLWithPath: BuiltProducts.testPluginDirectory("patient")
                        + "/libpatient.so")))
        // The name of the note and its NUL and pad, then the number.
        let name = Array("Curfew\0\0".utf8)
        let place = try #require(
            bytes.indices.dropLast(12).first { bytes[$0..<($0 + 8)].elementsEqual(name) })
        bytes[place + 8] = 3
        try files.write(bytes, to: "tidy/libpatient.so")
        let run = try CommandRun("lint", "tidy", directory: files.path)
        #expect(run.code == 1)
        #expect(
            run.output.hasPrefix(
                "error[CF0209]: `libpatient.so` was built for ABI 3, this host speaks ABI 0\n"))
        let launched = try CommandRun(
            "run", "org.example.tidy", "--plugins", "tidy", directory: files.path)
        #expect(launched.code == 126, "\(launched.process)")
    }

    @Test("JSON has the same fields, and several paths")
    func json() throws {
        let files = try TemporaryDirectory()
        try files.write(LintTests.faulty, to: "bad.json")
        try files.write(LintTests.sound, to: "good.json")
        let run = try CommandRun("lint", "--json", "bad.json", "good.json", directory: files.path)
        #expect(run.code == 1)
        let plugins = try #require(try run.document()["plugins"] as? [[String: Any]])
        #expect(plugins.map { $0["ok"] as? Bool } == [false, true])
        let faults = try #require(plugins[0]["faults"] as? [[String: Any]])
        #expect(faults.count == 2)
        #expect(faults[0]["rule"] as? String == "manifest-kind")
        #expect(faults[0]["code"] as? String == "CF0211")
        #expect(faults[0]["line"] as? Int == 9)
        #expect(faults[0]["column"] as? Int == 15)
        #expect(faults[0]["message"] as? String == "`kind` has no value `procesing`")
        #expect(faults[0]["help"] as? [String] == [#"write "processing""#])
    }

    @Test("what is not there is a fault")
    func missing() throws {
        let run = try CommandRun("lint", "/nowhere")
        #expect(run.code == 1)
        #expect(run.output.hasPrefix("error[CF0201]: cannot read it: No such file or directory\n"))
        #expect(run.output.hasSuffix("\n/nowhere: 1 fault\n"))
    }

    @Test("a manifest beyond the limit is refused without being read to its end")
    func endless() throws {
        let run = try CommandRun("lint", "/dev/zero")
        #expect(run.code == 1)
    }

    // MARK: Wide lines

    /// All on one line, with the fault far from both ends.
    private static let wide = """
        {"id": "org.example.tidy", "version": "1.0.0", "abi": 0, "library": "libtidy.so", \
        "handlers": [{"identifier": "org.example.tidy", "kind": "procesing", "event": "tidy", \
        "budget": "30s", "grace": "5s", "maxConcurrency": 2}]}
        """

    @Test("an excerpt of a long line has 80 columns in a pipe, and the marks are where they were")
    func wide() throws {
        let run = try CommandRun("lint", "-", input: LintTests.wide)
        #expect(run.code == 1)
        let lines = run.output.split(separator: "\n").map(Array.init)
        #expect(lines.allSatisfy { $0.count <= 80 }, "\(run.output)")
        let marks = try #require(lines.firstIndex { $0.last == "^" })
        let source = lines[marks - 1]
        #expect(source.count == 80)
        #expect(source.starts(with: " 1 | …") && source.last == "…", "\(run.output)")
        let marked = zip(source, lines[marks]).filter { $1 == "^" }.map(\.0)
        #expect(String(marked) == #""procesing""#, "\(run.output)")
    }

    @Test("an excerpt fits the terminal, whatever its width", arguments: [40, 61, 80, 100])
    func fitted(columns: Int) throws {
        let files = try TemporaryDirectory()
        // Wide characters take two columns, and the others stay whole.
        let texts = [LintTests.wide, LintTests.wide.replacing("1.0.0", with: "一二三四五六七")]
        for (number, text) in texts.enumerated() {
            let file = try files.write(text, to: "\(number).json")
            let typist = try Typist(columns: columns, CommandRun.program, "lint", file)
            #expect(typist.code == 1)
            let lines = typist.lines
            let excerpts = lines.indices.dropFirst().filter { lines[$0].hasSuffix("^") }
            #expect(!excerpts.isEmpty)
            for index in excerpts {
                let wide = lines[index - 1].unicodeScalars.count {
                    $0.value >= 0x4E00 && $0.value < 0xA000
                }
                #expect(lines[index - 1].count + wide <= columns, "\(lines)")
                #expect(lines[index].count <= columns, "\(lines)")
            }
            #expect(lines.contains { $0.contains(#""procesing""#) })
        }
    }

    @Test("a short line stays as it is, and a mark at its end too")
    func end() throws {
        let run = try CommandRun("lint", "-", input: "{\n  \"id\": \"a.b\"\n")
        #expect(!run.output.contains("…"), "\(run.output)")
    }

    // MARK: The entry

    private static let plugin = """
        #include <curfew/plugin.h>
        CURFEW_PLUGIN_NOTE();
        CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(
            const curfew_host_api *api, curfew_plugin_info *info, curfew_error *error) {
            (void)api, (void)info, (void)error;
            return CURFEW_OK;
        }

        """

    /// Builds `tidy/libtidy.so` beside a sound manifest.
    private static func build(_ source: String, _ flags: [String], in files: TemporaryDirectory)
        throws
    {
        try files.write(sound, to: "tidy/manifest.json")
        let file = try files.write(source, to: "tidy.c")
        let library = files.path("tidy/libtidy.so")
        let built = try ChildProcess.run(
            "gcc",
            [
                "-shared", "-fPIC", "-w", "-I", BuiltProducts.packageRoot + "/include", "-o",
                library, file,
            ]
                + flags)
        try #require(built.succeeded, "\(built)")
    }

    @Test("a library without the entry is a fault, as it is for a host")
    func noEntry() throws {
        let plugin = BuiltProducts.testPluginDirectory("noentry")
        let run = try CommandRun("lint", plugin)
        #expect(run.code == 1)
        #expect(
            run.output == #"""
                error[CF0209]: `libnoentry.so` exports no curfew_plugin_entry
                  --> \#(plugin)/manifest.json:5:14
                   |
                 5 |   "library": "libnoentry.so",
                   |              ^^^^^^^^^^^^^^^
                   = help: define it with CURFEW_PLUGIN_EXPORT; no version script may hide it
                           curfew explain CF0209

                \#(plugin): 1 fault

                """#, "\(run.output)")
        let launched = try CommandRun("run", "org.curfew.test.noentry", "--plugins", plugin)
        #expect(launched.code == 126)
        #expect(
            launched.errors.hasSuffix(
                "  = help: curfew lint \(plugin)\n          curfew explain CF0304\n"))
    }

    @Test(
        "what a host takes and the kit does not is a warning",
        arguments: [
            ("exports-minimal", "it exports twin_second (curfew explain CF0808)"),
            ("elf-hardening", "(curfew explain CF0810)"), ("fork-hooks", "(curfew explain CF0858)"),
        ])
    func warned(twin: String, text: String) throws {
        let run = try CommandRun("lint", Twin(twin).path)
        #expect(run.code == 0)
        let lines = run.output.split(separator: "\n")
        #expect(lines.first?.contains(": ok, 1 handler") ?? false)
        #expect(lines.dropFirst().first?.hasPrefix("  warning: it ") ?? false, "\(run.output)")
        let words = run.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(words.contains(text), "\(words)")
        let good = try CommandRun("lint", Twin("good").path)
        #expect(good.code == 0 && !good.output.contains("warning"))
        #expect(run.code == 0)
    }

    @Test(
        "what no host loads is a fault",
        arguments: [
            (
                "symbols-resolve",
                "`libtwin.so` needs the symbol nowhere_to_be_found, which no library"
            ),
            (
                "dlopen-ok",
                "`libtwin.so` needs libnowhere-to-be-found.so.1, which this machine does not"
            ),
        ])
    func lacking(twin: String, text: String) throws {
        let run = try CommandRun("lint", Twin(twin).path)
        #expect(run.code == 1)
        let words = run.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(words.hasPrefix("error[CF"), "\(run.output)")
        #expect(words.contains(text), "\(run.output)")
        #expect(run.output.hasSuffix(": 1 fault\n"), "\(run.output)")
        let inspected = try CommandRun("inspect", "--load", Twin(twin).path)
        #expect(inspected.code != 0)
    }

    @Test("the entry is found in every sort of library that the loader takes")
    func entries() throws {
        let many = (0..<5_000).map { "int name_\($0)(void) { return \($0); }\n" }.joined()
        for (more, flags) in [
            ("", []), (many, []), (many, ["-Wl,--hash-style=sysv"]),
            (many, ["-Wl,--hash-style=both", "-s"]), ("", ["-Wl,--hash-style=sysv"]),
            ("", ["-nostdlib", "-Wl,-z,norelro", "-Wl,-z,noseparate-code"]),
            ("", ["-Wl,-Ttext-segment=0x200000"]),
        ] {
            let files = try TemporaryDirectory()
            try LintTests.build(LintTests.plugin + more, flags, in: files)
            // The place and the number of the section headers; no loader looks at them.
            var bytes = try files.read("tidy/libtidy.so")
            for place in Array(40..<48) + Array(60..<64) { bytes[place] = 0 }
            try files.write(bytes, to: "tidy/libtidy.so")
            let run = try CommandRun("lint", "tidy", directory: files.path)
            #expect(run.code == 0, "\(flags): \(run.output)")
        }
    }

    @Test(
        "what only looks like an entry is told",
        arguments: [
            ("static int curfew_plugin_entry(void) { return 0; }", [], "exports no "),
            (
                "__attribute__((visibility(\"hidden\"))) int curfew_plugin_entry(void) { return 0; }",
                [], "exports no "
            ),
            (
                "extern int curfew_plugin_entry(void); int f(void) { return curfew_plugin_entry(); }",
                [], "exports no "
            ),
            ("int curfew_plugin_entry_(void) { return 0; }", [], "exports no "),
            (
                "int xcurfew_plugin_entry(void) { return 0; }", ["-Wl,--hash-style=sysv"],
                "exports no "
            ),
            (
                "int curfew_plugin_entry = 3;", [],
                "exports curfew_plugin_entry, but not as a function"
            ),
        ] as [(String, [String], String)])
    func noEntries(source: String, flags: [String], message: String) throws {
        let files = try TemporaryDirectory()
        let note =
            "#include <curfew/types.h>\n#define curfew_plugin_entry declared\n"
            + "#include <curfew/plugin.h>\n#undef curfew_plugin_entry\nCURFEW_PLUGIN_NOTE();\n"
        try LintTests.build(note + source, flags, in: files)
        let run = try CommandRun("lint", "tidy", directory: files.path)
        #expect(run.code == 1)
        #expect(run.output.hasPrefix("error[CF0209]: `libtidy.so` \(message)"), "\(run.output)")
    }

    @Test("a damaged library is a fault or is sound, and never the end of lint")
    func damaged() throws {
        let files = try TemporaryDirectory()
        try LintTests.build(LintTests.plugin, ["-Wl,--hash-style=both", "-s"], in: files)
        let bytes = try files.read("tidy/libtidy.so")
        var state: UInt64 = 42
        func number(below limit: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % limit
        }
        var paths: [String] = []
        // The tables the entry is looked up in stand at the beginning.
        for index in 0..<400 {
            var damaged = bytes
            for _ in 0...number(below: 6) {
                damaged[24 + number(below: 0x500)] = [0, 1, 0x7F, 0x80, 0xFF][number(below: 5)]
            }
            if index % 10 == 0 { damaged.removeLast(1 + number(below: bytes.count - 1)) }
            try files.write(damaged, to: "\(index)/libtidy.so")
            try files.write(LintTests.sound, to: "\(index)/manifest.json")
            paths.append("\(index)")
        }
        let run = try ChildProcess.run(
            CommandRun.program, ["lint"] + paths, environment: CommandRun.environment,
            directory: files.path, limit: .seconds(60))
        #expect(run.ending == .exited(1), "\(run)")
        #expect(run.output.contains("is damaged: "))
        #expect(
            run.output.split(separator: "\n").count { $0.wholeMatch(of: /[0-9]+: .*/) != nil }
                == 400)
    }

    @Test("a table of symbols that goes round in a circle is left")
    func circle() throws {
        let files = try TemporaryDirectory()
        try LintTests.build(LintTests.plugin, ["-Wl,--hash-style=sysv"], in: files)
        let library = files.path("tidy/libtidy.so")
        let sections = try ChildProcess.run("readelf", ["-SW", library]).output
        let place = try #require(
            sections.firstMatch(of: #/ \.hash +HASH +[0-9a-f]+ ([0-9a-f]+) ([0-9a-f]+) /#))
        let start = try #require(Int(place.output.1, radix: 16))
        let words = try #require(Int(place.output.2, radix: 16)) / 4
        var bytes = try files.read("tidy/libtidy.so")
        // Every bucket begins with symbol 1, and after each symbol comes symbol 1.
        for word in 2..<words { bytes[start + 4 * word] = 1 }
        try files.write(bytes, to: "tidy/libtidy.so")
        let run = try CommandRun("lint", "tidy", directory: files.path)
        #expect(run.code == 1)
        #expect(run.output.contains(" is damaged: its symbols "), "\(run.output)")
    }

    @Test(
        "a library that was cut is refused, and ends neither lint nor a host",
        arguments: [98, 95, 90])
    func cut(_ percent: Int) throws {
        let files = try TemporaryDirectory()
        try LintTests.build(LintTests.plugin, ["-s"], in: files)
        var library = LibraryBytes(try files.read("tidy/libtidy.so"))
        // Behind the last segment is nothing that is loaded.
        let end = library.headers(ofType: 1).map {
            Int(library.long(at: $0 + 8) + library.long(at: $0 + 32))
        }.max()!
        library.bytes.removeLast(library.bytes.count - end * percent / 100)
        try files.write(library.bytes, to: "tidy/libtidy.so")
        let lint = try CommandRun("lint", "tidy", directory: files.path)
        #expect(lint.code == 1)
        #expect(lint.output.contains("is damaged: "), "\(lint.output)")
        let run = try CommandRun(
            "run", "org.example.tidy", "--plugin", "tidy", directory: files.path)
        #expect(run.code != nil && run.code != 0, "\(run.process)")
        #expect((run.output + run.errors).contains("is damaged: "), "\(run.process)")
    }

    @Test(
        "in a user namespace another user's plugin is another user's",
        .enabled(if: geteuid() == 0 && LintTests.hasNamespaces))
    func namespace() throws {
        let files = try TemporaryDirectory()
        try LintTests.build(LintTests.plugin, [], in: files)
        func lint() throws -> CommandRun {
            CommandRun(
                process: try ChildProcess.run(
                    "unshare",
                    ["--user", "--map-root-user", CommandRun.program, "lint", files.path("tidy")],
                    environment: CommandRun.environment))
        }
        #expect(try lint().code == 0)
        for path in ["tidy/libtidy.so", "tidy/manifest.json", "tidy"] {
            try #require(chown(files.path(path), 54_321, 54_321) == 0)
            let run = try lint()
            #expect(run.code == 1)
            #expect(run.output.contains("belongs to another user than root"), "\(run.output)")
            try #require(chown(files.path(path), 0, 0) == 0)
        }
    }

    @Test("no library is searched in an LD_LIBRARY_PATH that other users can write to")
    func libraryPath() throws {
        let files = try TemporaryDirectory()
        try files.write("int along(void) { return 1; }", to: "along.c")
        let along = files.path("libalong.so")
        let gcc = try ChildProcess.run(
            "gcc", ["-shared", "-fPIC", "-o", along, files.path("along.c")])
        try #require(gcc.succeeded, "\(gcc)")
        try LintTests.build(
            LintTests.plugin,
            ["-Wl,--no-as-needed", "-L", files.path, "-lalong", "-Wl,-rpath,\(files.path)"],
            in: files)
        for (path, place) in [("/usr/lib", nil), ("", nil), (":/usr/lib", "."), ("/tmp", "/tmp")]
            as [(String, String?)]
        {
            let run = try CommandRun(
                "lint", "tidy", directory: files.path, environment: ["LD_LIBRARY_PATH": path])
            #expect(run.code == (place == nil ? 0 : 1), "\(path): \(run.output)")
            guard let place else { continue }
            #expect(run.output.contains("for which the loader searches \"\(place)\" first"))
        }
    }

    private static let hasNamespaces =
        (try? ChildProcess.run("unshare", ["--user", "--map-root-user", "true"]).succeeded) ?? false
}
