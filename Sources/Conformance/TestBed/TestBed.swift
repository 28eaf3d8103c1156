// SPDX-License-Identifier: Apache-2.0
import CSystem
import Curfew
import Glibc
import PluginBridge
import Runner
import Scheduling

/// A host of a case's own, as an embedder would have it, that remembers what it was told.
final class TestBed: Sendable {
    /// The end of a task.
    struct Ended: Sendable {
        let outcome: Outcome
        /// The text of its done event.
        let text: String
        /// CLOCK_MONOTONIC.
        let time: UInt64
        /// Nanoseconds from its launch to its end.
        let duration: UInt64
        /// Told to stop, it answered within its grace.
        let isAnswered: Bool
    }

    let host: Host
    private let run: CaseRun
    /// Warnings and errors of the host.
    private let log = Locked<[String]>([])
    private let done: DoneCounter
    private let observation: Observation
    private let interposer: Interposer?

    /// The budget of tasks that are not to be stopped, in nanoseconds: their handler's own, with a
    /// lower limit for a busy machine, and an upper limit for the person who waits.
    static func ample(_ handler: ManifestHandler) -> UInt64 {
        min(max(handler.budget, 10_000_000_000), 60_000_000_000)
    }
    /// The budget of tasks that are to be stopped.
    static var brief: UInt64 { 100_000_000 }

    /// - Parameters:
    ///   - workers: the workers of each kind. One, unless tasks are to run at the same time: caches of
    ///     several threads would blur the measured memory.
    ///   - remembers: false if memory is measured: then the test bed stores no events.
    init(
        _ run: CaseRun, workers: Int = 1, interposer: Interposer? = nil,
        queueLimit: UInt32 = 4_096, remembers: Bool = true
    ) throws {
        self.run = run
        var configuration = HostConfiguration()
        configuration.appRefresh.count = workers
        configuration.processing.count = workers
        configuration.queueLimit = queueLimit
        configuration.log = { [log] level, _, _, line in
            guard remembers, level > .info else { return }
            log.withLock { if $0.count < 1_000 { $0.append(line) } }
        }
        // A case that can do without its interposer runs in a process, too.
        self.interposer = run.isolation == .thread ? interposer : nil
        configuration.interposer = self.interposer
        configuration.forcedIsolation = run.isolation
        configuration.commonDirectory = run.beginning
        host = try Host(configuration)
        let done = DoneCounter()
        self.done = done
        observation = try host.observe { if remembers { done.add($0) } }
        // Only cases that check it retire the plugin.
        run.keep(self)
    }

    /// Loads the plugin, or fails the case with what the host says.
    func load() throws {
        run.phase("while it was loaded")
        do {
            try host.load(plugin: run.subject.directory)
        } catch {
            throw CaseVerdict.fail(firstLine(error.message))
        }
        run.phase("after it was loaded")
    }

    private func firstLine(_ text: String) -> String {
        String(text.prefix { $0 != "\n" })
    }

    /// Ends the host: the plugin is retired.
    func end(_ limits: ShutdownLimits = ShutdownLimits()) throws {
        run.phase("while it was retired")
        defer { run.letGo(self) }
        do {
            try host.shutDown(limits)
            try host.runtime.destroy()
        } catch let error as CurfewError {
            throw CaseVerdict(.timeout, "it cannot be retired: \(firstLine(error.message))")
        }
        run.phase("after it was retired")
        // A host in another process is not ended by it, and says how its process has ended.
        let starts = ["its process ", "its retire function "]
        let line = log.withLock { $0.last { line in starts.contains { line.hasPrefix($0) } } }
        if let line { throw CaseVerdict.fail("\(line), while it was retired") }
    }

    // MARK: Tasks

    func launch(
        _ trial: CaseRun.Trial, payload: [UInt8]? = nil, budget: UInt64? = nil,
        attempt: UInt32 = 1
    ) throws -> LaunchedTask {
        let bytes = try payload ?? run.prepare(trial)
        run.phase("while it ran \(trial.name)")
        return try host.launch(
            trial.handler.identifier, payload: bytes,
            budget: .nanoseconds(Int64(budget ?? Self.ample(trial.handler))),
            attempt: attempt)
    }

