// SPDX-License-Identifier: Apache-2.0
import CTerminal
import Glibc

/// A terminal on which a program draws whole screens, by ncurses. Used on one thread.
final class TopTerminal {
    /// What ends a wait.
    enum Input: Equatable {
        case character(Unicode.Scalar)
        case up, down, pageUp, pageDown, home, end, enter, escape
        /// The terminal has another size.
        case size
        /// The time has passed.
        case nothing
        /// The program is to end, or the terminal is gone.
        case stop
    }

    /// - Parameter hasColours: draws with colours where the terminal has them.
    init(hasColours: Bool) throws(CommandError) {
        if let failure = cterm_open() {
            throw CommandError(
                .host, "ncurses cannot be loaded: \(String(cString: failure))",
                help: ["curfew top --once"])
        }
        if let failure = cterm_start(hasColours) {
            throw CommandError(
                .usage, "no screen can be drawn: \(String(cString: failure))",
                help: ["curfew top --once"])
        }
    }

    /// Leaves the terminal as it was.
    func end() { cterm_end() }

    var size: (rows: Int, columns: Int) {
        var (rows, columns): (Int32, Int32) = (0, 0)
        cterm_size(&rows, &columns)
        return (Int(rows), Int(columns))
    }

    /// Shows lines from the top, and one at the bottom.
    ///
    /// - Parameter chosen: the line that is drawn in reverse.
    func show(_ lines: [TopLine], chosen: Int?, bottom: TopLine) {
        cterm_clear()
        let (rows, columns) = size
        for (row, line) in lines.prefix(max(0, rows - 1)).enumerated() {
            draw(line, at: row, columns, isChosen: row == chosen)
        }
        draw(bottom, at: rows - 1, columns, isChosen: false)
        cterm_show()
    }

    private func draw(_ line: TopLine, at row: Int, _ columns: Int, isChosen: Bool) {
        var line = line
        // The last column of the last line would move the screen.
        line.fit(columns - 1)
        var column = 0
        for span in line.spans {
            cterm_put(
                Int32(row), Int32(column), span.text,
                Self.style(span.style) | (isChosen ? UInt32(cterm_reverse) : 0))
            column += Shown.width(span.text)
        }
        if isChosen, column < columns - 1 {
            cterm_put(
                Int32(row), Int32(column), String(repeating: " ", count: columns - 1 - column),
                UInt32(cterm_reverse))
        }
    }

    private static func style(_ style: TopLine.Style) -> UInt32 {
        switch style {
        case .plain: 0
        case .faint: UInt32(cterm_faint)
        case .bold: UInt32(cterm_bold)
        case .good: UInt32(cterm_good)
        case .warning: UInt32(cterm_warning)
        case .bad: UInt32(cterm_bad) | UInt32(cterm_bold)
        }
    }

    /// Waits for a key, at most for so many milliseconds.
    ///
    /// - Parameter stop: a descriptor that is readable once the program is to end.
    func next(stop: Int32, within milliseconds: Int32) -> Input {
        let key = cterm_key(stop, milliseconds)
        switch key {
        case Int32(cterm_none): return .nothing
        case Int32(cterm_stop), Int32(cterm_gone): return .stop
        case Int32(cterm_up): return .up
        case Int32(cterm_down): return .down
        case Int32(cterm_page_up): return .pageUp
        case Int32(cterm_page_down): return .pageDown
        case Int32(cterm_home): return .home
        case Int32(cterm_end_key): return .end
        case Int32(cterm_enter): return .enter
        case Int32(cterm_escape): return .escape
        case Int32(cterm_resize): return .size
        default: return Unicode.Scalar(UInt32(bitPattern: key)).map { .character($0) } ?? .nothing
        }
    }
}
