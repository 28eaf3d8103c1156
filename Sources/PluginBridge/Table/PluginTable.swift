// SPDX-License-Identifier: Apache-2.0
package import CCurfew
import Scheduling
import Synchronization

/// The `curfew_host_api` one plugin gets from one host, and the functions in it.
///
/// The only place that reads what a plugin passes: every function checks sizes, lengths and text,
/// copies what it needs into values, and hands those to `TaskServices`. The memory of a table
/// outlives the host when a plugin may still call it; closing its gate makes every call answer
/// `CURFEW_CLOSING`, `CURFEW_STALE` or nothing.
package final class PluginTable: @unchecked Sendable {
    // Sendable: `memory` is written before it is handed out; the flags in Context are atomic.

    private struct Memory {
        var api: curfew_host_api
        var context: Unmanaged<PluginTableContext>
    }

    private let memory: UnsafeMutablePointer<Memory>
    private let context: PluginTableContext

    /// The table for the plugin. It is valid as long as this object, or for ever after `leak()`.
    package var api: UnsafePointer<curfew_host_api> {
        UnsafeRawPointer(memory).assumingMemoryBound(to: curfew_host_api.self)
    }

    /// Makes a table without a host; its gate is closed.
    package init() {
        context = PluginTableContext()
        memory = .allocate(capacity: 1)
        memory.initialize(
            to: Memory(
                api: curfew_host_api(
                    struct_size: UInt32(MemoryLayout<curfew_host_api>.size),
                    abi: UInt32(CURFEW_ABI_VERSION),
                    register_handler: pluginRegisterHandler,
                    task_info: pluginTaskInfo,
                    is_expired: pluginIsExpired,
                    remaining_ns: pluginRemaining,
                    progress: pluginProgress,
                    complete: pluginComplete,
                    keep: pluginKeep,
                    release: pluginRelease,
                    raise: pluginRaise,
                    log: pluginLog,
                    extension: pluginExtension),
                context: .passRetained(context)))
    }

    deinit {
        memory.pointee.context.release()
        memory.deinitialize(count: 1)
        memory.deallocate()
    }

    /// Connects the table to a host, with the number of the plugin there. Call it only while no
    /// thread is inside.
    ///
    /// - Parameter owner: what the threads of that host have for their owner.
    package func serve(_ services: any TaskServices, plugin: Int32, owner: UnsafeRawPointer) {
        context.serve(services, plugin: plugin, owner: owner)
        gate.open()
    }

    /// Disconnects the table from the host, once the gate is closed and no thread is inside.
    package func letGo() { context.serve(nil, plugin: 0, owner: nil) }

    /// Registration is allowed from now on, on the calling thread's behalf, or not any more.
    package func setRegistering(_ registering: Bool) {
        context.registering.store(registering, ordering: .sequentiallyConsistent)
    }

    /// The gate of all calls except those from the host's own threads. The host closes it while it
    /// does not use the plugin, and when it ends; the table itself answers calls then.
    package var gate: CallGate { context.gate }

    /// Keeps the table for the life of the process, for a thread that may still call it.
    package func leak() { _ = Unmanaged.passRetained(self) }

    /// Calls `body` while the host exists, and returns `otherwise` when it does not, and in a
    /// forked child: there locks of other threads stay locked for ever, and files belong to the
    /// parent.
    ///
    /// The host's own threads are not counted: it waits for them, or is kept for ever, and what
    /// they call on the path of a task stays free of shared writes.
    @inline(__always)
    static func call<T>(
        _ api: UnsafePointer<curfew_host_api>, otherwise: @autoclosure () -> T,
        _ body: (PluginTableContext) -> T
    ) -> T {
        let memory = UnsafeRawPointer(api).assumingMemoryBound(to: Memory.self)
        return memory.pointee.context._withUnsafeGuaranteedRef { context in
            guard context.isInItsProcess else { return otherwise() }
            if context.isOwnThread {
                return context.gate.isClosed ? otherwise() : body(context)
            }
            guard context.gate.enter() else { return otherwise() }
            defer { context.gate.leave() }
            return body(context)
        }
    }
}

// MARK: - The functions of the table

/// True for the NULL that a C caller can pass where the header promises a pointer. Compares bits:
/// a comparison with nil would be folded away, since the type says that it cannot be.
@inlinable package func isNull(_ pointer: UnsafeRawPointer) -> Bool {
    UInt(bitPattern: pointer) == 0
}

/// Notes what was wrong with a text that was taken all the same.
private func note(
    _ flaw: PluginText.Flaw?, _ did: @autoclosure () -> String, _ task: curfew_task,
    _ context: PluginTableContext
) {
    guard let flaw else { return }
    context.services.violated(flaw.rule, did(), flaw.answer, task: task, plugin: context.plugin)
}

