// SPDX-License-Identifier: Apache-2.0

/// One thing a plugin can do that it should not: a directory of Tests/Plugins/violations, and a row of
/// the table in Tests/Plugins/README.md.
struct Violation: Sendable {
    enum Language: String, Sendable {
        case c = "C"
        case cpp = "C++"
        case swift = "Swift"
    }

    /// The name of the directory.
    let name: String
    let language: Language
    /// What the plugin does, to be read after its name.
    let does: String
    /// What the host does about it.
    let answer: String
    /// What the author sees besides the lines of the log, which are added from `runs`.
    let sees: String
    /// How other handlers' tasks fare, where they do not just run on.
    let others: String?
    /// What comes of it in a process of the plugin's.
    let inProcess: ProcessConsequence
    /// It is committed in a process only: in a thread it would end the host, or whatever else it reaches.
    let isForProcesses: Bool
    /// The forms of the violation, each run by a harness of its own.
    let runs: [ViolationRun]

    init(
        _ name: String, in language: Language = .c, _ does: String, answer: String,
        sees: String = "", others: String? = nil, inProcess: ProcessConsequence = .same,
        isForProcesses: Bool = false, _ runs: ViolationRun...
    ) {
        self.name = name
        self.language = language
        self.does = does
        self.answer = answer
        self.sees = sees
        self.others = others
        self.inProcess = inProcess
        self.isForProcesses = isForProcesses
        self.runs = runs
    }

    /// The forms that are run in a thread of the host.
    var threadRuns: [ViolationRun] { isForProcesses ? [] : runs }

    /// The forms that are run in a process of the plugin's.
    var processRuns: [ViolationRun] {
        switch inProcess {
        case .same: runs
        case .other(_, _, let runs): runs
        case .impossible: []
        }
    }

    /// The identifier of its plugin and of its handler.
    var identifier: String { "org.curfew.violation.\(name)" }
}
