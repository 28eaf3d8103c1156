// SPDX-License-Identifier: Apache-2.0
import CCurfew
import PluginBridge

// The functions of an interposer's table: each looks at the call and passes it on to the host's.

func interposedRegister(
    _ api: UnsafePointer<curfew_host_api>, _ handler: UnsafePointer<curfew_handler>,
    _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    let interposer = Interposer.of(api)
    interposer.check("register_handler")
    if let refused = interposer.refused("register_handler") {
        // Sets a message, as every host does when it refuses.
        ErrorBuffer.fill(
            error, refused, "the host has as many handlers as it may; nothing was registered")
        return refused.rawValue
    }
    let real = interposer.real!
    interposer.checkHandler(handler)
    // The real function refuses a struct of no version.
    guard handler.pointee.struct_size >= MemoryLayout<curfew_handler>.size,
        let run = handler.pointee.run
    else { return real.pointee.register_handler(real, handler, error) }
    let data = Interposer.InterposedHandler(interposer, handler.pointee, run)
    var own = handler.pointee
    own.struct_size = UInt32(MemoryLayout<curfew_handler>.size)
    own.handler_data = Unmanaged.passRetained(data).toOpaque()
    own.run = { data, _, task, error in
        let handler = Unmanaged<Interposer.InterposedHandler>.fromOpaque(data!)
            .takeUnretainedValue()
        return handler.interposer.run(handler, task, error)
    }
    if handler.pointee.expired != nil {
        interposer.noteCallback(of: data.identifier)
        own.expired = { data, _, task, reason in
            let handler = Unmanaged<Interposer.InterposedHandler>.fromOpaque(data!)
                .takeUnretainedValue()
            handler.interposer.expired(handler, task, reason)
        }
    }
    return real.pointee.register_handler(real, &own, error)
}

func interposedInfo(
    _ api: UnsafePointer<curfew_host_api>, _ task: curfew_task,
    _ info: UnsafeMutablePointer<curfew_task_info>
) -> curfew_status {
    let interposer = Interposer.of(api)
    interposer.check("task_info")
    if let refused = interposer.refused("task_info") { return refused.rawValue }
    let status = interposer.checked(
        "task_info", task, interposer.real.pointee.task_info(interposer.real, task, info))
    if status == 0 {
        interposer.place(info, task)
        interposer.grow(info)
    }
    return status
}

func interposedIsExpired(
    _ api: UnsafePointer<curfew_host_api>, _ task: curfew_task
) -> Bool {
    let interposer = Interposer.of(api)
    return interposer.real.pointee.is_expired(interposer.real, task)
}

func interposedRemaining(
    _ api: UnsafePointer<curfew_host_api>, _ task: curfew_task
) -> UInt64 {
    let interposer = Interposer.of(api)
    interposer.check("remaining_ns")
    return interposer.remaining(interposer.real.pointee.remaining_ns(interposer.real, task))
}

func interposedProgress(
    _ api: UnsafePointer<curfew_host_api>, _ task: curfew_task, _ fraction: Double,
    _ text: UnsafePointer<CChar>?, _ bytes: UInt64
) -> curfew_status {
    let interposer = Interposer.of(api)
    interposer.check("progress")
    interposer.order?.calls(task)
    interposer.checkOpen("progress", task)
    interposer.checkFraction(fraction, task)
    return interposer.refused("progress")?.rawValue
        ?? interposer.checked(
            "progress", task,
            interposer.real.pointee.progress(interposer.real, task, fraction, text, bytes))
}

func interposedComplete(
    _ api: UnsafePointer<curfew_host_api>, _ task: curfew_task, _ status: curfew_status,
    _ error: UnsafePointer<CChar>?, _ errorBytes: UInt64, _ result: UnsafeRawPointer?,
    _ resultBytes: UInt64
) -> curfew_status {
    let interposer = Interposer.of(api)
    interposer.check("complete")
    // To the plugin it was not complete yet.
    if interposer.isRetry(task) { return curfew_status(CURFEW_OK) }
    interposer.order?.completes(task)
    interposer.complete(task, status, error, errorBytes)
    // Completes the task all the same, since a plugin that does not try again would leave it.
    let answer = interposer.real.pointee.complete(
        interposer.real, task, status, error, errorBytes, result, resultBytes)
    interposer.order?.completed(task)
    let function = resultBytes > 0 ? "complete with a result" : "complete"
    guard let refused = interposer.refused(function) else { return answer }
    if refused == .exhausted { interposer.permitRetry(task) }
    return refused.rawValue
}

func interposedKeep(
    _ api: UnsafePointer<curfew_host_api>, _ task: curfew_task
) -> curfew_status {
    let interposer = Interposer.of(api)
    interposer.check("keep")
    interposer.order?.calls(task)
    if let refused = interposer.refused("keep") { return refused.rawValue }
    let status = interposer.checked(
        "keep", task, interposer.real.pointee.keep(interposer.real, task))
    if status == 0 { interposer.keep(task) }
    return status
}

func interposedRelease(
    _ api: UnsafePointer<curfew_host_api>, _ task: curfew_task
) -> curfew_status {
    let interposer = Interposer.of(api)
    interposer.check("release")
    let status = interposer.checked(
        "release", task, interposer.real.pointee.release(interposer.real, task))
    if status == 0 { interposer.drop(task) }
    return status
}

func interposedRaise(
    _ api: UnsafePointer<curfew_host_api>, _ task: curfew_task, _ event: UnsafePointer<CChar>,
    _ values: UnsafePointer<curfew_value>?, _ count: UInt32
) -> curfew_status {
    let interposer = Interposer.of(api)
    interposer.check("raise")
    interposer.order?.calls(task)
    interposer.checkOpen("raise", task)
    interposer.checkValues(values, count)
    return interposer.refused("raise")?.rawValue
        ?? interposer.checked(
            "raise", task,
            interposer.real.pointee.raise(interposer.real, task, event, values, count))
}

func interposedLog(
    _ api: UnsafePointer<curfew_host_api>, _ task: curfew_task, _ level: curfew_log_level,
    _ text: UnsafePointer<CChar>, _ bytes: UInt64
) {
    let interposer = Interposer.of(api)
    interposer.check("log")
    interposer.order?.calls(task)
    interposer.real.pointee.log(interposer.real, task, level, text, bytes)
}

func interposedExtension(
    _ api: UnsafePointer<curfew_host_api>, _ id: UnsafePointer<CChar>
) -> UnsafeRawPointer? {
    Interposer.of(api).extension(id)
}
