// SPDX-License-Identifier: Apache-2.0

extension Violation {
    /// The headings of the table, and the violations under each.
    static let groups: [(title: String, violations: [Violation])] = [
        ("The end of a task", endings),
        ("Events and reports", reports),
        ("Being loaded", loading),
        ("The state of the process", state),
        ("Text and structures", text),
        ("Threads and callbacks", threads),
        ("The end of the process", process),
        ("In Swift", swift),
        ("In a process only", processes),
    ]

    /// All of them, in the order of the table.
    static let all = groups.flatMap(\.violations)
}
