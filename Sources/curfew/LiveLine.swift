// SPDX-License-Identifier: Apache-2.0

/// The line that is drawn over while a task runs, made to fit the terminal: a bar that grows
/// shorter with the time that is left, and what the task says of itself.
struct LiveLine {
    /// Nanoseconds since the beginning.
    let time: UInt64
    /// The last progress, if any.
    let progress: (fraction: Double, text: String)?
    /// Nanoseconds until the budget is used up, or the grace is.
    let left: UInt64
    /// The limit that the bar represents.
    let limit: UInt64
    /// The task was told to stop: what is left is its grace.
    let isGrace: Bool

    /// The remaining part of the time, 0 to 1.
    var fraction: Double { limit == 0 ? 0 : min(1, Double(left) / Double(limit)) }

    /// Without colours, at most `columns` wide.
    func text(columns: Int, isUTF8: Bool) -> String {
        var line = Shown.rightAligned(TimeText.seconds(time, decimals: 1), 8) + " s  "
        let width = columns >= 71 ? 20 : columns >= 55 ? 10 : columns >= 36 ? 5 : 0
        if width > 0 { line += bar(width, isUTF8) + "  " }
        let countdown = TimeText.countdown(left) + " "
        line += Shown.padded(countdown + (isGrace ? "of grace" : "left"), 11)
        if let progress {
            line += " " + LiveLine.percent(progress.fraction)
            if !progress.text.isEmpty { line += "  " + Shown.line(progress.text) }
        }
        while line.hasSuffix(" ") { line.removeLast() }
        return Shown.fitted(line, columns)
    }

    static func percent(_ fraction: Double) -> String {
        Shown.rightAligned(String(Int(fraction * 100)), 3) + " %"
    }

    /// Eighths of a column are drawn if the terminal can show them.
    private func bar(_ width: Int, _ isUTF8: Bool) -> String {
        guard isUTF8 else {
            let full = Int((fraction * Double(width)).rounded(.up))
            return String(repeating: "#", count: full) + String(repeating: ".", count: width - full)
        }
        let eighths = Int((fraction * Double(width * 8)).rounded(.up))
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
