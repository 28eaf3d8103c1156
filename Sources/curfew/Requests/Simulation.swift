// SPDX-License-Identifier: Apache-2.0
import CSystem
import Curfew
import PluginBridge
import Runner
import Scheduling

/// The life of a task on a clock of its own: a host with one plugin, requests in memory, and a
/// machine that is as the steps say.
final class Simulation {
    private let facts: LifeFacts
    private let values: SubmitValues
    /// The payloads by the texts that name them.
    private let payloads: [String: [UInt8]]
    private let timeout: UInt64
    private let limit: ReturnLimit
    private let console: Console
    private let view: any SimulationView
    private let host: Host
    private let clock = ManualClock()
    private let feed: SimulationFeed
    private let observation: Observation
    private let beginning: UInt64
    private var identifier: String { facts.handler.identifier }
    /// The last one that was submitted.
    private var request: RequestID?
    private var refresh = RefreshSetting.available
    private var enablement = HandlerEnablement.enabled
    /// Tasks that go on while steps are done, by their requests, and when their budgets are used up.
    private var atWork: [RequestID: UInt64] = [:]
    /// Handlers whose functions were waited for in vain, by their indexes, until they return.
    private var stuck: Set<UInt32> = []
    /// The number of the last entry of the journal that was shown.
    private var journal: UInt64 = 0
    /// Events and lines of the host that are not yet printed.
    private var said: [SimulationFeed.Entry] = []
    /// Events since the last time that nothing was at work.
    private var taken = 0
    private var hidden = 0
    /// The number of events that are printed for one moment, at most.
    private static var eventLimit: Int { 20 }

    /// - Parameters:
    ///   - values: the options of the command.
    ///   - payloads: by the texts that name them in options of the command and of steps.
    ///   - timeout: nanoseconds of real time that a task may work.
    ///   - systemLibraries: the sonames of the libraries whose functions a manifest may call.
    init(
        _ facts: LifeFacts, _ values: SubmitValues, payloads: [String: [UInt8]], timeout: UInt64,
        systemLibraries: [String], _ view: any SimulationView, _ console: Console
    ) throws(CommandError) {
        self.facts = facts
        self.values = values
        self.payloads = payloads
        self.timeout = timeout
        self.view = view
        self.console = console
        limit = try ReturnLimit(nanoseconds: timeout)
        let feed = try SimulationFeed()
        self.feed = feed
        var configuration = HostConfiguration()
        configuration.clock = clock
        configuration.payloadLimit = UInt64(RunRequest.payloadLimit)
        configuration.systemLibraries = systemLibraries
        configuration.log = { level, _, task, line in feed.add(level, line, of: task) }
        configuration.requests.limits = try SubmitForm.limits(values)
        beginning = clock.now
        do throws(CurfewError) {
            host = try Host(configuration)
        } catch {
            throw TaskLife.refusal(error, facts)
        }
        feed.follow(host.runtime.loop.queue)
        do throws(CurfewError) {
            try limit.load(facts, into: host, console) { view.end($0, at: 0) }
            observation = try host.observe { feed.add($0) }
        } catch {
            try? host.shutDown()
            throw TaskLife.refusal(error, facts)
        }
    }

    /// Nanoseconds of its clock since it began.
    var time: UInt64 { clock.now - beginning }

    /// Runs the steps in order, up to one that fails.
    func run(_ steps: [SimulationStep]) throws(CommandError) {
        view.begin(facts)
        settle()
        for step in steps {
            view.step(step, at: time)
            try perform(step)
            settle()
            try letWork(after: step)
        }
    }

    /// Lets the tasks that a step has launched end, while the clock stands still. A task of
    /// `launch` continues, so that the next step can act on it.
    private func letWork(after step: SimulationStep) throws(CommandError) {
        switch step.action {
        case .launch:
            for request in try running() where atWork[request.id] == nil { leave(request.id) }
        case .expire, .cancel: _ = try letWork(except: [])
        default:
            if try !letWork(except: Set(atWork.keys)) { try leaveAll() }
        }
        let left = Set(try running().map(\.id))
        atWork = atWork.filter { left.contains($0.key) }
    }

    /// From now on it goes on while steps are done.
    private func leave(_ id: RequestID) { atWork[id] = clock.now &+ facts.budget }

