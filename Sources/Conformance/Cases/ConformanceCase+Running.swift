// SPDX-License-Identifier: Apache-2.0
import Curfew
import PluginBridge
import Scheduling

/// Checks tasks that nothing stops.
extension ConformanceCase {
    /// The cases that every case that runs tasks depends on.
    static let runnable = registered + ["no-exit", "one-task-done"]

    /// A case that runs every example once, and looks which rules the host saw broken.
    private static func kept(
        _ name: String, _ rules: Misbehaviour...,
        also: @escaping @Sendable (Stage) throws -> Void = { _ in }
    ) -> ConformanceCase {
        ConformanceCase(name, level: 2, needs: tried) { run in
            let stage = try Stage(run)
            try stage.load()
            try stage.runAll()
            try stage.runAll()
            for rule in rules { try stage.check(rule) }
            try also(stage)
        }
    }

    /// The cases that a case depends on that makes tasks do all they can.
    static let tried = runnable + ["failing-task-done", "cooperative-stop", "payload-sizes"]

    static let basics: [ConformanceCase] = [
        ConformanceCase("no-exit", level: 2, needs: registered, isAboutExit: true) { run in
            // That it comes to its end is what is looked at.
            let stage = try Stage(run)
            try stage.load()
            run.phase("while it ran")
            for trial in try run.examplesThatEnd() { _ = try stage.run(trial) }
        },
        ConformanceCase("one-task-done", level: 2, needs: registered + ["no-exit"]) { run in
            let stage = try Stage(run)
            try stage.load()
            var longest: UInt64 = 0
            for trial in try run.examples(.success) {
                let task = try stage.launch(trial)
                let ended = try stage.end(of: task, trial.name)
                longest = max(longest, ended.duration)
                guard ended.outcome != .expired else {
                    throw CaseVerdict.fail(
                        "\(trial.name) is to succeed, and was not done after \(Stage.ample(trial.handler) / 1_000_000_000) s",
                        notes: [
                            "the kit gives an example the budget of its handler, 10 s at least and 60 s at most"
                        ])
                }
                guard ended.outcome == .succeeded else {
                    throw CaseVerdict.fail(
                        "\(trial.name) is to succeed, and \(ended.outcome.name)",
                        notes: ended.text.isEmpty ? [] : ["it said: \(ended.text)"])
                }
                let count = try stage.doneEvents(of: task)
                guard count == 1 else {
                    throw CaseVerdict.fail("\(trial.name) raised \(count) done events")
                }
            }
            run.tell(longest: longest)
        },
        ConformanceCase("failing-task-done", level: 2, needs: runnable) { run in
            let interposer = Interposer()
            let isEntry = try run.manifest.handlers.contains { $0.form == .entry }
            let stage = try Stage(run, interposer: isEntry ? interposer : nil)
            try stage.load()
            for trial in try run.examples(.failure) {
                let ended = try stage.run(trial)
                guard ended.outcome == .failed || ended.outcome == .abandoned else {
                    throw CaseVerdict.fail("\(trial.name) is to fail, and \(ended.outcome.name)")
                }
                for case .noMessage(let text) in interposer.findings {
                    throw CaseVerdict.fail(text)
                }
            }
        },
    ]

    static let running: [ConformanceCase] = [
        kept("exactly-once", .completedTwice, .completion, .resultSize),
        ConformanceCase("status-known", level: 2, .entry, needs: tried) { run in
            let interposer = Interposer()
            let stage = try Stage(run, interposer: interposer)
            try stage.load()
            try stage.runAll(isEntry: true)
            for case .unknownStatus(let text) in interposer.findings {
                throw CaseVerdict.fail(text)
            }
        },
        kept("progress-in-range", .progressRange),
        kept(
            "declared-events", .undeclaredEvent, .eventName, .eventTypes, .hostEvent, .eventFlood),
        kept("strings-utf8", .malformedText, .longText, .logLevel),
        ConformanceCase("references", level: 2, needs: tried + ["retires", "thread-exit"]) { run in
            let stage = try Stage(run)
            try stage.load()
            try stage.runAll()
            try stage.runAll()
            try stage.end()
            for rule: Misbehaviour in [
                .unkeptRelease, .referenceLimit, .staleTask, .foreignTask, .abandoned,
                .keptReference,
            ] {
                try stage.check(rule)
            }
        },
        ConformanceCase("register-only-in-entry", level: 2, .entry, needs: tried) { run in
            let interposer = Interposer()
            let stage = try Stage(run, interposer: interposer)
            try stage.load()
            try stage.runAll(isEntry: true)
            for case .state(let text) in interposer.findings {
                throw CaseVerdict.fail("it \(text)")
            }
        },
        ConformanceCase("finishes-in-budget", level: 2, needs: tried, limit: .seconds(60)) {
            run in
            let stage = try Stage(run)
            try stage.load()
            for trial in try run.examples(.success) {
                let ended = try stage.run(trial, budget: trial.handler.budget)
                guard ended.outcome != .expired else {
                    throw CaseVerdict.fail(
                        "\(trial.name) did not finish within the budget of its handler")
                }
                let used = Double(ended.duration) / Double(trial.handler.budget)
                if used > 0.5 {
                    run.warn("\(trial.name) took \(Int(used * 100)) % of the budget of its handler")
                }
            }
        },
    ]
}
