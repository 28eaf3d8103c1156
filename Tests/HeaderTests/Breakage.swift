// SPDX-License-Identifier: Apache-2.0
import Testing

/// A declaration that breaks a rule, and what must be said about it.
struct Breakage: CustomTestStringConvertible {
    let declaration: String
    let finding: String

    var testDescription: String { finding }

    init(_ declaration: String, _ finding: String) {
        self.declaration = declaration
        self.finding = finding
    }
}
