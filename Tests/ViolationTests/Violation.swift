// SPDX-License-Identifier: Apache-2.0

/// One thing a plugin can do that it should not: a directory of Tests/Plugins/violations, and a row of
/// the table in Tests/Plugins/README.md.
struct Violation: Sendable {
    enum Language: String, Sendable {
        case c = "C"
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
    /// The forms of the violation, each run in a process of its own.
    let runs: [ViolationRun]

    init(
        _ name: String, in language: Language = .c, _ does: String, answer: String,
        sees: String = "", others: String? = nil, _ runs: ViolationRun...
    ) {
        self.name = name
        self.language = language
        self.does = does
        self.answer = answer
        self.sees = sees
        self.others = others
        self.runs = runs
    }

    /// The identifier of its plugin and of its handler.
    var identifier: String { "org.curfew.violation.\(name)" }
}
