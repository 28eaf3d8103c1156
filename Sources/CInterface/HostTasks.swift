// SPDX-License-Identifier: Apache-2.0
public import CCurfew
import PluginBridge
import Runner
import Scheduling

@c @implementation public func curfew_host_launch(
    _ host: OpaquePointer, _ identifier: UnsafePointer<CChar>,
    _ options: UnsafePointer<curfew_launch_options>?, _ out: UnsafeMutablePointer<curfew_task>?,
    _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    guard UInt(bitPattern: identifier) != 0,
        let index = with(
            host, { (host: HostRuntime) in host.engine.handlers.index(of: identifier) })
    else {
        return answer(
            error, .notFound,
            "no handler is registered for \"\(ForeignText.shown(identifier, limit: ForeignText.name) ?? "")\"; load its plugin first"
        )
    }
    return curfew_host_launch_by_index(host, index, options, out, error)
}

@c @implementation public func curfew_host_launch_by_index(
    _ host: OpaquePointer, _ index: UInt32, _ options: UnsafePointer<curfew_launch_options>?,
    _ out: UnsafeMutablePointer<curfew_task>?, _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    let launched: Launched
    if let options {
        guard let launch = Launch(options) else {
            return answer(
                error, .invalid,
                "curfew_launch_options: its struct_size is not sizeof(curfew_launch_options), or payload is NULL though payload_bytes is not 0"
            )
        }
        launched = with(host) { (host: HostRuntime) in host.engine.launch(index, launch) }
    } else {
        launched = with(host) { (host: HostRuntime) in host.engine.launch(index) }
    }
    if launched.status == .ok {
        out?.pointee = launched.task
        return 0
    }
    return answer(error, launched.status, launchFailure(host, index, launched.status))
}

private func launchFailure(_ host: OpaquePointer, _ index: UInt32, _ status: Status) -> String {
    let handler = with(host) { (host: HostRuntime) in host.engine.handlers.find(index) }
    guard let handler else { return "no handler has the index \(index)" }
    let name = "\"\(handler.description.identifier)\" was not launched"
    return switch status {
    case .quarantined, .exhausted:
        handler.quarantineReason.map { "\(name): \($0); see curfew_host_release_handler" }
            ?? "\(name): the host has no slot or no memory left; release tasks that are kept, or raise task_limit"
    case .busy: "\(name): its queue is full; launch it again once a task of it has ended"
    case .tooLarge: "\(name): its payload is larger than payload_bytes of the host allows"
    case .invalid: "\(name): its budget or its grace is over 24 h"
    default: "\(name): \(status)"
    }
}

extension Launch {
    /// Reads `curfew_launch_options` of any version; nil when it cannot be one.
    init?(_ options: UnsafePointer<curfew_launch_options>) {
        guard let copy = StructCopy.read(options, least: 8, zero: curfew_launch_options()),
            copy.payload != nil || copy.payload_bytes == 0, copy.payload_bytes <= UInt64(Int.max)
        else { return nil }
        self.init(
            payload: UnsafeRawBufferPointer(start: copy.payload, count: Int(copy.payload_bytes)),
            budget: copy.budget_ns, grace: copy.grace_ns, attempt: copy.attempt, keep: copy.keep)
    }
}

@c @implementation public func curfew_host_cancel_task(
    _ host: OpaquePointer, _ task: curfew_task
) -> curfew_status {
    with(host) { (host: HostRuntime) in host.engine.cancel(task).rawValue }
}

@c @implementation public func curfew_host_stop_task(
    _ host: OpaquePointer, _ task: curfew_task, _ reason: curfew_reason
) -> curfew_status {
    guard let reason = UInt8(exactly: reason).flatMap(StopReason.init(rawValue:)) else {
        return Status.invalid.rawValue
    }
    return with(host) { (host: HostRuntime) in host.engine.stopTask(task, reason).rawValue }
}