private func pluginRegisterHandler(
    _ api: UnsafePointer<curfew_host_api>, _ handler: UnsafePointer<curfew_handler>,
    _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    PluginTable.call(api, otherwise: Status.closing.rawValue) { context in
        func refuse(_ status: Status, _ rule: ContractRule, _ message: String) -> curfew_status {
            ErrorBuffer.fill(error, status, message)
            context.services.violated(
                rule, "called register_handler", message, task: 0, plugin: context.plugin)
            return status.rawValue
        }
        guard context.registering.load(ordering: .sequentiallyConsistent),
            context.services.currentThread() == CURFEW_THREAD_LOADING
        else {
            return refuse(
                .wrongState, .lateRegistration,
                "handlers are registered inside curfew_plugin_entry only; nothing was registered")
        }
        guard !isNull(handler), let copy = HandlerReader.read(handler) else {
            return refuse(
                .invalid, .structSize,
                "curfew_handler.struct_size is not that of any version of the struct; set it to sizeof(curfew_handler)"
            )
        }
        guard let identifier = ForeignText.read(copy.identifier, limit: 128), !identifier.isEmpty
        else {
            return refuse(
                .invalid, .handlerArguments,
                "curfew_handler.identifier is missing, longer than 128 bytes or not UTF-8")
        }
        guard let run = copy.run else {
            return refuse(
                .invalid, .handlerArguments, "curfew_handler.run of \"\(identifier)\" is NULL")
        }
        let code = HandlerCode(run: run, expired: copy.expired, data: copy.handler_data, api: api)
        if let refusal = context.services.register(identifier, code, plugin: context.plugin) {
            ErrorBuffer.fill(error, refusal.status, refusal.message)
            return refusal.status.rawValue
        }
        return Status.ok.rawValue
    }
}

private func pluginTaskInfo(
    _ api: UnsafePointer<curfew_host_api>, _ task: curfew_task,
    _ info: UnsafeMutablePointer<curfew_task_info>
) -> curfew_status {
    PluginTable.call(api, otherwise: Status.stale.rawValue) { context in
        let size = isNull(info) ? 0 : UnsafeRawPointer(info).load(as: UInt32.self)
        guard size >= 16 else {
            context.services.violated(
                .structSize, "called task_info",
                "curfew_task_info.struct_size is \(size), that of no version; nothing was filled in",
                task: task, plugin: context.plugin)
            return Status.invalid.rawValue
        }
        guard let facts = context.services.facts(of: task, plugin: context.plugin) else {
            return Status.stale.rawValue
        }
        let full = curfew_task_info(
            struct_size: size, kind: facts.kind, attempt: facts.attempt, reason: facts.reason,
            identifier: facts.identifier, payload: facts.payload, payload_bytes: facts.payloadBytes,
            budget_ns: facts.budget, grace_ns: facts.grace)
        StructCopy.write(full, to: info, size: size)
        return Status.ok.rawValue
    }
}

private func pluginIsExpired(_ api: UnsafePointer<curfew_host_api>, _ task: curfew_task) -> Bool {
    PluginTable.call(api, otherwise: true) { context in
        context.services.shouldStop(task, plugin: context.plugin)
    }
}

private func pluginRemaining(_ api: UnsafePointer<curfew_host_api>, _ task: curfew_task) -> UInt64 {
    PluginTable.call(api, otherwise: 0) { context in
        context.services.remaining(of: task, plugin: context.plugin)
    }
}

private func pluginProgress(
    _ api: UnsafePointer<curfew_host_api>, _ task: curfew_task, _ fraction: Double,
    _ start: UnsafePointer<CChar>?, _ bytes: UInt64
) -> curfew_status {
    PluginTable.call(api, otherwise: Status.stale.rawValue) { context in
        guard fraction >= 0, fraction <= 1 else {
            context.services.violated(
                .progressRange, "reported progress \(fraction)",
                "it is a fraction in 0…1; what was known before stays", task: task,
                plugin: context.plugin)
            return Status.invalid.rawValue
        }
        let text = PluginText(start, bytes, limit: 1024)
        let status = context.services.report(
            fraction, text.text, for: task, plugin: context.plugin)
        if status == .ok { note(text.flaw, "reported progress", task, context) }
        return status.rawValue
    }
}

