// SPDX-License-Identifier: Apache-2.0
import CCurfew
import Scheduling

/// The extension "curfew.requests/1": a plugin's own requests.
enum RequestsExtension {
    nonisolated(unsafe) static let table: UnsafeMutablePointer<curfew_requests> = {
        let table = UnsafeMutablePointer<curfew_requests>.allocate(capacity: 1)
        table.initialize(
            to: curfew_requests(
                struct_size: UInt32(MemoryLayout<curfew_requests>.size), reserved: 0,
                submit: submit, cancel: cancel, snooze: snooze, get_request: request,
                list_pending: pending, read_payload: readPayload, get_wall_ns: date,
                get_owner: owner, get_trace: trace))
        return table
    }()
}

private func fail(
    _ error: UnsafeMutablePointer<curfew_error>?, _ status: Status, _ message: String
) -> curfew_status {
    ErrorBuffer.fill(error, status, message)
    return status.rawValue
}

private func submit(
    _ api: UnsafePointer<curfew_host_api>, _ identifier: UnsafePointer<CChar>,
    _ options: UnsafePointer<curfew_submit_options>?, _ out: UnsafeMutablePointer<curfew_request>?,
    _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    PluginTable.call(api, otherwise: Status.closing.rawValue) { context in
        guard let name = ForeignText.read(identifier, limit: 128) else {
            return fail(
                error, .invalid,
                "the identifier is NULL, longer than 128 bytes or not UTF-8; nothing was submitted")
        }
        var copy = curfew_submit_options()
        if let options {
            guard let read = StructCopy.read(options, least: 8, zero: copy),
                read.payload != nil || read.payload_bytes == 0
            else {
                return fail(
                    error, .invalid,
                    "curfew_submit_options: its struct_size is that of no version, or payload is NULL though payload_bytes is not 0; nothing was submitted"
                )
            }
            copy = read
        }
        let answer = context.services.submit(name, copy, plugin: context.plugin)
        switch answer {
        case .success(let id):
            out?.pointee = id
            return Status.ok.rawValue
        case .failure(let failure): return fail(error, failure.status, failure.message)
        }
    }
}

private func cancel(
    _ api: UnsafePointer<curfew_host_api>, _ identifier: UnsafePointer<CChar>,
    _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    PluginTable.call(api, otherwise: Status.closing.rawValue) { context in
        guard let name = ForeignText.read(identifier, limit: 128) else {
            return fail(
                error, .invalid, "the identifier is NULL, longer than 128 bytes or not UTF-8")
        }
        let status = context.services.cancelRequests(of: name, plugin: context.plugin)
        guard status != .ok else { return status.rawValue }
        return fail(error, status, "no request of \"\(name)\" was cancelled: \(status)")
    }
}

private func snooze(
    _ api: UnsafePointer<curfew_host_api>, _ task: curfew_task, _ delay: UInt64,
    _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    PluginTable.call(api, otherwise: Status.stale.rawValue) { context in
        let status = context.services.snooze(task, delay, plugin: context.plugin)
        guard status != .ok else { return status.rawValue }
        return fail(
            error, status,
            status == .wrongState
                ? "task \(task) has no request, or its outcome is decided"
                : "task \(task) was not snoozed: \(status)")
    }
}

private func request(
    _ api: UnsafePointer<curfew_host_api>, _ task: curfew_task
) -> curfew_request {
    PluginTable.call(api, otherwise: 0) { context in
        context.services.request(of: task, plugin: context.plugin)
    }
}

private func owner(_ api: UnsafePointer<curfew_host_api>, _ task: curfew_task) -> Int64 {
    PluginTable.call(api, otherwise: -1) { context in
        context.services.owner(of: task, plugin: context.plugin).map { Int64($0) } ?? -1
    }
}

private func trace(
    _ api: UnsafePointer<curfew_host_api>, _ task: curfew_task,
    _ buffer: UnsafeMutablePointer<CChar>
) -> curfew_status {
    PluginTable.call(api, otherwise: Status.closing.rawValue) { context in
        guard UInt(bitPattern: buffer) != 0 else { return Status.invalid.rawValue }
        guard let trace = context.services.trace(of: task, plugin: context.plugin) else {
            buffer[0] = 0
            return Status.notFound.rawValue
        }
        for (index, byte) in trace.text.utf8.enumerated() {
            buffer[index] = CChar(bitPattern: byte)
        }
        buffer[Int(CURFEW_TRACE_BYTES) - 1] = 0
        return Status.ok.rawValue
    }
}

private func date(_ api: UnsafePointer<curfew_host_api>) -> Int64 {
    PluginTable.call(api, otherwise: 0) { context in context.services.date }
}

private func pending(
    _ api: UnsafePointer<curfew_host_api>, _ after: curfew_request,
    _ infos: UnsafeMutablePointer<curfew_request_state>, _ capacity: UInt32,
    _ out: UnsafeMutablePointer<UInt32>, _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    PluginTable.call(api, otherwise: Status.closing.rawValue) { context in
        let answer = context.services.pendingRequests(
            after: after, limit: Int(capacity), plugin: context.plugin)
        switch answer {
        case .success(let found):
            let count = StructArray.fill(infos, capacity, found) { $0 }
            guard let count, UInt(bitPattern: out) != 0 else {
                return fail(
                    error, .invalid,
                    "curfew_request_state: its struct_size is that of no version, or a pointer is NULL"
                )
            }
            out.pointee = count
            return Status.ok.rawValue
        case .failure(let failure): return fail(error, failure.status, failure.message)
        }
    }
}

private func readPayload(
    _ api: UnsafePointer<curfew_host_api>, _ request: curfew_request,
    _ buffer: UnsafeMutableRawPointer?, _ capacity: UInt64, _ out: UnsafeMutablePointer<UInt64>?,
    _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    PluginTable.call(api, otherwise: Status.closing.rawValue) { context in
        switch context.services.payload(of: request, plugin: context.plugin) {
        case .success(let payload):
            return StructArray.copy(payload, to: buffer, capacity, out).rawValue
        case .failure(let failure): return fail(error, failure.status, failure.message)
        }
    }
}
