// SPDX-License-Identifier: Apache-2.0

/// The pending requests that a limit counts.
package enum PendingScope: Hashable, Sendable {
    /// All of a kind.
    case kind(TaskKind)
    /// All of an identifier.
    case identifier(String)
    /// All of a user besides the store's own.
    case owner(UInt32)
    /// All of the store.
    case all
}
