// SPDX-License-Identifier: Apache-2.0
import CSystem
import Curfew
import Glibc
import PluginBridge
import Scheduling

/// Tasks while much goes wrong, by chance: each must be answered, and when all is well again, the
/// examples must do what they did before.
struct ChaosRun {
    private let run: CaseRun
    private let trials: [CaseRun.Trial]
    private let good: [CaseRun.Trial]

    private static var rounds: Int { 1_000 }
    private static var time: UInt64 { 6_000_000_000 }
    private static var tasks: Int { 12 }

    init(_ run: CaseRun) throws {
        self.run = run
        good = (try? run.examples(.success, isEntry: true)) ?? []
        trials =
            try run.examplesThatEnd(isEntry: true)
            + ((try? run.examples(.slow, isEntry: true)) ?? [])
    }

    func go() throws {
        try openWhatIsOpenedOnce()
        if run.isReproducing { return try round(run.seed) }
        var seeds = SeededGenerator(seed: run.seed)
        let until = csys_monotonic_ns() &+ run.time(Self.time)
        for _ in 0..<Self.rounds where csys_monotonic_ns() < until { try round(seeds.seed()) }
    }

    /// Runs all in good order: without descriptors, a library that makes its event loop now would end the process.
    private func openWhatIsOpenedOnce() throws {
        let bed = try TestBed(run)
        try bed.load()
        for trial in trials {
            let isSlow = trial.example.expect == .slow
            _ = try bed.run(trial, budget: isSlow ? TestBed.brief : nil)
        }
        try bed.end()
    }

    private func round(_ seed: UInt64) throws {
        run.trying(seed: seed)
        let chaos = Chaos(seed: seed) { run.tell(chaos: $0) }
        let interposer = Interposer(
            chaos: chaos, survivesWithoutMemory: run.subject.survivesWithoutMemory)
        let bed = try TestBed(run, interposer: interposer)
        try bed.load()
        try tasks(bed, interposer, chaos)
        interposer.endChaos()
        for trial in good {
            let ended = try bed.run(trial)
            guard ended.outcome == .succeeded else {
                throw CaseVerdict.fail(
                    "\(trial.name) \(ended.outcome.name), once nothing went wrong any more")
            }
        }
        try bed.end()
    }

    private func tasks(_ bed: TestBed, _ interposer: Interposer, _ chaos: Chaos) throws {
        for _ in 0..<Self.tasks {
            let trial = trials[chaos.below(trials.count)]
            let payload = try run.prepare(trial)
            let isSlow = trial.example.expect == .slow
            var budget: UInt64 = isSlow ? 20_000_000 : TestBed.ample(trial.handler)
            if chaos.below(4) == 0 {
                budget = UInt64(1 + chaos.below(5_000_000))
                chaos.tell("\(trial.name) had a budget of \(budget / 1_000) µs")
            }
            run.phase("while it ran \(trial.name) and much went wrong")
            let task = try bed.launch(trial, payload: payload, budget: budget)
            let ended = try bed.end(of: task, trial.name)
            guard ended.outcome != .expired || ended.isAnswered else {
                throw CaseVerdict.fail("\(trial.name) did not answer when it was told to stop")
            }
        }
    }
}
