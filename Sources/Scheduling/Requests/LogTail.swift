// SPDX-License-Identifier: Apache-2.0

/// The last lines of a task's log, bounded in lines and bytes.
package struct LogTail: Hashable, Sendable {
    package static var lineLimit: Int { 50 }
    /// The maximum size of all lines with their line ends, in bytes.
    package static var byteLimit: Int { 8_192 }
    /// The maximum size of a line in bytes.
    package static var lineBytes: Int { 1_024 }

    package private(set) var lines: [String] = []
    /// The number of earlier lines, which are not kept.
    package private(set) var dropped: UInt64 = 0
    private var bytes = 0

    package init() {}

    /// Creates the tail from its stored form.
    package init(text: String, dropped: UInt64) {
        for line in text.parts(at: "\n", omittingEmpty: false) { add(String(line)) }
        self.dropped &+= dropped
    }

    /// The lines with line ends between them.
    package var text: String { lines.joined(separator: "\n") }

    /// Adds a line, which has no line end and no control characters.
    package mutating func add(_ line: String) {
        let ellipsis = "…"
        let kept =
            line.utf8.count > Self.lineBytes
            ? line.cut(to: Self.lineBytes - ellipsis.utf8.count) + ellipsis : line
        lines.append(kept)
        bytes += kept.utf8.count + 1
        while lines.count > Self.lineLimit || bytes > Self.byteLimit {
            bytes -= lines.removeFirst().utf8.count + 1
            dropped &+= 1
        }
    }
}