    private func leaveAll() throws(CommandError) {
        for request in try running() where atWork[request.id] == nil {
            leave(request.id)
            view.remark(
                "its task still runs after \(TimeText.limit(timeout)), and is left running",
                at: time)
        }
    }

    /// Ends what still runs. Returns false where code of the plugin has not returned.
    func leave() -> Bool {
        settle(isOver: true)
        let isRunning = ((try? running()) ?? []).isEmpty == false
        if isRunning { view.remark("its task still runs, and is interrupted", at: time) }
        observation.end()
        var limits = ShutdownLimits()
        limits.expire = 1_000_000_000
        do {
            try host.runtime.destroy(limits)
            return true
        } catch {
            let code = error.message.prefix { $0 != ";" }
            view.remark("\(code); it ends with this process", at: time)
            return false
        }
    }

    /// Advances the clock, which waits for expiration callbacks.
    private func advanceClock(by span: UInt64) {
        limit.during(orEnd: { [self] signal in
            let inside = host.runtime.engine.handlersInCallbacks
                .map { "the expiration callback of `\($0.description.identifier)`" }
            let error = CommandError(
                signal.map(ExitCode.signal) ?? .timedOut,
                (inside.first ?? "code of the plugin")
                    + " \(limit.lateness(signal))\(signal == nil ? " of real time" : "")",
                help: [
                    "an expiration callback sets a flag or completes its task, and returns; "
                        + "or give it longer: --timeout 1min"
                ])
            view.end(error, at: time)
            error.print(to: console.errors)
            Program.leave(error.code, console, atOnce: true)
        }) { _ = clock.advance(by: span) }
    }

    // MARK: Steps

    private func changeSetting() throws(CommandError) {
        try checked {
            try host.set(refresh: refresh, enablement: enablement, for: .identifier(identifier))
        }
    }

    private func perform(_ step: SimulationStep) throws(CommandError) {
        switch step.action {
        case .submit(let more): try submit(more)
        case .advance(let span): try advance(span)
        case .set(let factor, let state):
            try checked { try host.override(factor, with: state, detail: "set by a step") }
        case .refresh(let refresh):
            self.refresh = refresh
            try changeSetting()
        case .enablement(let enablement):
            self.enablement = enablement
            try changeSetting()
        case .launch: try launch()
        case .expire: try expire()
        case .wait: try wait()
        case .why: view.why(try answer(), at: time)
        case .cancel:
            let id = try known(step)
            let wasThere = try checked { try host.cancel(id) }
            if !wasThere { view.remark("it was over before", at: time) }
        case .expect(let expectation): try expect(expectation, step)
        }
    }

    private func submit(_ more: [String: String]) throws(CommandError) {
        let all = SubmitValues(values, step: more)
        let now = clock.moment.wall
        let description = try SubmitForm.description(
            identifier, kind: facts.handler.kind, at: now, all)
        let payload = payloads[all(RunRequest.payloadOption) ?? ""] ?? []
        let submission = try checked { try host.submit(description, payload: payload) }
        request = submission.id
        switch submission {
        case .queued:
            // The request may be launched already; the submitted one is printed.
            var taken = Request(
                description, payloadBytes: payload.count, at: now,
                notBefore: description.earliest ?? now)
            taken.id = submission.id
            if let stored = try checked({ try host.request(submission.id) }), stored.launches == 0 {
                taken = stored
            }
            view.submitted(taken, at: time, now: now)
            for note in SubmitForm.notes(description, at: now, all) { view.remark(note, at: time) }
        case .duplicatePending(let id):
            view.remark("request \(id) was already pending, and stays", at: time)
        case .duplicateKey(let id):
            view.remark("request \(id) was submitted under the key", at: time)
        }
    }

    /// Lets time pass, from one moment at which something comes due to the next: a request, the end of
    /// a budget or of a grace, the loss of a worker.
    private func advance(_ span: UInt64) throws(CommandError) {
        let target = clock.now &+ span
        while clock.now < target {
            let due = max(clock.nextDeadline ?? target, clock.now &+ 1)
            let budgets = atWork.values.filter { $0 > clock.now }
            advanceClock(by: (budgets + [due, target]).reduce(.max, min) - clock.now)
            settle()
            // A task that is stopped gets time to end before its grace passes.
            let patient = atWork.filter { $0.value != clock.now }
            if try !letWork(except: Set(patient.keys)) { try leaveAll() }
            let left = Set(try running().map(\.id))
            atWork = atWork.filter { left.contains($0.key) }
        }
    }

