// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// SHA-256 of a library's bytes, by OpenSSL's libcrypto.
///
/// That is opened when the first digest is needed: a host without pins needs none.
package enum LibraryDigest {
    private typealias Algorithm = @convention(c) () -> OpaquePointer?
    private typealias Digest =
        @convention(c) (
            UnsafeRawPointer?, Int, UnsafeMutablePointer<UInt8>, UnsafeMutablePointer<UInt32>?,
            OpaquePointer?, OpaquePointer?
        ) -> Int32

    private static let functions: (algorithm: Algorithm, digest: Digest)? = {
        guard let library = dlopen("libcrypto.so.3", RTLD_NOW | RTLD_LOCAL),
            let algorithm = dlsym(library, "EVP_sha256"), let digest = dlsym(library, "EVP_Digest")
        else { return nil }
        return (
            unsafeBitCast(algorithm, to: Algorithm.self), unsafeBitCast(digest, to: Digest.self)
        )
    }()

    /// Returns whether a text is 64 hexadecimal digits, lower-case or upper-case.
    package static func isDigest(_ text: String) -> Bool {
        text.utf8.count == 64
            && text.utf8.allSatisfy {
                UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0
                    || UInt8(ascii: "a")...UInt8(ascii: "f") ~= $0 | 0x20
            }
    }

    /// In lower-case hexadecimal digits.
    package static func sha256(_ bytes: UnsafeRawBufferPointer) throws(BridgeError) -> String {
        var result = [UInt8](repeating: 0, count: 64)
        var count: UInt32 = 0
        guard let functions else {
            throw BridgeError(
                .digest, .system,
                "the library is pinned by its SHA-256, and libcrypto.so.3, which computes that, is not there; install libssl3"
            )
        }
        guard
            functions.digest(
                bytes.baseAddress, bytes.count, &result, &count, functions.algorithm(), nil) == 1,
            count == 32
        else {
            throw BridgeError(
                .digest, .system,
                "libcrypto.so.3 cannot compute a SHA-256; look for what its configuration (openssl.cnf) takes away"
            )
        }
        return result.prefix(32).map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }
}
