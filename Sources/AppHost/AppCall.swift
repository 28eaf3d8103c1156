// SPDX-License-Identifier: Apache-2.0
import CCurfew

/// Calls the functions of the C interface: converts errors to Swift's, and sets the sizes of
/// structures.
enum AppCall {
    /// Calls a function that writes a `curfew_error`, and throws its error.
    static func check(
        _ body: (UnsafeMutablePointer<curfew_error>) -> curfew_status
    ) throws(AppRegistryFailure) {
        var error = curfew_error()
        error.struct_size = UInt32(MemoryLayout<curfew_error>.size)
        let status = body(&error)
        guard status != curfew_status(CURFEW_OK) else { return }
        let said = withUnsafeBytes(of: error.message) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        throw AppRegistryFailure(
            // A plugin cannot call `curfew_status_text`.
            status, said.isEmpty ? "the host answered with status \(status)" : said)
    }

    static func options<Answer>(
        of request: AppRequest, _ body: (UnsafePointer<curfew_submit_options>) -> Answer
    ) -> Answer {
        request.payload.withUnsafeBytes { payload in
            var options = curfew_submit_options()
            options.struct_size = UInt32(MemoryLayout<curfew_submit_options>.size)
            options.kind = request.kind
            options.earliest_ns = request.earliest
            if request.needsNetwork { options.needs |= curfew_needs(CURFEW_NEEDS_NETWORK) }
            if request.needsPower { options.needs |= curfew_needs(CURFEW_NEEDS_EXTERNAL_POWER) }
            // Apple's rules: a request replaces the pending one, and waits for a good moment.
            options.on_pending = curfew_on_pending(CURFEW_ON_PENDING_REPLACE)
            options.opportunistic = curfew_opportunistic(
                [Int32(CURFEW_KIND_PROCESSING), Int32(CURFEW_KIND_HEALTH_RESEARCH)]
                    .contains(request.kind)
                    ? CURFEW_OPPORTUNISTIC_IDLE : CURFEW_OPPORTUNISTIC_CALM)
            options.payload = payload.isEmpty ? nil : payload.baseAddress
            options.payload_bytes = UInt64(payload.count)
            return body(&options)
        }
    }

    /// The number of requests that one call reads.
    static let pageSize = 64

    static func page(
        _ body: (
            UnsafeMutablePointer<curfew_request_state>, UInt32, UnsafeMutablePointer<UInt32>,
            UnsafeMutablePointer<curfew_error>
        ) -> curfew_status
    ) throws(AppRegistryFailure) -> [curfew_request_state] {
        var blank = curfew_request_state()
        blank.struct_size = UInt32(MemoryLayout<curfew_request_state>.size)
        var infos = Array(repeating: blank, count: pageSize)
        var count: UInt32 = 0
        try check { error in
            infos.withUnsafeMutableBufferPointer {
                body($0.baseAddress!, UInt32(pageSize), &count, error)
            }
        }
        return Array(infos.prefix(Int(count)))
    }

    /// Returns the payload of a request; nil if the request no longer exists.
    static func payload(
        _ bytes: UInt64,
        _ body: (
            UnsafeMutableRawPointer?, UInt64, UnsafeMutablePointer<UInt64>,
            UnsafeMutablePointer<curfew_error>
        ) -> curfew_status
    ) throws(AppRegistryFailure) -> [UInt8]? {
        guard bytes > 0 else { return [] }
        var payload = [UInt8](repeating: 0, count: Int(clamping: bytes))
        var got: UInt64 = 0
        do throws(AppRegistryFailure) {
            try check { error in
                payload.withUnsafeMutableBytes { body($0.baseAddress, bytes, &got, error) }
            }
        } catch {
            if error.status == curfew_status(CURFEW_NOT_FOUND) { return nil }
            throw error
        }
        return Array(payload.prefix(Int(clamping: got)))
    }

    static func holding(
        _ body: (
            UnsafeMutablePointer<curfew_factor_report>, UInt32, UnsafeMutablePointer<UInt32>,
            UnsafeMutablePointer<curfew_error>
        ) -> curfew_status
    ) throws(AppRegistryFailure) -> Set<Int32> {
        var blank = curfew_factor_report()
        blank.struct_size = UInt32(MemoryLayout<curfew_factor_report>.size)
        var reports = Array(repeating: blank, count: 32)
        var count: UInt32 = 0
        try check { error in
            reports.withUnsafeMutableBufferPointer {
                body($0.baseAddress!, UInt32($0.count), &count, error)
            }
        }
        return Set(reports.prefix(Int(count)).filter(\.holds).map(\.factor))
    }
}

extension curfew_factor_report {
    /// The detail as text.
    var detailText: String {
        withUnsafeBytes(of: detail) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}

extension AppRequest {
    init(_ info: curfew_request_state, payload: [UInt8]) {
        let identifier = withUnsafeBytes(of: info.identifier) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        // The date of a request without a date is the date of its submission.
        self.init(
            identifier, kind: info.kind,
            earliest: info.not_before_ns > info.submitted_ns ? info.not_before_ns : 0,
            needsNetwork: info.needs & curfew_needs(CURFEW_NEEDS_NETWORK) != 0,
            needsPower: info.needs & curfew_needs(CURFEW_NEEDS_EXTERNAL_POWER) != 0,
            payload: payload)
    }
}
