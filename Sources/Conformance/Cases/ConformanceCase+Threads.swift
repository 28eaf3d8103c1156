// SPDX-License-Identifier: Apache-2.0
import CSystem
import Curfew
import PluginBridge
import Scheduling

/// On which threads it can run, and what it leaves on them.
extension ConformanceCase {
    /// More than the tasks that a table of 8 bits counts.
    private static let manyTasks = 320

    /// Does something so often, or as often as there is time for. Returns how often.
    ///
    /// - Parameter limit: nanoseconds.
    private static func repeated(
        _ times: Int, within limit: UInt64, _ body: () throws -> TestBed.Ended
    ) rethrows -> Int {
        let until = csys_monotonic_ns() &+ limit
        var count = 0
        while count < times, csys_monotonic_ns() < until {
            _ = try body()
            count += 1
        }
        return count
    }

    static let threads: [ConformanceCase] = [
        ConformanceCase("no-affinity", level: 2, needs: tried + ["init-twice", "thread-exit"]) {
            run in
            // Another host has another worker.
            var beds: [TestBed] = []
            for number in 1...3 {
                let bed = try TestBed(run)
                try bed.load()
                try bed.runSuccesses(" on worker \(number)")
                beds.append(bed)
            }
            try beds[0].runSuccesses(" in the first of three hosts")
            try beds[2].end()
            try beds[1].end()
            try beds[0].runSuccesses(" in the first of three hosts, when the others are gone")
        },
        ConformanceCase("reentrancy", level: 2, needs: tried) { run in
            let trials = try run.examplesThatEnd()
            let most = trials.map(\.handler.maxConcurrency).max() ?? 1
            let handlers = Set(trials.map(\.handler.identifier)).count
            guard most > 1 || handlers > 1 else {
                throw CaseVerdict.skip("its one handler runs one task at a time")
            }
            let bed = try TestBed(run, workers: min(max(most, handlers), 8))
            try bed.load()
            var launches: [(trial: CaseRun.Trial, payload: [UInt8])] = []
            for trial in trials {
                for copy in 0..<min(trial.handler.maxConcurrency, 8) {
                    launches.append((trial, try run.prepare(trial, copy: copy)))
                }
            }
            for _ in 0..<run.rounds(10) {
                let tasks = try launches.map { try bed.launch($0.trial, payload: $0.payload) }
                for (task, (trial, _)) in zip(tasks, launches) {
                    let ended = try bed.end(of: task, trial.name)
                    let expected = trial.example.expect == .success ? Outcome.succeeded : .failed
                    guard ended.outcome == expected || ended.outcome == .abandoned else {
                        throw CaseVerdict.fail(
                            "\(trial.name), with others at the same time, \(ended.outcome.name)",
                            notes: ended.text.isEmpty ? [] : ["it said: \(ended.text)"])
                    }
                }
            }
            try bed.check(.completedTwice, .staleTask, .foreignTask, .unkeptRelease)
        },
        ConformanceCase("keeps-working", level: 2, needs: tried) { run in
            let bed = try TestBed(run)
            try bed.load()
            let good = try run.examples(.success)
            try bed.runSuccesses()
            for trial in (try? run.examples(.failure)) ?? [] {
                _ = try bed.run(trial)
                try bed.runSuccesses(" after \(trial.name) had failed")
                var count = 1
                count += try repeated(19, within: 1_000_000_000) {
                    let ended = try bed.run(trial)
                    try bed.runSuccesses(" after \(trial.name) had failed again")
                    return ended
                }
                // More than the places of a small table.
                count += try repeated(70, within: 1_000_000_000) { try bed.run(trial) }
                try bed.runSuccesses(" after \(trial.name) had failed \(count) times")
            }
            for trial in (try? run.examples(.slow)) ?? [] {
                _ = try bed.run(trial, budget: TestBed.brief)
                try bed.runSuccesses(" after \(trial.name) was told to stop")
                let count = try repeated(20, within: 1_000_000_000) {
                    try bed.run(trial, budget: TestBed.brief / 10)
                }
                try bed.runSuccesses(" after \(trial.name) was told to stop \(count + 1) times")
            }
            // A further attempt may do other things, and must come to an end.
            for trial in good { _ = try bed.run(trial, attempt: 2) }
            // Fewer where one of them takes long.
            let until = csys_monotonic_ns() &+ 4_000_000_000
            var count = 0
            while count < Self.manyTasks, count < 5 || csys_monotonic_ns() < until {
                count += 1
                try bed.runSuccesses(" in round \(count)")
            }
        },
        ConformanceCase(
            "call-order", level: 3, .entry,
            needs: tried + ["retires", "exactly-once"], limit: .seconds(60),
            allocator: .overwriting
        ) { run in
            let keepsFreed = CheckedMemory.setAside()
            for kind in CallOrder.Kind.allCases {
                let bed = try TestBed(
                    run,
                    interposer: Interposer(order: CallOrder(kind), checksMemory: keepsFreed))
                try bed.load()
                let until = csys_monotonic_ns() &+ 8_000_000_000
                for trial in try run.examplesThatEnd(isEntry: true)
                where csys_monotonic_ns() < until {
                    let task = try bed.launch(trial)
                    run.phase("while it ran \(trial.name), and \(kind.text)")
                    let ended = try bed.end(of: task, trial.name)
                    let expected: [Outcome] =
                        trial.example.expect == .success ? [.succeeded] : [.failed, .abandoned]
                    guard expected.contains(ended.outcome) else {
                        throw CaseVerdict.fail(
                            "\(trial.name) \(ended.outcome.name) when \(kind.text)",
                            notes: ended.text.isEmpty ? [] : ["it said: \(ended.text)"])
                    }
                }
                try bed.end()
            }
        },
        ConformanceCase(
            "no-races", level: 2, .entry, needs: tried + ["retires", "thread-exit"],
            limit: .seconds(60), looksForRaces: true
        ) { run in
            guard run.subject.raceDetector != nil else {
                throw CaseVerdict.skip("its library is not compiled with -fsanitize=thread")
            }
            guard RaceDetector.isLoaded else {
                throw CaseVerdict.skip("the runtime of ThreadSanitizer is not in this process")
            }
            let trials = try run.examplesThatEnd(isEntry: true)
            let stopped = (try? run.examples(.slow, isEntry: true)) ?? []
            let bed = try TestBed(run, workers: 4, interposer: Interposer())
            try bed.load()
            for _ in 0..<run.rounds(10) {
                var tasks: [(LaunchedTask, String)] = []
                for trial in trials {
                    for copy in 0..<max(2, min(trial.handler.maxConcurrency, 4)) {
                        let payload = try run.prepare(trial, copy: copy)
                        tasks.append((try bed.launch(trial, payload: payload), trial.name))
                    }
                }
                for trial in stopped {
                    tasks.append((try bed.launch(trial, budget: TestBed.brief), trial.name))
                }
                for (task, name) in tasks { _ = try bed.end(of: task, name) }
            }
            // The function that retires it is called on this thread.
            RaceDetector.begin()
            try bed.end()
            let report = RaceDetector.report(in: run.beginning)
            let summary = "SUMMARY: ThreadSanitizer: "
            guard let first = report.first(where: { $0.hasPrefix(summary) }) else { return }
            throw CaseVerdict.fail(
                "ThreadSanitizer found a \(first.dropFirst(summary.count))",
                notes: report.filter { !$0.hasPrefix("===") }.prefix(12).map(String.init))
        },
        ConformanceCase("threads-joined", level: 2, needs: tried + ["retires", "thread-exit"]) {
            run in
            let before = try rounds(run)
            let threads = before.threadsLeft()
            guard let first = threads.first else { return }
            // A library that it uses may start a thread for all, at its first use.
            if !threads.contains(where: \.isOwn), try rounds(run).threads().isEmpty {
                return run.warn(
                    "retired, it \(first.text), in no code of its own, and no other one the second time: is it one that a library starts once for all?"
                )
            }
            throw CaseVerdict.leak(
                "retired, it \(first.text)", notes: threads.dropFirst().map { "it \($0.text)" })
        },
    ]

    /// Loads it, runs it, lets it go. Returns what was there before.
    static func rounds(_ run: CaseRun) throws -> Environment {
        // By then, the host and the C library have allocated what they keep from their first use
        // on.
        try TestBed(run).end()
        let before = Environment(run.subject)
        let bed = try TestBed(run)
        try bed.load()
        try bed.runAll()
        try bed.end()
        return before
    }
}
