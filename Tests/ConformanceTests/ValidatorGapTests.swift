// SPDX-License-Identifier: Apache-2.0
import Conformance
import TestSupport
import Testing

/// What kits for other plugin formats have been seen to lack.
@Suite("What other kits lack")
struct ValidatorGapTests {
    private func twin(_ name: String) -> String {
        BuiltProducts.testPluginDirectory("twins/\(name)")
    }

    /// Both take the limit of a case: side by side they take it once.
    @Test("a child that hangs is killed with its group, and is a timeout in the tally")
    func timeouts() throws {
        let tests = [hanging, tally]
        let wrong = InPairs.faults(Array(tests.indices)) { try tests[$0]() }
        #expect(wrong.isEmpty, "\(wrong)")
    }

    @Sendable private func hanging() throws {
        let plugin = try HarmfulPlugin(
            """
            if (fork() == 0) for (;;) pause();
            for (;;) pause();
            """, .constructor)
        let watch = try Surveillance()
        let run = try ConformRun(
            plugin.directory, only: "dlopen-ok", environment: watch.environment)
        #expect(run.status("dlopen-ok") == "timeout")
        #expect(watch.residue == [])
    }

    @Test("a constructor that crashes does not take the run along")
    func crashing() throws {
        let plugins = ["dlopen-ok+constructor-crashes", "good"].map(twin)
        for order in [plugins, plugins.reversed()] {
            let run = try ConformRun(order, ["--only", "manifest-parses", "--only", "dlopen-ok"])
            #expect(run.code == 1)
            #expect(run.report.plugins.map(\.path) == order)
            for plugin in run.report.plugins {
                let isGood = plugin.path == twin("good")
                #expect(plugin.cases.map(\.status) == ["pass", isGood ? "pass" : "crash"])
            }
        }
    }

    @Test(
        "a case can come out in every way",
        arguments: [
            ("good", "one-task-done", "pass"), ("one-task-done", "one-task-done", "fail"),
            ("one-task-done+crashes", "one-task-done", "crash"),
            ("threads-joined", "threads-joined", "leak"), ("fork-hooks", "fork-hooks", "warn"),
            ("good", "reentrancy", "skip"),
        ])
    func outcomes(name: String, tested: String, status: String) throws {
        #expect(try ConformRun(twin(name), only: tested).status(tested) == status)
    }

    @Sendable private func tally() throws {
        let plugin = try HarmfulPlugin("kill(getpid(), SIGSTOP);", .constructor)
        let run = try ConformRun(
            plugin.directory, only: "manifest-parses", "dlopen-ok", "symbols-resolve")
        let tally = try #require(run.report.plugins.first?.tally)
        #expect(
            tally == [
                "all": 3, "pass": 1, "timeout": 1, "skip": 1, "fail": 0, "crash": 0, "leak": 0,
                "warn": 0,
            ])
        #expect(run.status("dlopen-ok") == "timeout")
        #expect(!run.report.ok)
    }

    @Test(
        "threads, descriptors, processes, signals and memory are looked at",
        arguments: [
            ("threads-joined", "leak", "left a thread"),
            ("descriptors-and-children", "leak", "left descriptor"),
            ("descriptors-and-children+child", "leak", "left a process"),
            ("signal-actions", "fail", "changed what SIGUSR1 does"),
            ("signal-mask", "fail", "the signal mask"),
            ("leak-per-task", "leak", "bytes of memory per task"),
            ("reinit-100", "leak", "KiB of memory"),
        ])
    func surroundings(name: String, status: String, text: String) throws {
        let tested = String(name.prefix { $0 != "+" })
        let run = try ConformRun(twin(name), only: tested)
        #expect(run.status(tested) == status)
        #expect(run.text(tested)?.contains(text) == true, "\(run.text(tested) ?? "")")
    }
}
