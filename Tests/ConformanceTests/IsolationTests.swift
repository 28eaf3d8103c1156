// SPDX-License-Identifier: Apache-2.0
import Conformance
import Foundation
import Scheduling
import TestSupport
import Testing

@Suite("Cases with the plugin in a process of its own")
struct IsolationTests {
    /// Twins that are tried in every run of the tests, of each way in which a case can fail there; all
    /// others in the long one.
    private static let usual: Set<String> = [
        "register-once", "no-exit", "one-task-done", "one-task-done+crashes", "cooperative-stop",
        "one-task-done+crashes-when-done",
        "exactly-once", "declared-events", "retires+exits",
    ]

    private static let both = ["--isolation", "both"]

    @Test("a case that cannot be run in a process says why")
    func skipped() throws {
        let twin = try Twin(name: Twin.good)
        let run = try ConformRun([twin.directory], ["--isolation", "process", "--level", "1"])
        #expect(run.code == 0, "\(run.remarks)")
        #expect(run.cases.count > 10)
        for result in run.cases {
            let reason = ConformanceCase.named(result.name)?.reasonToSkip(in: .process)
            #expect(result.status == (reason == nil ? "pass" : "skip"), "\(result)")
            if let reason { #expect(result.text == reason) }
        }
    }

    @Test("the plugin without a fault passes in both")
    func good() throws {
        let twin = try Twin(name: Twin.good)
        let run = try ConformRun([twin.directory], Self.both + ["--level", WholeMatrix.level])
        #expect(run.code == 0, "\(run.remarks)")
        let (thread, process) = (run.results(in: "thread"), run.results(in: "process"))
        #expect(
            process.map(\.name)
                == thread.map(\.name).filter {
                    let tested = ConformanceCase.named($0)!
                    return tested.runsCode && tested.reasonToSkip(in: .process) == nil
                })
        #expect(process.count { $0.status != "pass" && !TwinTests.skipped.contains($0.name) } == 0)
        #expect(process.count { $0.status == "pass" } >= 15)
    }

    /// What an interposer sees, or the process of the kit: both are there in a thread only.
    private static let threadOnly: Set = [
        "no-exit+copy", "cooperative-stop+goes-on", "exactly-once+guesses", "exactly-once+retires",
        "struct-sizes", "struct-sizes+asked", "struct-sizes+info", "progress-in-range+late",
        "references+after-retire", "references+retiring", "strings-utf8+freed",
        "strings-utf8+reused",
    ]

    @Test("a twin of a case that is run in both fails in both")
    func failing() throws {
        let twins = try Twin.all().filter { twin in
            guard let tested = ConformanceCase.named(twin.tested),
                !Self.threadOnly.contains(twin.name)
            else { return false }
            return tested.runsCode && tested.reasonToSkip(in: .process) == nil
                && (WholeMatrix.isWanted || Self.usual.contains(twin.name))
        }
        #expect(twins.count >= Self.usual.count)
        let wrong = InPairs.map(twins) { twin -> String? in
            do {
                let run = try ConformRun(
                    [twin.directory], Self.both + ["--only", twin.tested])
                let found = run.cases.map { "\($0.isolation ?? "") \($0.status): \($0.text)" }
                let failed = run.cases.filter { CaseStatus(rawValue: $0.status)?.isFailure == true }
                return failed.count == 2 && run.code == 1 ? nil : "\(twin.name): \(found)"
            } catch {
                return "\(twin.name): \(error)"
            }
        }.compactMap(\.self)
        #expect(wrong.isEmpty, "\(wrong.joined(separator: "\n"))")
    }

    @Test("a crash fails the case with the last words of the process")
    func lastWords() throws {
        let twin = try Twin(name: "one-task-done+crashes")
        let run = try ConformRun(
            [twin.directory], ["--isolation", "process", "--only", "one-task-done"])
        #expect(run.status("one-task-done") == "crash")
        let text = try #require(run.text("one-task-done"))
        #expect(text.hasPrefix("its process ended by SIG"), "\(text)")
        #expect(text.hasSuffix("in its function"), "\(text)")
    }

    @Test("without a choice a case is run in both if it can be")
    func usualPlaces() throws {
        let twin = try Twin(name: Twin.good)
        let ended = try ChildProcess.run(
            ConformRun.program,
            [
                "conform", twin.directory, "--only", "signal-mask", "--only", "one-task-done",
                "--only", "manifest-id", "--json",
            ], environment: ConformRun.environment)
        let report = try JSONDecoder().decode(
            ConformRun.Report.self, from: Data(ended.outputBytes))
        #expect(
            report.plugins.first?.cases.map { "\($0.name) \($0.isolation ?? "") \($0.status)" } == [
                "manifest-id thread pass", "one-task-done thread pass", "signal-mask thread pass",
                "one-task-done process pass",
            ])
    }

    @Test("without the program that starts processes, the kit says so and blames no plugin")
    func lackingHelper() throws {
        let twin = try Twin(name: Twin.good)
        let directory = try TemporaryDirectory()
        try FileManager.default.copyItem(
            atPath: ConformRun.program, toPath: directory.path("curfew"))
        func run(_ options: String...) throws -> ChildProcess {
            try ChildProcess.run(
                directory.path("curfew"),
                ["conform", twin.directory, "--only", "one-task-done"] + options,
                environment: ConformRun.environment)
        }
        let refused = try run()
        #expect(refused.ending == .exited(3))
        #expect(refused.output == "")
        #expect(refused.errorOutput.contains("curfew-child"), "\(refused)")
        #expect(refused.errorOutput.contains("`--isolation thread`"), "\(refused)")
        #expect(try run("--isolation", "thread").ending == .exited(0))
    }

    @Test("one process of the kit runs a case in one isolation")
    func inProcess() throws {
        let twin = try Twin(name: Twin.good)
        let ended = try ChildProcess.run(
            ConformRun.program,
            ["conform", twin.directory, "--only", "one-task-done", "--in-process"] + Self.both,
            environment: ConformRun.environment)
        #expect(ended.ending == .exited(2))
        #expect(ended.errorOutput.contains("is twice"))
    }

    @Test("the screen and the report of JUnit name the process")
    func shown() throws {
        let twin = try Twin(name: Twin.good)
        let directory = try TemporaryDirectory()
        let ended = try ChildProcess.run(
            ConformRun.program,
            [
                "conform", twin.directory, "--only", "register-once", "--junit",
                directory.path("report.xml"),
            ] + Self.both, environment: ConformRun.environment)
        #expect(ended.output.contains("register-once\n"))
        #expect(ended.output.contains("register-once (process)\n"))
        let xml = String(decoding: try directory.read("report.xml"), as: UTF8.self)
        #expect(xml.contains("name=\"register-once\" "))
        #expect(xml.contains("name=\"register-once (process)\" "))
        #expect(xml.contains("tests=\"2\""))
    }
}
