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
            let (ends, slow) = (try run.examplesThatEnd(), (try? run.examples(.slow)) ?? [])
            // What a task changes, it may change in a later one only.
            let rounds = run.rounds(3)
            let twice = (ends + slow).flatMap { [$0, $0] }
            for trial in twice + (1..<max(rounds, 2)).flatMap({ _ in ends + slow }) {
                let payload = try run.prepare(trial)
                let before = Environment(run.subject)
                let budget = trial.example.expect == .slow ? TestBed.brief : nil
                _ = try bed.run(trial, payload: payload, budget: budget)
                try look(trial.name, before)
            }
            // A thread of its own may have changed something between two looks.
            chdir(run.beginning)
            try look("loaded for a while, it", beforeLoading)
            let before = Environment(run.subject)
            try bed.end()
            try look("retired, it", before)
            if isLoading, let library = beforeLoading.librariesMadeGlobal().first {
                run.warn(
                    "it loaded \(library.parts(at: "/").last ?? "") with RTLD_GLOBAL: libraries that are loaded later take its functions for those they ask for"
                )
            }
        }
    }

    /// Copies of the process end with other statuses, and in the other way that C has.
    private static func leaveInOtherWays(_ run: CaseRun) throws {
        for (status, isQuick, call) in [
            (0, false, "exit(0)"), (CaseRun.leavingStatus, true, "quick_exit"),
        ] as [(Int32, Bool, String)] {
            run.phase("while a copy of the host ended with \(call)")
            // One that does not end may miss a thread of a library, which a copy has not.
            let ended = csys_fork_exit(status, isQuick, 2_000_000_000)
            guard ended >= 0 else { continue }
            let (signal, told) = (ended & 0x7F, (ended >> 8) & 0xFF)
            if signal != 0 {
                throw CaseVerdict(
                    .crash,
                    "after it was retired, a copy of the host died of \(ProcessFacts.name(ofSignal: signal)) in \(call)"
                )
            }
            if told != status {
                throw CaseVerdict.fail(
                    "after it was retired, a copy of the host ended with \(told) in place of \(status) in \(call)"
                )
            }
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
        ConformanceCase("fork-exec", level: 2, needs: tried + ["retires", "thread-exit"]) { run in
            let interposer = try Interposer.ifEntry(run)
            let bed = try TestBed(run, interposer: interposer)
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
            try bed.end()
            // Another case warns of those that it registers under their names.
            let imports = try run.subject.facts?.imports ?? []
            guard let code = interposer?.code, !imports.contains(where: forkHooks.contains) else {
                return
            }
            if csys_runs_at_fork(code, 2_000_000_000) {
                throw CaseVerdict.fail(
                    "retired, its code is called when the host forks",
                    notes: ["has it had itself registered with pthread_atfork?"])
            }
        },
        ConformanceCase(
            "clean-exit", level: 2,
            needs: tried + ["retires", "thread-exit", "stdio-untouched", "fork-exec"]
        ) { run in
            let interposer = try Interposer.ifEntry(run)
            let bed = try TestBed(run, interposer: interposer)
            try bed.load()
            if (try? run.examplesThatEnd()) != nil { try bed.runAll() }
            try bed.end()
            try leaveInOtherWays(run)
            interposer?.retired { run.fail("at the end of the process it \($0)") }
            run.mustBeSilent("at the end of the process it wrote", errors: 4_096)
            run.leave()
        },
        ConformanceCase(
            "leaves-nothing", level: 2, needs: tried + ["retires", "thread-exit"],
            limit: .seconds(30)
        ) { run in
            let queues = run.beginning.appending(component: "queues")
            mkdir(queues, 0o700)
            let temporary = run.beginning.appending(component: CaseRun.temporaryName)
            guard
                let objects = SharedObjects(
                    showing: [run.subject.directory, run.beginning], own: temporary, queues: queues)
            else {
                throw CaseVerdict.skip(
                    "this machine gives the kit no view of /tmp and /dev/shm of its own")
            }
            func round() throws -> [String] {
                let bed = try TestBed(run)
                do {
                    try bed.load()
                } catch {
                    throw CaseVerdict.skip(
                        "it cannot be loaded where /tmp has nothing but its own directory in it")
                }
                try bed.runAll()
                try bed.end()
                return objects.all
            }
            let (first, second) = (try round(), try round())
            guard let left = second.first(where: { !first.contains($0) }) ?? second.first else {
                return
            }
            let others = second.filter { $0 != left }.map { "it left \($0)" }
            if second.count > first.count || !first.contains(left) {
                throw CaseVerdict.leak("retired, it left \(left)", notes: others)
            }
            run.warn(
                "retired, it left \(left), and no other one the second time: who removes it?")
            for other in others { run.warn(other) }
        },
        ConformanceCase(
            "new-version", level: 2, .library,
            needs: tried + ["retires", "two-copies", "init-twice", "thread-exit", "threads-joined"]
        ) { run in
            let old = try TestBed(run)
            try old.load()
            try old.runSuccesses()
            try old.end()
            let data = run.subject.libraryPath.map(LibraryData.init(ofLibraryAt:))
            let copy = try run.copyOfPlugin()
            let new = try TestBed(run)
            run.phase("while its next version was loaded")
            do {
                try new.host.load(plugin: copy)
            } catch let error as CurfewError {
                throw CaseVerdict.fail(
                    "its next version cannot be loaded after it is retired: \(error.message)")
            }
            try new.runSuccesses(" in its next version, loaded after it was retired")
            try new.end()
            if let place = data?.firstChange() {
                run.warn(
                    "while its next version ran, a variable of the retired one changed, at 0x\(String(place, radix: 16)): do both share it?"
                )
            }
        },
    ]
}
