// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Conformance

@Suite("What is made of how a child ended")
struct CaseReportTests {
    private static func line(_ word: String, _ text: String = "") -> ChildLine {
        ChildLine("m \(word) \(text)", mark: "m")!
    }

    private static let usual = ConformanceCase.named("one-task-done")!
    private static let exit = ConformanceCase.all.first(where: \.isAboutExit)!

    private static func verdict(
        _ ending: ContainedChild.Ending, _ lines: [ChildLine] = [], output: String = "",
        errors: String = "", of tested: ConformanceCase = usual
    ) -> CaseVerdict {
        CaseReport(
            ContainedChild(
                ending, lines, output: Array(output.utf8), errors: Array(errors.utf8)), tested
        ).verdict
    }

    private static let at = line("at", "- while it ran com.you.words")

    @Test("its own verdict, with its notes")
    func told() {
        let pass = CaseReportTests.verdict(.exited(0), [CaseReportTests.line("verdict", "pass ")])
        #expect(pass.status == .pass && pass.text.isEmpty)
        let fail = CaseReportTests.verdict(
            .exited(0),
            [
                CaseReportTests.at, CaseReportTests.line("note", "it said: no"),
                CaseReportTests.line("verdict", "fail it did  not"),
            ])
        #expect(fail.status == .fail && fail.text == "it did  not")
        #expect(fail.notes == ["it said: no"])
        // The last one counts: a case tells one.
        let two = CaseReportTests.verdict(
            .exited(0),
            [CaseReportTests.line("verdict", "pass"), CaseReportTests.line("verdict", "leak x")])
        #expect(two.status == .leak)
    }

    @Test(
        "an end without a verdict is a fault, whatever the status", arguments: [0, 1, 7] as [Int32])
    func noVerdict(status: Int32) {
        let early = CaseReportTests.verdict(.exited(status), errors: "one\ntwo\nthree\nfour\n")
        #expect(early.status == .fail)
        #expect(early.text == "ended the process with status \(status) before it was loaded")
        #expect(early.notes == ["it wrote: one", "it wrote: two", "it wrote: three"])
        let later = CaseReportTests.verdict(.exited(status), [CaseReportTests.at])
        #expect(later.text == "ended the process with status \(status) while it ran com.you.words")
        // Nobody knows such a verdict.
        let odd = CaseReportTests.verdict(
            .exited(status), [CaseReportTests.line("verdict", "great success")])
        #expect(odd.status == .fail)
    }

    @Test("a signal is a crash, also after a verdict")
    func signal() {
        let crash = CaseReportTests.verdict(
            .signalled(6), [CaseReportTests.at], errors: "assertion failed\n")
        #expect(crash.status == .crash)
        #expect(crash.text == "died of SIGABRT while it ran com.you.words")
        #expect(crash.notes == ["it wrote: assertion failed"])
        let late = CaseReportTests.verdict(
            .signalled(11), [CaseReportTests.line("verdict", "pass")])
        #expect(late.status == .crash && late.text == "died of SIGSEGV before it was loaded")
    }

    @Test("its time was up")
    func timeout() {
        let late = CaseReportTests.verdict(
            .timedOut, [CaseReportTests.at, CaseReportTests.line("verdict", "pass")])
        #expect(late.status == .timeout)
        #expect(
            late.text
                == "did not come back within 20 s while it ran com.you.words, and was killed")
    }

    @Test("it wrote to the descriptor of the kit")
    func tooMuch() {
        let verdict = CaseReportTests.verdict(.tooMuch, [CaseReportTests.at])
        #expect(verdict.status == .fail)
        #expect(verdict.text.hasPrefix("wrote to the kit's own descriptor while it ran "))
    }

    @Test("output where silence was due fails what would have passed, and nothing else")
    func silence() {
        let silent = CaseReportTests.line("silent", "4 it wrote")
        let pass = CaseReportTests.line("verdict", "pass")
        func verdict(_ output: String, _ errors: String, _ last: ChildLine) -> CaseVerdict {
            CaseReportTests.verdict(
                .exited(0), [silent, last], output: output, errors: errors)
        }
        #expect(verdict("", "", pass).status == .pass)
        #expect(verdict("", "four", pass).status == .pass)
        let output = verdict("a\nb\nc\nd\n", "", pass)
        #expect(output.status == .fail && output.text == "it wrote 8 bytes to standard output")
        #expect(output.notes == ["it wrote: a", "it wrote: b", "it wrote: c"])
        let errors = verdict("", "fives", pass)
        #expect(errors.status == .fail && errors.text == "it wrote 5 bytes to standard error")
        let skip = verdict("x", "", CaseReportTests.line("verdict", "skip for want of it"))
        #expect(skip.status == .skip && skip.text == "for want of it")
        // Without such a demand everybody may write.
        let free = CaseReportTests.verdict(.exited(0), [pass], output: "x", errors: "y")
        #expect(free.status == .pass)
    }

    @Test("an exit of its own passes at its end only, and with the status it chose")
    func leaving() {
        let leaving = [CaseReportTests.at, CaseReportTests.line("leaving")]
        let chosen = ContainedChild.Ending.exited(CaseRun.leavingStatus)
        #expect(CaseReportTests.verdict(chosen, leaving).status == .pass)
        #expect(CaseReportTests.verdict(chosen, [CaseReportTests.at]).status == .fail)
        #expect(CaseReportTests.verdict(.exited(0), leaving).status == .fail)
        let status = CaseReportTests.verdict(.exited(3), leaving)
        #expect(status.status == .fail)
        #expect(status.text == "ended the process with status 3 at the end of the process")
        let crash = CaseReportTests.verdict(.signalled(11), leaving)
        #expect(crash.text == "died of SIGSEGV at the end of the process")
        let noisy = CaseReportTests.verdict(
            chosen, leaving + [CaseReportTests.line("silent", "0 it wrote")], output: "x")
        #expect(noisy.status == .fail)
    }

    @Test("a case about exit leaves crashes and failures to the others")
    func aboutExit() {
        let exit = CaseReportTests.exit
        #expect(exit.name == "no-exit")
        for ending in [ContainedChild.Ending.timedOut, .signalled(11)] {
            #expect(CaseReportTests.verdict(ending, of: exit).status == .skip)
        }
        let failed = CaseReportTests.verdict(
            .exited(0), [CaseReportTests.line("verdict", "fail x")], of: exit)
        #expect(failed.status == .skip)
        #expect(CaseReportTests.verdict(.exited(0), of: exit).status == .fail)
        let pass = CaseReportTests.verdict(
            .exited(0), [CaseReportTests.line("verdict", "pass")], of: exit)
        #expect(pass.status == .pass)
    }

    @Test("the seed of what was tried last")
    func seed() {
        func seed(_ texts: String...) -> UInt64? {
            CaseReport(
                ContainedChild(.signalled(11), texts.map { CaseReportTests.line("at", $0) }),
                CaseReportTests.usual
            ).seed
        }
        #expect(seed("5 while a", "18446744073709551615 while b") == .max)
        #expect(seed("- while a") == nil)
        #expect(seed() == nil)
    }
}
