// SPDX-License-Identifier: Apache-2.0

/// Steps for the harness that many violations have in common.
enum Script {
    /// Tasks of others; all of them have to succeed.
    static let others = "tasks org.curfew.test.good 20"

    static let loaded = ["load good", "load violation"]

    /// The violation is under way, others' tasks are launched and go through, and only then may the
    /// plugin go on.
    static let meanwhile = loaded + ["launch @", "await begun", others, "open go"]

    /// To the end of the task and of the host.
    static let whole = meanwhile + ["over", "destroy"]

    /// A plugin that is not to be used.
    static let refused = loaded + [others, "destroy"]

    /// The violation ends the process in the midst of it.
    static let deadly = meanwhile + ["over"]
}
