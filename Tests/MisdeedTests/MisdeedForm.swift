// SPDX-License-Identifier: Apache-2.0
import Testing

/// A misdeed in one of its forms.
struct MisdeedForm: CustomTestStringConvertible, Sendable {
    let misdeed: Misdeed
    let run: MisdeedRun

    var testDescription: String {
        misdeed.name + (run.form.isEmpty ? "" : ", \(run.form)")
    }

    static let all = Misdeed.all.flatMap { misdeed in
        misdeed.runs.map { MisdeedForm(misdeed: misdeed, run: $0) }
    }
}
