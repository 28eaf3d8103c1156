// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Why the work is not done: the description is the text of the task's done event.
struct SampleProblem: Error, CustomStringConvertible {
    /// What, where, and why: it is all that people see.
    let description: String

    init(_ description: String) {
        self.description = description
    }

    /// - Parameter code: the `errno` of a call that failed.
    init(_ description: String, _ code: Int32) {
        self.init("\(description): \(String(cString: strerror(code)))")
    }
}
