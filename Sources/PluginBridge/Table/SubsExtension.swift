// SPDX-License-Identifier: Apache-2.0
import CCurfew
import Scheduling

/// The extension "curfew.subs/1": waiting, sleeping and calling in turn, for handlers made of subs.
enum SubsExtension {
    nonisolated(unsafe) static let table: UnsafeMutablePointer<curfew_subs> = {
        let table = UnsafeMutablePointer<curfew_subs>.allocate(capacity: 1)
        table.initialize(
            to: curfew_subs(
                struct_size: UInt32(MemoryLayout<curfew_subs>.size), reserved: 0,
                call_delayed: callDelayed, wait_for: waitFor, sleep: sleepFor))
        return table
    }()
}

/// Complains about a call that cannot be done.
private func refuse(
    _ context: PluginTableContext, _ rule: ContractRule, _ did: String, _ answer: String
) -> curfew_status {
    context.services.violated(
        rule, did, answer + "; nothing follows", task: 0, plugin: context.plugin)
    return Status.invalid.rawValue
}

private func callDelayed(
    _ api: UnsafePointer<curfew_host_api>, _ sub: UnsafePointer<CChar>,
    _ values: UnsafePointer<curfew_value>?, _ count: UInt32
) -> curfew_status {
    PluginTable.call(api, otherwise: Status.closing.rawValue) { context in
        guard let name = ForeignText.read(sub, limit: EventSelector.nameLimit + 16) else {
            return refuse(
                context, .eventName, "called call_delayed",
                "the name is NULL, longer than \(EventSelector.nameLimit) bytes or not UTF-8")
        }
        // In small letters, those of ASCII; a selector is as good as a name.
        let small = String(
            decoding: name.utf8.map {
                (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0
            }, as: UTF8.self)
        let given = small.hasSuffix(":") ? EventSelector(small) : nil
        guard let selector = EventSelector(name: given?.name ?? small, arity: Int(min(count, 255))),
            given == nil || given == selector
        else {
            return refuse(
                context, .eventName, "called call_delayed(\"\(name)\") with \(count) parameters",
                "no sub can have that name, or has so many: \(EventSelector.arityLimit) at most, and as many as colons where there are some"
            )
        }
        let read: ValueReader.Values
        do throws(ValueReader.Fault) {
            read = try ValueReader.check(values, count: Int(count))
        } catch {
            return refuse(context, error.rule, "called call_delayed(\"\(selector)\")", error.text)
        }
        let status = context.services.callSub(selector, read.values, plugin: context.plugin)
        guard status == .invalid else { return status.rawValue }
        return refuse(
            context, .eventTypes, "called call_delayed(\"\(selector)\")",
            "the event has parameters of other types")
    }
}

private func waitFor(
    _ api: UnsafePointer<curfew_host_api>, _ selector: UnsafePointer<CChar>,
    _ sender: curfew_task, _ timeout: UInt64, _ continuation: @escaping curfew_subs_continuation,
    _ data: UnsafeMutableRawPointer?
) -> curfew_status {
    PluginTable.call(api, otherwise: Status.closing.rawValue) { context in
        guard let name = ForeignText.read(selector, limit: EventSelector.nameLimit + 16),
            let selector = EventSelector(name)
        else {
            return refuse(
                context, .eventName, "called wait_for",
                "the selector is NULL, or is not a name with a colon for each parameter")
        }
        guard !isNone(continuation) else {
            return refuse(
                context, .handlerArguments, "called wait_for(\"\(selector)\")",
                "the continuation is NULL")
        }
        return context.services.waitFor(
            selector, sender: sender, limit: timeout == 0 ? nil : timeout,
            PluginContinuation(continuation, data, api), plugin: context.plugin
        ).rawValue
    }
}

private func sleepFor(
    _ api: UnsafePointer<curfew_host_api>, _ duration: UInt64,
    _ continuation: @escaping curfew_subs_continuation, _ data: UnsafeMutableRawPointer?
) -> curfew_status {
    PluginTable.call(api, otherwise: Status.closing.rawValue) { context in
        guard !isNone(continuation) else {
            return refuse(
                context, .handlerArguments, "called sleep", "the continuation is NULL")
        }
        return context.services.sleep(
            duration, PluginContinuation(continuation, data, api), plugin: context.plugin
        ).rawValue
    }
}

/// True for the NULL that a C caller can pass where the header promises a function.
private func isNone(_ function: @escaping curfew_subs_continuation) -> Bool {
    UInt(bitPattern: unsafeBitCast(function, to: UnsafeRawPointer?.self)) == 0
}
