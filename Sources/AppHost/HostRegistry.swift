// SPDX-License-Identifier: Apache-2.0
import CAppHost
package import CCurfew

/// The registry of a host in this process, which calls the C API.
package struct HostRegistry: AppRegistry, @unchecked Sendable {
    // Sendable: any thread may use host and functions.
    package let host: OpaquePointer
    let functions: capphost_functions
    let names: AppNames
    /// Nil if this app is not to be started.
    var startFile: AppStartFile?

    package func register(_ handler: curfew_handler, kind: Int32) throws(AppRegistryFailure) {
        let identifier = names.inHost(handler.identifier.map { String(cString: $0) } ?? "")
        var last = AppRegistryFailure(curfew_status(CURFEW_INVALID), "it has no name")
        for event in AppEventName.candidates(of: identifier) {
            do throws(AppRegistryFailure) {
                try register(handler, identifier, kind: kind, event: event)
                return
            } catch {
                // Another handler may have that name for its events; then the next name is tried.
                guard error.status == curfew_status(CURFEW_EXISTS) else { throw error }
                last = error
            }
        }
        throw last
    }

    private func register(
        _ handler: curfew_handler, _ identifier: String, kind: Int32, event: String
    ) throws(AppRegistryFailure) {
        try AppCall.check { error in
            identifier.withCString { identifier in
                event.withCString { event in
                    var handler = handler
                    handler.identifier = identifier
                    var options = curfew_handler_options()
                    options.struct_size = UInt32(MemoryLayout<curfew_handler_options>.size)
                    options.kind = kind
                    options.event = event
                    return functions.add_handler(host, &handler, &options, error)
                }
            }
        }
    }

    package func submit(_ request: AppRequest) throws(AppRegistryFailure) {
        try AppCall.check { error in
            AppCall.options(of: request) {
                functions.submit(
                    host, names.inHost(request.identifier), $0, nil, nil, error)
            }
        }
        startFile?.writeOnce()
    }

    /// Whether a task of a request runs.
    func isRunning() throws(AppRegistryFailure) -> Bool {
        var filter = curfew_request_filter()
        filter.struct_size = UInt32(MemoryLayout<curfew_request_filter>.size)
        filter.phases = 1 << UInt32(CURFEW_REQUEST_PHASE_RUNNING)
        return try !AppCall.page { infos, capacity, count, error in
            functions.list(host, &filter, infos, capacity, count, error)
        }.isEmpty
    }

    package func cancel(_ identifier: String?) throws(AppRegistryFailure) {
        try AppCall.check { functions.cancel(host, identifier.map(names.inHost), nil, $0) }
    }

    package func pending() throws(AppRegistryFailure) -> [AppRequest] {
        var requests: [AppRequest] = []
        var filter = curfew_request_filter()
        filter.struct_size = UInt32(MemoryLayout<curfew_request_filter>.size)
        filter.phases = 1 << UInt32(CURFEW_REQUEST_PHASE_PENDING)
        while true {
            let page = try AppCall.page { infos, capacity, count, error in
                functions.list(host, &filter, infos, capacity, count, error)
            }
            for info in page {
                let payload = try AppCall.payload(info.payload_bytes) { buffer, bytes, got, error in
                    functions.payload(host, info.request, buffer, bytes, got, error)
                }
                // The request was launched or cancelled meanwhile.
                guard let payload else { continue }
                var request = AppRequest(info, payload: payload)
                request.identifier = names.inApp(request.identifier)
                requests.append(request)
            }
            guard let last = page.last, page.count == AppCall.pageSize else { return requests }
            filter.after = last.request
        }
    }

    package func holding(_ request: AppRequest) throws(AppRegistryFailure) -> Set<Int32> {
        try AppCall.holding { reports, capacity, count, error in
            AppCall.options(of: request) {
                functions.explain(
                    host, names.inHost(request.identifier), $0, reports, capacity, count, nil,
                    error)
            }
        }
    }

    package func simulateLaunch(_ identifier: String) throws(AppRegistryFailure) {
        try AppCall.check { functions.simulate_launch(host, names.inHost(identifier), nil, $0) }
    }

    package func simulateExpiration(_ identifier: String) throws(AppRegistryFailure) {
        try AppCall.check { functions.simulate_expiration(host, names.inHost(identifier), $0) }
    }

    package func stop(_ task: UInt64) throws(AppRegistryFailure) {
        try AppCall.check { functions.stop(host, task, curfew_reason(CURFEW_REASON_HOST), $0) }
    }
}
