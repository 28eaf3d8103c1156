// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Conformance

@Suite("How many cases came out how")
struct TallyTests {
    @Test("nothing yet")
    func empty() {
        let tally = Tally()
        #expect(tally.all == 0 && tally.failures == 0)
        #expect(CaseStatus.allCases.allSatisfy { tally[$0] == 0 })
    }

    @Test("each is counted once, and four of them are failures")
    func counts() {
        let results = CaseStatus.allCases.enumerated().flatMap { index, status in
            (0...index).map { _ in
                CaseResult(
                    tested: ConformanceCase.all[0], verdict: CaseVerdict(status), duration: 0,
                    seed: nil, output: "")
            }
        }
        var tally = Tally(results)
        for (index, status) in CaseStatus.allCases.enumerated() {
            #expect(tally[status] == index + 1)
        }
        #expect(tally.all == (1...7).reduce(0, +))
        let failures: Set<CaseStatus> = [.fail, .crash, .timeout, .leak]
        #expect(Set(CaseStatus.allCases.filter(\.isFailure)) == failures)
        #expect(tally.failures == failures.reduce(0) { $0 + tally[$1] })
        tally.add(.pass)
        tally.add(.crash)
        #expect(tally[.pass] == 2 && tally.all == 30)
    }

    @Test("the words of the reports")
    func words() {
        #expect(
            CaseStatus.allCases.map(\.rawValue)
                == ["pass", "fail", "crash", "timeout", "leak", "skip", "warn"])
    }
}
