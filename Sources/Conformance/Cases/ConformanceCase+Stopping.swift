// SPDX-License-Identifier: Apache-2.0
import CSystem
import Curfew
import CurfewValues
import PluginBridge
import Runner
import Scheduling

/// Checks tasks that are stopped.
extension ConformanceCase {
    /// The longest time that an expiration callback may take, in nanoseconds.
    private static let callbackLimit: UInt64 = 50_000_000

    private static func mustBeAnswered(
        _ ended: TestBed.Ended, _ name: String, _ what: String
    ) throws {
        guard !ended.isAnswered else { return }
        if ended.outcome == .succeeded || ended.outcome == .failed {
            throw CaseVerdict.fail(
                "\(name) expects to be stopped, and ended by itself: \(ended.outcome.name)",
                notes: ended.text.isEmpty ? [] : [ended.text])
        }
        throw CaseVerdict.fail("\(what), \(name) did not answer within its grace")
    }

    private static func mustHaveReturned(_ interposer: Interposer?, _ name: String) throws {
        guard let interposer, !interposer.waitForCallbacks() else { return }
        throw CaseVerdict(.timeout, "the expiration callback of \(name) did not return")
    }

    /// Around the limits of pages, and of lengths of 8 and 16 bits.
    static let payloadSizes = [0, 1, 255, 257, 4_095, 4_096, 65_535, 65_537, 1 << 20]

    /// A function that has answered gives its worker back within the same time.
    private static func mustReturn(
        _ task: LaunchedTask, _ ended: TestBed.Ended, _ name: String, _ run: CaseRun
    ) throws {
        let until = ended.time &+ task.state.grace &+ 1_000_000_000
        while !task.state.isReturned, csys_monotonic_ns() < until { run.rest(2_000_000) }
        guard !task.state.isReturned else { return }
        throw CaseVerdict.fail(
            "\(name) was told to stop and answered, and its function had not returned a second after its grace"
        )
    }

