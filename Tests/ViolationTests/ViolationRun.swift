// SPDX-License-Identifier: Apache-2.0
import CCurfew
import TestSupport

/// One form of a violation: what the harness is told to do, and what is expected of it.
struct ViolationRun: Sendable {
    /// How a task is to end.
    struct End: Equatable, Sendable {
        /// What a matter of luck decides.
        static let any = -1

        var outcome: Int
        var answered = false
        /// The text of its done event; nil: not looked at.
        var text: String?
    }

    /// What the plugin reads in its environment, where it has several forms.
    var form = ""
    /// The steps of Tests/ViolationHarness. `load violation` and `load good` name directories, and `@`
    /// stands for the violation's identifier.
    var script: [String]
    /// The answer of loading it; nil: it does not return.
    var load: Int? = CURFEW_OK
    /// What the plugin noted, and which values it may have noted with it each time.
    var notes: [String: Set<Int>] = [:]
    /// What it must not get to note.
    var never: [String] = []
    /// How its tasks end, in the order of the steps `over`.
    var over: [End] = []
    /// What stands in the host's log about the plugin: a rule of the contract each, and no other.
    var rules: [LogRule] = []
    /// Rules that may stand there too, where it is a matter of luck.
    var perhaps: [String] = []
    /// The answer of destroying the host; nil: it is not asked to.
    var destroy: Int? = CURFEW_OK
    /// How the process ends.
    var ends: Set<ChildProcess.Ending> = [.exited(0)]
    /// What else is expected.
    var check: (@Sendable (Report) -> Void)?
}
