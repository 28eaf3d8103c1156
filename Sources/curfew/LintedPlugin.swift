// SPDX-License-Identifier: Apache-2.0
import CCurfew
import Glibc
import PluginBridge

/// What was found out about one manifest and its library, without running anything.
struct LintedPlugin {
    /// As it was given.
    let path: String
    private(set) var manifest: Manifest?
    private(set) var faults: [Diagnostic] = []
    /// The ABI the library's note says; nil when it was not read.
    private(set) var abi: UInt32?
    /// Why the library was not looked at, or nil.
    private(set) var libraryRemark: String?

    /// Reads a plugin's directory, or a manifest alone: that one may be checked before there is a
    /// library. `-` is a manifest on standard input.
    init(path: String) {
        self.path = path
        var status = stat()
        if path != "-", stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
            take(Manifest.read(directory: path))
            checkLibrary(in: path)
            return
        }
        let file = path == "-" ? "<stdin>" : path
        do throws(InputFile.Fault) {
            // One byte over the limit is for the reader to refuse, with the limit's name.
            let bytes = try InputFile.read(path, limit: JSONReader.sizeLimit * 4)
            take(Manifest.parse(bytes: bytes, file: file))
        } catch {
            faults = [
                DiagnosticSource(file: file, bytes: []).diagnostic(
                    rule: ManifestRule.file.rawValue, message: "cannot read it: \(error.reason)",
                    help: "give a manifest, or the directory of a plugin")
            ]
            return
        }
        guard let manifest else { return }
        let folder = path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
            .joined(separator: "/")
        let directory = folder.isEmpty ? (path.hasPrefix("/") ? "/" : ".") : folder
        if path == "-" {
            libraryRemark = "library not looked for"
        } else if access(directory + "/" + manifest.library, F_OK) != 0 {
            libraryRemark = "no library yet"
        } else {
            checkLibrary(in: directory)
        }
    }

    private mutating func take(_ result: Result<Manifest, ManifestFaults>) {
        switch result {
        case .success(let read): manifest = read
        case .failure(let found): faults = found.diagnostics
        }
    }

    private mutating func checkLibrary(in directory: String) {
        guard let manifest else { return }
        let base = directory.hasSuffix("/") ? directory : directory + "/"
        let message: String
        let help: String
        switch ABINote.read(path: base + manifest.library) {
        case .success(let note) where note.abi == UInt32(CURFEW_ABI_VERSION):
            abi = note.abi
            return
        case .success(let note):
            abi = note.abi
            message =
                "`\(manifest.library)` was built for ABI \(note.abi), this host speaks ABI \(CURFEW_ABI_VERSION)"
            help = "build the plugin again with the headers of this Curfew"
        case .failure(let fault):
            message = "`\(manifest.library)` \(fault.message)"
            help = fault.help
        }
        faults.append(
            manifest.source.diagnostic(
                at: manifest.libraryPosition, width: manifest.libraryWidth,
                rule: ManifestRule.library.rawValue, message: message, help: help))
    }
}
