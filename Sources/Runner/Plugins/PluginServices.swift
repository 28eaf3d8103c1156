// SPDX-License-Identifier: Apache-2.0
import PluginBridge
import Scheduling
import Synchronization

/// The services that a plugin's table offers.
final class PluginServices: TaskServices {
    let engine: TaskEngine
    let requests: RequestService
    private let plugins: PluginList
    let tasks: TaskTable
    let violations: ContractViolations

    init(_ engine: TaskEngine, _ requests: RequestService, _ plugins: PluginList) {
        self.engine = engine
        self.requests = requests
        self.plugins = plugins
        tasks = engine.tasks
        violations = engine.violations
    }

    func register(_ identifier: String, _ code: HandlerCode, plugin: Int32) -> BridgeError? {
        let claims = engine.claims
        let refusal = plugins.register(identifier, code, plugin: plugin) {
            engine.handlers.find($0).map { claims.owner($0.plugin) }
        }
        guard let (rule, error) = refusal else { return nil }
        if let rule {
            violations.report(
                rule, "called register_handler", error.message + "; nothing was registered",
                task: 0, plugin: plugin)
        }
        return error
    }

    func facts(of id: UInt64, plugin: Int32) -> TaskFacts? {
        let facts = existingFacts(of: id, plugin)
        if facts == nil { _ = violations.cannotReach(id, "task_info", plugin: plugin) }
        return facts
    }

    private func existingFacts(of id: UInt64, _ plugin: Int32) -> TaskFacts? {
        guard let task = find(id, plugin) else { return nil }
        return tasks.pinning(task) { slot in
            guard let cell = slot.handlerQueue else { return nil }
            let handler = engine.handlers.unretained(cell.pointee.index)
            let record = tasks.existingRecord(of: slot)
            let payload = slot.pointee.payload.load(ordering: .acquiring)
            return TaskFacts(
                kind: (record?.request?.kind ?? cell.pointee.kind).rawValue,
                attempt: max(1, record?.attempt ?? 1),
                reason: Int32(slot.state.reason?.rawValue ?? 0),
                identifier: handler._withUnsafeGuaranteedRef { $0.identifierText },
                payload: UnsafeRawPointer(bitPattern: payload),
                payloadBytes: slot.pointee.payloadBytes.load(ordering: .acquiring),
                budget: override(record?.budget, cell.pointee.budget),
                grace: override(record?.grace, cell.pointee.grace))
        } ?? nil
    }

    private func override(_ own: UInt64?, _ handlers: UInt64) -> UInt64 {
        guard let own, own != 0 else { return handlers }
        return own
    }

    @inline(__always)
    private func find(_ id: UInt64, _ plugin: Int32) -> TaskReference? {
        guard let task = tasks.find(id), engine.mayTouch(task, plugin) else { return nil }
        return task
    }

    func shouldStop(_ id: UInt64, plugin: Int32) -> Bool {
        guard let task = find(id, plugin) else { return true }
        let state = tasks.slot(task).state
        return state.generation != task.generation || state.shouldStop
    }

    func remaining(of id: UInt64, plugin: Int32) -> UInt64 {
        guard let task = find(id, plugin) else { return 0 }
        let slot = tasks.slot(task)
        let state = slot.state
        guard state.generation == task.generation, state.isEntered, !state.shouldStop else {
            return 0
        }
        let deadline = slot.pointee.deadline.load(ordering: .acquiring)
        let now = engine.clock.now()
        return deadline > now ? deadline - now : 0
    }

    func report(_ fraction: Double, _ text: String, for id: UInt64, plugin: Int32) -> Status {
        report(fraction, text, for: id, plugin: plugin, isReserved: false).status
    }

    /// - Parameter isReserved: a place in the queue of events is reserved for this one.
    func report(
        _ fraction: Double, _ text: String, for id: UInt64, plugin: Int32, isReserved: Bool
    ) -> EventQueue.Raised {
        guard let task = find(id, plugin) else {
            return unreachable(id, "progress", plugin)
        }
        let raised = whileNotOver(task) { record, handler in
            record.progress.store(fraction.bitPattern, ordering: .relaxed)
            record.request?.kept.withLock { $0.setProgress(fraction, LogLine.clean(text)) }
            return engine.events.raiseIfWanted(
                handler.progress, task: id, isReserved: isReserved,
                [.double(fraction), .text(text)])
        }
        if raised.status == .stale { return unreachable(id, "progress", plugin) }
        if raised.beginsGap { flooded("reported progress", id, plugin) }
        return raised
    }

