// SPDX-License-Identifier: Apache-2.0
import CSystem
import Curfew
import PluginBridge

/// Checks what the plugin registers, how it is retired, and whether both can be repeated.
extension ConformanceCase {
    /// Accepts this number of registrations, and refuses all further ones, or the next one only.
    private static func refuse(
        _ run: CaseRun, _ number: Int, with status: Status = .exhausted, times: Int = .max
    ) throws {
        let interposer = Interposer(
            refusal: Interposer.Refusal(
                function: "register_handler", status: status, after: number, times: times))
        let bed = try TestBed(run, interposer: interposer)
        run.phase("while its registering was refused")
        do {
            try bed.host.load(plugin: run.subject.directory)
        } catch {
            let isRefused = error.rule == LoadRule.entry.rawValue
            for finding in interposer.findings where isRefused {
                switch finding {
                case .noMessage(let text), .unterminated(let text), .unknownStatus(let text):
                    throw CaseVerdict.fail(text)
                default: break
                }
            }
            if isRefused { return }
        }
        guard interposer.refusals > 0 else { return }
        throw CaseVerdict.fail(
            "register_handler answered \(status.constant ?? ""), and curfew_plugin_entry returned CURFEW_OK"
        )
    }

    static let registering: [ConformanceCase] = [
        ConformanceCase("register-once", level: 1, .entry, needs: registered) { run in
            let bed = try TestBed(run)
            try bed.load()
            try bed.check(.registeredTwice, .structSize, .handlerArguments)
        },
        ConformanceCase("thread-tags", level: 1, .entry, needs: registered) { run in
            let interposer = Interposer()
            try enter(run, interposer)
            for case .thread(let text) in interposer.findings {
                throw CaseVerdict.fail("it \(text)")
            }
        },
        ConformanceCase("refused-registration", level: 1, .entry, needs: registered) { run in
            let count = try run.manifest.handlers.count { $0.form == .entry }
            for number in 0..<count {
                try refuse(run, number)
                if count > 1 { try refuse(run, number, times: 1) }
            }
            for status: Status in [.exists, .denied] { try refuse(run, 0, with: status) }
        },
    ]

    static let leaving: [ConformanceCase] = [
        ConformanceCase("retires", level: 1, needs: registered, limit: .seconds(10)) { run in
            let bed = try TestBed(run)
            try bed.load()
            try bed.end()
        },
        ConformanceCase("idle-retire", level: 1, .entry, needs: registered + ["retires"]) { run in
            func time(_ body: () throws -> Void) rethrows -> UInt64 {
                let start = csys_monotonic_ns()
                try body()
                return csys_monotonic_ns() &- start
            }
            // The host has its own part in it, and a busy machine now and then. A thread that sleeps may
            // be about to wake up. The median of five is neither.
            let limit: UInt64 = 100_000_000
            var (quick, slow): ([UInt64], [UInt64]) = ([], [])
            while quick.count < 3, slow.count < 3 {
                let empty = try TestBed(run)
                let without = try time { try empty.end() }
                let bed = try TestBed(run)
                do {
                    try bed.load()
                } catch {
                    // Whether it can be loaded again is another case.
                    guard quick.isEmpty, slow.isEmpty else { break }
                    throw error
                }
                let with = try time { try bed.end() }
                let time = with > without ? with - without : 0
                if time > limit { slow.append(time) } else { quick.append(time) }
            }
            if let least = slow.min(), slow.count > quick.count {
                throw CaseVerdict.fail(
                    "with nothing running it took \(least / 1_000_000) ms to retire, the limit is 100 ms"
                )
            }
        },
        ConformanceCase("init-twice", level: 1, needs: registered + ["retires"]) { run in
            let first = try TestBed(run)
            try first.load()
            func load(_ when: String) throws -> TestBed {
                let bed = try TestBed(run)
                run.phase("while a second host loaded it \(when)")
                do {
                    try bed.host.load(plugin: run.subject.directory)
                } catch {
                    throw CaseVerdict.fail("a second host cannot load it \(when): \(error.message)")
                }
                return bed
            }
            try load("at the same time").end()
            try first.end()
            try load("after the first is gone").end()
        },
    ]
}
