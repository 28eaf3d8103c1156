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
    if isNull(identifier) { return refuseNull(error, "identifier") }
    guard
        let index = with(
            host, { (host: HostRuntime) in host.engine.handlers.index(of: identifier) })
    else {
        return answer(error, .notFound, noHandler(identifier))
    }
    return curfew_host_launch_by_index(host, index, options, out, error)
}

@c @implementation public func curfew_host_launch_by_index(
    _ host: OpaquePointer, _ index: UInt32, _ options: UnsafePointer<curfew_launch_options>?,
    _ out: UnsafeMutablePointer<curfew_task>?, _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    if let options { return launch(host, index, options, out, error) }
    let launched = with(host) { (host: HostRuntime) in host.engine.launch(index) }
    guard launched.status == .ok else { return refuse(launched.status, host, index, 0, error) }
    out?.pointee = launched.task
    return 0
}

/// Apart from a launch without options, which saves fewer registers and takes no stack.
@inline(never)
private func launch(
    _ host: OpaquePointer, _ index: UInt32, _ options: UnsafePointer<curfew_launch_options>,
    _ out: UnsafeMutablePointer<curfew_task>?, _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    guard let copy = StructCopy.read(options, least: 8, zero: curfew_launch_options()) else {
        return answer(
            error, .invalid,
            "curfew_launch_options.struct_size is not that of any version of the struct")
    }
    guard copy.payload != nil || copy.payload_bytes == 0 else {
        return answer(error, .invalid, "payload is NULL though payload_bytes is not 0")
    }
    // A length above that of any memory is clamped, and then refused by the host's limit.
    let launch = Launch(
        payload: UnsafeRawBufferPointer(
            start: copy.payload, count: Int(clamping: copy.payload_bytes)),
        budget: copy.budget_ns, grace: copy.grace_ns, attempt: copy.attempt, keep: copy.keep)
    let launched = with(host) { (host: HostRuntime) in host.engine.launch(index, launch) }
    guard launched.status == .ok else {
        return refuse(launched.status, host, index, launch.payload.count, error)
    }
    out?.pointee = launched.task
    return 0
}

@inline(never)
private func refuse(
    _ status: Status, _ host: OpaquePointer, _ index: UInt32, _ payloadBytes: Int,
    _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    let (handler, limits) = with(host) { (host: HostRuntime) in
        (host.engine.handlers.find(index), host.configuration)
    }
    guard let handler else { return answer(error, status, "no handler has the index \(index)") }
    let reason =
        switch status {
        case .exhausted where handler.lost >= limits.lostLimit:
            "\(handler.lost) of its workers are lost, the most that lost_limit allows; launch it again once one of them has returned, or raise lost_limit"
        case .quarantined, .exhausted:
            handler.quarantineReason.map { "\($0); see curfew_host_release_handler" }
                ?? "the host has no slot or no memory left; release tasks that are kept, or raise task_limit"
        case .busy: "its queue is full; launch it again once a task of it has ended"
        case .tooLarge:
            "its payload has \(payloadBytes) bytes, and max_payload_bytes of the host is \(limits.payloadLimit); pass less, or create the host with a larger limit"
        case .invalid: "its budget or its grace is over 24 h"
        default: "\(status)"
        }
    let name = handler.description.identifier
    return answer(error, status, "\"\(name)\" was not launched: \(reason)")
}

@c @implementation public func curfew_host_cancel_task(
    _ host: OpaquePointer, _ task: curfew_task, _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    let status = with(host) { (host: HostRuntime) in host.engine.cancel(task) }
    return answer(error, status, task, "")
}

/// Reports the status of a call about a task; `wrongState` explains a state that does not allow it.
private func answer(
    _ error: UnsafeMutablePointer<curfew_error>?, _ status: Status, _ task: curfew_task,
    _ wrongState: @autoclosure () -> String
) -> curfew_status {
    answer(error, status, failure(status, task, wrongState()))
}

