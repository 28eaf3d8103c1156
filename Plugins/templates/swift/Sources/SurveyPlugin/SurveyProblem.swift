// SPDX-License-Identifier: Apache-2.0

/// Why the work is not done: the description is the text of the task's done event.
struct SurveyProblem: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
