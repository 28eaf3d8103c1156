// SPDX-License-Identifier: Apache-2.0
import CSystem
import Conformance
import Curfew
import PluginBridge
import Runner
import Scheduling

/// Runs one task, from the loading of its plugin to its outcome, and reports to a view.
final class TaskLife {
    private let facts: LifeFacts
    private let request: RunRequest
    private let feed: LifeFeed
    private let view: any LifeView
    private let console: Console
    private let logs: [EventLog]
    private let progressSelector: EventSelector?
    private let expiredSelector: EventSelector?
    private let doneSelector: EventSelector?

    /// What goes wrong by chance; nil: nothing does.
    private let chaos: ChaosHost?
    private var isStarted = false
    private var doneAt: UInt64?

    /// Between two looks at the clock, while nothing happens.
    private static var look: UInt64 { 100_000_000 }
    /// The done event comes after the outcome; this is how long it is waited for.
    private static var doneLimit: UInt64 { 2_000_000_000 }

    init(
        facts: LifeFacts, request: RunRequest, feed: LifeFeed, view: any LifeView, console: Console,
        logs: [EventLog]
    ) {
        self.facts = facts
        self.request = request
        chaos = request.chaos.map { seed in
            ChaosHost(seed: seed, directory: facts.directory) { feed.add(.info, "chaos: \($0)") }
        }
        self.feed = feed
        self.view = view
        self.console = console
        self.logs = logs
        let event = facts.handler.event
        progressSelector = EventSelector(name: event + "_progress", arity: 2)
        expiredSelector = EventSelector(name: event + "_expired", arity: 0)
        doneSelector = EventSelector(name: event + "_done", arity: 2)
    }

    func run(_ interruption: Interruption) throws(CommandError) -> ExitCode {
        let host = try makeHost(try ReturnLimit(nanoseconds: Trial.usualLimit))
        let observation: Observation
        let task: LaunchedTask
        do throws(CurfewError) {
            observation = try host.observe { [feed] in feed.add($0) }
            task = try host.launch(
                facts.handler.identifier, payload: request.payload,
                budget: (request.budget ?? chaos?.budget).map { .nanoseconds(Int64($0)) },
                // 0 would mean the manifest's.
                grace: request.grace.map { .nanoseconds(max($0, 1)) })
        } catch {
            try? host.shutDown()
            throw CommandError(
                .host, "the task cannot be launched: \(error)",
                fault: Fault.of(error.code),
                notes: ["nothing was run"])
        }
        interruption.watch(task)
        follow(task)
        interruption.watch(nil)
        let state = task.state
        CrashNote.prepare(facts.handler.identifier, console, outcome: state.outcome)
        let wasAnswered = state.reason == nil || state.isAnswered
        feed.close()
        observation.end()
        leave(host, wait: wasAnswered)
        // A process that is killed while the host leaves has not returned.
        let ending = ending(
            of: task, of: host, hasReturned: state.isReturned || wasAnswered,
            signal: interruption.signal)
        show(feed.take(within: 0), task)
        view.end(ending)
        CrashNote.disarm()
        var code = ending.code
        for failure in logs.compactMap({ $0.failure(ending.outcome) }) {
            failure.print(to: console.errors)
            code = failure.code
        }
        // The exit would wait for code that does not return, so leave without it.
        if ending.unreturned != nil { Program.leave(code, console, atOnce: true) }
        return code
    }

    // MARK: The beginning

    private func makeHost(_ limit: ReturnLimit) throws(CommandError) -> Host {
        var configuration = HostConfiguration()
        configuration.log = { [feed] level, _, _, line in feed.add(level, line) }
        configuration.interposer = chaos?.interposer
        configuration.payloadLimit = UInt64(RunRequest.payloadLimit)
        configuration.permitted = request.permitted
        configuration.isolation = .process
        configuration.forcedIsolation = request.isolation
        configuration.trust = request.trust
        configuration.confinesPlugins = request.confinesPlugins
        configuration.restartsProcesses = false
        configuration.entersLeafGroup = true
        // The limit of the command ends the loading.
        configuration.loadLimit = 2 * Trial.usualLimit
        configuration.systemLibraries = request.systemLibraries
        configuration.permitsCommands = request.program != nil
        let host: Host
        do throws(CurfewError) {
            host = try Host(configuration)
        } catch {
            throw CommandError(
                .host, error.message, fault: Fault.of(error.code), notes: ["nothing was run"],
                isLaidOut: error.message.hasPrefix("error"))
        }
        if request.program != nil { return host }
        do throws(CurfewError) {
            try limit.load(facts, into: host, console) { [view, feed] in
                view.fail($0, at: feed.now)
            }
        } catch {
            let reason = LogLine.clean(error.message)
            show(
                feed.take(within: 0).filter {
                    // The refusal itself is about to be told.
                    if case .log(_, let line) = $0.item { return !line.hasSuffix(reason) }
                    return true
                }, nil)
            try? host.shutDown()
            throw Self.refusal(error, facts)
        }
        return host
    }

