// SPDX-License-Identifier: Apache-2.0

import CCurfew

/// A plugin's library of which everything is known that can be known without running it.
public struct CheckedLibrary: Sendable {
    let copy: PluginCopy
    /// Absolute, without links.
    public let path: String
    /// How it is called in messages.
    public let shown: String

    /// Copies the library a manifest names, and checks the copy: its digest where that is pinned,
    /// the ABI it was compiled for, its entry, and where it wants other libraries from.
    ///
    /// - Parameter pins: what the embedder allows; nil where it allows everything.
    public init(
        _ manifest: Manifest, in folder: PluginDirectory, pins: [PluginPin]?
    ) throws(BridgeError) {
        shown = folder.shown(manifest.library)
        path = folder.path == "/" ? "/" + manifest.library : folder.path + "/" + manifest.library
        let allowed = pins?.filter { $0.plugin == manifest.id }.map(\.sha256)
        if let allowed, allowed.isEmpty {
            throw BridgeError(
                .unpinned,
                "the plugin \"\(manifest.id)\" is not in the host's list of pins, so \(shown) is not loaded; add its id and the SHA-256 of the library to the list"
            )
        }
        let file = try folder.file(manifest.library)
        copy = try PluginCopy(of: file, name: manifest.library, shown: shown)
        try check(allowed, from: "the host's configuration")
        try check(manifest.sha256.map { [$0] }, from: "its manifest")
        try checkNote()
        try checkEntry()
        try checkDependencies(folder)
    }

    private func check(_ pins: [String]?, from source: String) throws(BridgeError) {
        guard let pins else { return }
        let digest = try LibraryDigest.sha256(copy.bytes)
        guard !pins.contains(digest) else { return }
        throw BridgeError(
            .pin,
            "\(shown) has the SHA-256 \(digest), and \(source) pins \(pins.joined(separator: " or ")); install the library that was meant, or pin this one if it is"
        )
    }

    private func checkNote() throws(BridgeError) {
        switch ABINote.read(descriptor: copy.number) {
        case .failure(let fault):
            throw BridgeError(.note, "\(shown): \(fault.message); \(fault.help)")
        case .success(let note):
            guard note.abi == UInt32(CURFEW_ABI_VERSION) else {
                throw BridgeError(
                    .abi, .abiMismatch,
                    "\(shown) was built for ABI \(note.abi), this host speaks ABI \(CURFEW_ABI_VERSION); rebuild the plugin with this host's headers"
                )
            }
        }
    }

    private func checkEntry() throws(BridgeError) {
        let name = PluginImage.entryName
        switch ELFExport.find(name, inDescriptor: copy.number) {
        case .failure(let fault):
            throw BridgeError(.note, "\(shown): \(fault.message); \(fault.help)")
        case .success(.function): return
        case .success(.data):
            throw BridgeError(
                .symbol, "\(shown) exports \(name) as data; it must be a function")
        case .success(.missing):
            throw BridgeError(
                .symbol, "\(shown) exports no \(name); define it and mark it CURFEW_PLUGIN_EXPORT")
        }
    }

    private func checkDependencies(_ folder: PluginDirectory) throws(BridgeError) {
        let dependencies: ELFDependencies
        do {
            dependencies = try ELFDependencies(descriptor: copy.number)
        } catch {
            throw BridgeError(.note, "\(shown): \(error.message); \(error.help)")
        }
        if let path = dependencies.elsewhere {
            throw BridgeError(
                .search,
                "\(shown) wants other libraries from \"\(path)\", which is not absolute, so that it depends on where the process is; link it with absolute directories in its RUNPATH, or none"
            )
        }
        for directory in dependencies.directories {
            do throws(BridgeError) {
                try folder.checkSearched(directory)
            } catch {
                throw BridgeError(
                    .search,
                    "\(shown) wants other libraries from \(directory), where somebody else could put some: \(error.message); link it without that directory in its RUNPATH"
                )
            }
        }
        let beside = dependencies.besideIt(
            isBeside: { folder.has($0) }, isAt: { PluginDirectory.exists($0) })
        guard let beside else { return }
        throw BridgeError(
            .beside,
            "\(shown) wants \(beside) from its own directory ($ORIGIN), and nothing but the library itself is taken from there; link \(beside) into it, or install that where the system's loader looks"
        )
    }
}