    /// Waits until a task is over.
    func end(of task: LaunchedTask, _ name: String) throws -> Ended {
        let start = csys_monotonic_ns()
        let given = task.state
        let limit = Duration.nanoseconds(Int64(given.budget + given.grace)) + .seconds(5)
        do {
            let result = try task.waitForResult(within: limit)
            let time = csys_monotonic_ns()
            try mustNotHaveCrashed(result)
            try mustReturn(task, name)
            return Ended(
                outcome: result.outcome, text: result.error, time: time, duration: time &- start,
                isAnswered: task.state.isAnswered)
        } catch let verdict as CaseVerdict {
            throw verdict
        } catch {
            throw CaseVerdict(.timeout, "\(name) was not over after \(limit)")
        }
    }

    /// Fails the case with the last words of the plugin's process.
    private func mustNotHaveCrashed(_ result: TaskResult) throws {
        guard result.outcome == .crashed else { return }
        let isExit = result.error.contains(" exited with status ")
        throw CaseVerdict(isExit ? .fail : .crash, result.error)
    }

    /// Waits until the function of a task that is over has returned, a second at most: what comes after `complete`
    /// belongs to the task. A crash there ends this process, or that of the plugin, which fails the case.
    private func mustReturn(_ task: LaunchedTask, _ name: String) throws {
        let until = csys_monotonic_ns() &+ 1_000_000_000
        var word: UInt32 = 0
        var looks = 0
        while run.isolation == .thread, !task.state.isReturned, csys_monotonic_ns() < until {
            looks += 1
            if looks < 100 {
                csys_yield()
            } else {
                csys_futex_wait(&word, 0, csys_monotonic_ns() &+ 1_000_000)
            }
        }
        while run.isolation == .process, csys_monotonic_ns() < until {
            // The end of a host also ends the processes of plugins.
            guard let plugin = host.plugins.first, host.runtime.isOpen else { return }
            // A second one takes the place of one that has ended.
            if !plugin.lastEnd.isEmpty || plugin.starts > 1 {
                let text = "\(name) was over, and then its process \(plugin.lastEnd)"
                throw CaseVerdict(plugin.lastEnd.hasPrefix("exited") ? .fail : .crash, text)
            }
            // The host learns of the end of a process a moment later.
            if task.state.isReturned, let id = plugin.process, kill(id, 0) == 0 { return }
            csys_futex_wait(&word, 0, csys_monotonic_ns() &+ 1_000_000)
        }
    }

    func run(
        _ trial: CaseRun.Trial, payload: [UInt8]? = nil, budget: UInt64? = nil,
        attempt: UInt32 = 1
    ) throws -> Ended {
        let ended = try end(
            of: launch(trial, payload: payload, budget: budget, attempt: attempt), trial.name)
        run.phase("after it ran \(trial.name)")
        return ended
    }

    /// Runs everything that the manifest describes: every example to its end, or until it is
    /// stopped, and every handler with an empty payload.
    ///
    /// - Parameter times: how often each, one after the other.
    func runAll(isEntry: Bool = false, times: Int = 1) throws {
        for trial in try run.examplesThatEnd(isEntry: isEntry) {
            for _ in 0..<times { try mustAnswer(run(trial), trial) }
        }
        for trial in (try? run.examples(.slow, isEntry: isEntry)) ?? [] {
            for _ in 0..<times { try mustAnswer(run(trial, budget: Self.brief), trial) }
            try seeCallback(trial)
        }
        for handler in try run.handlers(isEntry: isEntry) {
            let trial = CaseRun.Trial(handler: handler, example: .empty)
            try mustAnswer(run(trial, budget: Self.brief), trial)
        }
    }

    /// Stops a task again, a few times, until its handler's callback has been called once: one that sees
    /// its stop by itself can be over before that.
    private func seeCallback(_ trial: CaseRun.Trial) throws {
        let handler = trial.handler.identifier
        for _ in 0..<5 where interposer?.isUncalled(handler) ?? false {
            try mustAnswer(run(trial, budget: Self.brief), trial)
        }
        interposer?.giveUpCalling(handler)
    }

    /// Runs every example that expects success, and fails the case where one does not succeed.
    ///
    /// - Parameter when: worded to follow "failed", with a space before it.
    func runSuccesses(_ when: String = "") throws {
        for trial in try run.examples(.success) {
            let ended = try run(trial)
            guard ended.outcome == .succeeded else {
                throw CaseVerdict.fail(
                    "\(trial.name) \(ended.outcome.name)\(when)",
                    notes: ended.text.isEmpty ? [] : ["it said: \(ended.text)"])
            }
        }
    }

