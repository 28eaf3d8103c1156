// SPDX-License-Identifier: Apache-2.0
public import CCurfew
import PluginBridge
import Runner
import Scheduling

/// Runs a call about requests, and writes its error to the caller's error.
func answer(
    _ host: OpaquePointer, _ error: UnsafeMutablePointer<curfew_error>?,
    _ body: (HostRuntime) throws(RequestFailure) -> Void
) -> curfew_status {
    with(host) { (host: HostRuntime) in
        do throws(RequestFailure) {
            try body(host)
            return Status.ok.rawValue
        } catch let failure {
            return answer(error, failure.status, failure.message)
        }
    }
}

private func invalid(_ what: String) -> RequestFailure { .other(.invalid, what) }

private func sizeFault<T>(_ type: T.Type) -> RequestFailure {
    invalid("\(type).struct_size is not that of any version of the struct")
}

/// Fills the parameter `name`, an array of the caller's, and its count. Throws `.invalid` if one is
/// NULL, or if the array's `struct_size` is that of no version.
private func fill<Source, Target>(
    _ target: UnsafeMutablePointer<Target>, _ name: String, _ capacity: UInt32,
    _ out: UnsafeMutablePointer<UInt32>, _ sources: [Source], _ convert: (Source) -> Target
) throws(RequestFailure) {
    if isNull(out) { throw invalid("out_count is NULL") }
    if capacity > 0, isNull(target) { throw invalid("\(name) is NULL") }
    guard let count = StructArray.fill(target, capacity, sources, convert) else {
        throw sizeFault(Target.self)
    }
    out.pointee = count
}

/// Fills the parameter `name`, a struct of the caller's.
func fill<Source, Target>(
    _ target: UnsafeMutablePointer<Target>, _ name: String, _ source: Source,
    _ convert: (Source) -> Target
) throws(RequestFailure) {
    var count: UInt32 = 0
    try fill(target, name, 1, &count, [source], convert)
}

private func read(
    _ options: UnsafePointer<curfew_submit_options>?
) throws(RequestFailure) -> curfew_submit_options {
    guard let options else { return curfew_submit_options() }
    guard let copy = StructCopy.read(options, least: 8, zero: curfew_submit_options()) else {
        throw sizeFault(curfew_submit_options.self)
    }
    guard copy.payload != nil || copy.payload_bytes == 0 else {
        throw invalid("payload is NULL though payload_bytes is not 0")
    }
    return copy
}

/// Reads an identifier, or a plugin's id.
func name(
    _ start: UnsafePointer<CChar>?, _ what: String = "identifier"
) throws(RequestFailure) -> String {
    do throws(BridgeError) {
        return try needed(start, what)
    } catch {
        throw .other(error.status, "\(error.message); nothing was done")
    }
}

/// Reads an identifier; returns nil for NULL, which means all.
func name(orAll start: UnsafePointer<CChar>?) throws(RequestFailure) -> String? {
    guard let start else { return nil }
    return try name(start)
}

/// Reads the caller's options, and the request that they describe.
private func described(
    _ identifier: UnsafePointer<CChar>, _ options: UnsafePointer<curfew_submit_options>?,
    _ host: HostRuntime
) throws(RequestFailure) -> (options: curfew_submit_options, request: RequestDescription) {
    let (copy, name) = (try read(options), try name(identifier))
    do throws(BridgeError) {
        let kind = host.engine.handlers.find(name)?.description.kind
        let date = host.requests.moment.wall
        return (copy, try RequestDescription(name, copy, handlerKind: kind, at: date))
    } catch {
        throw .other(error.status, error.message)
    }
}

// MARK: Submitting

@c @implementation public func curfew_host_submit(
    _ host: OpaquePointer, _ identifier: UnsafePointer<CChar>,
    _ options: UnsafePointer<curfew_submit_options>?, _ out: UnsafeMutablePointer<curfew_request>?,
    _ how: UnsafeMutablePointer<curfew_submission>?, _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    answer(host, error) { (host) throws(RequestFailure) in
        let (copy, description) = try described(identifier, options, host)
        // The size is checked before the copy, since it may be as large as 64 bits allow.
        let limit = host.requests.payloadLimit
        guard copy.payload_bytes <= UInt64(limit) else {
            throw .refused(
                .tooLarge(bytes: Int(clamping: copy.payload_bytes), limit: limit))
        }
        let bytes = UnsafeRawBufferPointer(start: copy.payload, count: Int(copy.payload_bytes))
        let submission = try host.requests.submit(
            description, payload: Array(bytes),
            isNext: copy.on_pending == 0 && host.requests.isInHandler)
        out?.pointee = submission.id.rawValue
        how?.pointee =
            switch submission {
            case .queued: curfew_submission(CURFEW_SUBMISSION_QUEUED)
            case .duplicatePending: curfew_submission(CURFEW_SUBMISSION_DUPLICATE_PENDING)
            case .duplicateKey: curfew_submission(CURFEW_SUBMISSION_DUPLICATE_KEY)
            }
    }
}

