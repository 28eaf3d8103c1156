// SPDX-License-Identifier: Apache-2.0

/// Where the launches of a service are sent as traces, by the OpenTelemetry protocol (OTLP) over HTTP in JSON.
package struct TraceSettings: Hashable, Sendable {
    /// The address of the collector: `http://127.0.0.1:4318/v1/traces`.
    package var endpoint: String
    /// Further header lines: `Authorization: Bearer …`. Nothing shows them.
    package var headers: [String] = []
    /// The name of the service in traces.
    package var service = "curfew"

    package init(endpoint: String) { self.endpoint = endpoint }

    /// The endpoint without a user and a password.
    package var shownEndpoint: String {
        let bytes = Array(endpoint.utf8)
        let slashes = Array("://".utf8)
        guard
            let scheme = bytes.indices.first(where: { bytes[$0...].starts(with: slashes) }),
            let at = bytes[(scheme + 3)...].prefix(while: { $0 != UInt8(ascii: "/") })
                .lastIndex(of: UInt8(ascii: "@"))
        else { return endpoint }
        return String(decoding: bytes[..<(scheme + 3)] + bytes[(at + 1)...], as: UTF8.self)
    }
}
