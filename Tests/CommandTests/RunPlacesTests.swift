// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

@Suite("curfew run: which plugin, and who may")
struct RunPlacesTests {
    private static let patient = BuiltProducts.testPluginDirectory("patient")
    private static let errands = BuiltProducts.testPluginDirectory("cli-errands")

    @Test("--plugin takes one plugin, and several when it is repeated")
    func single() throws {
        let one = try CommandRun("run", CommandRun.errand("works"), "--plugin", Self.errands)
        #expect(one.code == 0, "\(one.process)")
        let other = try CommandRun("run", CommandRun.errand("works"), "--plugin", Self.patient)
        #expect(other.code == 127)
        #expect(other.errors.contains("looked at 1 plugin in \(Self.patient)"))
        let both = try CommandRun(
            "run", CommandRun.errand("works"), "--plugin", Self.patient, "--plugin", Self.errands)
        #expect(both.code == 0)
    }

    @Test("--plugin names a plugin, not a directory of some")
    func notOne() throws {
        let files = try TemporaryDirectory()
        let run = try CommandRun("run", "a.b", "--plugin", files.path)
        #expect(run.code == 125)
        #expect(
            run.errors == """
                error: there is no plugin in `\(files.path)`: it has no manifest.json
                  = help: name the directory that has one: --plugin DIR

                """)
    }

    @Test("what is wrong with a named plugin is told, not that nothing was found")
    func faulty() throws {
        let files = try TemporaryDirectory()
        try files.write("{", to: "broken/manifest.json")
        let run = try CommandRun("run", "a.b", "--plugin", files.path("broken"))
        #expect(run.code == 126)
        #expect(run.errors.hasPrefix("error[CF01"), "\(run.errors)")
        #expect(run.errors.contains("--> \(files.path("broken"))/manifest.json:1:"))
        #expect(run.errors.contains("  = note: nothing was run\n"))
    }

    private static func list(_ identifiers: [String]) -> String {
        let entries = identifiers.map { "<string>\($0)</string>" }.joined()
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0"><dict>
            <key>BGTaskSchedulerPermittedIdentifiers</key><array>\(entries)</array>
            <key>UIBackgroundModes</key><array><string>fetch</string><string>processing</string></array>
            </dict></plist>
            """
    }

    @Test("--permitted allows what is in the list, and refuses the rest")
    func permitted() throws {
        let files = try TemporaryDirectory()
        let list = try files.write(Self.list(["org.curfew.test.errands.*"]), to: "list.plist")
        let allowed = try CommandRun("run", CommandRun.errand("works"), "--permitted", list)
        #expect(allowed.code == 0, "\(allowed.process)")
        let refused = try CommandRun("run", "org.curfew.test.patient", "--permitted", list)
        #expect(refused.code == 126, "\(refused.process)")
        #expect(refused.errors.contains("BGTaskSchedulerPermittedIdentifiers"))
        #expect(refused.errors.contains("  = note: `org.curfew.test.patient` was not run\n"))
    }

    @Test("a list that cannot be used is told with its place")
    func faultyList() throws {
        let files = try TemporaryDirectory()
        let list = try files.write("<plist><dict>", to: "list.plist")
        for path in [list, files.path("none.plist")] {
            let run = try CommandRun("run", CommandRun.errand("works"), "--permitted", path)
            #expect(run.code == 125)
            #expect(run.errors.contains(path), "\(run.errors)")
            #expect(run.errors.hasPrefix("error[CF"), "\(run.errors)")
            #expect(run.errors.contains("  = note: nothing was run\n"))
        }
    }

    // MARK: Plugins that end the process

    private static func violation(
        _ name: String, form: String, _ more: String...
    ) throws -> ChildProcess {
        let plugin = BuiltProducts.testPluginDirectory("violations/\(name)")
        return try ChildProcess.run(
            CommandRun.program,
            ["run", "org.curfew.violation.\(name)", "--plugin", plugin, "--isolation", "thread"]
                + more,
            environment: CommandRun.environment.merging(["CURFEW_MISDEED_FORM": form]) { $1 },
            limit: .seconds(60))
    }

    @Test(
        "a crash is told, in the entry and on a worker, and the process ends of its signal",
        arguments: [("crashes", "entry", SIGSEGV, "SIGSEGV"), ("aborts", "", SIGABRT, "SIGABRT")])
    func crash(name: String, form: String, signal: Int32, word: String) throws {
        let files = try TemporaryDirectory()
        let log = files.path("log")
        let run = try Self.violation(name, form: form, "--event-log", log)
        #expect(run.ending == .signalled(signal), "\(run)")
        #expect(
            run.errorOutput.hasPrefix(
                """
                error: the code of `org.curfew.violation.\(name)` died of \(word), and took \
                this process with it
                  = note: it is unknown what the task had done
                  = help: to see where: gdb -q -ex run --args curfew run org.curfew.violation.
                """), "\(run.errorOutput)")
        let outcome = try #require(try EventLogTests.records(log).last)
        #expect(outcome["outcome"] as? String == "crashed")
        #expect(outcome["exit"] as? Int == 128 + Int(signal))
        #expect(try #require(outcome["time"] as? Double) > 0)
    }

    @Test(
        "a stack overflow is told, on each thread that runs code of a plugin",
        arguments: [
            ("TWIN_IN_ENTRY", ["run", "--json", "--isolation", "thread"]),
            ("TWIN_IN_RUN", ["run", "--json", "--isolation", "thread"]),
            (
                "TWIN_IN_EXPIRED",
                ["run", "--json", "--budget", "50ms", "--payload", "slow", "--isolation", "thread"]
            ),
            ("TWIN_IN_RETIRE", ["run", "--json", "--isolation", "thread"]),
            ("TWIN_IN_RUN", ["simulate", "--json", "submit"]),
        ])
    func overflow(place: String, words: [String]) throws {
        let run = try Twin(
            code: """
                static int deep(volatile char *outer) {
                    volatile char frame[512];
                    frame[0] = *outer;
                    return deep(frame) + frame[1];
                }
                #define \(place) deep((char[1]){0});
                """
        ).command(words)
        #expect(run.process.ending == .signalled(SIGSEGV), "\(run.process)")
        #expect(
            run.errors.hasPrefix(
                "error: the code of `org.example.twin` died of a stack overflow (SIGSEGV), and took"
            ), "\(run.process)")
        let last = try #require(try run.records().last)
        #expect(last["event"] as? String == "outcome")
        #expect(last["exit"] as? Int == 139)
    }

    @Test(
        "in a process of the plugin's a crash is the end of the task, and the screen says where it was",
        arguments: [
            ("TWIN_IN_RUN", "TWIN_CRASH", 101, "ended by SIGSEGV at 0x0 in its function"),
            ("TWIN_IN_RUN", "abort()", 101, "ended by SIGABRT in its function"),
            ("TWIN_IN_RUN", "exit(0)", 101, "exited with status 0 in its function"),
            (
                "TWIN_IN_ENTRY", "TWIN_CRASH", 126,
                "ended by SIGSEGV at 0x0 in its entry while it loaded"
            ),
        ])
    func inProcess(place: String, what: String, code: Int, text: String) throws {
        let run = try Twin(code: "#include <stdlib.h>\n#define \(place) \(what);").command(["run"])
        #expect(run.code == Int32(code), "\(run.process)")
        #expect((run.output + run.errors).contains(text), "\(run.process)")
        // There is one task, and no other process for it.
        #expect(!run.output.contains("the next one starts"))
    }

    @Test("a crash after the task has its outcome nevertheless")
    func late() throws {
        let run = try Twin(code: "#define TWIN_IN_RETIRE TWIN_CRASH;").command(
            ["run", "--json", "--isolation", "thread"])
        #expect(run.process.ending == .signalled(SIGSEGV), "\(run.process)")
        #expect(run.errors.contains("died of SIGSEGV"), "\(run.process)")
        #expect(run.errors.contains("  = note: the task was over: succeeded\n"), "\(run.process)")
        let last = try #require(try run.records().last)
        #expect(last["outcome"] as? String == "succeeded")
        #expect(last["exit"] as? Int == 139)
    }

    @Test("an entry that fails without a message is told by its status")
    func silent() throws {
        let run = try Twin(code: "#define TWIN_IN_ENTRY return CURFEW_FAILED;").command(["run"])
        #expect(run.code == 126)
        #expect(
            run.errors.contains("libtwin.so failed: it returned CURFEW_FAILED without a message;"),
            "\(run.process)")
    }

    @Test("a plugin that calls exit has not succeeded")
    func exits() throws {
        let run = try Self.violation("exits", form: "entry", "--json")
        #expect(run.ending == .exited(101), "\(run)")
        #expect(run.errorOutput.contains("ended the process, which only the host may\n"))
        #expect(run.output.hasSuffix(#","exit":101}"# + "\n"), "\(run.output)")
    }

    @Test(
        "the end of a forked child is its own, and not the task's",
        arguments: [("exit", "exit 4"), ("abort", "signal 6"), ("write", "signal 11")])
    func child(payload: String, ending: String) throws {
        let files = try TemporaryDirectory()
        let words = ["--plugin", BuiltProducts.testPluginDirectory("forks"), "--payload", payload]
        func command(_ words: [String]) throws -> CommandRun {
            CommandRun(
                process: try ChildProcess.run(
                    CommandRun.program, words, environment: CommandRun.environment,
                    limit: .seconds(60)))
        }
        let run = try command(
            ["run", "org.curfew.test.forks", "--json", "--event-log", files.path("log")] + words)
        #expect(run.code == 0 && run.errors.isEmpty, "\(run.process)")
        for records in [try run.records(), try EventLogTests.records(files.path("log"))] {
            let outcomes = records.filter { $0["event"] as? String == "outcome" }
            #expect(outcomes.map { $0["outcome"] as? String } == ["succeeded"])
            #expect(outcomes.last?["result"] as? String == ending)
        }
        let simulation = try command(
            ["simulate", "org.curfew.test.forks", "--json", "submit", "expect=succeeded"] + words)
        #expect(simulation.code == 0 && simulation.errors.isEmpty, "\(simulation.process)")
        let outcomes = try simulation.records().filter { $0["event"] as? String == "outcome" }
        #expect(outcomes.isEmpty, "\(simulation.process)")
    }
}