@c @implementation public func curfew_host_cancel_request(
    _ host: OpaquePointer, _ request: curfew_request, _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    answer(host, error) { (host) throws(RequestFailure) in
        let status = try host.requests.cancel(RequestID(rawValue: request))
        if status != .ok { throw .other(status, "request \(request) was over before") }
    }
}

@c @implementation public func curfew_host_cancel_requests(
    _ host: OpaquePointer, _ identifier: UnsafePointer<CChar>?,
    _ out: UnsafeMutablePointer<UInt32>?, _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    answer(host, error) { (host) throws(RequestFailure) in
        let count = try host.requests.cancelPending(try name(orAll: identifier))
        out?.pointee = UInt32(clamping: count)
    }
}

@c @implementation public func curfew_host_release_request(
    _ host: OpaquePointer, _ request: curfew_request, _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    answer(host, error) { (host) throws(RequestFailure) in
        try host.requests.release(RequestID(rawValue: request))
    }
}

@c @implementation public func curfew_host_retry_request(
    _ host: OpaquePointer, _ request: curfew_request, _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    answer(host, error) { (host) throws(RequestFailure) in
        try host.requests.retry(RequestID(rawValue: request))
    }
}

@c @implementation public func curfew_host_launch_request(
    _ host: OpaquePointer, _ request: curfew_request, _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    answer(host, error) { (host) throws(RequestFailure) in
        try host.requests.launchNow(RequestID(rawValue: request))
    }
}

@c @implementation public func curfew_host_edit_request(
    _ host: OpaquePointer, _ request: curfew_request, _ edits: curfew_edits,
    _ options: UnsafePointer<curfew_submit_options>, _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    answer(host, error) { (host) throws(RequestFailure) in
        if isNull(options) { throw invalid("options is NULL") }
        let copy = try read(options)
        guard edits < curfew_edits(CURFEW_EDITS_OPPORTUNISTIC) << 1 else {
            throw invalid("edits has bits without a meaning")
        }
        let new: RequestDescription
        do throws(BridgeError) {
            // Its identifier and kind are not among what is replaced.
            new = try RequestDescription(
                "", copy, handlerKind: nil, at: host.requests.moment.wall)
        } catch {
            throw .other(error.status, error.message)
        }
        try host.requests.edit(RequestID(rawValue: request)) { description in
            func has(_ edit: Int) -> Bool { edits & curfew_edits(edit) != 0 }
            if has(CURFEW_EDITS_EARLIEST) { description.earliest = new.earliest }
            if has(CURFEW_EDITS_LATEST) { description.latest = new.latest }
            if has(CURFEW_EDITS_NEEDS) { description.needs = new.needs }
            if has(CURFEW_EDITS_PRIORITY) { description.priority = new.priority }
            if has(CURFEW_EDITS_RETRIES) { description.retry = new.retry }
            if has(CURFEW_EDITS_REPETITION) { description.repetition = new.repetition }
            if has(CURFEW_EDITS_KEY) { description.key = new.key }
            if has(CURFEW_EDITS_OPPORTUNISTIC) {
                description.opportunistic = new.opportunistic
                description.atMost = new.atMost
            }
        }
    }
}

// MARK: Queries

@c @implementation public func curfew_host_get_request(
    _ host: OpaquePointer, _ request: curfew_request,
    _ out: UnsafeMutablePointer<curfew_request_state>, _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    answer(host, error) { (host) throws(RequestFailure) in
        guard let found = try host.requests.request(RequestID(rawValue: request)) else {
            throw .other(.notFound, "there is no request \(request), or it is not kept any more")
        }
        try fill(out, "out_state", found) { curfew_request_state($0) }
    }
}

@c @implementation public func curfew_host_list_requests(
    _ host: OpaquePointer, _ filter: UnsafePointer<curfew_request_filter>?,
    _ states: UnsafeMutablePointer<curfew_request_state>, _ capacity: UInt32,
    _ out: UnsafeMutablePointer<UInt32>, _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    answer(host, error) { (host) throws(RequestFailure) in
        var wanted = RequestFilter(limit: Int(capacity))
        if let filter {
            guard let copy = StructCopy.read(filter, least: 8, zero: curfew_request_filter())
            else { throw sizeFault(curfew_request_filter.self) }
            wanted.states = Set(
                RequestState.allCases.filter { copy.phases >> UInt32($0.rawValue) & 1 != 0 })
            wanted.after = copy.after == 0 ? nil : RequestID(rawValue: copy.after)
            wanted.identifier = try name(orAll: copy.identifier)
        }
        let found = try host.requests.requests(wanted)
        try fill(states, "out_states", capacity, out, found) { curfew_request_state($0) }
    }
}

@c @implementation public func curfew_host_read_request_payload(
    _ host: OpaquePointer, _ request: curfew_request, _ buffer: UnsafeMutableRawPointer?,
    _ capacity: UInt64, _ out: UnsafeMutablePointer<UInt64>?,
    _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    answer(host, error) { (host) throws(RequestFailure) in
        guard let payload = try host.requests.payload(of: RequestID(rawValue: request)) else {
            throw .other(.notFound, "there is no request \(request), or it is not kept any more")
        }
        guard StructArray.copy(payload, to: buffer, capacity, out) == .ok else {
            throw .other(.tooLarge, "the payload's \(payload.count) bytes were cut to \(capacity)")
        }
    }
}

