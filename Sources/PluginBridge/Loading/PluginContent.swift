// SPDX-License-Identifier: Apache-2.0
internal import Glibc

/// The digest of a plugin's content: of its manifest and its library.
///
/// It is the SHA-256 of 128 characters: the hexadecimal digits of the SHA-256 of the manifest, and those
/// of the library. In a shell:
///
///     { sha256sum < manifest.json; sha256sum < library.so; } | cut -c -64 | tr -d '\n' | sha256sum
package enum PluginContent {
    /// Returns the digest in lower-case hexadecimal digits.
    ///
    /// - Parameter library: nil if the manifest names none.
    static func digest(
        manifest: [UInt8], library: UnsafeRawBufferPointer?
    ) throws(BridgeError) -> String {
        var parts = try manifest.digest()
        if let library { parts += try LibraryDigest.sha256(library) }
        return try Array(parts.utf8).digest()
    }

    /// Returns the digest of a plugin that was checked.
    package static func digest(
        _ manifest: Manifest, _ library: CheckedLibrary?
    ) throws(BridgeError) -> String {
        try digest(manifest: manifest.source.bytes, library: library?.copy.bytes)
    }

    /// Reads the plugin in a directory, and returns its id and digest. Neither the library nor its
    /// dependencies are checked.
    package static func read(
        directory: String
    ) throws(BridgeError) -> (id: String, digest: String) {
        let folder = try PluginDirectory(directory)
        let manifest: Manifest
        switch try folder.manifest() {
        case .success(let read): manifest = read
        case .failure(let faults): throw BridgeError(.refused, faults.rendered)
        }
        guard let name = manifest.library else {
            return (manifest.id, try digest(manifest: manifest.source.bytes, library: nil))
        }
        let file = try folder.file(name)
        let copy = try PluginCopy(
            of: file.descriptor, file.status, name: name, shown: folder.shown(name))
        return (
            manifest.id, try digest(manifest: manifest.source.bytes, library: copy.bytes)
        )
    }
}

extension [UInt8] {
    /// Returns the SHA-256 in lower-case hexadecimal digits.
    fileprivate func digest() throws(BridgeError) -> String {
        let result = withUnsafeBytes { bytes -> Result<String, BridgeError> in
            do throws(BridgeError) {
                return .success(try LibraryDigest.sha256(bytes))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }
}
