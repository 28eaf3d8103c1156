// SPDX-License-Identifier: Apache-2.0

/// The result of a case. The names are part of the reports and never get another meaning.
package enum CaseStatus: String, Sendable, CaseIterable {
    case pass
    /// The plugin broke the rule.
    case fail
    /// Its process died of a signal.
    case crash
    /// The case exceeded its time limit, and was killed.
    case timeout
    /// Something stayed behind: memory, threads, descriptors, processes.
    case leak
    /// The case does not apply, or lacks something that the text names.
    case skip
    /// Nothing is broken, and yet its author should know.
    case warn

    /// The plugin did not keep the rule of the case.
    package var isFailure: Bool {
        switch self {
        case .pass, .skip, .warn: false
        case .fail, .crash, .timeout, .leak: true
        }
    }
}
