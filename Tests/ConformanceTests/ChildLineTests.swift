// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Conformance

@Suite("What a contained child tells")
struct ChildLineTests {
    private static let mark = "0123456789abcdef0123456789abcdef"

    @Test(
        "every text comes as it was told",
        arguments: [
            "", "plain", " leading", "trailing ", "two  blanks", "line\nend\n", "\r\n",
            "back\\slash",
            "\\n", "\\\\n", "\\", "\u{0}\u{1B}", "ÄÖ 日本 \u{1F600}", "\u{301}an accent first",
            "a \u{301}b", "pass", "0123456789abcdef0123456789abcdef verdict pass",
        ])
    func roundTrip(text: String) throws {
        let written = ChildLine.written("note", text, mark: ChildLineTests.mark)
        #expect(written.utf8.last == 0x0A)
        #expect(written.utf8.count { $0 == 0x0A } == 1)
        let line = try #require(ChildLine(String(written.dropLast()), mark: ChildLineTests.mark))
        #expect(line.word == "note")
        #expect(Array(line.text.utf8) == Array(text.utf8))
    }

    @Test(
        "without the mark nothing is believed",
        arguments: [
            "", " ", "verdict pass", " verdict pass", "0123 verdict pass",
            "0123456789abcdef0123456789abcdee verdict pass",
            "0123456789abcdef0123456789abcdef",
            "0123456789ABCDEF0123456789ABCDEF verdict pass",
            "0123456789abcdef0123456789abcdef0 verdict pass",
            "x 0123456789abcdef0123456789abcdef verdict pass",
            " 0123456789abcdef0123456789abcdef verdict pass",
            "0123456789abcdef0123456789abcdef\u{301} verdict pass",
        ])
    func forged(line: String) {
        #expect(ChildLine(line, mark: ChildLineTests.mark) == nil)
    }

    @Test("only what it is at gives way to the next")
    func passing() throws {
        for (word, isPassing) in [("at", true), ("verdict", false), ("note", false)] {
            let line = try #require(ChildLine("m \(word) x", mark: "m"))
            #expect(line.isPassing == isPassing)
        }
    }
}
