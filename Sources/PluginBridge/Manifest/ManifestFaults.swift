// SPDX-License-Identifier: Apache-2.0

/// Everything that is wrong with a manifest, in the order of the text; never empty.
package struct ManifestFaults: Error, Hashable, Sendable {
    package let diagnostics: [Diagnostic]

    init(_ diagnostics: [Diagnostic]) {
        self.diagnostics = diagnostics
    }

    /// All of them as they are printed, with an empty line between two.
    package var rendered: String { diagnostics.map(\.rendered).joined(separator: "\n\n") }

    /// The first one as a line of a log has it, and how many more there are.
    package var line: String {
        guard let first = diagnostics.first else { return "" }
        let place = first.line > 0 ? "\(first.file):\(first.line):\(first.column)" : first.file
        let more = diagnostics.count > 1 ? " (and \(diagnostics.count - 1) more)" : ""
        return (first.code.map { $0 + " " } ?? "") + "\(first.rule): \(place): \(first.message)"
            + more
    }
}
