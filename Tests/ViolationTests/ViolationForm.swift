// SPDX-License-Identifier: Apache-2.0
import Testing

/// A violation in one of its forms.
struct ViolationForm: CustomTestStringConvertible, Sendable {
    let violation: Violation
    let run: ViolationRun

    var testDescription: String {
        violation.name + (run.form.isEmpty ? "" : ", \(run.form)")
    }

    static let all = Violation.all.flatMap { violation in
        violation.runs.map { ViolationForm(violation: violation, run: $0) }
    }
}
