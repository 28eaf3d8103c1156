// SPDX-License-Identifier: Apache-2.0

/// How a case came out. The names are part of the reports: they are never given another meaning.
public enum CaseStatus: String, Sendable, CaseIterable {
    case pass
    /// The plugin broke the rule.
    case fail
    /// Its process died of a signal.
    case crash
    /// It did not come to its end in time, and was killed.
    case timeout
    /// Something stayed behind: memory, threads, descriptors, processes.
    case leak
    /// It does not apply, or lacks what it needs; the text says what.
    case skip
    /// Nothing is broken, and yet its author should know.
    case warn

    /// The plugin did not keep the rule of the case.
    public var isFailure: Bool {
        switch self {
        case .pass, .skip, .warn: false
        case .fail, .crash, .timeout, .leak: true
        }
    }
}
