// SPDX-License-Identifier: Apache-2.0

/// A public key of minisign, as its file has it.
package struct MinisignKey: Hashable, Sendable {
    package let id: MinisignKeyID
    /// The 32 bytes of an Ed25519 key.
    package let bytes: [UInt8]
    /// The text of the first line, without its beginning.
    package let comment: String
}
