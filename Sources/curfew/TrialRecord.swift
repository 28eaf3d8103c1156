// SPDX-License-Identifier: Apache-2.0
import Conformance

/// One message of the child of `curfew inspect --load`.
struct TrialRecord {
    enum Word: String {
        /// The plugin is about to be loaded.
        case loading
        /// The library is loaded; the text is the time it took, in nanoseconds.
        case loaded
        /// The plugin was refused: status, rule or "-", and reason.
        case refused
        case handler
        /// Things that appeared while the plugin was loaded.
        case thread, descriptor, signal
        /// A log line: its level and a blank before it.
        case log
        /// The plugin is about to be retired, and has been.
        case retiring, retired
    }

    let word: Word
    let text: String

    /// Nil for a line that is none.
    init?(_ line: ChildLine) {
        guard let word = Word(rawValue: line.word) else { return nil }
        self.word = word
        text = line.text
    }
}
