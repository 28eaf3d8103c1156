// SPDX-License-Identifier: Apache-2.0

/// A change of what is installed or trusted, as the audit tells it.
package struct AuditEntry: Sendable {
    package enum Change: String, Sendable {
        case install, remove, rollback
        case trustAdded = "trust-add"
        case trustRemoved = "trust-remove"
        /// A change that the audit had told did not happen.
        case failed
    }

    package let change: Change
    /// The id of the plugin; of a key, its number.
    package let id: String
    package let version: String?
    package let digest: String?
    /// The number of the key that signed it; nil where no trusted key has.
    package let signer: String?
    /// The digest of what was installed before.
    package let before: String?

    package init(
        _ change: Change, id: String, version: String? = nil, digest: String? = nil,
        signer: String? = nil, before: String? = nil
    ) {
        self.change = change
        self.id = id
        self.version = version
        self.digest = digest
        self.signer = signer
        self.before = before
    }
}
