// SPDX-License-Identifier: Apache-2.0
package import PluginBridge

/// One rule of the contract, and the check of it.
package struct ConformanceCase: Sendable {
    /// The plugins that a case applies to.
    package enum Scope: Sendable {
        /// Every plugin.
        case any
        /// A plugin with a library of its own.
        case library
        /// A plugin with a handler behind `curfew_plugin_entry`.
        case entry
    }

    /// The name it goes by for ever, `one-task-done`; that of its `Fault`, too.
    package let name: String
    /// 1: static, loading and registering; 2: each thing once; 3: repetition, races and fuzzing.
    package let level: Int
    package let scope: Scope
    /// The cases that must have passed, or it would tell the same again.
    package let needs: [String]
    /// Nanoseconds until its process is killed.
    package let limit: UInt64
    /// The order of what it does comes from a seed.
    package let isSeeded: Bool
    /// The case counts only ends of the process that the plugin caused: other cases report the
    /// rest.
    let isAboutExit: Bool
    /// How memory is given out in its process.
    let allocator: AllocatorMode
    /// Races are reported, where the library is compiled for that. A report takes seconds.
    let looksForRaces: Bool
    /// Done in the child. What it throws is the verdict; a return is a pass.
    let body: @Sendable (CaseRun) throws -> Void

    init(
        _ name: String, level: Int, _ scope: Scope = .any, needs: [String] = [],
        limit: Duration = .seconds(20), isSeeded: Bool = false, isAboutExit: Bool = false,
        allocator: AllocatorMode = .usual, looksForRaces: Bool = false,
        _ body: @escaping @Sendable (CaseRun) throws -> Void
    ) {
        self.name = name
        self.level = level
        self.scope = scope
        self.needs = needs
        self.limit = UInt64(limit.components.seconds) * 1_000_000_000
        self.isSeeded = isSeeded
        self.isAboutExit = isAboutExit
        self.allocator = allocator
        self.looksForRaces = looksForRaces
        self.body = body
    }

    /// The row that explains it; a test sees to it that there is one.
    package var fault: Fault {
        guard let fault = Fault.named(name) else {
            preconditionFailure("the case \(name) has no row in the table of faults")
        }
        return fault
    }

    /// Whether the case runs code, and does not only read the plugin's files.
    package var runsCode: Bool { !Self.files.contains { $0.name == name } }

    /// Whether it tells how long the examples take, which the cases behind it go by.
    var tellsPace: Bool { ["no-exit", "one-task-done", "failing-task-done"].contains(name) }

    /// All there are, in the order in which they are run.
    package static let all: [ConformanceCase] =
        files + loading + registering + leaving + basics + stopping + corruption + running + threads
        + memory + process + robustness

    package static let levels = 1...3
    package static var usualLevel: Int { 2 }

    package static func named(_ name: String) -> ConformanceCase? { all.first { $0.name == name } }
}