@c @implementation public func curfew_host_pause_task(
    _ host: OpaquePointer, _ task: curfew_task
) -> curfew_status {
    with(host) { (host: HostRuntime) in host.engine.hold(task).rawValue }
}

@c @implementation public func curfew_host_resume_task(
    _ host: OpaquePointer, _ task: curfew_task
) -> curfew_status {
    with(host) { (host: HostRuntime) in host.engine.resumeTask(task).rawValue }
}

@c @implementation public func curfew_host_get_task(
    _ host: OpaquePointer, _ task: curfew_task, _ out: UnsafeMutablePointer<curfew_task_state>
) -> curfew_status {
    guard hasRoom(out, 8) else { return Status.invalid.rawValue }
    guard let state = with(host, { (host: HostRuntime) in host.engine.query(task) }) else {
        return Status.stale.rawValue
    }
    write(state, to: out)
    return Status.ok.rawValue
}

@c @implementation public func curfew_host_wait_task(
    _ host: OpaquePointer, _ task: curfew_task, _ timeout: UInt64,
    _ out: UnsafeMutablePointer<curfew_task_state>?
) -> curfew_status {
    if let out, !hasRoom(out, 8) { return Status.invalid.rawValue }
    // Held while it waits: a shutdown wakes it, and the host may be gone before it has left.
    let runtime = with(host) { (host: HostRuntime) in host }
    let (status, state) = runtime.wait(task, timeout: timeout)
    if let out, let state { write(state, to: out) }
    return status.rawValue
}

private func write(_ state: TaskState, to out: UnsafeMutablePointer<curfew_task_state>) {
    let size = sizeOf(out)
    let full = curfew_task_state(
        struct_size: size, phase: state.phase.rawValue,
        outcome: Int32(state.outcome?.rawValue ?? 0), reason: Int32(state.reason?.rawValue ?? 0),
        answered: state.isAnswered, returned: state.isReturned,
        end_waits: state.isEndWaiting, reserved: 0,
        attempt: state.attempt, identifier: state.handler.identifierText,
        started_ns: state.startedAt, budget_ns: state.budget, grace_ns: state.grace,
        progress: state.progress, error_bytes: UInt64(state.errorBytes),
        result_bytes: UInt64(state.resultBytes))
    StructCopy.write(full, to: out, size: size)
}

@c @implementation public func curfew_host_read_task_result(
    _ host: OpaquePointer, _ task: curfew_task, _ buffer: UnsafeMutableRawPointer?,
    _ capacity: UInt64, _ out: UnsafeMutablePointer<UInt64>?
) -> curfew_status {
    read(host, task, .result, buffer, capacity, out)
}

@c @implementation public func curfew_host_read_task_error(
    _ host: OpaquePointer, _ task: curfew_task, _ buffer: UnsafeMutablePointer<CChar>?,
    _ capacity: UInt64, _ out: UnsafeMutablePointer<UInt64>?
) -> curfew_status {
    read(host, task, .error, buffer, capacity, out)
}

private func read(
    _ host: OpaquePointer, _ task: curfew_task, _ part: TaskEngine.Part,
    _ buffer: UnsafeMutableRawPointer?, _ capacity: UInt64, _ out: UnsafeMutablePointer<UInt64>?
) -> curfew_status {
    let room = buffer == nil ? 0 : Int(clamping: capacity)
    let (status, bytes) = with(host) { (host: HostRuntime) in
        host.engine.read(
            part, of: task, into: UnsafeMutableRawBufferPointer(start: buffer, count: room))
    }
    out?.pointee = UInt64(bytes)
    return status.rawValue
}

@c @implementation public func curfew_host_keep_task(
    _ host: OpaquePointer, _ task: curfew_task
) -> curfew_status {
    with(host) { (host: HostRuntime) in host.engine.keep(task).rawValue }
}

@c @implementation public func curfew_host_release_task(
    _ host: OpaquePointer, _ task: curfew_task
) -> curfew_status {
    with(host) { (host: HostRuntime) in host.engine.release(task).rawValue }
}