@c @implementation public func curfew_host_list_attempts(
    _ host: OpaquePointer, _ request: curfew_request,
    _ attempts: UnsafeMutablePointer<curfew_attempt>, _ capacity: UInt32,
    _ out: UnsafeMutablePointer<UInt32>, _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    answer(host, error) { (host) throws(RequestFailure) in
        let found = try host.requests.attempts(
            of: RequestID(rawValue: request), limit: Int(capacity))
        try fill(attempts, "out_attempts", capacity, out, found) { curfew_attempt($0) }
    }
}

@c @implementation public func curfew_host_read_attempt(
    _ host: OpaquePointer, _ request: curfew_request, _ launch: UInt64, _ part: curfew_attempt_part,
    _ buffer: UnsafeMutableRawPointer?, _ capacity: UInt64, _ out: UnsafeMutablePointer<UInt64>?,
    _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    answer(host, error) { (host) throws(RequestFailure) in
        let id = RequestID(rawValue: request)
        guard let record = try host.requests.attempt(launch, of: id)?.record else {
            throw .other(
                .notFound, "there is no launch \(launch) of request \(request), or it is not kept")
        }
        let text: String
        switch part {
        case curfew_attempt_part(CURFEW_ATTEMPT_PART_LOG): text = record.log.text
        case curfew_attempt_part(CURFEW_ATTEMPT_PART_RESULT): text = record.result
        default: throw .other(.invalid, "an attempt has no part \(part)")
        }
        guard StructArray.copy(Array(text.utf8), to: buffer, capacity, out) == .ok else {
            throw .other(.tooLarge, "the \(text.utf8.count) bytes were cut to \(capacity)")
        }
    }
}

@c @implementation public func curfew_host_list_journal(
    _ host: OpaquePointer, _ after: UInt64, _ request: curfew_request,
    _ entries: UnsafeMutablePointer<curfew_journal_entry>, _ capacity: UInt32,
    _ out: UnsafeMutablePointer<UInt32>, _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    answer(host, error) { (host) throws(RequestFailure) in
        let found = try host.requests.journal(
            after: after, of: request == 0 ? nil : RequestID(rawValue: request),
            limit: Int(capacity))
        try fill(entries, "out_entries", capacity, out, found) { curfew_journal_entry($0) }
    }
}

@c @implementation public func curfew_host_get_wall_ns(_ host: OpaquePointer) -> Int64 {
    with(host) { (host: HostRuntime) in host.requests.moment.wall }
}

// MARK: Why

@c @implementation public func curfew_host_explain_request(
    _ host: OpaquePointer, _ request: curfew_request,
    _ reports: UnsafeMutablePointer<curfew_factor_report>, _ capacity: UInt32,
    _ out: UnsafeMutablePointer<UInt32>, _ earliest: UnsafeMutablePointer<Int64>?,
    _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    answer(host, error) { (host) throws(RequestFailure) in
        guard let found = try host.requests.why(RequestID(rawValue: request)) else {
            throw .other(.notFound, "there is no request \(request), or it is not kept any more")
        }
        try write(found, host, reports, capacity, out, earliest)
    }
}

@c @implementation public func curfew_host_explain_submit(
    _ host: OpaquePointer, _ identifier: UnsafePointer<CChar>,
    _ options: UnsafePointer<curfew_submit_options>?,
    _ reports: UnsafeMutablePointer<curfew_factor_report>, _ capacity: UInt32,
    _ out: UnsafeMutablePointer<UInt32>, _ earliest: UnsafeMutablePointer<Int64>?,
    _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    answer(host, error) { (host) throws(RequestFailure) in
        let (_, description) = try described(identifier, options, host)
        let found = try host.requests.why(
            description.queue)
        try write(found, host, reports, capacity, out, earliest)
    }
}

private func write(
    _ found: [FactorReport], _ host: HostRuntime,
    _ reports: UnsafeMutablePointer<curfew_factor_report>, _ capacity: UInt32,
    _ out: UnsafeMutablePointer<UInt32>, _ earliest: UnsafeMutablePointer<Int64>?
) throws(RequestFailure) {
    try fill(reports, "out_reports", capacity, out, found) { curfew_factor_report($0) }
    earliest?.pointee = RequestScheduler.earliest(found, at: host.requests.moment.wall) ?? 0
    guard found.count <= capacity else {
        throw .other(.tooLarge, "the \(found.count) reports were cut to \(capacity)")
    }
}

@c @implementation public func curfew_host_list_hosts(
    _ host: OpaquePointer, _ after: UInt64, _ hosts: UnsafeMutablePointer<curfew_store_host>,
    _ capacity: UInt32, _ out: UnsafeMutablePointer<UInt32>,
    _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    answer(host, error) { (host) throws(RequestFailure) in
        let found = try host.requests.hosts().filter { $0.record.id > Int64(clamping: after) }
        try fill(hosts, "out_hosts", capacity, out, Array(found.prefix(Int(capacity)))) {
            curfew_store_host($0)
        }
    }
}