    private func launch() throws(CommandError) {
        do {
            try host.simulateLaunch(identifier)
            awaitStart()
            // Print Apple's line first, as its debugger does.
            gather(within: 0)
            said = SimulationFeed.sorted(said)
            let first = said.firstIndex(where: \.beginsSimulation).map { $0 + 1 } ?? 0
            for entry in said.prefix(first) { show(entry.item) }
            said.removeFirst(first)
        } catch {
            settle()
            guard error.code == .notFound else { throw failure(error) }
            throw CommandError(
                .faults, "no request of `\(identifier)` is pending, so none can be launched",
                help: ["put `submit` before it"])
        }
    }

    /// Waits until the handler is entered. Its budget begins then, and the task can expire only
    /// afterwards. No event reports it, so this polls.
    private func awaitStart() {
        let end = csys_monotonic_ns() &+ timeout
        while let task = feed.simulated, let state = host.runtime.engine.query(task),
            state.startedAt == 0, state.outcome == nil, csys_monotonic_ns() < end
        {
            csys_wait_readable(-1, csys_monotonic_ns() &+ 200_000)
        }
    }

    private func expire() throws(CommandError) {
        do {
            try host.simulateExpiration(identifier)
        } catch {
            settle()
            guard error.code == .notFound else { throw failure(error) }
            throw CommandError(
                .faults, "no task runs that `launch` began, so none can be expired",
                help: [
                    "put `launch` before it; a task that its date began ends by its budget:",
                    "advance=\(TimeText.limit(facts.budget).filter { $0 != " " })",
                ])
        }
    }

    private func wait() throws(CommandError) {
        guard try !letWork(except: []) else { return }
        throw CommandError(
            .timedOut, "the task still works after \(TimeText.limit(timeout)) of real time",
            notes: ["the clock stands still meanwhile, so that waiting uses up no budget"],
            help: [
                "give it longer: --timeout 1min; or let its budget pass: "
                    + "advance=\(TimeText.limit(facts.budget).filter { $0 != " " })"
            ])
    }

    /// Waits while tasks run, others than those, or their functions have not returned. False: for too
    /// long.
    ///
    /// No time passes while a function runs whose task is over: to the host its worker would be lost
    /// once the limit for that has passed on its clock, however little time it has had.
    private func letWork(except left: Set<RequestID>) throws(CommandError) -> Bool {
        let end = csys_monotonic_ns() &+ timeout
        var isDone = try !isAtWork(besides: left)
        while !isDone, csys_monotonic_ns() < end {
            // No event reports the return of a function, so this polls.
            gather(within: try isRunning(besides: left) ? 20_000_000 : 200_000)
            // A raised event may have queued more work.
            advanceClock(by: 0)
            isDone = try !isAtWork(besides: left)
        }
        if !isDone {
            stuck.formUnion(host.runtime.engine.handlers.all.filter { $0.active > 0 }.map(\.index))
        }
        settle(isOver: true)
        return isDone
    }

    private func isRunning(besides left: Set<RequestID>) throws(CommandError) -> Bool {
        try running().contains { !left.contains($0.id) }
    }

    /// Besides tasks that are left at it, and functions that were waited for in vain.
    private func isAtWork(besides left: Set<RequestID>) throws(CommandError) -> Bool {
        let busy = host.runtime.engine.handlers.all.filter { $0.active > 0 }
        stuck.formIntersection(busy.map(\.index))
        if try isRunning(besides: left) { return true }
        return busy.contains {
            !stuck.contains($0.index)
                && (left.isEmpty || $0.description.identifier != identifier)
        }
    }

    // MARK: Looking

    private func expect(
        _ expectation: SimulationStep.Expectation, _ step: SimulationStep
    ) throws(CommandError) {
        let id = try known(step)
        guard let request = try checked({ try host.request(id) }) else {
            throw CommandError(.faults, "request \(id) is not kept any more")
        }
        let isSo: Bool
        var found = request.state.name
        switch expectation {
        case .state(let state): isSo = request.state == state
        case .outcome(let outcome):
            isSo = request.state != .running && request.outcome == outcome
            if request.state != .running, let last = request.outcome { found += ", \(last.name)" }
        case .held(let factor):
            let holding = try answer().holding.map(\.factor)
            isSo = holding.contains(factor)
            found = held(holding)
        case .free:
            let holding = try answer().holding.map(\.factor)
            isSo = holding.isEmpty
            found = held(holding)
        }
        guard !isSo else { return }
        throw CommandError(
            .faults, "`\(step.text)`: request \(id) is \(found)",
            notes: request.state == .running ? ["its task still runs"] : [],
            help: request.state == .running
                ? ["put `wait` before it"] : ["put `why` before it, to see more"])
    }

