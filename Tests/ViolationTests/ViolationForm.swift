// SPDX-License-Identifier: Apache-2.0
import TestSupport
import Testing

/// A violation in one of its forms, in a thread of the host or in a process.
struct ViolationForm: CustomTestStringConvertible, Sendable {
    let violation: Violation
    let run: ViolationRun
    let isInProcess: Bool

    var testDescription: String {
        violation.name + (run.form.isEmpty ? "" : ", \(run.form)")
            + (isInProcess ? ", in a process" : "")
    }

    static let all = Violation.all.flatMap { violation in
        violation.threadRuns.map {
            ViolationForm(violation: violation, run: $0, isInProcess: false)
        }
            + violation.processRuns.map {
                ViolationForm(violation: violation, run: $0, isInProcess: true)
            }
    }

    /// Those that this build can run: the process of a plugin is built without a sanitizer, and cannot
    /// load a library in Swift that was built with one.
    static let runnable =
        ProcessFacts.isSanitized
        ? all.filter { !($0.isInProcess && $0.violation.language == .swift) } : all
}
