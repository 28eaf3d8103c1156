// SPDX-License-Identifier: Apache-2.0

import CCurfew
import CSystem
internal import Glibc

/// A plugin's library of which everything is known that can be known without running it.
package struct CheckedLibrary: Sendable {
    let copy: PluginCopy
    /// Absolute, without links.
    package let path: String
    /// The name in messages.
    package let shown: String
    /// Why the loader will refuse it, though nothing is wrong with it.
    private(set) var missing: String?
    /// The absolute directories in which it has the loader search for libraries that it needs.
    package private(set) var searchedDirectories: [String] = []

    /// Copies the library a manifest names, and checks the copy: its digest where that is pinned,
    /// whether it can be loaded without harm, the ABI it was compiled for, what its handlers need of
    /// it, and the libraries that come along with it. Nil where the manifest names none.
    ///
    /// - Parameter pins: the permitted digests by the id of the plugin; nil permits everything.
    package init?(
        _ manifest: Manifest, in folder: PluginDirectory, pins: [String: Set<String>]?
    ) throws(BridgeError) {
        guard let library = manifest.library else {
            guard pins == nil else {
                throw BridgeError(
                    .unpinned,
                    "the plugin \"\(manifest.id)\" has no library of its own that a pin could name, and the host loads only what is pinned"
                )
            }
            return nil
        }
        shown = folder.shown(library)
        path = folder.path == "/" ? "/" + library : folder.path + "/" + library
        let allowed = pins.map { ($0[manifest.id] ?? []).map { $0.lowercased() }.sorted() }
        if let allowed, allowed.isEmpty {
            throw BridgeError(
                .unpinned,
                "the plugin \"\(manifest.id)\" is not in the host's list of pins, so \(shown) is not loaded; add its id and the SHA-256 of the library to the list"
            )
        }
        let file = try folder.file(library)
        copy = try PluginCopy(of: file.descriptor, file.status, name: library, shown: shown)
        try check(allowed, from: "the host's configuration")
        try check(manifest.sha256.map { [$0] }, from: "its manifest")
        let soundness = try checkSoundness()
        try checkCode(of: manifest.handlers)
        let (libraries, searched) = try checkDependencies(folder, soundness.versioned)
        searchedDirectories = searched.filter(PathText.isAbsolute)
        missing = libraries.missing
        if missing == nil, let doubt = soundness.doubt ?? libraries.doubt {
            try tryLoading(because: doubt)
        }
    }

    /// Adopts a copy that a host has checked and sealed. Nil without one.
    ///
    /// - Parameters:
    ///   - descriptor: of the copy; owned from now on. -1: there is none.
    ///   - path: of the file it was made from.
    package init?(adopting descriptor: Int32, path: String, shown: String) throws(BridgeError) {
        guard let file = OwnedDescriptor(descriptor) else { return nil }
        self.path = path
        self.shown = shown
        copy = try PluginCopy(adopting: file, shown: shown)
    }

    /// The descriptor of the sealed copy, for a process that is to load it.
    package var descriptor: Int32 { copy.number }

    /// Notes that everything is checked: what the copy takes of this process' memory is given back.
    package func rest() { copy.rest() }

    private func check(_ pins: [String]?, from source: String) throws(BridgeError) {
        guard let pins else { return }
        let digest = try LibraryDigest.sha256(copy.bytes)
        guard !pins.contains(digest) else { return }
        throw BridgeError(
            .pin,
            "\(shown) has the SHA-256 \(digest), and \(source) pins \(pins.joined(separator: " or ")); install the library that was meant, or pin this one if it is"
        )
    }

    /// Checks what the loader goes by.
    private func checkSoundness() throws(BridgeError) -> ELFSoundness {
        do throws(ABINoteFault) {
            return try ELFSoundness(copy.bytes)
        } catch {
            var rule = LoadRule.note
            if case .malformed = error { rule = .damaged }
            throw BridgeError(rule, "\(shown) \(error.message); \(error.help)")
        }
    }

    /// The time limit of a child process that only loads a library, in seconds.
    private static var trialLimit: UInt32 { 10 }

    /// Loads the copy in a child process, without running its code.
    private func tryLoading(because doubt: String) throws(BridgeError) {
        let status = csys_try_loading(copy.number, Self.trialLimit)
        guard status != 0 else { return }
        let problem =
            switch (status, status & 0x7F) {
            case (..<0, _): "could not be started: \(PluginDirectory.reason(errno))"
            case (_, 0): "failed, as the loader refuses it"
            case (_, let signal): "was ended by \(SignalName.of(signal))"
            }
        throw BridgeError(
            .trial,
            "\(shown) is not loaded: \(doubt), and a process that loaded it for a trial \(problem); `ldd -r` shows what the loader says"
        )
    }

    /// Looks for what the handlers need in the library, by their forms.
    private func checkCode(of handlers: [ManifestHandler]) throws(BridgeError) {
        var reason = handlers.contains { $0.form == .entry } ? "" : nil
        for handler in handlers where handler.form == .subs {
            let controller = SubsHandler.controllerName(handler.event)
            if try export(controller) == .function {
                reason = reason ?? "; \(controller) gets the host's table"
            } else if try export(SubsHandler.workName(handler.event)) != .function {
                throw BridgeError(.sub, Self.missingSub(handler, in: shown))
            }
        }
        try checkNote(neededFor: reason)
        if handlers.contains(where: { $0.form == .entry }) { try checkEntry() }
        for call in handlers.compactMap(\.call) where call.systemLibrary == nil {
            for name in [call.function, call.free].compactMap(\.self) where name != "free" {
                guard try export(name) == .function else {
                    throw BridgeError(.function, Self.missingFunction(name, in: shown))
                }
            }
        }
    }

    static func missingSub(_ handler: ManifestHandler, in library: String) -> String {
        let names = [SubsHandler.workName, SubsHandler.controllerName].map { $0(handler.event) }
        return
            "\(library) exports neither \(names[0]) nor \(names[1]), and the handler \"\(handler.identifier)\" is made of subs; define one of them, in small letters and with default visibility"
    }

    static func missingFunction(_ name: String, in library: String) -> String {
        "\(library) does not define the function \(name) itself; `nm -D` lists what it does"
    }

    /// - Parameter reason: why there must be one, to be put after what is wrong; nil: there need not.
    private func checkNote(neededFor reason: String?) throws(BridgeError) {
        switch ABINote.read(copy.bytes) {
        case .failure(.noNote) where reason == nil: return
        case .failure(let fault):
            throw BridgeError(.note, "\(shown): \(fault.message)\(reason ?? ""); \(fault.help)")
        case .success(let note):
            guard note.abi == UInt32(CURFEW_ABI_VERSION) else {
                throw BridgeError(
                    .abi, .abiMismatch,
                    "\(shown) was built for ABI \(note.abi), this host speaks ABI \(CURFEW_ABI_VERSION); rebuild the plugin with this host's headers"
                )
            }
        }
    }

    private func export(_ name: String) throws(BridgeError) -> ELFExport {
        switch ELFExport.find(name, in: copy.bytes) {
        case .failure(let fault):
            throw BridgeError(.note, "\(shown): \(fault.message); \(fault.help)")
        case .success(let export): return export
        }
    }

    private func checkEntry() throws(BridgeError) {
        let name = PluginImage.entryName
        switch try export(name) {
        case .function: return
        case .data:
            throw BridgeError(
                .symbol, "\(shown) exports \(name) as data; it must be a function")
        case .missing:
            throw BridgeError(
                .symbol, "\(shown) exports no \(name); define it and mark it CURFEW_PLUGIN_EXPORT")
        }
    }

    /// Checks the libraries that come along with it.
    private func checkDependencies(
        _ folder: PluginDirectory, _ versioned: Set<[UInt8]>
    ) throws(BridgeError) -> (NeededLibraries, searched: [String]) {
        let dependencies: ELFDependencies
        do throws(ABINoteFault) {
            dependencies = try ELFDependencies(copy.bytes)
        } catch {
            throw BridgeError(.damaged, "\(shown) \(error.message); \(error.help)")
        }
        var libraries = NeededLibraries(beside: folder, trust: folder.trust)
        try libraries.check(dependencies, versioned, of: shown, origin: copy.directory)
        return (libraries, dependencies.searchPath)
    }
}
