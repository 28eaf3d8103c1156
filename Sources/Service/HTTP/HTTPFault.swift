// SPDX-License-Identifier: Apache-2.0
import PluginBridge

/// Why a request is not answered as it was meant.
package struct HTTPFault: Error, Hashable, Sendable {
    package let status: UInt32
    /// A word for programs.
    package let code: String
    /// Lower case, no full stop.
    package let message: String
    /// The next steps, for people.
    package let help: [String]

    /// The methods that there are, where another one was asked for.
    package let allows: [String]

    /// Seconds after which it is worth another try: RFC 9110 section 10.2.3. Nil if that changes nothing.
    package let retryAfter: UInt64?

    /// - Parameter retryAfter: nil for a second where there is too much now, status 429.
    package init(
        _ status: UInt32, _ code: String, _ message: String, help: [String] = [],
        allows: [String] = [], retryAfter: UInt64? = nil
    ) {
        self.allows = allows
        self.retryAfter = retryAfter ?? (status == 429 ? 1 : nil)
        self.status = status
        self.code = code
        self.message = message
        self.help = help
    }

    /// The body of its answer.
    package var json: String {
        let help = help.map(JSONText.quoted).joined(separator: ",")
        return """
            {"error":{"code":\(JSONText.quoted(code)),"message":\(JSONText.quoted(message)),"help":[\(help)]}}
            """
    }
}
