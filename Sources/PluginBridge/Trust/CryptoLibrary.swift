// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Digests and signatures, by OpenSSL's libcrypto.
///
/// That is opened when the first one is needed: a host without pins and signatures needs none.
enum CryptoLibrary {
    private typealias Algorithm = @convention(c) () -> OpaquePointer?
    private typealias Digest =
        @convention(c) (
            UnsafeRawPointer?, Int, UnsafeMutablePointer<UInt8>, UnsafeMutablePointer<UInt32>?,
            OpaquePointer?, OpaquePointer?
        ) -> Int32
    private typealias MakeKey =
        @convention(c) (Int32, OpaquePointer?, UnsafePointer<UInt8>, Int) -> OpaquePointer?
    private typealias MakeContext = @convention(c) () -> OpaquePointer?
    private typealias Free = @convention(c) (OpaquePointer?) -> Void
    private typealias Begin =
        @convention(c) (
            OpaquePointer?, OpaquePointer?, OpaquePointer?, OpaquePointer?, OpaquePointer?
        ) -> Int32
    private typealias Verify =
        @convention(c) (
            OpaquePointer?, UnsafePointer<UInt8>, Int, UnsafePointer<UInt8>, Int
        ) -> Int32
    private typealias BeginDigest =
        @convention(c) (OpaquePointer?, OpaquePointer?, OpaquePointer?) -> Int32
    private typealias Add = @convention(c) (OpaquePointer?, UnsafeRawPointer?, Int) -> Int32
    private typealias EndDigest =
        @convention(c) (
            OpaquePointer?, UnsafeMutablePointer<UInt8>, UnsafeMutablePointer<UInt32>?
        ) -> Int32
    private typealias Mark = @convention(c) () -> Int32

    private struct Functions {
        let sha256: Algorithm
        let blake2b512: Algorithm
        let digest: Digest
        let makeKey: MakeKey
        let freeKey: Free
        let makeContext: MakeContext
        let freeContext: Free
        let beginDigest: BeginDigest
        let add: Add
        let endDigest: EndDigest
        let begin: Begin
        let verify: Verify
        let mark: Mark
        let popToMark: Mark
    }

    private static let functions: Functions? = {
        guard let library = dlopen("libcrypto.so.3", RTLD_NOW | RTLD_LOCAL) else { return nil }
        func function<Function>(_ name: String, _: Function.Type = Function.self) -> Function? {
            dlsym(library, name).map { unsafeBitCast($0, to: Function.self) }
        }
        guard let sha256 = function("EVP_sha256", Algorithm.self),
            let blake2b512 = function("EVP_blake2b512", Algorithm.self),
            let digest = function("EVP_Digest", Digest.self),
            let makeKey = function("EVP_PKEY_new_raw_public_key", MakeKey.self),
            let freeKey = function("EVP_PKEY_free", Free.self),
            let makeContext = function("EVP_MD_CTX_new", MakeContext.self),
            let freeContext = function("EVP_MD_CTX_free", Free.self),
            let beginDigest = function("EVP_DigestInit_ex", BeginDigest.self),
            let add = function("EVP_DigestUpdate", Add.self),
            let endDigest = function("EVP_DigestFinal_ex", EndDigest.self),
            let begin = function("EVP_DigestVerifyInit", Begin.self),
            let verify = function("EVP_DigestVerify", Verify.self),
            let mark = function("ERR_set_mark", Mark.self),
            let popToMark = function("ERR_pop_to_mark", Mark.self)
        else { return nil }
        return Functions(
            sha256: sha256, blake2b512: blake2b512, digest: digest, makeKey: makeKey,
            freeKey: freeKey, makeContext: makeContext, freeContext: freeContext,
            beginDigest: beginDigest, add: add, endDigest: endDigest, begin: begin, verify: verify,
            mark: mark, popToMark: popToMark)
    }()

    /// EVP_PKEY_ED25519 of openssl/evp.h.
    private static var ed25519: Int32 { 1_087 }

    static func sha256(_ bytes: UnsafeRawBufferPointer) throws(BridgeError) -> [UInt8] {
        try digest(bytes.baseAddress, bytes.count, "SHA-256", count: 32) { $0.sha256() }
    }

    static func blake2b512(_ bytes: [UInt8]) throws(BridgeError) -> [UInt8] {
        try digest(bytes, bytes.count, "BLAKE2b-512", count: 64) { $0.blake2b512() }
    }

    /// Computes the SHA-256 of pieces, until the source has no more.
    static func sha256(
        next: () throws(BridgeError) -> ArraySlice<UInt8>?
    ) throws(BridgeError) -> [UInt8] {
        guard let functions else { throw missing }
        _ = functions.mark()
        defer { _ = functions.popToMark() }
        guard let context = functions.makeContext() else { throw unable("compute a SHA-256") }
        defer { functions.freeContext(context) }
        guard functions.beginDigest(context, functions.sha256(), nil) == 1 else {
            throw unable("compute a SHA-256")
        }
        while let piece = try next() {
            let isAdded = piece.withUnsafeBytes {
                functions.add(context, $0.baseAddress, $0.count) == 1
            }
            guard isAdded else { throw unable("compute a SHA-256") }
        }
        var result = [UInt8](repeating: 0, count: 64)
        var got: UInt32 = 0
        guard functions.endDigest(context, &result, &got) == 1, got == 32 else {
            throw unable("compute a SHA-256")
        }
        return Array(result.prefix(32))
    }

    /// Returns whether 64 bytes are the Ed25519 signature of a message by a key of 32 bytes.
    static func isSignature(
        _ signature: [UInt8], of message: [UInt8], by key: [UInt8]
    ) throws(BridgeError) -> Bool {
        guard let functions else { throw missing }
        // What fails here must not stand in the list of errors that the embedder may look at.
        _ = functions.mark()
        defer { _ = functions.popToMark() }
        guard let made = functions.makeKey(ed25519, nil, key, key.count) else {
            throw unable("check a signature of Ed25519")
        }
        defer { functions.freeKey(made) }
        guard let context = functions.makeContext() else {
            throw unable("check a signature of Ed25519")
        }
        defer { functions.freeContext(context) }
        guard functions.begin(context, nil, nil, nil, made) == 1 else {
            throw unable("check a signature of Ed25519")
        }
        return functions.verify(context, signature, signature.count, message, message.count) == 1
    }

    private static func digest(
        _ start: UnsafeRawPointer?, _ length: Int, _ name: String, count: Int,
        _ algorithm: (Functions) -> OpaquePointer?
    ) throws(BridgeError) -> [UInt8] {
        guard let functions else { throw missing }
        _ = functions.mark()
        defer { _ = functions.popToMark() }
        var result = [UInt8](repeating: 0, count: 64)
        var got: UInt32 = 0
        guard
            functions.digest(
                start, length, &result, &got, algorithm(functions), nil) == 1,
            got == count
        else { throw unable("compute a \(name)") }
        return Array(result.prefix(count))
    }

    private static var missing: BridgeError {
        BridgeError(
            .digest, .system,
            "the plugin has a pin or a signature, and libcrypto.so.3, which checks both, is not there; install libssl3"
        )
    }

    private static func unable(_ what: String) -> BridgeError {
        BridgeError(
            .digest, .system,
            "libcrypto.so.3 cannot \(what); look for what its configuration (openssl.cnf) takes away"
        )
    }
}
