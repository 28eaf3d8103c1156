// SPDX-License-Identifier: Apache-2.0
import Scheduling
import Testing

/// The lines of a program's output.
@Suite("The output of programs")
struct CommandOutputTests {
    private func output() -> CommandOutput {
        CommandOutput(progressPrefix: "P ", resultPrefix: "R ")
    }

    /// Takes a text in pieces of that size, and its end.
    private func lines(_ text: String, pieces size: Int = 7) -> [CommandOutput.Line] {
        var output = output()
        var lines: [CommandOutput.Line] = []
        let bytes = Array(text.utf8)
        for start in stride(from: 0, to: bytes.count, by: size) {
            Array(bytes[start..<min(start + size, bytes.count)]).withUnsafeBytes {
                output.take($0) { lines.append($0) }
            }
        }
        output.finish { lines.append($0) }
        return lines
    }

    @Test("lines are the same, however the output is cut into pieces", arguments: [1, 2, 7, 1_000])
    func pieces(size: Int) {
        #expect(
            lines("one\r\n\ntwo\nP 0.5 half\nR x\nthree", pieces: size)
                == [
                    .plain("one"), .plain("two"), .progress(0.5, "half"), .result("x"),
                    .plain("three"),
                ])
    }

    @Test("progress is a fraction or percents, and anything else is a plain line")
    func progress() {
        #expect(
            lines("P 40%\nP 1 all\nP 0\n") == [
                .progress(0.4, ""), .progress(1, "all"), .progress(0, ""),
            ])
        for text in ["P", "P ", "P x", "P 1.5", "P -1", "P 101%", "P nan", "P inf"] {
            #expect(lines(text) == [.plain(text)])
        }
    }

    @Test("a long line is cut, and a flood is dropped and counted, but for its last line")
    func bounds() {
        var output = output()
        var logged = 0
        var tail = LogTail()
        let long = [UInt8](repeating: UInt8(ascii: "x"), count: 1_000_000)
        long.withUnsafeBytes { output.take($0) { _ in } }
        #expect(output.dropped == UInt64(long.count - CommandOutput.lineLimit))
        for number in 0..<100_000 {
            Array("\n\(number)".utf8).withUnsafeBytes {
                output.take($0) {
                    if case .plain(let text) = $0 { logged += text.utf8.count }
                    if case .unlogged(let text) = $0 { tail.add(text) }
                }
            }
        }
        #expect(logged <= CommandOutput.logLimit)
        // Line ends count, and blank lines, once there is room for none.
        Array("\n\n\n\n\n\n\n\n\n".utf8).withUnsafeBytes { output.take($0) { _ in } }
        let before = output.dropped
        Array("1234\n\n\n".utf8).withUnsafeBytes { output.take($0) { _ in } }
        #expect(output.dropped - before == UInt64("1234\n\n\n".utf8.count))
        Array("\nthe reason\n".utf8).withUnsafeBytes { output.take($0) { _ in } }
        #expect(output.last == "the reason")
        #expect(tail.lines.last == "99998")
    }
}
