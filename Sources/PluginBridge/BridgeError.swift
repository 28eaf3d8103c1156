// SPDX-License-Identifier: Apache-2.0

/// Why a plugin, a manifest or a call was not accepted: a status, and a text for a person.
public struct BridgeError: Error, Sendable, CustomStringConvertible {
    public let status: Status
    /// What is wrong, where, what happened to the tasks concerned, and what to do next.
    public let message: String

    public init(_ status: Status, _ message: String) {
        self.status = status
        self.message = message
    }

    public var description: String { message }
}
