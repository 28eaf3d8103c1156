// SPDX-License-Identifier: Apache-2.0
import CSystem
import Curfew
import PluginBridge
import Scheduling

/// Checks tasks that nothing stops.
extension ConformanceCase {
    /// The cases that every case that runs tasks depends on.
    static let runnable = registered + ["no-exit", "one-task-done"]

    /// A case that runs every example, and looks which rules the host saw broken, and what an
    /// interposer found.
    private static func kept(
        _ name: String, _ rules: ContractRule..., payloads: [[UInt8]] = [],
        finding: @escaping @Sendable (Interposer.Finding) -> String? = { _ in nil },
        warning: @escaping @Sendable (Interposer.Finding) -> String? = { _ in nil }
    ) -> ConformanceCase {
        ConformanceCase(
            name, level: 2, needs: tried + ["retires", "thread-exit", "hardened-memory"],
            allocator: .overwriting
        ) { run in
            // A text that was freed would often be another one by then: what is freed is kept.
            let keepsFreed = CheckedMemory.setAside()
            let interposer = try Interposer.ifEntry(run, checksMemory: keepsFreed)
            let bed = try TestBed(run, interposer: interposer)
            try bed.load()
            if keepsFreed { CheckedMemory.begin() }
            // One after itself, and after another one.
            try bed.runAll(times: 2)
            try bed.runAll()
            for payload in payloads { try bed.runAll(payload) }
            try bed.end()
            for rule in rules { try bed.check(rule) }
            if let text = interposer?.findings.lazy.compactMap(finding).first {
                throw CaseVerdict.fail("it \(text)")
            }
            if let text = interposer?.findings.lazy.compactMap(warning).first {
                run.warn("it \(text)")
            }
        }
    }

    /// The cases that a case depends on that makes tasks do all they can.
    static let tried = runnable + ["failing-task-done", "cooperative-stop", "payload-sizes"]

    static let basics: [ConformanceCase] = [
        ConformanceCase("no-exit", level: 2, needs: registered, isAboutExit: true) { run in
            // That it comes to its end is what is looked at.
            let bed = try TestBed(run)
            csys_watch_exits_of_copies()
            try bed.load()
            run.phase("while it ran")
            for trial in try run.examplesThatEnd() { _ = try bed.run(trial) }
            if csys_exits_of_copies() > 0 {
                throw CaseVerdict.fail(
                    "a child that it forked called exit, which runs what its host has registered for its own end",
                    notes: ["a child of fork ends by _exit or exec"])
            }
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
        kept("exactly-once", .completedTwice, .completion, .resultSize, .forkedReturn) {
            if case .completion(let text) = $0 { text } else { nil }
        },
        ConformanceCase("status-known", level: 2, .entry, needs: tried) { run in
            let interposer = Interposer()
            let bed = try TestBed(run, interposer: interposer)
            try bed.load()
            try bed.runAll(isEntry: true)
            for case .unknownStatus(let text) in interposer.findings {
                throw CaseVerdict.fail(text)
            }
        },
        ConformanceCase("struct-sizes", level: 2, needs: tried + ["larger-structs"]) { run in
            let isEntry = try run.manifest.handlers.contains { $0.form == .entry }
            let interposer = isEntry ? Interposer(structs: .larger) : nil
            let bed = try TestBed(run, interposer: interposer)
            try bed.load()
            try bed.runAll()
            try bed.check(.structSize)
            for finding in interposer?.findings ?? [] {
                switch finding {
                case .sizeWritten(let name):
                    throw CaseVerdict.fail(
                        "it changes struct_size of \(name), which the host has set",
                        notes: [
                            "it sets the whole struct to 0, does it? Then a later host sees one of no version"
                        ])
                case .tailWritten(let name):
                    throw CaseVerdict.fail("it writes to \(name) past what it was compiled with")
                case .badStruct(let text): throw CaseVerdict.fail("it \(text)")
                case .laterStruct(let text):
                    run.warn(
                        "it passes a \(text), which has fewer in this version: a later host reads or writes what is behind its end"
                    )
                default: break
                }
            }
        },
        kept("progress-in-range", .progressRange) {
            if case .afterCompletion(let text) = $0, text.contains("progress") { text } else { nil }
        } warning: {
            if case .progressBack(let text) = $0 { text } else { nil }
        },
        kept(
            "declared-events", .undeclaredEvent, .eventName, .eventTypes, .hostEvent, .eventFlood
        ) {
            if case .afterCompletion(let text) = $0, text.contains("raise") { text } else { nil }
        },
        // Payloads of bytes that are no UTF-8, which a handler may say something about.
        kept(
            "strings-utf8", .malformedText, .longText, .logLevel,
            payloads: [[0xC3, 0x28, 0xFE], Array("a\u{fffd}".utf8) + [0x80]]
        ) {
            if case .unterminated(let text) = $0 { text } else { nil }
        },
        ConformanceCase("references", level: 2, needs: tried + ["retires", "thread-exit"]) { run in
            let interposer = try Interposer.ifEntry(run)
            let bed = try TestBed(run, interposer: interposer)
            try bed.load()
            try bed.runAll(times: 2)
            try bed.runAll()
            // By then, what it does beside its tasks is done.
            for _ in 0..<20 where interposer?.heldTasks.isEmpty == false { run.rest(50_000_000) }
            if let interposer, !interposer.heldTasks.isEmpty {
                throw CaseVerdict.fail(
                    "it keeps a reference to a task that it answered a second ago, with nothing running"
                )
            }
            try bed.end()
            interposer?.retired()
            run.rest(150_000_000)
            for rule: ContractRule in [
                .unkeptRelease, .referenceLimit, .staleTask, .foreignTask, .abandoned,
                .keptReference,
            ] {
                try bed.check(rule)
            }
            for finding in interposer?.findings ?? [] {
                switch finding {
                case .afterRetire(let text), .stale(let text):
                    throw CaseVerdict.fail("it \(text)")
                default: break
                }
            }
        },
        ConformanceCase(
            "register-only-in-entry", level: 2, .entry, needs: tried + ["retires", "thread-exit"]
        ) { run in
            let interposer = Interposer()
            let bed = try TestBed(run, interposer: interposer)
            try bed.load()
            try bed.runAll(isEntry: true)
            try bed.end()
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