    private func unreachable(_ id: UInt64, _ did: StaticString, _ plugin: Int32)
        -> EventQueue.Raised
    {
        refused(violations.cannotReach(id, did, plugin: plugin))
    }

    private func refused(_ status: Status) -> EventQueue.Raised {
        EventQueue.Raised(status: status, isQueued: false)
    }

    /// Reports a full event queue, once for all events lost together.
    private func flooded(_ did: String, _ id: UInt64, _ plugin: Int32) {
        violations.report(
            .eventFlood, did,
            "the queue of events is full: it has \(engine.events.limit), or \(EventQueue.textLimit >> 20) MiB of texts; this one is lost, and others are until there is room",
            task: id, plugin: plugin)
    }

    func raise(
        _ selector: EventSelector, _ values: [EventValue], for id: UInt64, plugin: Int32
    ) -> Status {
        raise(selector, values, for: id, plugin: plugin, isReserved: false).status
    }

    /// - Parameter isReserved: a place in the queue of events is reserved for this one.
    func raise(
        _ selector: EventSelector, _ values: [EventValue], for id: UInt64, plugin: Int32,
        isReserved: Bool
    ) -> EventQueue.Raised {
        guard let task = find(id, plugin), !isQueued(task),
            tasks.slot(task).state.generation == task.generation,
            let cell = tasks.slot(task).handlerQueue
        else { return unreachable(id, "raise", plugin) }
        let handler = engine.handlers[cell.pointee.index]
        // Checked first: reporting calls the embedder's log, which must not run under a lock.
        guard let entry = handler.declared[selector] else {
            undeclared(selector, handler, id, plugin)
            return refused(.denied)
        }
        let given = values.map(\.type)
        guard let declared = entry.declaration?.parameters, declared == given else {
            let wanted = entry.declaration.map { names($0.parameters) } ?? ""
            violations.report(
                .eventTypes, "raised \"\(selector)\" with (\(names(given)))",
                "its manifest declares (\(wanted)); nothing was raised", task: id, plugin: plugin)
            return refused(.invalid)
        }
        let raised = whileNotOver(task) { _, _ in
            engine.events.raise(entry, values, task: id, isReserved: isReserved)
        }
        if raised.status == .stale { return unreachable(id, "raise", plugin) }
        if raised.beginsGap { flooded("raised \"\(selector)\"", id, plugin) }
        return raised
    }

    private func names(_ types: [EventType]) -> String {
        types.map(\.name).joined(separator: ", ")
    }

    private func undeclared(
        _ selector: EventSelector, _ handler: HandlerRecord, _ id: UInt64, _ plugin: Int32
    ) {
        let isHosts =
            selector.name.hasPrefix("curfew_")
            || handler.description.hostEvents.contains { $0.selector == selector }
        if isHosts {
            violations.report(
                .hostEvent, "raised \"\(selector)\"",
                "only the host raises it; nothing was raised", task: id, plugin: plugin)
            return
        }
        let other = handler.declared.keys.first { $0.name == selector.name }
        violations.report(
            .undeclaredEvent, "raised \"\(selector)\"",
            (other.map { "its manifest declares \"\($0)\", with another number of parameters" }
                ?? "its manifest does not declare it") + "; nothing was raised",
            task: id, plugin: plugin)
    }

    /// Runs `body` for a running task, ordered before the task's done event.
    private func whileNotOver(
        _ task: TaskReference, _ body: (TaskRecord, HandlerRecord) -> EventQueue.Raised
    ) -> EventQueue.Raised {
        return tasks.pinning(task) { slot -> EventQueue.Raised in
            guard let (raising, state) = tasks.step(task, { $0.raise() }) else {
                return refused(.stale)
            }
            guard raising else { return refused(state.isEntered ? .already : .stale) }
            guard let cell = slot.handlerQueue else { return refused(.stale) }
            let handler = engine.handlers[cell.pointee.index]
            let record = tasks.record(of: slot)
            return record.order.withLock { _ in
                slot.state.isClaimed ? refused(.already) : body(record, handler)
            }
        } ?? refused(.stale)
    }

