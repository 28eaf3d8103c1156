// SPDX-License-Identifier: Apache-2.0
import CSystem
import Curfew
import Glibc
import PluginBridge
import Scheduling

/// Checks the plugin when resources are missing, and with random calls and payloads.
extension ConformanceCase {
    /// Runs every example that ends by itself; any answer is good that comes.
    private static func answers(_ bed: TestBed, _ trials: [CaseRun.Trial], _ when: String) throws {
        for trial in trials {
            let task = try bed.launch(trial)
            let ended = try bed.end(of: task, trial.name + when)
            guard ended.outcome != .expired || ended.isAnswered else {
                throw CaseVerdict.fail("\(trial.name)\(when) did not answer")
            }
        }
    }

    /// Makes hosts one after the other, fewer where one of them takes long. Throws if they leave something behind.
    ///
    /// - Parameters:
    ///   - kind: of the hosts, to follow "hosts".
    ///   - host: makes one and ends it; its number is passed.
    private static func mustLeaveNothing(
        _ run: CaseRun, _ most: Int64, _ kind: String, _ host: (Int64) throws -> Void
    ) throws {
        var count: Int64 = 0
        func more(_ last: Int64) throws {
            let (until, first) = (csys_monotonic_ns() &+ 10_000_000_000, count)
            while count < last, count < first + 5 || csys_monotonic_ns() < until {
                count += 1
                try host(count)
            }
        }
        // Memory that grows only at first is a cache.
        try more(most * 3 / 10)
        let (before, first) = (Environment(run.subject), count)
        let (heap, memory) = (csys_heap_bytes(), ProcessFacts.residentBytes)
        try more(most)
        if let left = before.left().first {
            throw CaseVerdict.leak("after \(count - first) more hosts\(kind) it \(left)")
        }
        // The host's own lists of what it has had grow by less.
        let lost = (Int64(csys_heap_bytes()) - Int64(heap)) / (count - first)
        let mapped = (Int64(ProcessFacts.residentBytes) - Int64(memory)) / (count - first)
        if mapped > 256 << 10 || lost > 4 << 10 {
            throw CaseVerdict.leak(
                "each of \(count - first) hosts\(kind) one after the other left \(max(mapped, lost) / 1_024) KiB of memory behind"
            )
        }
    }

    /// The most requests for memory of a task that are made to fail, one in each run.
    static let allocationLimit = 200

