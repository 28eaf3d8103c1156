// SPDX-License-Identifier: Apache-2.0

/// A prehashed signature of minisign (`ED`), as its file has it.
package struct MinisignSignature: Hashable, Sendable {
    /// The result of checking a signature.
    enum Verdict {
        case valid
        /// The file is not the one that was signed.
        case otherFile
        /// The trusted comment is not the one that was signed.
        case otherComment
    }

    /// The key that made it, as it says.
    package let key: MinisignKeyID
    /// 64 bytes: the signature over the BLAKE2b-512 of the file.
    let signature: [UInt8]
    package let comment: String
    /// 64 bytes: the signature over `signature` and the trusted comment.
    let globalSignature: [UInt8]

    /// Checks it with a key, for the bytes of a file.
    func verdict(on bytes: [UInt8], by key: MinisignKey) throws(BridgeError) -> Verdict {
        let digest = try CryptoLibrary.blake2b512(bytes)
        guard try CryptoLibrary.isSignature(signature, of: digest, by: key.bytes) else {
            return .otherFile
        }
        return try CryptoLibrary.isSignature(
            globalSignature, of: signature + Array(comment.utf8), by: key.bytes)
            ? .valid : .otherComment
    }
}
