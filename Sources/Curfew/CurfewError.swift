// SPDX-License-Identifier: Apache-2.0
public import PluginBridge
import Runner

/// The error of a call of a host: a code for programs and a text for people.
public struct CurfewError: Error, Sendable, CustomStringConvertible {
    /// The status of the call; later versions may have more of them.
    public let code: Status
    /// The fault, its place, its effect on the tasks concerned, and the next step.
    public var description: String { message }
    /// The name of the broken rule, such as `load-symbol`; nil if no rule applies.
    public let rule: String?

    package let message: String

    package init(_ code: Status, _ message: String, rule: String? = nil) {
        self.code = code
        self.message = message
        self.rule = rule
    }

    package init(_ error: BridgeError) {
        self.init(error.status, error.message, rule: error.rule)
    }

    init(_ failure: RequestFailure) { self.init(failure.status, failure.message) }

    static func check(_ status: Status, _ what: String) throws(CurfewError) {
        if status != .ok { throw CurfewError(status, "\(what): \(status)") }
    }
}
