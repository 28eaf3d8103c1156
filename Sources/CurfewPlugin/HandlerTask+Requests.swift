// SPDX-License-Identifier: Apache-2.0
import CCurfew

/// Requests of the plugin: launches at a later time, also by the next process.
extension HandlerTask {
    /// Submits a request for a handler of this plugin, and returns its number once it is durable.
    ///
    /// It goes on with the trace of this task. It is a transaction of its own: if a task submits the next launch before it works, that
    /// launch comes even if the process ends. Blocks the worker while the disk writes.
    ///
    /// - Throws: `HostRefusal` if the limit of pending requests of its kind is reached, the handler
    ///   is not this plugin's, the store fails, or the host has no requests.
    @discardableResult
    public func submit(_ request: LaunchRequest) throws(HostRefusal) -> UInt64 {
        var number: curfew_request = 0
        var error = curfew_error()
        error.struct_size = UInt32(MemoryLayout<curfew_error>.size)
        let status = request.withOptions(trace: trace) { options in
            withUnsafePointer(to: options) { options in
                run.asking(else: curfew_status(CURFEW_STALE)) { api, _ in
                    guard let table = Self.requests(api) else {
                        return curfew_status(CURFEW_NOT_FOUND)
                    }
                    return request.identifier.withCString {
                        table.pointee.submit(api, $0, options, &number, &error)
                    }
                }
            }
        }
        let said = withUnsafeBytes(of: error.message) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        if let refusal = HostRefusal(
            status, asked: "submit a request for '\(request.identifier)'", said: said)
        {
            throw refusal
        }
        return number
    }

    /// Submits the next run of this task's handler, with this task's payload, and returns its number.
    ///
    /// A run that is pending already is kept and returned, so that each attempt may call it: call it
    /// first, and the next run comes also if this attempt fails.
    ///
    /// - Parameters:
    ///   - after: the shortest time until then, on the host's clock.
    ///   - attempts: the maximum number of launches, until one succeeds.
    /// - Throws: as `submit`.
    @discardableResult
    public func submitNext(after: Duration, attempts: Int = 1) throws(HostRefusal) -> UInt64 {
        var next = LaunchRequest(identifier, after: after, payload: payload)
        next.attempts = attempts
        next.keepsPending = true
        return try submit(next)
    }

    /// Cancels the pending requests of a handler of this plugin.
    ///
    /// - Throws: `HostRefusal` if the handler is not this plugin's, or the store fails.
    public func cancelRequests(of identifier: String) throws(HostRefusal) {
        let status = run.asking(else: curfew_status(CURFEW_STALE)) { api, _ in
            guard let table = Self.requests(api) else { return curfew_status(CURFEW_NOT_FOUND) }
            return identifier.withCString { table.pointee.cancel(api, $0, nil) }
        }
        if let refusal = HostRefusal(status, asked: "cancel the requests of '\(identifier)'") {
            throw refusal
        }
    }

    /// Postpones the request of this task by a duration, whatever its outcome, without using an
    /// attempt.
    ///
    /// - Throws: `HostRefusal` if the task is not a launch of a request.
    public func snooze(for span: Duration) throws(HostRefusal) {
        let status = run.asking(else: curfew_status(CURFEW_STALE)) { api, id in
            guard let table = Self.requests(api) else { return curfew_status(CURFEW_NOT_FOUND) }
            return table.pointee.snooze(api, id, span.inNanoseconds, nil)
        }
        if let refusal = HostRefusal(status, asked: "snooze") { throw refusal }
    }

    /// The number of the request that launched this task; nil if no request did.
    public var request: UInt64? {
        let number = run.asking(else: 0) { api, id in
            Self.requests(api)?.pointee.get_request(api, id) ?? 0
        }
        return number == 0 ? nil : number
    }

    /// The date of the host's clock, which a simulation or a test may have set; nil if the host has
    /// no requests.
    public var date: Instant? {
        let date = run.asking(else: Int64(0)) { api, _ -> Int64 in
            guard let table = Self.requests(api),
                Self.has(\.get_wall_ns, table)
            else { return 0 }
            return table.pointee.get_wall_ns(api)
        }
        return date == 0 ? nil : Instant(nanosecondsSince1970: date)
    }

    /// The number of the user who has submitted the request of this task to another user's host, as
    /// the kernel has told it. Nil if that is the host's own user, no request launched the task, or
    /// the host is older than this function.
    public var owner: UInt32? {
        let user = run.asking(else: Int64(-1)) { api, id -> Int64 in
            guard let table = Self.requests(api), Self.has(\.get_owner, table) else { return -1 }
            return table.pointee.get_owner(api, id)
        }
        return UInt32(exactly: user)
    }

    /// The place of this task in a trace, as the header `traceparent` of https://www.w3.org/TR/trace-context/ has it:
    /// `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. What the task calls goes on with it, and so do the
    /// requests that it submits. Nil if no request launched the task, or the host is older than this function.
    public var trace: String? {
        run.asking(else: String?.none) { api, id -> String? in
            guard let table = Self.requests(api), Self.has(\.get_trace, table) else { return nil }
            return withUnsafeTemporaryAllocation(
                of: CChar.self, capacity: Int(CURFEW_TRACE_BYTES)
            ) { buffer in
                guard
                    table.pointee.get_trace(api, id, buffer.baseAddress!)
                        == curfew_status(CURFEW_OK)
                else { return nil }
                return String(cString: buffer.baseAddress!)
            }
        }
    }

    /// Whether the table of this host, which may be an older one, has a function.
    private static func has(
        _ function: PartialKeyPath<curfew_requests>, _ table: UnsafePointer<curfew_requests>
    ) -> Bool {
        MemoryLayout<curfew_requests>.offset(of: function)! < Int(table.pointee.struct_size)
    }

    private static func requests(
        _ api: UnsafePointer<curfew_host_api>
    ) -> UnsafePointer<curfew_requests>? {
        CURFEW_EXT_REQUESTS.withCString { api.pointee.extension(api, $0) }?
            .assumingMemoryBound(to: curfew_requests.self)
    }
}
