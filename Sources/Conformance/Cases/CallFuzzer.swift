// SPDX-License-Identifier: Apache-2.0
import CSystem
import Curfew
import PluginBridge
import Runner
import Scheduling

/// Legal sequences of calls, by chance: launches with budgets from nothing to ample, cancellations,
/// pauses and waits, on a host of its own each. The plugin may answer what it likes, and must neither
/// crash nor hang.
struct CallFuzzer {
    private let run: CaseRun
    private let trials: [CaseRun.Trial]

    private static var sequences: Int { 10_000 }
    private static var time: UInt64 { 5_000_000_000 }
    private static var steps: Int { 24 }

    init(_ run: CaseRun) throws {
        self.run = run
        trials = try run.examplesThatEnd() + ((try? run.examples(.slow)) ?? [])
    }

    func go() throws {
        let bed = try TestBed(run)
        try bed.load()
        if run.isReproducing { return try sequence(run.seed, bed) }
        var seeds = SeededGenerator(seed: run.seed)
        let until = csys_monotonic_ns() &+ run.time(Self.time)
        for _ in 0..<Self.sequences where csys_monotonic_ns() < until {
            try sequence(seeds.seed(), bed)
        }
    }

    private func sequence(_ seed: UInt64, _ bed: TestBed) throws {
        run.trying(seed: seed)
        var chance = SeededGenerator(seed: seed)
        var tasks: [(task: LaunchedTask, name: String)] = []
        for _ in 0..<1 + chance.below(Self.steps) {
            switch chance.below(8) {
            case 0...3:
                let trial = trials[chance.below(trials.count)]
                let isSlow = trial.example.expect == .slow
                let budgets: [UInt64] = [
                    1, 1_000, 100_000, 2_000_000, isSlow ? 5_000_000 : TestBed.ample(trial.handler),
                ]
                let budget = budgets[chance.below(budgets.count)]
                let attempt = UInt32(1 + chance.below(5))
                guard tasks.count < 64 else { continue }
                let task = try bed.launch(trial, budget: budget, attempt: attempt)
                tasks.append((task, trial.name))
            case 4:
                if !tasks.isEmpty { tasks[chance.below(tasks.count)].task.cancel() }
            case 5:
                if !tasks.isEmpty { tasks[chance.below(tasks.count)].task.stop(.host) }
            case 6:
                if !tasks.isEmpty { try end(tasks.remove(at: chance.below(tasks.count)), bed) }
            default:
                if !tasks.isEmpty {
                    let task = tasks[chance.below(tasks.count)].task
                    if task.pause() { task.resume() }
                }
            }
        }
        for task in tasks { try end(task, bed) }
    }

    private func end(_ task: (task: LaunchedTask, name: String), _ bed: TestBed) throws {
        let ended = try bed.end(of: task.task, task.name)
        let wasStopped = [.expired, .cancelled, .interrupted].contains(ended.outcome)
        if wasStopped, !ended.isAnswered, task.task.state.startedAt != 0 {
            throw CaseVerdict.fail(
                "\(task.name) was stopped and did not end within its grace")
        }
    }
}
