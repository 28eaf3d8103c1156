// SPDX-License-Identifier: Apache-2.0
public import CCurfew
import PluginBridge
import Runner
import Scheduling

extension curfew_target_wait_options {
    /// Reads options of any version; all members are zero for NULL.
    fileprivate static func read(
        _ options: UnsafePointer<curfew_target_wait_options>?
    ) throws(BridgeError) -> curfew_target_wait_options {
        guard let options else { return curfew_target_wait_options() }
        guard let copy = StructCopy.read(options, least: 8, zero: curfew_target_wait_options()),
            copy.task == 0 || copy.sender == nil
        else {
            throw BridgeError(
                .invalid,
                "curfew_target_wait_options: its struct_size is not sizeof(curfew_target_wait_options), or both task and sender are set"
            )
        }
        return copy
    }

    fileprivate var filter: SenderFilter? {
        task != 0 ? .task(task) : sender.map { .address(UInt(bitPattern: $0)) }
    }

    fileprivate var timeout: UInt64? { timeout_ns == 0 ? nil : timeout_ns }
}

/// Begins a wait or a sleep with a continuation in C.
private func begin(
    _ continuation: @escaping curfew_target_continuation, _ data: UnsafeMutableRawPointer?,
    _ out: UnsafeMutablePointer<curfew_target_wait>?, _ error: UnsafeMutablePointer<curfew_error>?,
    _ body: (ForeignWait) throws(BridgeError) -> UInt64
) -> curfew_status {
    guard isFunction(unsafeBitCast(continuation, to: UInt.self)) else {
        return refuseNull(error, "continuation")
    }
    let wait = ForeignWait(function: continuation, data: data)
    return answer(error) { () throws(BridgeError) in
        let begun = try body(wait)
        out?.pointee = begun
    }
}

@c @implementation public func curfew_target_wait_for(
    _ host: OpaquePointer, _ number: curfew_target, _ selector: UnsafePointer<CChar>,
    _ options: UnsafePointer<curfew_target_wait_options>?,
    _ continuation: @escaping curfew_target_continuation,
    _ data: UnsafeMutableRawPointer?, _ out: UnsafeMutablePointer<curfew_target_wait>?,
    _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    begin(continuation, data, out, error) { wait throws(BridgeError) in
        let options = try curfew_target_wait_options.read(options)
        return try target(host, number).waitFor(
            try needed(selector, "the selector", limit: EventSelector.textLimit),
            from: options.filter, limit: options.timeout
        ) { wait.settle($0) }
    }
}

@c @implementation public func curfew_target_sleep(
    _ host: OpaquePointer, _ number: curfew_target, _ duration: UInt64,
    _ continuation: @escaping curfew_target_continuation, _ data: UnsafeMutableRawPointer?,
    _ out: UnsafeMutablePointer<curfew_target_wait>?, _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    begin(continuation, data, out, error) { wait throws(BridgeError) in
        try target(host, number).sleep(duration) { wait.settle($0) }
    }
}

@c @implementation public func curfew_target_cancel_wait(
    _ host: OpaquePointer, _ number: curfew_target, _ wait: curfew_target_wait,
    _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    answer(error) { () throws(BridgeError) in
        let given = try target(host, number).giveUp(
            wait, BridgeError(.notFound, "the wait was cancelled"))
        if !given { throw BridgeError(.notFound, "the wait is over") }
    }
}

@c @implementation public func curfew_target_forget_sender(
    _ host: OpaquePointer, _ number: curfew_target, _ sender: UnsafeRawPointer,
    _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    if isNull(sender) { return refuseNull(error, "sender") }
    return answer(error) { () throws(BridgeError) in
        try target(host, number).forget(.address(UInt(bitPattern: sender)))
    }
}

// MARK: Resumable subs

@c @implementation public func curfew_target_begin_resumable(
    _ host: OpaquePointer, _ number: curfew_target, _ out: UnsafeMutablePointer<curfew_resumable>,
    _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    if isNull(out) { return refuseNull(error, "out_resumable") }
    return answer(error) { () throws(BridgeError) in
        out.pointee = try target(host, number).beginResumable()
    }
}

@c @implementation public func curfew_target_finish_resumable(
    _ host: OpaquePointer, _ number: curfew_target, _ resumable: curfew_resumable,
    _ value: UnsafePointer<curfew_value>?,
    _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    answer(error) { () throws(BridgeError) in
        let value = try value.map { value throws(BridgeError) in try read(value, 1)[0] }
        try target(host, number).finishResumable(resumable, value)
    }
}

@c @implementation public func curfew_target_fail_resumable(
    _ host: OpaquePointer, _ number: curfew_target, _ resumable: curfew_resumable,
    _ text: UnsafePointer<CChar>,
    _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    answer(error) { () throws(BridgeError) in
        guard let text = ForeignText.shown(text, limit: ValueReader.textLimit) else {
            throw BridgeError(.invalid, "the text is NULL")
        }
        let failure = SubFailure(status: .failed, text: text)
        try target(host, number).finishResumable(resumable, nil, failure: failure)
    }
}

@c @implementation public func curfew_target_wait_for_resumable(
    _ host: OpaquePointer, _ number: curfew_target, _ resumable: curfew_resumable,
    _ options: UnsafePointer<curfew_target_wait_options>?,
    _ continuation: @escaping curfew_target_continuation,
    _ data: UnsafeMutableRawPointer?, _ out: UnsafeMutablePointer<curfew_target_wait>?,
    _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    begin(continuation, data, out, error) { wait throws(BridgeError) in
        let options = try curfew_target_wait_options.read(options)
        return try target(host, number).waitForCompletion(
            of: resumable, limit: options.timeout
        ) { wait.settle($0) }
    }
}