    static let robustness: [ConformanceCase] = [
        ConformanceCase(
            "host-says-no", level: 2, .entry,
            needs: tried + ["init-twice", "missing-extensions", "larger-structs"]
        ) { run in
            let refusals: [Interposer.Refusal] = [
                .init(function: "task_info", status: .stale),
                .init(function: "progress", status: .already),
                .init(function: "raise", status: .busy),
                .init(function: "keep", status: .exhausted),
                .init(function: "complete", status: .closing),
                .init(function: "submit", status: .tooMany),
            ]
            func tryAll(_ interposer: Interposer, _ when: String) throws {
                let bed = try TestBed(run, interposer: interposer)
                try bed.load()
                for trial in try run.examplesThatEnd(isEntry: true) {
                    let task = try bed.launch(trial)
                    run.phase("while it ran \(trial.name) and \(when)")
                    let ended = try bed.end(of: task, trial.name)
                    guard ended.outcome != .expired || ended.isAnswered else {
                        throw CaseVerdict.fail("\(trial.name) did not answer when \(when)")
                    }
                }
            }
            for refusal in refusals {
                try tryAll(
                    Interposer(refusal: refusal),
                    "\(refusal.function) answered \(refusal.status.constant ?? "")")
            }
            try tryAll(Interposer(structs: .larger), "the host's structs had grown")
            // A plugin that needs extensions has said so in missing-extensions.
            let bare = Interposer(hasExtensions: false)
            let bed = try TestBed(run, interposer: bare)
            if (try? bed.host.load(plugin: run.subject.directory)) != nil {
                try tryAll(Interposer(hasExtensions: false), "the host had no extensions")
            }
        },
        ConformanceCase("no-descriptors", level: 2, needs: tried, limit: .seconds(60)) { run in
            let bed = try TestBed(run)
            try bed.load()
            let trials = try run.examplesThatEnd()
            // By then, files that a runtime opens once are open.
            try answers(bed, trials, "")
            csys_spare_dispatch_monitor()
            csys_forbid_descriptors()
            try answers(bed, trials, ", with no descriptor left,")
        },
        ConformanceCase("no-space", level: 2, needs: tried, limit: .seconds(60)) { run in
            let bed = try TestBed(run)
            try bed.load()
            let trials = try run.examplesThatEnd()
            for trial in trials { _ = try run.prepare(trial) }
            csys_forbid_growing_files()
            try answers(bed, trials, ", with files that cannot grow,")
        },
        ConformanceCase(
            "no-memory", level: 3, .entry, needs: tried, limit: .seconds(60)
        ) { run in
            guard run.subject.survivesWithoutMemory else {
                throw CaseVerdict.skip(
                    "the runtime of its language ends the process where there is no memory")
            }
            let interposer = Interposer(isShortOfMemory: true)
            let bed = try TestBed(run, interposer: interposer)
            try bed.load()
            guard interposer.failsAllocations else {
                throw CaseVerdict.skip(
                    "it calls none of the functions that this case can make fail")
            }
            defer { csys_fail_allocations(.max, 0) }
            let until = csys_monotonic_ns() &+ 10_000_000_000
            for trial in try run.examples(.success, isEntry: true) {
                for passed in 0..<UInt64(allocationLimit)
                where csys_monotonic_ns() < until {
                    let payload = try run.prepare(trial)
                    run.phase(
                        "while it ran \(trial.name) and request \(passed + 1) for memory failed")
                    csys_fail_allocations(passed, 0)
                    let task = try bed.launch(trial, payload: payload)
                    let ended = try bed.end(of: task, trial.name)
                    let failed = csys_failed_allocations()
                    csys_fail_allocations(.max, 0)
                    guard ended.outcome != .expired || ended.isAnswered else {
                        throw CaseVerdict.fail(
                            "\(trial.name) did not answer when its request \(passed + 1) for memory failed"
                        )
                    }
                    if failed == 0 { break }
                }
                let ended = try bed.run(trial)
                guard ended.outcome == .succeeded else {
                    throw CaseVerdict.fail(
                        "\(trial.name) \(ended.outcome.name), once there was memory again",
                        notes: ended.text.isEmpty ? [] : ["it said: \(ended.text)"])
                }
            }
        },
        ConformanceCase(
            "chaos", level: 3, .entry,
            needs: tried + [
                "retires", "thread-exit", "host-says-no", "no-descriptors", "no-memory",
                "keeps-working", "expiry-race",
            ], limit: .seconds(60), isSeeded: true
        ) { run in
            try ChaosRun(run).go()
        },
        ConformanceCase(
            "reinit-100", level: 3,
            needs: tried + [
                "retires", "init-twice", "no-affinity", "thread-exit", "threads-joined",
                "descriptors-and-children", "leak-per-task",
            ], limit: .seconds(120)
        ) { run in
            try mustLeaveNothing(run, 100, "") { count in
                let bed = try TestBed(run)
                try bed.load()
                if let trial = (try? run.examples(.success))?.first {
                    let ended = try bed.run(trial)
                    guard ended.outcome == .succeeded else {
                        throw CaseVerdict.fail(
                            "\(trial.name) \(ended.outcome.name) in host \(count), one after the other",
                            notes: ended.text.isEmpty ? [] : ["it said: \(ended.text)"])
                    }
                }
                try bed.end()
            }
            guard try run.manifest.handlers.contains(where: { $0.form == .entry }) else { return }
            try mustLeaveNothing(run, 40, " that refused its handler") { _ in
                let bed = try TestBed(
                    run,
                    interposer: Interposer(
                        refusal: .init(function: "register_handler", status: .exhausted)))
                run.phase("while its registering was refused")
                try? bed.host.load(plugin: run.subject.directory)
                try bed.end()
            }
        },
        ConformanceCase(
            "fuzz-calls", level: 3, needs: tried + ["expiry-race", "cancel-while-running"],
            limit: .seconds(60), isSeeded: true
        ) { run in
            try CallFuzzer(run).go()
        },
        ConformanceCase(
            "fuzz-payload", level: 3, needs: tried, limit: .seconds(60),
            isSeeded: true
        ) { run in
            try PayloadFuzzer(run).go()
        },
    ]
}
