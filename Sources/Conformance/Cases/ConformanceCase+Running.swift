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
        _ name: String, _ rules: ContractRule...,
        also: @escaping @Sendable (TestBed) throws -> Void = { _ in }
    ) -> ConformanceCase {
        ConformanceCase(name, level: 2, needs: tried) { run in
            let bed = try TestBed(run)
            try bed.load()
            try bed.runAll()
            try bed.runAll()
            for rule in rules { try bed.check(rule) }
            try also(bed)
        }
    }

    /// The cases that a case depends on that makes tasks do all they can.
    static let tried = runnable + ["failing-task-done", "cooperative-stop", "payload-sizes"]

    static let basics: [ConformanceCase] = [
        ConformanceCase("no-exit", level: 2, needs: registered, isAboutExit: true) { run in
            // That it comes to its end is what is looked at.
            let bed = try TestBed(run)
            try bed.load()
            run.phase("while it ran")
            for trial in try run.examplesThatEnd() { _ = try bed.run(trial) }
        },
        ConformanceCase("one-task-done", level: 2, needs: registered + ["no-exit"]) { run in
            let bed = try TestBed(run)
            try bed.load()
            var longest: UInt64 = 0
            for trial in try run.examples(.success) {
                let task = try bed.launch(trial)
                let ended = try bed.end(of: task, trial.name)
                longest = max(longest, ended.duration)
                guard ended.outcome != .expired else {
                    throw CaseVerdict.fail(
                        "\(trial.name) is to succeed, and was not done after \(TestBed.ample(trial.handler) / 1_000_000_000) s",
                        notes: [
                            "the kit gives an example the budget of its handler, 10 s at least and 60 s at most"
                        ])
                }
                guard ended.outcome == .succeeded else {
                    throw CaseVerdict.fail(
                        "\(trial.name) is to succeed, and \(ended.outcome.name)",
                        notes: ended.text.isEmpty ? [] : ["it said: \(ended.text)"])
                }
                let count = try bed.doneEvents(of: task)
                guard count == 1 else {
                    throw CaseVerdict.fail("\(trial.name) raised \(count) done events")
                }
            }
            run.tell(longest: longest)
        },
        ConformanceCase("failing-task-done", level: 2, needs: runnable) { run in
            let interposer = Interposer()
            let isEntry = try run.manifest.handlers.contains { $0.form == .entry }
            let bed = try TestBed(run, interposer: isEntry ? interposer : nil)
            try bed.load()
            for trial in try run.examples(.failure) {
                let ended = try bed.run(trial)
                guard ended.outcome == .failed || ended.outcome == .abandoned else {
                    throw CaseVerdict.fail("\(trial.name) is to fail, and \(ended.outcome.name)")
                }
                for case .noMessage(let text) in interposer.findings {
                    throw CaseVerdict.fail(text)
                }
                // In another process there is no interposer, and only the text of the host says it.
                if trial.handler.form == .entry, let status = Status.withoutMessage(ended.text) {
                    throw CaseVerdict.fail(
                        "the function of \"\(trial.handler.identifier)\" returned "
                            + "\(status.constant ?? "\(status.rawValue)") without a message")
                }
            }
        },
    ]

    static let running: [ConformanceCase] = [
        kept("exactly-once", .completedTwice, .completion, .resultSize),
        ConformanceCase("status-known", level: 2, .entry, needs: tried) { run in
            let interposer = Interposer()
            let bed = try TestBed(run, interposer: interposer)
            try bed.load()
            try bed.runAll(isEntry: true)
            for case .unknownStatus(let text) in interposer.findings {
                throw CaseVerdict.fail(text)
            }
        },
        kept("progress-in-range", .progressRange),
        kept(
            "declared-events", .undeclaredEvent, .eventName, .eventTypes, .hostEvent, .eventFlood),
        kept("strings-utf8", .malformedText, .longText, .logLevel),
        ConformanceCase("references", level: 2, needs: tried + ["retires", "thread-exit"]) { run in
            let bed = try TestBed(run)
            try bed.load()
            try bed.runAll()
            try bed.runAll()
            try bed.end()
            for rule: ContractRule in [
                .unkeptRelease, .referenceLimit, .staleTask, .foreignTask, .abandoned,
                .keptReference,
            ] {
                try bed.check(rule)
            }
        },
        ConformanceCase("register-only-in-entry", level: 2, .entry, needs: tried) { run in
            let interposer = Interposer()
            let bed = try TestBed(run, interposer: interposer)
            try bed.load()
            try bed.runAll(isEntry: true)
            for case .state(let text) in interposer.findings {
                throw CaseVerdict.fail("it \(text)")
            }
        },
        ConformanceCase("finishes-in-budget", level: 2, needs: tried, limit: .seconds(60)) {
            run in
            let bed = try TestBed(run)
            try bed.load()
            for trial in try run.examples(.success) {
                let ended = try bed.run(trial, budget: trial.handler.budget)
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
