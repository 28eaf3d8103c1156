// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Scheduling

@Suite("The end of a task's log")
struct LogTailTests {
    @Test("the last lines are kept, bounded in lines and in bytes, and the others are counted")
    func bounds() {
        var tail = LogTail()
        for number in 1...1_000 { tail.add("line \(number)") }
        #expect(tail.lines.count == LogTail.lineLimit)
        #expect(tail.lines.first == "line 951" && tail.lines.last == "line 1000")
        #expect(tail.dropped == 950)
        let wide = String(repeating: "é", count: LogTail.lineBytes)
        for _ in 1...100 { tail.add(wide) }
        #expect(tail.text.utf8.count < LogTail.byteLimit)
        #expect(tail.lines.count == 8 && tail.dropped == 1_092)
        #expect(tail.lines.allSatisfy { $0.utf8.count <= LogTail.lineBytes && $0.hasSuffix("é…") })
    }

    @Test("it comes back from its stored form, with empty lines")
    func stored() {
        for lines in [[""], ["a", "", "b"], ["", ""]] {
            var tail = LogTail()
            for line in lines { tail.add(line) }
            #expect(LogTail(text: tail.text, dropped: 0) == tail)
        }
    }

    @Test("of a result the beginning is kept if it is text, and its size")
    func results() {
        func record(_ bytes: [UInt8]) -> AttemptRecord {
            var record = AttemptRecord()
            bytes.withUnsafeBytes { record.setResult($0) }
            return record
        }
        #expect(record(Array("done".utf8)).result == "done")
        let long = record(Array(String(repeating: "é", count: 4_000).utf8))
        #expect(long.result.utf8.count == AttemptRecord.resultLimit && long.resultBytes == 8_000)
        let binary = record([0xFF, 0x00])
        #expect(binary.result == "" && binary.resultBytes == 2)
    }
}