private func pluginComplete(
    _ api: UnsafePointer<curfew_host_api>, _ task: curfew_task, _ status: curfew_status,
    _ error: UnsafePointer<CChar>?, _ errorBytes: UInt64, _ result: UnsafeRawPointer?,
    _ resultBytes: UInt64
) -> curfew_status {
    PluginTable.call(api, otherwise: Status.closing.rawValue) { context in
        let status = Status(rawValue: status)
        guard status != .pending, result != nil || resultBytes == 0 else {
            context.services.violated(
                .completion,
                "called complete with "
                    + (status == .pending
                        ? "CURFEW_PENDING" : "a NULL result of \(resultBytes) bytes"),
                "it is not completed", task: task, plugin: context.plugin)
            return Status.invalid.rawValue
        }
        guard resultBytes <= UInt64(Int.max) else {
            context.services.violated(
                .resultSize, "called complete with a result of \(resultBytes) bytes",
                "no memory is as large; it is not completed", task: task, plugin: context.plugin)
            return Status.tooLarge.rawValue
        }
        let errorLimit = 64 * 1024
        if status != .ok {
            // While the task exists, so that its id can be logged.
            note(
                PluginText(error, errorBytes, limit: errorLimit).flaw, "called complete", task,
                context)
        }
        let errorText = error.map {
            UnsafeRawBufferPointer(start: $0, count: Int(min(errorBytes, UInt64(errorLimit))))
        }
        return context.services.complete(
            task, status, error: errorText,
            result: UnsafeRawBufferPointer(start: result, count: Int(resultBytes)),
            plugin: context.plugin
        ).rawValue
    }
}

private func pluginKeep(
    _ api: UnsafePointer<curfew_host_api>, _ task: curfew_task
) -> curfew_status {
    PluginTable.call(api, otherwise: Status.stale.rawValue) { context in
        context.services.keep(task, plugin: context.plugin).rawValue
    }
}

private func pluginRelease(
    _ api: UnsafePointer<curfew_host_api>, _ task: curfew_task
) -> curfew_status {
    PluginTable.call(api, otherwise: Status.stale.rawValue) { context in
        context.services.release(task, plugin: context.plugin).rawValue
    }
}

private func pluginRaise(
    _ api: UnsafePointer<curfew_host_api>, _ task: curfew_task, _ event: UnsafePointer<CChar>,
    _ values: UnsafePointer<curfew_value>?, _ count: UInt32
) -> curfew_status {
    PluginTable.call(api, otherwise: Status.stale.rawValue) { context in
        func refuse(_ rule: ContractRule, _ did: String, _ answer: String) -> curfew_status {
            context.services.violated(
                rule, did, answer + "; nothing was raised", task: task, plugin: context.plugin)
            return Status.invalid.rawValue
        }
        guard let name = ForeignText.read(event, limit: EventSelector.nameLimit) else {
            return refuse(
                .eventName, "called raise", "the name is NULL, longer than 128 bytes or not UTF-8")
        }
        // A selector is as good as a name: its colons say what `count` says.
        let bare = name.hasSuffix(":") ? EventSelector(name)?.name ?? name : name
        guard let selector = EventSelector(name: bare, arity: Int(min(count, 255))) else {
            return refuse(
                .eventName, "raised \"\(name)\" with \(count) parameters",
                "no event can have that name, or so many")
        }
        let read: ValueReader.Values
        do throws(ValueReader.Fault) {
            read = try ValueReader.check(values, count: Int(count))
        } catch {
            return refuse(error.rule, "raised \"\(selector)\"", error.text)
        }
        let status = context.services.raise(
            selector, read.values, for: task, plugin: context.plugin)
        if status == .ok { note(read.flaw, "raised \"\(selector)\"", task, context) }
        return status.rawValue
    }
}

private func pluginLog(
    _ api: UnsafePointer<curfew_host_api>, _ task: curfew_task, _ level: curfew_log_level,
    _ start: UnsafePointer<CChar>, _ bytes: UInt64
) {
    PluginTable.call(api, otherwise: ()) { context in
        let text = PluginText(isNull(start) ? nil : start, bytes, limit: 4096)
        note(text.flaw, "wrote a log line", task, context)
        guard !isNull(start) else { return }
        // The level of misbehaviour is the host's own.
        let known = min(max(level, LogLevel.debug.rawValue), LogLevel.error.rawValue)
        if known != level {
            context.services.violated(
                .logLevel, "wrote a log line of level \(level)",
                "it goes out with level \(known), the nearest of a plugin's", task: task,
                plugin: context.plugin)
        }
        context.services.log(
            LogLevel(rawValue: known) ?? .info, text.text, for: task, plugin: context.plugin)
    }
}

private func pluginExtension(
    _ api: UnsafePointer<curfew_host_api>, _ id: UnsafePointer<CChar>
) -> UnsafeRawPointer? {
    let name = ForeignText.read(id, limit: 128)
    if name == nil {
        PluginTable.call(api, otherwise: ()) { context in
            context.services.violated(
                .malformedText, "called extension",
                "the id is NULL, longer than 128 bytes or not UTF-8; there is none", task: 0,
                plugin: context.plugin)
        }
    }
    switch name {
    case CURFEW_EXT_THREAD_CHECK: return UnsafeRawPointer(ThreadCheck.table)
    case CURFEW_EXT_REQUESTS: return UnsafeRawPointer(RequestsExtension.table)
    case CURFEW_EXT_SUBS:
        let hasSubs = PluginTable.call(api, otherwise: false) { context in
            context.services.hasSubs(plugin: context.plugin)
        }
        return hasSubs ? UnsafeRawPointer(SubsExtension.table) : nil
    default: return nil
    }
}