    func complete(
        _ id: UInt64, _ status: Status, error: UnsafeRawBufferPointer?,
        result: UnsafeRawBufferPointer, plugin: Int32
    ) -> Status {
        engine.complete(id, status, error: error, result: result, plugin: plugin)
    }

    func keep(_ id: UInt64, plugin: Int32) -> Status {
        guard let task = find(id, plugin), !isQueued(task),
            let (kept, _) = tasks.step(task, { $0.keepForPlugin() })
        else { return violations.cannotReach(id, "keep", plugin: plugin) }
        guard !kept else { return .ok }
        violations.report(
            .referenceLimit, "called keep",
            "it holds \(TaskStateMachine.pluginReferenceLimit) references already; none was taken",
            task: id, plugin: plugin)
        return .exhausted
    }

    func release(_ id: UInt64, plugin: Int32) -> Status {
        guard let task = find(id, plugin),
            let (action, state) = tasks.step(task, { $0.releaseForPlugin() })
        else { return violations.cannotReach(id, "release", plugin: plugin) }
        switch action {
        case .done:
            engine.freeIfDone(task, state)
            return .ok
        case .abandoned:
            engine.abandoned(task, state)
            return .ok
        case .wrongState:
            // Only the running function's own reference is left, or none.
            guard state.isEntered, !state.isReturned else {
                return violations.cannotReach(id, "release", plugin: plugin)
            }
            violations.report(
                .unkeptRelease, "called release",
                "it holds no reference but its function's own, which is the host's; nothing was dropped",
                task: id, plugin: plugin)
            return .wrongState
        }
    }

    /// Whether a task was not entered yet, so that its plugin must not access it.
    private func isQueued(_ task: TaskReference) -> Bool {
        let state = tasks.slot(task).state
        return state.generation == task.generation && !state.isEntered
    }

    func hasSubs(plugin: Int32) -> Bool { plugins.subs(of: plugin) != nil }

    func callSub(_ selector: EventSelector, _ values: [EventValue], plugin: Int32) -> Status {
        plugins.subs(of: plugin)?.call(selector, values) ?? .closing
    }

    func waitFor(
        _ selector: EventSelector, sender: UInt64, limit: UInt64?,
        _ continuation: PluginContinuation, plugin: Int32
    ) -> Status {
        plugins.subs(of: plugin)?.waitFor(selector, sender: sender, limit: limit, continuation)
            ?? .closing
    }

    func sleep(_ duration: UInt64, _ continuation: PluginContinuation, plugin: Int32) -> Status {
        plugins.subs(of: plugin)?.sleep(duration, continuation) ?? .closing
    }

    func log(_ level: LogLevel, _ text: String, for task: UInt64, plugin: Int32) {
        keepLine(text, of: task, plugin: plugin)
        note(level, text, for: task, plugin: plugin)
    }

    /// Logs a line about a task that its history does not keep.
    func note(_ level: LogLevel, _ text: String, for task: UInt64, plugin: Int32) {
        engine.log(level, plugins.id(of: plugin), task, text)
    }

    /// Adds a line to the history of a task's request.
    func keepLine(_ text: String, of id: UInt64, plugin: Int32) {
        guard let task = find(id, plugin) else { return }
        let request = tasks.pinning(task) { tasks.existingRecord(of: $0)?.request } ?? nil
        guard let request else { return }
        let line = LogLine.clean(text)
        request.kept.withLock { $0.log.add(line) }
    }

    func violated(
        _ rule: ContractRule, _ did: @autoclosure () -> String, _ answer: @autoclosure () -> String,
        task: UInt64, plugin: Int32
    ) {
        violations.report(rule, did(), answer(), task: task, plugin: plugin)
    }

    func currentThread() -> Int32 { Int32(engine.threads.role.rawValue) }
}
