// SPDX-License-Identifier: Apache-2.0

/// Why a plugin, a manifest or a call was not accepted: a status, and a text for a person.
package struct BridgeError: Error, Sendable, CustomStringConvertible {
    package let status: Status
    /// The message: what is wrong, where, what happened to the tasks concerned, and what to do
    /// next.
    package let message: String
    /// The name of the `Fault` that explains it, where a rule was broken.
    package let rule: String?

    package init(_ status: Status, _ message: String, rule: String? = nil) {
        self.status = status
        self.message = message
        self.rule = rule
    }

    /// A rule of loading was broken.
    package init(_ rule: LoadRule, _ message: String) {
        self.init(rule, .refused, message)
    }

    /// An error whose status says more than that the plugin is refused.
    package init(_ rule: LoadRule, _ status: Status, _ message: String) {
        self.init(status, message, rule: rule.rawValue)
    }

    package var description: String { message }

    /// The first line of the message.
    package var firstLine: String { String(message.prefix { $0 != "\n" }) }

    /// The message as a line of a log has it: the code and the name of the rule come first.
    package var line: String {
        guard let rule else { return message }
        return (Fault.named(rule).map { $0.code + " " } ?? "") + rule + ": " + message
    }
}
