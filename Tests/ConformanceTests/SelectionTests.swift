// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Conformance

@Suite("Which cases are run")
struct SelectionTests {
    private static func names(_ change: (inout Selection) -> Void) -> [String] {
        var selection = Selection()
        change(&selection)
        return selection.cases.map(\.name)
    }

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
        #expect(Selection().level == 2)
    }

    @Test(
        "patterns",
        arguments: [
            ("no-exit", "no-exit", true), ("no-exit", "no-exi", false),
            ("no-exit", "o-exit", false),
            ("no-exit", "", false), ("no-exit", "*", true), ("no-exit", "**", true),
            ("no-exit", "no-*", true), ("no-exit", "*-exit", true), ("no-exit", "n*t", true),
            ("no-exit", "no-exit*", true), ("no-exit", "*no-exit", true),
            ("no-exit", "no-exit*t", false), ("no-exit", "no*no*", false),
            ("no-exit", "*o*e*i*", true), ("no-exit", "*i*e*", false), ("no-exit", "n*x", false),
            ("no-exit", "n*-**t", true), ("no-exit", "NO-EXIT", false),
            ("no-exit", "no.exit", false),
            ("no-exit", "CF0829", true), ("no-exit", "cf0829", true), ("no-exit", "CF0830", false),
            ("no-exit", "829", false), ("no-exit", "CF08*", false),
        ])
    func patterns(name: String, pattern: String, isMatch: Bool) {
        #expect(Selection.matches(name, pattern) == isMatch)
    }

    @Test("what is named is run whatever its level; what is excluded is not; the order stays")
    func only() {
        let fuzzing = SelectionTests.names {
            $0.level = 1
            $0.only = ["fuzz-payload", "fuzz-c*", "manifest-id", "CF0864"]
        }
        #expect(fuzzing == ["manifest-id", "fuzz-calls", "fuzz-payload"])
        let rest = SelectionTests.names {
            $0.only = ["manifest-*"]
            $0.exclude = ["CF0802", "*-duplicates"]
        }
        #expect(rest == ["manifest-parses"])
        let all = SelectionTests.names { $0.exclude = ["*"] }
        #expect(all.isEmpty)
    }

    @Test("the first pattern that is nothing's")
    func unknown() {
        var selection = Selection()
        #expect(selection.unknown == nil)
        selection.only = ["no-*", "CF0830"]
        selection.exclude = ["manifest-id"]
        #expect(selection.unknown == nil)
        selection.exclude.append("x-*")
        #expect(selection.unknown == "x-*")
        selection.only.append("CF0302")
        #expect(selection.unknown == "CF0302")
    }
}
