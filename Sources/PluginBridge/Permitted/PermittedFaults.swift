// SPDX-License-Identifier: Apache-2.0

/// Everything that is wrong with a list of permitted handlers, in its order; never empty.
package struct PermittedFaults: Error, Hashable, Sendable {
    package let diagnostics: [Diagnostic]

    init(_ diagnostics: [Diagnostic]) {
        self.diagnostics = diagnostics
    }

    /// All of them as they are printed, with an empty line between two.
    package var rendered: String { diagnostics.map(\.rendered).joined(separator: "\n\n") }
}
