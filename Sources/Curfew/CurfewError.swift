// SPDX-License-Identifier: Apache-2.0
public import PluginBridge

/// What went wrong in a call of the host's: a code, and a text for a person.
public struct CurfewError: Error, Sendable, CustomStringConvertible {
    /// One of the statuses of the C interface; new ones may come.
    public typealias Code = Status

    /// What the call answered, for a program.
    public let code: Code
    /// What is wrong, where, what happened to the tasks concerned, and what to do next.
    public let message: String
    /// The name of the rule that was broken, where there is one: `load-symbol`.
    public let rule: String?

    public var description: String { message }

    init(_ code: Code, _ message: String, rule: String? = nil) {
        self.code = code
        self.message = message
        self.rule = rule
    }

    init(_ error: BridgeError) { self.init(error.status, error.message, rule: error.rule) }

    static func check(_ status: Status, _ what: String) throws {
        if status != .ok { throw CurfewError(status, "\(what): \(status)") }
    }
}
