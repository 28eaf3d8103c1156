// SPDX-License-Identifier: Apache-2.0
import CSystem
import Curfew
import PluginBridge

/// Checks what the plugin does with its own memory, and with memory of the host.
extension ConformanceCase {
    /// Runs every example twice, with payloads that lie where this one wants them.
    private static func placed(_ name: String, _ payload: Interposer.Payload) -> ConformanceCase {
        ConformanceCase(
            name, level: 2, .entry, needs: tried + (payload == .guarded ? ["struct-ends"] : [])
        ) { run in
            let interposer = Interposer(
                structs: payload == .guarded ? .guarded : .plain, payload: payload)
            let bed = try TestBed(run, interposer: interposer)
            try bed.load()
            try bed.runAll(isEntry: true)
            try bed.runAll(isEntry: true)
            // A thread of the plugin that still has the payload reads it by then.
            run.rest(50_000_000)
        }
    }

    static let memory: [ConformanceCase] = [
        placed("borrowed-poisoned", .poisoned),
        placed("const-inputs", .readOnly),
        placed("payload-end", .guarded),
        ConformanceCase(
            "hardened-memory", level: 2, needs: tried + ["retires", "thread-exit"],
            limit: .seconds(40), hardensMemory: true
        ) { run in
            let bed = try TestBed(run)
            try bed.load()
            for _ in 0..<3 {
                try bed.runAll()
                for trial in (try? run.examples(.slow)) ?? [] {
                    _ = try bed.run(trial, budget: TestBed.brief)
                }
            }
            try bed.end()
        },
        ConformanceCase("leak-per-task", level: 3, needs: tried, limit: .seconds(60)) { run in
            let bed = try TestBed(run, remembers: false)
            try bed.load()
            guard run.pace < 1_000_000_000 else {
                throw CaseVerdict.skip(
                    "an example takes over a second: too long to be run often enough")
            }
            for trial in try run.examplesThatEnd() {
                let payload = try run.prepare(trial)
                func go(_ count: Int) throws -> Int64 {
                    let before = csys_heap_bytes()
                    let until = csys_monotonic_ns() &+ 4_000_000_000
                    var ran = 0
                    while ran < count, ran < 5 || csys_monotonic_ns() < until {
                        _ = try bed.run(trial, payload: payload)
                        ran += 1
                    }
                    func kept() -> Int64 {
                        (Int64(csys_heap_bytes()) - Int64(before)) / Int64(ran)
                    }
                    // Events that are not delivered yet have memory, too: where the machine has
                    // other things to do, they are waited for.
                    var looks = 0
                    while kept() >= 24, looks < 20 {
                        run.rest(10_000_000)
                        looks += 1
                    }
                    return kept()
                }
                // Caches fill first.
                _ = try go(200)
                // A leak grows every time; a growing list does so now and then.
                var least = Int64.max
                for _ in 0..<6 where least >= 24 { least = min(least, try go(300)) }
                if least >= 24 {
                    throw CaseVerdict.leak(
                        "\(trial.name) keeps about \(least) bytes of memory per task",
                        notes: ["a cache that is not full after so many tasks looks the same"])
                }
            }
        },
    ]
}
