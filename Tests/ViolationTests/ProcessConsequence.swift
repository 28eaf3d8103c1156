// SPDX-License-Identifier: Apache-2.0

/// What comes of a violation where the plugin has a process of its own.
enum ProcessConsequence: Sendable {
    /// The same as in a thread: the same steps, with the same expectations.
    case same
    /// The host's answer, what the author sees besides the lines of the log, and other runs.
    case other(answer: String, sees: String = "", runs: [ViolationRun])
    /// It cannot be committed there, for this reason.
    case impossible(String)
}