    /// Returns the error of a command whose plugin was not loaded.
    static func refusal(_ error: CurfewError, _ facts: LifeFacts) -> CommandError {
        let isHosts = error.code == .system || error.code == .exhausted
        let isLaidOut = error.message.hasPrefix("error")
        let isOfTrust = error.rule.flatMap(LoadRule.init)?.isOfTrust ?? false
        let command = isOfTrust ? "inspect" : "lint"
        return CommandError(
            isHosts ? .host : .refused, error.message,
            fault: error.rule.flatMap(Fault.named) ?? Fault.of(error.code),
            notes: ["`\(facts.handler.identifier)` was not run"],
            help: ["curfew \(command) \(ShellWord.path(facts.directory))"], isLaidOut: isLaidOut)
    }

    // MARK: The middle

    private func follow(_ task: LaunchedTask) {
        var isCancelled = false
        var overSince: UInt64?
        // The start raises no event; it is looked for closely until it is seen.
        var look: UInt64 = 200_000
        while doneAt == nil {
            show(feed.take(within: look), task)
            noteStart(of: task)
            look = isStarted ? TaskLife.look : min(look * 2, TaskLife.look)
            let now = feed.now
            view.tick(now)
            let isUnread =
                console.out.failure != 0 || logs.contains { $0.output.failure != 0 }
            if isUnread, !isCancelled {
                // The output has no reader any more: cancel the task, which may still end by
                // itself.
                isCancelled = true
                task.cancel()
            }
            if task.resultIfOver != nil {
                let since = overSince ?? now
                overSince = since
                if now >= since + TaskLife.doneLimit { doneAt = since }
            }
        }
    }

    private func noteStart(of task: LaunchedTask?) {
        guard !isStarted, let startedAt = task?.state.startedAt, startedAt > 0 else { return }
        isStarted = true
        view.show(LifeEntry(time: feed.time(of: startedAt), what: .started))
    }

    private func show(_ items: [(time: UInt64, item: LifeFeed.Item)], _ task: LaunchedTask?) {
        for (time, item) in items {
            if !isStarted, let task, task.state.startedAt > 0,
                feed.time(of: task.state.startedAt) <= time
            {
                noteStart(of: task)
            }
            if let what = what(item, task) { view.show(LifeEntry(time: time, what: what)) }
            if case .event(let event) = item, event.selector == doneSelector { doneAt = time }
        }
    }

    /// Returns the entry that an item makes for the task; nil if it concerns something else.
    private func what(_ item: LifeFeed.Item, _ task: LaunchedTask?) -> LifeEntry.What? {
        switch item {
        case .log(let level, let text): return .log(level, text)
        case .signal(let number): return .signal(number)
        case .event(let event):
            if event.selector.name == "curfew_gap", case .int64(let count)? = event.values.first {
                return .gap(count)
            }
            guard let task, event.task == task.id else { return nil }
            switch event.selector {
            case progressSelector:
                guard event.values.count == 2, case .double(let fraction) = event.values[0],
                    case .text(let text) = event.values[1]
                else { return nil }
                return .progress(min(max(fraction, 0), 1), text)
            case expiredSelector:
                return .expiring(task.state.reason, grace: request.grace ?? facts.grace)
            case doneSelector: return .done(event.selector, event.values)
            default: return .raised(event.selector, event.values)
            }
        }
    }

    // MARK: The end

    /// Lets the function return if it still runs after it has completed its task.
    private func leave(_ host: Host, wait: Bool) {
        var limits = ShutdownLimits()
        limits.leave = wait ? max(facts.grace, 1_000_000_000) : 0
        // The ending names code that has not returned.
        try? host.shutDown(limits)
    }

    /// Says which code of the plugin has not returned after the shutdown. Retires the plugin if there
    /// is none.
    private func unreturned(_ state: TaskState, _ host: Host) -> String? {
        var code: [String] = []
        if !state.isReturned { code.append("its function") }
        if !host.runtime.engine.handlersInCallbacks.isEmpty {
            code.append("its expiration callback")
        }
        guard code.isEmpty else {
            return code.joined(separator: " and ")
                + " \(code.count == 1 ? "has" : "have") not returned"
        }
        do {
            try host.runtime.destroy()
            return nil
        } catch {
            return String(error.message.prefix { $0 != ";" })
        }
    }

    /// - Parameter hasReturned: the function has returned, or answered in time and may return later.
    private func ending(
        of task: LaunchedTask, of host: Host, hasReturned: Bool, signal: Int32?
    ) -> LifeEnding {
        let (state, result) = (task.state, task.resultIfOver)
        let outcome = state.outcome ?? .interrupted
        let end = doneAt ?? feed.now
        let start = state.startedAt > 0 ? feed.time(of: state.startedAt) : 0
        let code: ExitCode =
            switch outcome {
            case .succeeded: .ok
            case .failed: .failed
            case .expired: .expired
            case .cancelled: signal.map(ExitCode.signal) ?? .signal(2)
            case .interrupted: .host
            case .abandoned, .crashed: .misuse
            }
        return LifeEnding(
            outcome: outcome, duration: end > start ? end - start : 0, time: feed.now,
            error: result?.error ?? "", answer: result?.answer, reason: state.reason,
            isAnswered: state.isAnswered,
            isReturned: hasReturned && state.isReturned && outcome != .crashed,
            unreturned: unreturned(state, host), result: result?.bytes ?? [], code: code)
    }
}
