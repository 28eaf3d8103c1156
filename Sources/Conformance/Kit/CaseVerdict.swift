// SPDX-License-Identifier: Apache-2.0

/// The verdict of a case.
package struct CaseVerdict: Error, Sendable {
    package var status: CaseStatus
    /// The cause in one line: lower case, no full stop. Empty for a pass.
    package var text: String
    /// Further facts, a line each.
    package var notes: [String] = []

    package init(_ status: CaseStatus, _ text: String = "", notes: [String] = []) {
        self.status = status
        self.text = text
        self.notes = notes
    }

    static func fail(_ text: String, notes: [String] = []) -> CaseVerdict {
        CaseVerdict(.fail, text, notes: notes)
    }

    static func leak(_ text: String, notes: [String] = []) -> CaseVerdict {
        CaseVerdict(.leak, text, notes: notes)
    }

    static func skip(_ text: String) -> CaseVerdict { CaseVerdict(.skip, text) }
}
