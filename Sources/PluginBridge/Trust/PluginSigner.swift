// SPDX-License-Identifier: Apache-2.0

/// The trusted key that signed a plugin.
package struct PluginSigner: Sendable {
    package let key: TrustedKey
    /// The trusted comment, which the key has signed with the manifest.
    package let comment: String

    /// The name of a signature in a plugin's directory.
    package static var fileName: String { Manifest.fileName + ".minisig" }

    /// Returns the comment that a signature of a manifest must have. It repeats what the signature
    /// is for, so that `minisign -V` shows it to a person.
    package static func comment(for manifest: Manifest) -> String {
        "id=\(manifest.id) version=\(manifest.version) abi=\(manifest.abi)"
    }

    /// Returns the command that signs a manifest.
    package static func command(for manifest: Manifest) -> String {
        "minisign -S -m \(Manifest.fileName) -t '\(comment(for: manifest))'"
    }

    /// Finds out who signed a manifest, with the very bytes that it was read from. Throws where no
    /// trusted key has, with the reason.
    package init(
        of manifest: Manifest, in folder: PluginDirectory, keys: TrustedKeys
    ) throws(BridgeError) {
        let shown = folder.shown(Self.fileName)
        guard folder.has(Self.fileName) else {
            throw BridgeError(
                .unsigned,
                "the plugin \"\(manifest.id)\" is not signed: there is no \(shown); have its author sign it: \(Self.command(for: manifest))"
            )
        }
        let bytes = try folder.contents(of: Self.fileName, limit: MinisignReader.sizeLimit)
        let signature: MinisignSignature
        do throws(MinisignFault) {
            signature = try MinisignReader.signature(bytes)
        } catch .legacy {
            throw BridgeError(
                .signatureLegacy,
                "\(shown) \(MinisignFault.legacy.message), and only prehashed signatures (ED) count; sign again with minisign 0.10 or newer, or with its option -H: \(Self.command(for: manifest))"
            )
        } catch {
            throw BridgeError(
                .signatureFile,
                "\(shown) \(error.message), so it is no signature of minisign; get it again, or sign again: \(Self.command(for: manifest))"
            )
        }
        comment = signature.comment
        key = try Self.key(of: signature, for: manifest, shown: shown, keys)
        let expected = Self.comment(for: manifest)
        guard comment.utf8.elementsEqual(expected.utf8) else {
            throw BridgeError(
                .signatureComment,
                "\(shown) has the trusted comment \(DiagnosticText.quoted(comment)), and the manifest is \(DiagnosticText.quoted(expected)); sign again: \(Self.command(for: manifest))"
            )
        }
        guard manifest.library == nil || manifest.sha256 != nil else {
            throw BridgeError(
                .signatureDigest,
                "\(folder.shown(Manifest.fileName)) is signed and has no `sha256`, so the signature says nothing of the library; add what `sha256sum \(manifest.library ?? "")` prints, and sign again"
            )
        }
    }

    /// Returns the key that made a signature, if it may sign the plugin.
    private static func key(
        of signature: MinisignSignature, for manifest: Manifest, shown: String,
        _ keys: TrustedKeys
    ) throws(BridgeError) -> TrustedKey {
        let named = keys.named(signature.key)
        guard let first = named.first else {
            let unread = keys.faults.first.map { " (\($0.message))" } ?? ""
            throw BridgeError(
                .signatureKey,
                "\(shown) was made by the key \(signature.key), which is not in \(keys.directories.joined(separator: " or "))\(unread); if you trust it: curfew trust add FILE --prefix \(manifest.id)"
            )
        }
        var verdict = MinisignSignature.Verdict.otherFile
        for key in named {
            verdict = try signature.verdict(on: manifest.source.bytes, by: key.key)
            guard verdict == .valid else { continue }
            // The same key may be in both directories, with other prefixes.
            // A request is run by the plugin that registers its identifier, so identifiers are checked too.
            let names = [manifest.id] + manifest.handlers.map(\.identifier)
            if let able = named.first(where: {
                $0.key.bytes == key.key.bytes && names.allSatisfy($0.covers)
            }) {
                return able
            }
            let prefixes = key.prefixes.map(\.description).joined(separator: ", ")
            var others: [String] = []
            for name in names where !key.covers(name) && !others.contains(name) {
                others.append(name)
            }
            let first = others.first ?? manifest.id
            let options = others.map { " --prefix \($0)" }.joined()
            throw BridgeError(
                .signaturePrefix,
                "\(shown) was made by the key \(key.id) of \(key.file), which may sign \(prefixes) and not \(first == manifest.id ? "" : "the handler ")\"\(first)\"; if it may: curfew trust add \(key.file)\(options)"
            )
        }
        let changed =
            verdict == .otherComment ? "the trusted comment" : "the manifest or the signature"
        throw BridgeError(
            .signatureWrong,
            "\(shown) is no signature of its manifest by the key \(first.id) of \(first.file): \(changed) was changed after it was made; get the plugin again from its author"
        )
    }
}
