// SPDX-License-Identifier: Apache-2.0
import Conformance
import Testing

@Suite("Which cases are run")
struct SelectionTests {
    @Test("a level has the cases of those below it")
    func levels() {
        var counts: [Int] = []
        for level in ConformanceCase.levels {
            var selection = Selection()
            selection.level = level
            counts.append(selection.cases.count)
            #expect(selection.cases.allSatisfy { $0.level <= level })
        }
        #expect(counts == counts.sorted() && counts.last == ConformanceCase.all.count)
    }
}
