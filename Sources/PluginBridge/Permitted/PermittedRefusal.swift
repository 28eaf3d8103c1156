// SPDX-License-Identifier: Apache-2.0

/// Why a handler is not permitted.
public struct PermittedRefusal: Hashable, Sendable {
    public let rule: PermittedRule
    /// The identifier and the file of the list: lower case, no full stop.
    public let message: String
    /// The entry to add to the list.
    public let help: String
}