private func failure(_ status: Status, _ task: curfew_task, _ wrongState: String) -> String {
    let name = "task \(task)"
    return switch status {
    case .stale:
        "\(name) is stale: it is over and its last reference was released; launch it with keep to refer to it afterwards"
    case .already: "\(name) is over, or was told to stop before"
    case .wrongState: "\(name) \(wrongState)"
    case .timedOut: "\(name) is not over yet"
    case .closing: "the host is shutting down, and \(name) is not over yet"
    case .exhausted:
        "\(name) has \(TaskStateMachine.embedderReferenceLimit) references of the embedder's, the most there can be; none was taken: release one first, or share one"
    case .wrongThread: "\(name): workers and deadline threads of the host must not wait for tasks"
    default: "\(name): \(status)"
    }
}

@c @implementation public func curfew_host_stop_task(
    _ host: OpaquePointer, _ task: curfew_task, _ reason: curfew_reason,
    _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    let status = UInt8(exactly: reason).flatMap(StopReason.init(rawValue:)).map { reason in
        with(host) { (host: HostRuntime) in host.engine.stopTask(task, reason) }
    }
    guard let status, status != .invalid else {
        return answer(
            error, .invalid,
            "the reason is \(reason), not CURFEW_REASON_CONDITION or CURFEW_REASON_HOST")
    }
    return answer(error, status, task, "has not started; cancel it")
}

@c @implementation public func curfew_host_pause_task(
    _ host: OpaquePointer, _ task: curfew_task, _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    let status = with(host) { (host: HostRuntime) in host.engine.hold(task) }
    return answer(error, status, task, "has started")
}

@c @implementation public func curfew_host_resume_task(
    _ host: OpaquePointer, _ task: curfew_task, _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    let status = with(host) { (host: HostRuntime) in host.engine.resumeTask(task) }
    return answer(error, status, task, "is not paused")
}

@c @implementation public func curfew_host_get_task(
    _ host: OpaquePointer, _ task: curfew_task, _ out: UnsafeMutablePointer<curfew_task_state>,
    _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    guard hasRoom(out, 8) else { return refuseSize(error, out, "out_state") }
    guard let state = with(host, { (host: HostRuntime) in host.engine.query(task) }) else {
        return answer(error, .stale, task, "")
    }
    write(state, to: out)
    return Status.ok.rawValue
}

@c @implementation public func curfew_host_wait_task(
    _ host: OpaquePointer, _ task: curfew_task, _ timeout: UInt64,
    _ out: UnsafeMutablePointer<curfew_task_state>?, _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    if let out, !hasRoom(out, 8) { return refuseSize(error, out, "out_state") }
    // Retained during the wait: a shutdown wakes it, and the host may be destroyed before it
    // returns.
    let runtime = with(host) { (host: HostRuntime) in host }
    let (status, state) = runtime.wait(task, timeout: timeout)
    if let out, let state { write(state, to: out) }
    return answer(error, status, task, "")
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
    _ capacity: UInt64, _ out: UnsafeMutablePointer<UInt64>?,
    _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    read(host, task, .result, buffer, capacity, out, error)
}

@c @implementation public func curfew_host_read_task_error(
    _ host: OpaquePointer, _ task: curfew_task, _ buffer: UnsafeMutablePointer<CChar>?,
    _ capacity: UInt64, _ out: UnsafeMutablePointer<UInt64>?,
    _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    read(host, task, .error, buffer, capacity, out, error)
}

private func read(
    _ host: OpaquePointer, _ task: curfew_task, _ part: TaskEngine.Part,
    _ buffer: UnsafeMutableRawPointer?, _ capacity: UInt64, _ out: UnsafeMutablePointer<UInt64>?,
    _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    let room = buffer == nil ? 0 : Int(clamping: capacity)
    let (status, bytes) = with(host) { (host: HostRuntime) in
        host.engine.read(
            part, of: task, into: UnsafeMutableRawBufferPointer(start: buffer, count: room))
    }
    out?.pointee = UInt64(bytes)
    if status == .tooLarge {
        return answer(error, status, "task \(task): \(bytes) bytes were cut to \(capacity)")
    }
    return answer(error, status, task, "is not over yet")
}

@c @implementation public func curfew_host_keep_task(
    _ host: OpaquePointer, _ task: curfew_task, _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    let status = with(host) { (host: HostRuntime) in host.engine.keep(task) }
    return answer(error, status, task, "")
}

@c @implementation public func curfew_host_release_task(
    _ host: OpaquePointer, _ task: curfew_task, _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    let status = with(host) { (host: HostRuntime) in host.engine.release(task) }
    return answer(error, status, task, "has no reference of the embedder's")
}
