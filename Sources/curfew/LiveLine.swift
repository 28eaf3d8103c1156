// SPDX-License-Identifier: Apache-2.0

/// The line that is drawn over while a task runs, made to fit the terminal.
struct LiveLine {
    /// Nanoseconds since the beginning.
    let time: UInt64
    /// The last progress, if any.
    let progress: (fraction: Double, text: String)?
    /// `25.9 s left`
    let left: String

    /// Without colours, at most `columns` wide.
    func text(columns: Int, isUTF8: Bool) -> String {
        var line = Shown.rightAligned(TimeText.seconds(time, decimals: 1), 8) + " s  "
        guard let progress else { return Shown.fitted(line + "running   " + left, columns) }
        let width = columns >= 72 ? 20 : columns >= 56 ? 10 : 0
        if width > 0 { line += bar(progress.fraction, width, isUTF8) + " " }
        line += LiveLine.percent(progress.fraction)
        if columns >= 40 { line += "  " + Shown.padded(left, 11) }
        return Shown.fitted(line + "  " + Shown.line(progress.text), columns)
    }

    static func percent(_ fraction: Double) -> String {
        Shown.rightAligned(String(Int(fraction * 100)), 3) + " %"
    }

    /// Eighths of a column are told apart where the terminal can show them.
    private func bar(_ fraction: Double, _ width: Int, _ isUTF8: Bool) -> String {
        guard isUTF8 else {
            let full = Int(fraction * Double(width))
            return String(repeating: "#", count: full) + String(repeating: ".", count: width - full)
        }
        let eighths = Int(fraction * Double(width * 8))
        let full = eighths / 8
        var bar = String(repeating: "█", count: full)
        if full < width {
            let part = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8]
            bar += part
            bar += String(repeating: "░", count: width - full - (part.isEmpty ? 0 : 1))
        }
        return bar
    }
}
