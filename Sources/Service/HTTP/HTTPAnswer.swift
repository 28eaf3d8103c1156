// SPDX-License-Identifier: Apache-2.0

/// The answer to a request: a status, and JSON.
package struct HTTPAnswer: Sendable {
    package let status: UInt32
    package let body: [UInt8]
    package let contentType: String
    /// Names and values of further header lines.
    package var headers: [(name: String, value: String)]
    /// The connection ends after it.
    package var closes: Bool
    /// The stream that is sent in place of the body; nil if the answer has a body.
    package private(set) var stream: HTTPStream?

    /// - Parameter json: one value, without a line feed.
    package init(
        _ status: UInt32 = 200, json: String, headers: [(name: String, value: String)] = [],
        closes: Bool = false
    ) {
        var body = Array(json.utf8)
        body.append(UInt8(ascii: "\n"))
        self.init(status, body, "application/json", headers: headers, closes: closes)
    }

    package init(
        _ status: UInt32, _ body: [UInt8], _ contentType: String,
        headers: [(name: String, value: String)] = [], closes: Bool = false
    ) {
        self.status = status
        self.body = body
        self.contentType = contentType
        self.headers = headers
        self.closes = closes
    }

    package init(_ stream: HTTPStream, _ contentType: String) {
        self.init(200, [], contentType)
        self.stream = stream
    }

    package init(_ fault: HTTPFault, closes: Bool = false) {
        var headers: [(name: String, value: String)] = []
        if !fault.allows.isEmpty { headers.append(("Allow", fault.allows.joined(separator: ", "))) }
        if let seconds = fault.retryAfter { headers.append(("Retry-After", String(seconds))) }
        self.init(fault.status, json: fault.json, headers: headers, closes: closes)
    }
}
