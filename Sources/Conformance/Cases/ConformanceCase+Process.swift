// SPDX-License-Identifier: Apache-2.0
import CSystem
import Curfew
import Glibc
import PluginBridge

/// Checks what the plugin does to the process.
extension ConformanceCase {
    /// Runs the plugin as far as possible and retires it, and checks the differences after each
    /// step.
    ///
    /// - Parameter isLoading: what the host itself saw changed while it was loaded counts as well.
    private static func unchanged(
        _ name: String, isLoading: Bool = false,
        _ changes: @escaping @Sendable (Environment) -> [String]
    ) -> ConformanceCase {
        ConformanceCase(
            name, level: 2, needs: tried + ["constructors-quiet", "retires", "thread-exit"]
        ) { run in
            // By then, the host has what it keeps from its first use on.
            try TestBed(run).end()
            let bed = try TestBed(run)
            let beforeLoading = Environment(run.subject)
            try bed.load()
            if isLoading { try bed.check(.processState) }
            func look(_ what: String, _ before: Environment) throws {
                let found = changes(before)
                if let first = found.first {
                    throw CaseVerdict.fail("\(what) \(first)", notes: Array(found.dropFirst()))
                }
            }
            try look("loaded, it", beforeLoading)
            let slow = (try? run.examples(.slow)) ?? []
            for trial in try run.examplesThatEnd() + slow {
                let payload = try run.prepare(trial)
                let before = Environment(run.subject)
                let budget = trial.example.expect == .slow ? TestBed.brief : nil
                _ = try bed.run(trial, payload: payload, budget: budget)
                try look(trial.name, before)
            }
            let before = Environment(run.subject)
            try bed.end()
            try look("retired, it", before)
        }
    }

    /// Runs every example behind an interposer, which looks at the worker's own state.
    private static func thread(
        _ name: String, _ find: @escaping @Sendable (Interposer.Finding) -> String?
    ) -> ConformanceCase {
        ConformanceCase(name, level: 2, .entry, needs: tried) { run in
            let interposer = Interposer()
            let bed = try TestBed(run, interposer: interposer)
            try bed.load()
            try bed.runAll(isEntry: true)
            _ = interposer.waitForCallbacks()
            if let text = interposer.findings.lazy.compactMap(find).first {
                throw CaseVerdict.fail("its code changed \(text)")
            }
        }
    }

    static let process: [ConformanceCase] = [
        unchanged("signal-actions") { $0.signalChanges() },
        thread("signal-mask") { finding in
            switch finding {
            case .signalMask: "the signal mask of the host's thread"
            case .signalStack: "the alternate signal stack of the host's thread"
            default: nil
            }
        },
        unchanged("process-globals", isLoading: true) { $0.globalChanges() },
        thread("fpu-state") { finding in
            if case .floatControl = finding {
                "the floating-point control of the host's thread"
            } else {
                nil
            }
        },
        thread("worker-state") { finding in
            if case .threadTrait(let what) = finding {
                "\(what), of the host's thread"
            } else {
                nil
            }
        },
        ConformanceCase(
            "descriptors-and-children", level: 2, needs: tried + ["retires", "thread-exit"]
        ) { run in
            let before = try rounds(run)
            let left = before.descriptors() + before.processes()
            guard let first = left.first else { return }
            // A library that it uses may make one of the kernel's objects for all, at its first use.
            let isKernels = left.allSatisfy {
                $0.hasPrefix("left descriptor ") && $0.contains("(anon_inode:")
            }
            if isKernels, try rounds(run).descriptors().isEmpty {
                return run.warn(
                    "retired, it \(first), and no other one the second time: is it one that a library makes once for all?"
                )
            }
            throw CaseVerdict.leak(
                "retired, it \(first)", notes: left.dropFirst().map { "it \($0)" })
        },
        ConformanceCase("stdio-untouched", level: 2, needs: tried + ["retires", "thread-exit"]) {
            run in
            let bed = try TestBed(run)
            try bed.load()
            try bed.runAll()
            try bed.end()
            run.mustBeSilent("it wrote", errors: 4_096)
        },
        ConformanceCase("fork-exec", level: 2, needs: tried) { run in
            let bed = try TestBed(run)
            try bed.load()
            func fork(_ when: String) throws {
                run.phase("while the host forked \(when)")
                let status = csys_fork_exec("/bin/true", 2_000_000_000)
                guard status != 0 else { return }
                let how = status < 0 ? String(cString: strerror(errno)) : "wait status \(status)"
                throw CaseVerdict.fail("the host cannot fork and exec \(when): \(how)")
            }
            for _ in 0..<50 { try fork("after it was loaded") }
            for trial in try run.examples(.success) {
                let task = try bed.launch(trial)
                for _ in 0..<5 { try fork("while a task ran") }
                _ = try bed.end(of: task, trial.name)
            }
        },
        ConformanceCase("clean-exit", level: 2, needs: tried + ["retires", "thread-exit"]) {
            run in
            let bed = try TestBed(run)
            try bed.load()
            if (try? run.examplesThatEnd()) != nil { try bed.runAll() }
            try bed.end()
            run.leave()
        },
    ]
}
