// SPDX-License-Identifier: Apache-2.0
import CSystem
import Curfew
import Glibc
import PluginBridge

/// What it does to the process that it is a guest in.
extension ConformanceCase {
    /// Runs every example once and looks what is different then.
    private static func unchanged(
        _ name: String, _ changes: @escaping @Sendable (Surroundings) -> [String]
    ) -> ConformanceCase {
        ConformanceCase(name, level: 2, needs: runnable + ["constructors-quiet"]) { run in
            let stage = try Stage(run)
            try stage.load()
            try stage.check(.processState)
            for trial in try run.examplesThatEnd() {
                let payload = try run.prepare(trial)
                let before = Surroundings(run.subject)
                _ = try stage.run(trial, payload: payload)
                let found = changes(before)
                if let first = found.first {
                    throw CaseVerdict.fail(
                        "\(trial.name) \(first)", notes: Array(found.dropFirst()))
                }
            }
        }
    }

    /// Runs every example behind an interposer, which looks at the worker's own state.
    private static func thread(
        _ name: String, _ find: @escaping @Sendable (Interposer.Finding) -> String?
    ) -> ConformanceCase {
        ConformanceCase(name, level: 2, .entry, needs: runnable) { run in
            let interposer = Interposer()
            let stage = try Stage(run, interposer: interposer)
            try stage.load()
            try stage.runAll(isEntry: true)
            if let text = interposer.findings.lazy.compactMap(find).first {
                throw CaseVerdict.fail("its function changed \(text)")
            }
        }
    }

    static let process: [ConformanceCase] = [
        unchanged("signal-actions") { $0.signalChanges() },
        thread("signal-mask") { finding in
            switch finding {
            case .signalMask: "the signal mask of the worker"
            case .signalStack: "the alternate signal stack of the worker"
            default: nil
            }
        },
        unchanged("process-globals") { $0.globalChanges() },
        thread("fpu-state") { finding in
            if case .floatControl = finding {
                "the floating-point control of the worker"
            } else {
                nil
            }
        },
        ConformanceCase(
            "descriptors-and-children", level: 2, needs: runnable + ["retires", "thread-exit"]
        ) { run in
            let before = try rounds(run)
            let left = before.descriptors() + before.processes()
            guard let first = left.first else { return }
            throw CaseVerdict.leak(
                "retired, it \(first)", notes: left.dropFirst().map { "it \($0)" })
        },
        ConformanceCase("stdio-untouched", level: 2, needs: runnable) { run in
            let stage = try Stage(run)
            try stage.load()
            try stage.runAll()
            run.mustBeSilent("it wrote", errors: 4_096)
        },
        ConformanceCase("fork-exec", level: 2, needs: runnable) { run in
            let stage = try Stage(run)
            try stage.load()
            func fork(_ when: String) throws {
                run.phase("while the host forked \(when)")
                let status = csys_fork_exec("/bin/true", 2_000_000_000)
                guard status != 0 else { return }
                let how = status < 0 ? String(cString: strerror(errno)) : "wait status \(status)"
                throw CaseVerdict.fail("the host cannot fork and exec \(when): \(how)")
            }
            for _ in 0..<50 { try fork("after it was loaded") }
            for trial in try run.examples(.success) {
                let task = try stage.launch(trial)
                for _ in 0..<5 { try fork("while a task ran") }
                _ = try stage.end(of: task, trial.name)
            }
        },
        ConformanceCase("clean-exit", level: 2, needs: runnable + ["retires", "thread-exit"]) {
            run in
            let stage = try Stage(run)
            try stage.load()
            if (try? run.examples(.success)) != nil { try stage.runAll() }
            try stage.end()
            run.leave()
        },
    ]
}
