// SPDX-License-Identifier: Apache-2.0
import CCurfew

/// The registry of the host that loads this plugin, which calls the host's table.
struct TableRegistry: AppRegistry, @unchecked Sendable {
    // Sendable: the table may be used from any thread.
    let table: UnsafePointer<curfew_host_api>
    private let requests: UnsafePointer<curfew_requests>

    /// Fails if the host has no requests.
    init?(_ table: UnsafePointer<curfew_host_api>) {
        let found = CURFEW_EXT_REQUESTS.withCString { table.pointee.extension(table, $0) }
        guard let found else { return nil }
        self.table = table
        requests = found.assumingMemoryBound(to: curfew_requests.self)
        // An older host has fewer functions.
        guard requests.pointee.struct_size >= UInt32(MemoryLayout<curfew_requests>.size) else {
            return nil
        }
    }

    func register(_ handler: curfew_handler, kind: Int32) throws(AppRegistryFailure) {
        var handler = handler
        try AppCall.check { table.pointee.register_handler(table, &handler, $0) }
    }

    func submit(_ request: AppRequest) throws(AppRegistryFailure) {
        try checkLimit(request)
        try AppCall.check { error in
            AppCall.options(of: request) {
                requests.pointee.submit(table, request.identifier, $0, nil, error)
            }
        }
    }

    /// The host around a plugin does not have Apple's limits.
    private func checkLimit(_ request: AppRequest) throws(AppRegistryFailure) {
        let isRefresh = request.kind == Int32(CURFEW_KIND_APP_REFRESH)
        let limits = AppRequest.pendingLimits
        let limit = isRefresh ? limits.refresh : limits.other
        let others = try pending().count {
            $0.kind == request.kind && $0.identifier != request.identifier
        }
        guard others >= Int(limit) else { return }
        throw AppRegistryFailure(
            curfew_status(CURFEW_TOO_MANY),
            "\(others) requests of its kind are pending, and Apple's limit is \(limit)")
    }

    func cancel(_ identifier: String?) throws(AppRegistryFailure) {
        let all: Set<String> =
            if let identifier { [identifier] } else { Set(try pending().map(\.identifier)) }
        for each in all {
            try AppCall.check { requests.pointee.cancel(table, each, $0) }
        }
    }

    func pending() throws(AppRegistryFailure) -> [AppRequest] {
        var all: [AppRequest] = []
        var after: curfew_request = 0
        while true {
            let page = try AppCall.page { infos, capacity, count, error in
                requests.pointee.list_pending(table, after, infos, capacity, count, error)
            }
            for info in page {
                let payload = try AppCall.payload(info.payload_bytes) { buffer, bytes, got, error in
                    requests.pointee.read_payload(table, info.request, buffer, bytes, got, error)
                }
                if let payload { all.append(AppRequest(info, payload: payload)) }
            }
            guard let last = page.last, page.count == AppCall.pageSize else { return all }
            after = last.request
        }
    }

    /// A plugin cannot query what its requests wait for.
    func holding(_ request: AppRequest) throws(AppRegistryFailure) -> Set<Int32> { [] }

    func simulateLaunch(_ identifier: String) throws(AppRegistryFailure) {
        throw Self.hostsAlone
    }

    func simulateExpiration(_ identifier: String) throws(AppRegistryFailure) {
        throw Self.hostsAlone
    }

    func stop(_ task: UInt64) throws(AppRegistryFailure) { throw Self.hostsAlone }

    private static var hostsAlone: AppRegistryFailure {
        AppRegistryFailure(
            curfew_status(CURFEW_DENIED),
            "a plugin cannot do that; its host can, and the command curfew simulate")
    }
}