    /// Runs every handler with a payload that means nothing.
    func runAll(_ payload: [UInt8]) throws {
        for handler in try run.handlers() {
            let trial = CaseRun.Trial(
                handler: handler, example: ManifestExample(name: "of the kit", payload: ""))
            _ = try run.prepare(trial)
            try mustAnswer(run(trial, payload: payload, budget: Self.brief), trial)
        }
    }

    /// A worker that is stuck in one example is in the way of all others.
    private func mustAnswer(_ ended: Ended, _ trial: CaseRun.Trial) throws {
        guard ended.outcome == .expired, !ended.isAnswered else { return }
        throw CaseVerdict.fail("\(trial.name) was stopped and did not end within its grace")
    }

    /// Waits until a task has been entered and a little longer, so that it is in the middle of it.
    func waitUntilRunning(_ task: LaunchedTask, _ name: String) throws {
        let until = csys_monotonic_ns() &+ 5_000_000_000
        var word: UInt32 = 0
        while task.state.startedAt == 0 {
            guard csys_monotonic_ns() < until, task.resultIfOver == nil else { break }
            csys_futex_wait(&word, 0, csys_monotonic_ns() &+ 1_000_000)
        }
        let middle = csys_monotonic_ns() &+ 50_000_000
        while csys_monotonic_ns() < middle { csys_futex_wait(&word, 0, middle) }
        if let result = task.resultIfOver {
            throw CaseVerdict.fail(
                "\(name) expects to be stopped, and ended by itself: \(result.outcome.name)",
                notes: result.error.isEmpty ? [] : [result.error])
        }
    }

    // MARK: The log

    /// Returns the log lines about violations of the rules.
    func violations(_ rules: [ContractRule]) -> [String] {
        let marks = rules.map { "\($0.fault.code) \($0.rawValue): " }
        return log.withLock { $0 }.filter { line in marks.contains { line.hasPrefix($0) } }
    }

    /// Fails the case if the host logged a violation of one of the rules.
    func check(_ rules: ContractRule...) throws {
        let lines = violations(rules)
        guard let first = lines.first else { return }
        let text = first.split(separator: ": ", maxSplits: 1).last.map(String.init) ?? first
        throw CaseVerdict.fail(
            text, notes: lines.count > 1 ? ["\(lines.count - 1) more of the kind"] : [])
    }

    /// Returns the number of done events of a task, among all events raised before now.
    func doneEvents(of task: LaunchedTask) throws -> Int {
        try host.raise(DoneCounter.fence)
        let until = csys_monotonic_ns() &+ 5_000_000_000
        var word: UInt32 = 0
        while !done.hasSeenFence, csys_monotonic_ns() < until {
            csys_futex_wait(&word, 0, csys_monotonic_ns() &+ 200_000)
        }
        // A task is over a moment before its event is raised, so that the fence can come between.
        while done.count(task.id) == 0, csys_monotonic_ns() < until {
            csys_futex_wait(&word, 0, csys_monotonic_ns() &+ 200_000)
        }
        return done.count(task.id)
    }

    /// The tasks of the last done events; memory for them is there from the beginning, so that what
    /// a plugin loses shows.
    private final class DoneCounter: Sendable {
        static let fence = "conform_fence"
        private static let length = 256

        private struct State {
            var tasks = [UInt64](repeating: 0, count: DoneCounter.length)
            var next = 0
            var fences = 0
        }

        private let state = Locked(State())

        func count(_ task: UInt64) -> Int { state.withLock { $0.tasks.count { $0 == task } } }

        /// Once for each that has come.
        var hasSeenFence: Bool {
            state.withLock { state in
                guard state.fences > 0 else { return false }
                state.fences -= 1
                return true
            }
        }

        func add(_ event: HostEvent) {
            let isDone = event.task != 0 && event.selector.name.hasSuffix("_done")
            guard isDone || event.selector.name == Self.fence else { return }
            state.withLock { state in
                guard isDone else { return state.fences += 1 }
                state.tasks[state.next] = event.task
                state.next = (state.next + 1) % Self.length
            }
        }
    }
}

extension ManifestExample {
    /// A payload that a handler has to survive although it means nothing.
    static var empty: ManifestExample { ManifestExample(name: "without a payload", payload: "") }
}