    private func held(_ factors: [Factor]) -> String {
        factors.isEmpty
            ? "waiting for nothing"
            : "waiting for \(factors.map(\.name).joined(separator: ", "))"
    }

    private func answer() throws(CommandError) -> WhyAnswer {
        let now = clock.moment.wall
        guard let id = request, let found = try checked({ try host.request(id) }) else {
            let reports = try checked { try host.why(identifier, kind: facts.handler.kind) }
            return WhyAnswer(
                identifier: identifier, request: nil,
                hosts: [HostAnswer(host: nil, reports: reports)],
                journal: [], ahead: 0, now: now)
        }
        let reports = found.state == .running ? [] : try checked { try host.why(id) }
        return WhyAnswer(
            identifier: identifier, request: found,
            hosts: [HostAnswer(host: nil, reports: reports)],
            journal: [], ahead: 0, now: now)
    }

    private func known(_ step: SimulationStep) throws(CommandError) -> RequestID {
        guard let request else {
            throw CommandError(
                .faults, "`\(step.text)`: nothing was submitted",
                help: ["put `submit` before it"])
        }
        return request
    }

    private func running() throws(CommandError) -> [Request] {
        try checked { try host.requests(in: [.running], limit: 1_000) }
    }

    private func entries() throws(CommandError) -> [JournalEntry] {
        try checked { try host.journal(after: journal, limit: 10_000) }
    }

    private func checked<Answer>(_ body: () throws -> Answer) throws(CommandError) -> Answer {
        do {
            return try body()
        } catch {
            throw failure(error)
        }
    }

    private func failure(_ error: any Error) -> CommandError {
        let known = error as? CurfewError
        return CommandError(
            .faults, known?.message ?? String(describing: error),
            fault: (known?.code).flatMap(Fault.of))
    }

    // MARK: Showing

    /// Lets all that is due be done, and shows it: launches, what their tasks said, their ends.
    ///
    /// - Parameter isOver: nothing is at work any more but what is left at it, so that all of this
    ///   moment has been said. Before that ends are not shown, which stand below what was said.
    private func settle(isOver: Bool = false) {
        advanceClock(by: 0)
        let new = (try? entries()) ?? []
        let begun = new.prefix { $0.what != .ended }
        let told = isOver ? new[...] : begun
        journal = told.last?.sequence ?? journal
        show(told.prefix(begun.count))
        // A line of the log waits for the events before it.
        let position = feed.position
        gather(within: 0)
        let ready = SimulationFeed.sorted(said.filter { $0.position <= position })
        said.removeAll { $0.position <= position }
        for entry in ready { show(entry.item) }
        guard isOver else { return }
        if hidden > 0 { view.remark("\(hidden) more events", at: time) }
        (taken, hidden) = (0, 0)
        show(told.dropFirst(begun.count))
    }

    private func show(_ entries: ArraySlice<JournalEntry>) {
        for entry in entries where entry.request != nil && entry.what != .submitted {
            view.happened(entry, at: time)
        }
    }

    /// Takes what the host has reported, waits up to the limit in nanoseconds for the first item,
    /// and drops items that are not printed.
    private func gather(within nanoseconds: UInt64) {
        for entry in feed.take(within: nanoseconds) {
            switch entry.item {
            case .event(let event):
                let name = event.selector.name
                // The steps themselves say as much.
                if name.hasPrefix("registering") || name.hasPrefix("scheduling") { continue }
                guard taken < Self.eventLimit || name == facts.handler.event + "_done" else {
                    hidden += 1
                    continue
                }
                taken += 1
            case .log(let level, _): if level <= .debug { continue }
            case .lost(let count):
                hidden += count
                continue
            }
            said.append(entry)
        }
    }

    private func show(_ item: SimulationFeed.Item) {
        switch item {
        case .event(let event): view.event(event.selector, event.values, at: time)
        case .log(let level, let text): view.log(level, text, at: time)
        case .lost: break
        }
    }
}