    static let stopping: [ConformanceCase] = [
        ConformanceCase("cooperative-stop", level: 2, needs: runnable, limit: .seconds(30)) { run in
            let bed = try TestBed(run)
            try bed.load()
            for trial in try run.examples(.slow) {
                let task = try bed.launch(trial, budget: TestBed.brief)
                let ended = try bed.end(of: task, trial.name)
                // It may see that no time is left before it is told so.
                if ended.outcome == .failed, ended.duration >= TestBed.brief / 10 * 9 { continue }
                try mustBeAnswered(ended, trial.name, "told that its budget of 100 ms was up")
                try mustReturn(task, ended, trial.name, run)
            }
            try bed.check(.lostWorker, .slowCallback)
        },
        ConformanceCase("payload-sizes", level: 2, needs: runnable + ["cooperative-stop"]) { run in
            let interposer = try Interposer.ifEntry(run)
            let bed = try TestBed(run, interposer: interposer)
            try bed.load()
            for handler in try run.handlers() {
                let example = ManifestExample(name: "of the kit", payload: "")
                let trial = CaseRun.Trial(handler: handler, example: example)
                _ = try run.prepare(trial)
                for size in payloadSizes {
                    let task = try bed.launch(
                        trial, payload: [UInt8](repeating: UInt8(ascii: "x"), count: size),
                        budget: 300_000_000)
                    let ended = try bed.end(
                        of: task, "\(handler.identifier) with a payload of \(size) bytes")
                    guard ended.outcome != .expired || ended.isAnswered else {
                        throw CaseVerdict.fail(
                            "\(handler.identifier) did not answer to a payload of \(size) bytes")
                    }
                    for case .noMessage(let text) in interposer?.findings ?? [] {
                        throw CaseVerdict.fail("\(text), with a payload of \(size) bytes")
                    }
                }
            }
        },
        ConformanceCase(
            "short-expiration", level: 2, .entry, needs: runnable + ["cooperative-stop"]
        ) { run in
            let interposer = Interposer()
            let bed = try TestBed(run, interposer: interposer)
            try bed.load()
            for trial in try run.examples(.slow, isEntry: true) {
                guard interposer.callsBack(trial.handler.identifier) else { continue }
                // Not every run is delayed by a busy machine, and not every one is told: a task
                // that sees its stop by itself can be over before its callback would be called.
                var times: [UInt64] = []
                let known = interposer.findings.count
                for _ in 0..<30
                where times.count < 3 && times.allSatisfy({ $0 > Self.callbackLimit }) {
                    _ = try bed.run(trial, budget: TestBed.brief)
                    try mustHaveReturned(interposer, trial.name)
                    // A callback can return after its task is over: the next round sees its time.
                    times = interposer.findings.dropFirst(known).compactMap {
                        if case .expiration(let time) = $0 { time } else { nil }
                    }
                }
                if let least = times.min(), least > Self.callbackLimit {
                    throw CaseVerdict.fail(
                        "the expiration callback of \(trial.name) took \(least / 1_000_000) ms, the limit is 50 ms"
                    )
                }
            }
        },
        ConformanceCase(
            "cancel-while-running", level: 2, needs: runnable + ["cooperative-stop"],
            limit: .seconds(30)
        ) { run in
            let interposer = try Interposer.ifEntry(run)
            let bed = try TestBed(run, interposer: interposer)
            try bed.load()
            for trial in try run.examples(.slow) {
                for (reason, what) in [
                    (nil, "cancelled while it ran"),
                    (.condition, "told that it had lost a condition"),
                    (.host, "stopped by the host"),
                ] as [(StopReason?, String)] {
                    let task = try bed.launch(trial)
                    try bed.waitUntilRunning(task, trial.name)
                    if let reason { task.stop(reason) } else { task.cancel() }
                    let ended = try bed.end(of: task, trial.name)
                    try mustBeAnswered(ended, trial.name, what)
                    try mustHaveReturned(interposer, trial.name)
                }
            }
        },
        ConformanceCase("thread-exit", level: 2, needs: tried + ["retires"]) { run in
            let bed = try TestBed(run)
            try bed.load()
            try bed.runAll()
            run.phase("while the threads that had run it ended")
            try bed.end()
        },
        ConformanceCase(
            "retire-while-busy", level: 2,
            needs: runnable + ["cooperative-stop", "retires", "thread-exit"], limit: .seconds(30)
        ) { run in
            for trial in try run.examples(.slow) {
                let interposer = try Interposer.ifEntry(run)
                let bed = try TestBed(run, interposer: interposer)
                try bed.load()
                let task = try bed.launch(trial)
                try bed.waitUntilRunning(task, trial.name)
                run.phase("while it was retired in the middle of \(trial.name)")
                var limits = ShutdownLimits()
                limits.leave = 3_000_000_000
                try? bed.host.shutDown(limits)
                let ended = try bed.end(of: task, trial.name)
                try mustBeAnswered(ended, trial.name, "told that the host was shutting down")
                try mustHaveReturned(interposer, trial.name)
            }
        },
        ConformanceCase("expiry-race", level: 3, needs: tried, limit: .seconds(60)) { run in
            let bed = try TestBed(run)
            try bed.load()
            var trials = (try? run.examples(.slow)) ?? []
            trials += try run.examples(.success)
            let until = csys_monotonic_ns() &+ 4_000_000_000
            for trial in trials {
                var budget: UInt64 = 1
                // Closer and closer together where a handler enters, looks and leaves.
                while budget < 20_000_000, csys_monotonic_ns() < until {
                    let task = try bed.launch(trial, budget: budget)
                    _ = try bed.end(of: task, "\(trial.name) with a budget of \(budget) ns")
                    let count = try bed.doneEvents(of: task)
                    guard count == 1 else {
                        throw CaseVerdict.fail(
                            "\(trial.name) with a budget of \(budget) ns raised \(count) done events"
                        )
                    }
                    budget += max(1, budget / 3)
                }
            }
        },
    ]
}
