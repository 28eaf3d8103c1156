// SPDX-License-Identifier: Apache-2.0
import CCurfew
import PluginBridge
import TestSupport
import Testing

/// Every violation in a process of its own, with a well-behaved plugin beside it.
@Suite("What plugins do wrong")
struct ViolationTests {
    @Test("is answered as the table says", arguments: ViolationForm.runnable)
    func violation(_ form: ViolationForm) throws {
        let report = try Report.run(form)
        check(report, form.violation, form.run)
        guard form.isInProcess, form.run.destroy != nil else { return }
        #expect(report.all("left").map(\.text) == [""], "of the host and its processes is left")
    }

    private func check(_ report: Report, _ violation: Violation, _ run: ViolationRun) {
        #expect(report.all("stuck").isEmpty && report.all("wrong").isEmpty, "\(report.process)")
        #expect(run.ends.contains(report.process.ending), "\(report.process)")

        for (what, values) in run.notes {
            let seen = report.notes(what)
            #expect(!seen.isEmpty && seen.allSatisfy(values.contains), "\(what): \(seen)")
        }
        for what in run.never { #expect(report.notes(what).isEmpty, "\(what)") }

        let loads = report.all("load").filter { $0.plugin == violation.name }
        #expect(loads.map(\.status) == (run.load.map { [$0] } ?? []), "\(loads)")
        let ends = report.all("over").map {
            ViolationRun.End(
                outcome: $0.outcome ?? 0, answered: $0.answered ?? false, text: $0.error)
        }
        #expect(ends.count == run.over.count)
        for (end, expected) in zip(ends, run.over) {
            var expected = expected
            expected.text = expected.text ?? end.text
            if expected.outcome == ViolationRun.End.any {
                expected.outcome = end.outcome
                expected.answered = end.answered
            }
            #expect(end == expected)
        }
        checkDoneEvents(report, run)
        checkOthers(report)
        #expect(report.all("destroy").map(\.status) == (run.destroy.map { [$0] } ?? []))
        run.check?(report)
        checkLog(report, violation, run)
    }

    /// One for each task that is over, with the text that can be read of the task.
    private func checkDoneEvents(_ report: Report, _ run: ViolationRun) {
        // Where the host stays, or the process goes, they may not have been delivered.
        guard run.destroy != nil else { return }
        for over in report.all("over") {
            let events = report.all("event").filter {
                $0.selector == "violation_done::" && $0.task == over.task
            }
            #expect(events.count == 1)
            let succeeded = over.outcome == CURFEW_OUTCOME_SUCCEEDED
            // Both are cut by the harness, at the same length.
            let (said, read) = (events.first?.values ?? "", "\(succeeded)|\(over.error ?? "")")
            #expect(said.prefix(900) == read.prefix(900))
        }
    }

    /// All of the others' tasks went through, and some were asked for.
    private func checkOthers(_ report: Report) {
        let others = report.all("tasks")
        #expect(!others.isEmpty)
        for tasks in others {
            let launched = tasks.launched ?? 0
            #expect(tasks.refused?.isEmpty == true)
            if tasks.identifier == "org.curfew.test.patient" {
                #expect(tasks.outcomes == [String(CURFEW_OUTCOME_EXPIRED): launched])
                #expect(tasks.answers == launched)
            } else {
                #expect(tasks.outcomes == [String(CURFEW_OUTCOME_SUCCEEDED): launched])
            }
        }
    }

    private func checkLog(_ report: Report, _ violation: Violation, _ run: ViolationRun) {
        let states = report.all("state").compactMap(\.state)
        if let first = states.first { #expect(states.allSatisfy { $0 == first }) }

        var rules: Set<String> = Set(run.perhaps)
        for expected in run.rules {
            switch expected {
            case .rule(let rule, let words):
                guard let fault = Fault.named(rule) else {
                    Issue.record("\(rule) is not in the table of faults")
                    continue
                }
                rules.insert(rule)
                let level =
                    fault.number >= 700 ? CURFEW_LOG_CONTRACT_VIOLATION : CURFEW_LOG_INFO
                let start = "\(fault.code) \(rule): \"\(violation.identifier)\" "
                let found = report.log(of: violation.identifier, level: level).contains {
                    $0.text?.hasPrefix(start) == true && $0.text?.contains(words) == true
                }
                #expect(found, "\(rule): \(words): \(report.logged)")
            case .process(let words):
                let found = report.log(of: violation.identifier, level: CURFEW_LOG_WARNING).contains
                {
                    $0.text?.hasPrefix("its process ") == true && $0.text?.contains(words) == true
                }
                #expect(found, "\(words): \(report.logged)")
            case .loading(let rule, let words):
                let start = Fault.named(rule).map { "\($0.code) \(rule): " } ?? "refused: "
                let found = report.log(of: violation.identifier, level: CURFEW_LOG_WARNING).contains
                {
                    $0.text?.hasPrefix(start) == true && $0.text?.contains(words) == true
                }
                #expect(found, "\(rule): \(words): \(report.logged)")
            }
        }
        // The end of a process is no surprise where one is expected, and only there.
        let ends = report.log(of: violation.identifier, level: CURFEW_LOG_WARNING).filter {
            $0.text?.hasPrefix("its process ") == true
        }
        let mayEnd = run.rules.contains { if case .process = $0 { true } else { false } }
        #expect(ends.isEmpty || mayEnd, "\(ends.compactMap(\.text))")
        for line in report.log(of: violation.identifier, level: CURFEW_LOG_CONTRACT_VIOLATION) {
            let rule = line.text?.split(separator: " ").dropFirst().first?.dropLast() ?? ""
            #expect(rules.contains(String(rule)), "\(line.text ?? "")")
        }
    }
}
