// SPDX-License-Identifier: Apache-2.0
import Curfew
import PluginBridge
import Scheduling

/// On which threads it can run, and what it leaves on them.
extension ConformanceCase {
    static let threads: [ConformanceCase] = [
        ConformanceCase("thread-exit", level: 2, needs: runnable + ["retires"]) { run in
            let stage = try Stage(run)
            try stage.load()
            try stage.runAll()
            run.phase("while the threads that had run it ended")
            try stage.end()
        },
        ConformanceCase("no-affinity", level: 2, needs: runnable + ["init-twice", "thread-exit"]) {
            run in
            // Another host has another worker.
            for number in 0..<3 {
                let stage = try Stage(run)
                try stage.load()
                for trial in try run.examples(.success) {
                    let ended = try stage.run(trial)
                    guard ended.outcome == .succeeded else {
                        throw CaseVerdict.fail(
                            "on worker \(number + 1) \(trial.name) \(ended.outcome.name)",
                            notes: ended.text.isEmpty ? [] : ["it said: \(ended.text)"])
                    }
                }
            }
        },
        ConformanceCase("reentrancy", level: 2, needs: runnable) { run in
            let trials = try run.examples(.success).filter { $0.handler.maxConcurrency > 1 }
            guard !trials.isEmpty else {
                throw CaseVerdict.skip(
                    "no handler with a success example has maxConcurrency over 1")
            }
            for trial in trials {
                let count = min(trial.handler.maxConcurrency, 8)
                let stage = try Stage(run, workers: count)
                try stage.load()
                let payloads = try (0..<count).map { try run.prepare(trial, copy: $0) }
                for _ in 0..<10 {
                    let tasks = try payloads.map { try stage.launch(trial, payload: $0) }
                    for task in tasks {
                        let ended = try stage.end(of: task, trial.name)
                        guard ended.outcome == .succeeded else {
                            throw CaseVerdict.fail(
                                "\(trial.name), \(count) at a time, \(ended.outcome.name)",
                                notes: ended.text.isEmpty ? [] : ["it said: \(ended.text)"])
                        }
                    }
                }
            }
        },
        ConformanceCase("threads-joined", level: 2, needs: runnable + ["retires", "thread-exit"]) {
            run in
            let before = try rounds(run)
            let threads = before.threads()
            guard let first = threads.first else { return }
            throw CaseVerdict.leak(
                "retired, it \(first)", notes: threads.dropFirst().map { "it \($0)" })
        },
    ]

    /// Loads it, runs it, lets it go. Returns what was there before.
    static func rounds(_ run: CaseRun) throws -> Surroundings {
        // What the host itself and the C library keep from their first use on is there by then.
        try Stage(run).end()
        let before = Surroundings(run.subject)
        let stage = try Stage(run)
        try stage.load()
        try stage.runAll()
        try stage.end()
        return before
    }
}
