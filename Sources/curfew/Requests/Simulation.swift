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
    private let values: SubmitForm.Values
    private let patience: UInt64
    private let view: any SimulationView
    private let host: Host
    private let clock = ManualClock()
    private let feed: SimulationFeed
    private let observation: Observation
    private let beginning: UInt64
    private var identifier: String { facts.handler.identifier }
    /// The last one that was submitted.
    private var request: RequestID?
    private var setting = HandlerSetting()
    /// Tasks that go on while steps are done, by their requests, and when their budgets are used up.
    private var atWork: [RequestID: UInt64] = [:]
    /// The number of the last entry of the journal that was shown.
    private var journal: UInt64 = 0
    /// Events since the last time that all was settled.
    private var shown = 0
    private var hidden = 0
    /// What is shown of the events of one moment, at most.
    private static var eventLimit: Int { 20 }

    /// - Parameters:
    ///   - values: the options of the command.
    ///   - patience: nanoseconds of real time that a task may work.
    init(
        _ facts: LifeFacts, _ values: @escaping SubmitForm.Values, patience: UInt64,
        _ view: any SimulationView
    ) throws(CommandError) {
        self.facts = facts
        self.values = values
        self.patience = patience
        self.view = view
        let feed = try SimulationFeed()
        self.feed = feed
        var configuration = HostConfiguration()
        configuration.clock = clock
        configuration.payloadLimit = UInt64(RunRequest.payloadLimit)
        configuration.log = { level, _, task, line in feed.add(level, line, of: task) }
        configuration.requests.limits = try SubmitForm.limits(values)
        beginning = clock.now
        do {
            host = try Host(configuration)
            try host.load(plugin: facts.directory)
            observation = try host.observe { feed.add($0) }
        } catch {
            throw Self.refusal(error, facts)
        }
    }

    private static func refusal(_ error: any Error, _ facts: LifeFacts) -> CommandError {
        let known = error as? CurfewError
        let isHosts = known?.code == .system || known?.code == .exhausted
        let message = known?.message ?? String(describing: error)
        return CommandError(
            isHosts ? .host : .refused, message,
            fault: known?.rule.flatMap(Fault.named) ?? (known?.code).flatMap(Fault.of),
            notes: ["nothing was run"],
            help: ["curfew lint \(ShellWord.path(facts.directory))"],
            isLaidOut: message.hasPrefix("error"))
    }

    /// Nanoseconds of its clock since it began.
    var time: UInt64 { clock.now - beginning }

    /// Does the steps in their order, up to one that does not go as it is to.
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

    /// What a step has begun works now, as time stands still; but for what `launch` began, which is
    /// there to have something done to it.
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
                "its task still works after \(TimeText.limit(patience)), and is left at work",
                at: time)
        }
    }

    /// Ends what still runs.
    func leave() {
        let isRunning = ((try? running()) ?? []).isEmpty == false
        if isRunning { view.remark("its task still runs, and is interrupted", at: time) }
        observation.end()
        var limits = HostRuntime.Shutdown()
        limits.expire = 1_000_000_000
        try? host.shutDown(limits)
    }

    // MARK: Steps

    private func perform(_ step: SimulationStep) throws(CommandError) {
        switch step.action {
        case .submit(let more): try submit(more)
        case .advance(let span): try advance(span)
        case .set(let factor, let state):
            try checked { try host.set(factor, state, detail: "set by a step") }
        case .refresh(let refresh):
            setting.refresh = refresh
            try checked { try host.set(setting, for: .identifier(identifier)) }
        case .enablement(let enablement):
            setting.enablement = enablement
            try checked { try host.set(setting, for: .identifier(identifier)) }
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
        let all: SubmitForm.Values = { [values] in more[$0.name] ?? values($0) }
        let now = clock.moment.wall
        let description = try SubmitForm.description(
            identifier, kind: facts.handler.kind, at: now, all)
        let payload = try RunRequest.payload(all(RunRequest.payloadOption))
        let submission = try checked { try host.submit(description, payload: payload) }
        request = submission.id
        switch submission {
        case .queued:
            // It may have been launched already; what was submitted is told.
            var taken = Request(
                description, payloadBytes: payload.count, at: now,
                notBefore: description.earliest ?? now)
            taken.id = submission.id
            if let stored = try checked({ try host.request(submission.id) }), stored.launches == 0 {
                taken = stored
            }
            view.submitted(taken, at: time, now: now)
            if let note = SubmitForm.note(description, at: now) { view.remark(note, at: time) }
        case .kept(let id): view.remark("request \(id) was pending already, and stays", at: time)
        case .known(let id): view.remark("request \(id) was submitted under the key", at: time)
        }
    }

    /// Lets time pass, from one date at which something can happen to the next.
    private func advance(_ span: UInt64) throws(CommandError) {
        let target = clock.now &+ span
        while clock.now < target {
            let budgets = atWork.values.flatMap { [$0, $0 &+ facts.grace] }
                .filter { $0 > clock.now }
            let next = ([target, try nextLaunch() ?? target] + budgets).min() ?? target
            _ = clock.advance(by: next - clock.now)
            settle()
            // Who is told to stop has the time to answer before its grace passes.
            let patient = atWork.filter { $0.value != clock.now }
            if try !letWork(except: Set(patient.keys)) { try leaveAll() }
            let left = Set(try running().map(\.id))
            atWork = atWork.filter { left.contains($0.key) }
        }
    }

    /// The next date at which a pending request may be launched, on the clock.
    private func nextLaunch() throws(CommandError) -> UInt64? {
        let now = clock.moment
        let pending = try checked {
            try host.requests(RequestFilter(states: [.pending], limit: 1_000))
        }
        var next: Int64?
        for request in pending {
            for report in try checked({ try host.why(request.id) }) {
                guard let until = report.until, until > now.wall else { continue }
                next = min(next ?? .max, until)
            }
        }
        return next.map { now.span &+ UInt64($0 - now.wall) }
    }

    private func launch() throws(CommandError) {
        do {
            try host.simulateLaunch(identifier)
            awaitStart()
            show(feed.take(within: 0))
        } catch let error as CurfewError where error.code == .notFound {
            settle()
            throw CommandError(
                .faults, "no request of `\(identifier)` is pending, so none can be launched",
                help: ["put `submit` before it"])
        } catch {
            settle()
            throw failure(error)
        }
    }

    /// Its budget begins when its handler is entered, and only then can it be expired. Nothing tells
    /// of that, so it is looked for.
    private func awaitStart() {
        let end = csys_monotonic_ns() &+ patience
        while let task = feed.simulated, let state = host.runtime.query(task),
            state.startedAt == 0, state.outcome == nil, csys_monotonic_ns() < end
        {
            csys_wait_readable(-1, csys_monotonic_ns() &+ 200_000)
        }
    }

    private func expire() throws(CommandError) {
        do {
            try host.simulateExpiration(identifier)
        } catch let error as CurfewError where error.code == .notFound {
            settle()
            throw CommandError(
                .faults, "no task runs that `launch` began, so none can be expired",
                help: [
                    "put `launch` before it; a task that its date began ends by its budget:",
                    "advance=\(TimeText.limit(facts.budget).filter { $0 != " " })",
                ])
        } catch {
            settle()
            throw failure(error)
        }
    }

    private func wait() throws(CommandError) {
        guard try !letWork(except: []) else { return }
        throw CommandError(
            .timedOut, "the task still works after \(TimeText.limit(patience)) of real time",
            notes: ["time stands still meanwhile: its budget is not used up by waiting"],
            help: [
                "give it longer: --patience 1min; or let its budget pass: "
                    + "advance=\(TimeText.limit(facts.budget).filter { $0 != " " })"
            ])
    }

    /// Waits while tasks run, others than those. False: for too long.
    private func letWork(except left: Set<RequestID>) throws(CommandError) -> Bool {
        let end = csys_monotonic_ns() &+ patience
        while try running().contains(where: { !left.contains($0.id) }) {
            guard csys_monotonic_ns() < end else { return false }
            show(feed.take(within: 20_000_000))
        }
        settle()
        return true
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
            ? "held back by nothing"
            : "held back by \(factors.map(\.name).joined(separator: ", "))"
    }

    private func answer() throws(CommandError) -> WhyAnswer {
        let now = clock.moment.wall
        guard let id = request, let found = try checked({ try host.request(id) }) else {
            let reports = try checked { try host.why(identifier, kind: facts.handler.kind) }
            return WhyAnswer(
                identifier: identifier, request: nil, reports: reports, journal: [], ahead: 0,
                now: now)
        }
        let reports = found.state == .running ? [] : try checked { try host.why(id) }
        return WhyAnswer(
            identifier: identifier, request: found, reports: reports, journal: [], ahead: 0,
            now: now)
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
        try checked { try host.requests(RequestFilter(states: [.running], limit: 1_000)) }
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
    private func settle() {
        _ = clock.advance(by: 0)
        let new = (try? entries()) ?? []
        journal = new.last?.sequence ?? journal
        let mine = new.filter { $0.request != nil && $0.what != .submitted }
        let first = mine.prefix { $0.what != .ended }
        for entry in first { view.happened(entry, at: time) }
        show(feed.take(within: 0))
        if hidden > 0 { view.remark("\(hidden) more events", at: time) }
        (shown, hidden) = (0, 0)
        for entry in mine.dropFirst(first.count) { view.happened(entry, at: time) }
    }

    private func show(_ items: [SimulationFeed.Item]) {
        for item in items {
            switch item {
            case .event(let event):
                let name = event.selector.name
                // The steps themselves say as much.
                if name.hasPrefix("registering") || name.hasPrefix("scheduling") { continue }
                if shown < Self.eventLimit || name == facts.handler.event + "_done" {
                    view.event(event.selector, event.values, at: time)
                    shown += 1
                } else {
                    hidden += 1
                }
            case .log(let level, let text):
                if level > .debug { view.log(level, text, at: time) }
            case .lost(let count): hidden += count
            }
        }
    }
}
