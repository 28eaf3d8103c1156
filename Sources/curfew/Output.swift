// SPDX-License-Identifier: Apache-2.0
import CSystem
import Glibc

/// Standard output or standard error: what may be written there, and whether it still can be.
final class Output {
    let descriptor: Int32
    /// Colours and lines that are drawn over are welcome.
    private(set) var isRich: Bool
    /// The current width of the terminal; nil if the output is none.
    var columns: Int? {
        if let kept { return kept.columns }
        guard isTerminal else { return nil }
        let columns = Int(csys_terminal_columns(descriptor))
        return columns > 0 ? columns : 80
    }
    private let isTerminal: Bool
    /// Whether a whole screen can be drawn on it, with or without colours.
    let isScreen: Bool
    /// What was written, where it is kept in place of a descriptor.
    private var kept: (columns: Int?, bytes: [UInt8])?
    /// What was written to an output that keeps it.
    var text: String { String(decoding: kept?.bytes ?? [], as: UTF8.self) }
    /// The `errno` of the first write that failed; nothing is written after it.
    private(set) var failure: Int32 = 0

    init(descriptor: Int32) {
        self.descriptor = descriptor
        isTerminal = isatty(descriptor) == 1
        let term = Environment.value("TERM") ?? ""
        isScreen = isTerminal && term != "" && term != "dumb"
        isRich =
            isScreen
            && (Environment.value("NO_COLOR") ?? "").isEmpty
    }

    /// Keeps what is written, which is laid out for a terminal with so many columns; nil: for a pipe.
    init(columns: Int?, isRich: Bool) {
        descriptor = -1
        isTerminal = columns != nil
        isScreen = false
        self.isRich = isTerminal && isRich
        kept = (columns, [])
    }

    func makePlain() { isRich = false }

    /// Writes all of it, or nothing more from now on.
    func write(_ text: String) {
        var text = text
        text.withUTF8 { write(UnsafeRawBufferPointer($0)) }
    }

    /// Writes any bytes.
    func write(bytes: [UInt8]) { bytes.withUnsafeBytes { write($0) } }

    private func write(_ bytes: UnsafeRawBufferPointer) {
        if kept != nil {
            kept?.bytes += bytes
            return
        }
        guard failure == 0, WriteGate.enter() else { return }
        defer { WriteGate.leave() }
        var rest = bytes
        while !rest.isEmpty {
            let written = Glibc.write(descriptor, rest.baseAddress, rest.count)
            if written >= 0 {
                rest = UnsafeRawBufferPointer(rebasing: rest[written...])
            } else if errno == EAGAIN {
                // Another process may have made the shared descriptor non-blocking, as children of
                // shells do.
                var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&ready, 1, -1)
            } else if errno != EINTR {
                failure = errno
                return
            }
        }
    }

    func line(_ text: String = "") { write(text + "\n") }

    func paint(_ text: String, _ colour: Colour) -> String {
        isRich ? "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m" : text
    }

    /// Returns the text in lines that fit the terminal, or unchanged without one.
    ///
    /// - Parameters:
    ///   - start: how many columns of the first line are taken.
    ///   - indent: how many blanks the other lines begin with.
    func wrapped(_ text: String, after start: Int, indent: Int) -> String {
        guard let columns else { return text }
        let lines = Shown.wrapped(
            text, max(16, columns - indent), first: max(16, columns - start))
        return lines.joined(separator: "\n" + String(repeating: " ", count: indent))
    }

    /// Faults as `Diagnostic` lays them out, with excerpts that fit the terminal, or 80 columns
    /// where there is none; the word `error` and the marks under a line are coloured.
    func shown(diagnostics: String) -> String {
        var lines = diagnostics.split(separator: "\n", omittingEmptySubsequences: false)
        let columns = columns ?? 80
        for index in lines.indices.dropFirst() {
            if let excerpt = Excerpt(
                source: lines[index - 1], marks: lines[index], columns: columns)
            {
                lines[index - 1] = excerpt.source[...]
                lines[index] = excerpt.marks[...]
            }
        }
        return lines.map(painted).joined(separator: "\n")
    }

    private func painted(_ line: Substring) -> String {
        let place = line.drop { $0 == " " }
        if line.hasPrefix("error") {
            let word = line.prefix { $0 != ":" }
            return paint(String(word), .alarm) + paint(String(line.dropFirst(word.count)), .strong)
        }
        if Excerpt.isMarks(line) { return paint(String(line), .alarm) }
        if place.hasPrefix("--> ") || place.hasPrefix("= help")
            || place.hasPrefix(FaultScreen.explanation)
        {
            return paint(String(line), .accent)
        }
        return String(line)
    }
}

/// The role of a piece of text, shown by its colour; the raw value is the parameter of the escape
/// sequence.
enum Colour: String {
    case good = "1;32"
    case warning = "1;33"
    case alarm = "1;31"
    case strong = "1"
    case accent = "36"
    /// Set back: neither of the two grey tones of a terminal can be relied on, faint can.
    case faint = "2"
}

/// The outputs of a command: one for data and events, one for errors.
struct Console {
    let out: Output
    let errors: Output

    init(_ out: Output = Output(descriptor: 1), _ errors: Output = Output(descriptor: 2)) {
        self.out = out
        self.errors = errors
    }

    func makePlain() {
        out.makePlain()
        errors.makePlain()
    }
}
