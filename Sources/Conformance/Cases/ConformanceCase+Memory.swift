// SPDX-License-Identifier: Apache-2.0
import CSystem
import Curfew
import Glibc
import PluginBridge

/// Checks what the plugin does with its own memory, and with memory of the host.
extension ConformanceCase {
    /// Runs every example twice, with payloads that lie where this one wants them.
    private static func placed(_ name: String, _ payload: PlacedPayloads.Placement)
        -> ConformanceCase
    {
        ConformanceCase(
            name, level: 2, .entry,
            needs: tried + ["retires", "thread-exit"] + (payload == .guarded ? ["struct-ends"] : [])
        ) { run in
            let interposer = Interposer(
                structs: payload == .guarded ? .guarded : .plain, payload: payload)
            let bed = try TestBed(run, interposer: interposer)
            try bed.load()
            // One after itself, and after another one.
            try bed.runAll(isEntry: true, times: 2)
            try bed.runAll(isEntry: true)
            // A thread of the plugin that still has the payload reads it by then.
            run.rest(50_000_000)
            try bed.end()
        }
    }

    /// Runs an example again and again, until it has once kept nothing.
    ///
    /// - Parameter counts: how often before it is looked at, since caches fill first; and how often
    ///   each time. A leak grows every time; a growing list does so now and then.
    private static func mustKeepNothing(
        _ trial: CaseRun.Trial, _ bed: TestBed, _ run: CaseRun, _ counts: [Int],
        budget: UInt64? = nil
    ) throws {
        let payload = try run.prepare(trial)
        func go(_ count: Int) throws -> Holdings.Growth {
            let before = Holdings()
            let until = csys_monotonic_ns() &+ 4_000_000_000
            var ran = 0
            while ran < count, ran < 5 || csys_monotonic_ns() < until {
                _ = try bed.run(trial, payload: payload, budget: budget)
                ran += 1
            }
            var growth = before.growth(over: ran)
            // Events that are not delivered yet have memory, too, and threads that end are there:
            // where the machine has other things to do, they are waited for.
            var looks = 0
            while growth.text != nil, looks < 20 {
                run.rest(10_000_000)
                growth = before.growth(over: ran)
                looks += 1
            }
            return growth
        }
        _ = try go(counts[0])
        var least = Holdings.Growth()
        for _ in 0..<6 where least.text != nil { least.reduce(to: try go(counts[1])) }
        if let text = least.text {
            throw CaseVerdict.leak(
                "\(trial.name) keeps \(text)",
                notes: ["a cache that is not full after so many tasks looks the same"])
        }
    }

    /// Comes before the cases that judge tasks: wrong use of memory can cause any other failure.
    static let corruption: [ConformanceCase] = [
        ConformanceCase(
            "hardened-memory", level: 2, needs: tried + ["retires", "thread-exit"],
            limit: .seconds(40), allocator: .overwriting
        ) { run in
            guard CheckedMemory.setAside() else {
                throw CaseVerdict.skip("LD_PRELOAD has a library loaded before the C library")
            }
            let bed = try TestBed(run, interposer: Interposer(checksMemory: true))
            try bed.load()
            try CheckedMemory.mustBeSound()
            for _ in 0..<3 {
                try bed.runAll()
                for trial in (try? run.examples(.slow)) ?? [] {
                    _ = try bed.run(trial, budget: TestBed.brief)
                }
                try CheckedMemory.mustBeSound()
            }
            for size in payloadSizes {
                try bed.runAll([UInt8](repeating: UInt8(ascii: "x"), count: size))
            }
            try bed.end()
            try CheckedMemory.mustBeSound()
        }
    ]

    static let memory: [ConformanceCase] = [
        placed("borrowed-poisoned", .poisoned),
        placed("const-inputs", .readOnly),
        placed("payload-end", .guarded),
        ConformanceCase(
            "leak-per-task", level: 3, needs: tried + ["expiry-race"], limit: .seconds(60)
        ) { run in
            let bed = try TestBed(run, remembers: false)
            try bed.load()
            guard run.pace < 1_000_000_000 else {
                throw CaseVerdict.skip(
                    "an example takes over a second: too long to be run often enough")
            }
            for trial in try run.examplesThatEnd() {
                try mustKeepNothing(trial, bed, run, [200, 300])
            }
            // A few of those that have to be stopped, which takes its time.
            for trial in (try? run.examples(.slow)) ?? [] {
                try mustKeepNothing(trial, bed, run, [40, 25], budget: 10_000_000)
            }
        },
    ]
}
