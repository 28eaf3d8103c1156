// SPDX-License-Identifier: Apache-2.0
import TestSupport

/// What came of a run.
struct AppRun {
    let process: ChildProcess
    let plist: String
    let state: String

    /// What it printed, without the lines of its log.
    var lines: [String] { all.filter { !$0.hasPrefix("log: ") } }

    /// Those lines without what was submitted: a task may be at work, and print, before the thread
    /// that submitted it has printed that it did.
    var said: [String] { lines.filter { !$0.hasPrefix("submitted ") } }

    /// The lines of its log.
    var log: [String] {
        all.filter { $0.hasPrefix("log: ") }.map { String($0.dropFirst(5)) }
    }

    private var all: [String] { process.output.split(separator: "\n").map(String.init) }
}
