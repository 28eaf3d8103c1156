// SPDX-License-Identifier: Apache-2.0

/// The lines of one output of a program, with bounds for all that is kept.
///
/// A line without end is cut at `lineLimit`. Plain lines count against `logLimit`; those beyond it
/// are counted as dropped and not logged. Lines of progress and of the result are recognized for ever.
package struct CommandOutput: Sendable {
    package enum Line: Hashable, Sendable {
        case plain(String)
        /// A plain line beyond the limit.
        case unlogged(String)
        /// A fraction from 0 to 1, and a text.
        case progress(Double, String)
        case result(String)
    }

    package static var lineLimit: Int { 1_024 }
    package static var logLimit: Int { 65_536 }

    /// Nil: no line has a meaning.
    private let progressPrefix: [UInt8]?
    private let resultPrefix: [UInt8]?
    private var partial: [UInt8] = []
    /// The rest of a line that was cut is not read.
    private var isSkipping = false
    private var logged = 0
    /// Bytes of plain lines that were dropped, with their line ends.
    package private(set) var dropped: UInt64 = 0
    /// The last plain line that is not empty.
    package private(set) var last = ""

    package init(progressPrefix: String? = nil, resultPrefix: String? = nil) {
        self.progressPrefix = progressPrefix.map { Array($0.utf8) }
        self.resultPrefix = resultPrefix.map { Array($0.utf8) }
    }

    /// Begins to count anew. Returns how many bytes were dropped before.
    package mutating func renew() -> UInt64 {
        defer { (logged, dropped) = (0, 0) }
        return dropped
    }

    /// Takes the next bytes; calls `body` with each line that they end.
    package mutating func take(_ bytes: UnsafeRawBufferPointer, _ body: (Line) -> Void) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let end = rest.firstIndex(of: UInt8(ascii: "\n"))
            let piece = rest[..<(end ?? rest.endIndex)]
            if !isSkipping {
                let room = Self.lineLimit - partial.count
                partial.append(contentsOf: piece.prefix(room))
                if piece.count > room {
                    dropped &+= UInt64(piece.count - room)
                    isSkipping = true
                }
            } else {
                dropped &+= UInt64(piece.count)
            }
            guard let end else { return }
            finish(body)
            rest = rest[(end + 1)...]
        }
    }

    /// Ends the last line, which may have no line feed.
    package mutating func finish(_ body: (Line) -> Void) {
        defer {
            partial.removeAll(keepingCapacity: true)
            isSkipping = false
        }
        if partial.last == UInt8(ascii: "\r") { partial.removeLast() }
        guard !partial.isEmpty else {
            if logged < Self.logLimit { logged += 1 } else { dropped &+= 1 }
            return
        }
        if let progressPrefix, partial.starts(with: progressPrefix),
            let line = progress(partial.dropFirst(progressPrefix.count))
        {
            body(line)
        } else if let resultPrefix, partial.starts(with: resultPrefix) {
            body(.result(text(partial.dropFirst(resultPrefix.count))))
        } else {
            guard logged + partial.count < Self.logLimit else {
                dropped &+= UInt64(partial.count + 1)
                // The last line says why a program failed, however much came before.
                last = text(partial[...])
                body(.unlogged(last))
                return
            }
            logged += partial.count + 1
            last = text(partial[...])
            body(.plain(last))
        }
    }

    private func text(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: bytes, as: UTF8.self)
    }

    /// Reads `0.4 text` and `40% text` behind the prefix. Returns nil for anything else.
    private func progress(_ bytes: ArraySlice<UInt8>) -> Line? {
        let rest = text(bytes)
        let parts = rest.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true)
        guard var number = parts.first else { return nil }
        let isPercent = number.utf8.last == UInt8(ascii: "%")
        if isPercent { number.removeLast() }
        guard let value = Double(number) else { return nil }
        let fraction = isPercent ? value / 100 : value
        guard (0...1).contains(fraction) else { return nil }
        return .progress(fraction, parts.count > 1 ? String(parts[1]) : "")
    }
}
