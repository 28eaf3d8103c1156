// SPDX-License-Identifier: Apache-2.0

/// Why a handler is not permitted.
package struct PermittedRefusal: Hashable, Sendable {
    package let rule: PermittedRule
    /// The identifier and the file of the list: lower case, no full stop.
    package let message: String
    /// The entry to add to the list.
    package let help: String
}
